//! Scores of a game, one after the other, as changes of their levels.

use nullarbor::types::{Colour, Score};

use super::levels::{self, HIGHEST};
use super::streams::{Sinks, Sources};

/// How many streams scores take: decisive ones that no other foretold, and changes of each class.
pub const STREAMS: usize = 1 + CLASSES;
const CLASSES: usize = 8;

/// Stands for the mate that the position before foretold.
const FORETOLD: u8 = 255;
/// Stands for a decisive score that is written out.
const DECISIVE: u8 = 254;

/// The scores of a game so far.
pub struct Scores {
    /// The first stream.
    stream: usize,
    /// The last score, seen by White.
    score: Score,
    /// Its level.
    level: i32,
    /// The last two changes of levels, without their signs.
    changes: [i32; 2],
}

impl Scores {
    /// No scores yet; `stream` is the first of their streams.
    pub fn new(stream: usize) -> Self {
        Self { stream, score: Score::DRAW, level: 0, changes: [0; 2] }
    }

    /// Adds the next score, seen by the side to move.
    pub fn write(&mut self, score: Score, mover: Colour, sinks: &mut Sinks) {
        let score = by_white(score, mover);
        let class = self.class();
        if score.is_decisive() {
            let foretold = score == self.foretold();
            sinks.push(class, if foretold { FORETOLD } else { DECISIVE });
            if !foretold {
                let exact = score.0.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
                exact.to_le_bytes().into_iter().for_each(|byte| sinks.push(self.stream, byte));
            }
        } else {
            sinks.push(class, folded(signed(levels::level(score) - self.level, mover)));
        }
        self.note(score);
    }

    /// Reads the next score, seen by the side to move.
    pub fn read(&mut self, mover: Colour, sources: &mut Sources) -> Option<Score> {
        let score = match sources.next(self.class())? {
            FORETOLD => self.foretold(),
            DECISIVE => {
                let bytes = [sources.next(self.stream)?, sources.next(self.stream)?];
                Score(i16::from_le_bytes(bytes).into())
            }
            change => levels::score(self.level + signed(unfolded(change), mover))?,
        };
        self.note(score);
        Some(by_white(score, mover))
    }

    /// The stream of the next change: by how lively the score was, and how far it is from even.
    fn class(&self) -> usize {
        let lively = match self.changes[0].max(self.changes[1]) {
            0 => 0,
            1..=2 => 1,
            3..=5 => 2,
            _ => 3,
        };
        self.stream + 1 + 2 * lively + usize::from(self.level.abs() > FAR)
    }

    /// A mate is a ply nearer than in the position before.
    fn foretold(&self) -> Score {
        Score(self.score.0 + self.score.0.signum())
    }

    fn note(&mut self, score: Score) {
        let level =
            if score.is_decisive() { HIGHEST * score.0.signum() } else { levels::level(score) };
        self.changes = [(level - self.level).abs(), self.changes[0]];
        (self.score, self.level) = (score, level);
    }
}

/// Levels beyond this change less.
const FAR: i32 = 30;

fn by_white(score: Score, mover: Colour) -> Score {
    Score(signed(score.0, mover))
}

fn signed(value: i32, mover: Colour) -> i32 {
    if mover == Colour::White { value } else { -value }
}

/// Small numbers of either sign as small numbers.
fn folded(change: i32) -> u8 {
    (change << 1 ^ change >> 31) as u8
}

fn unfolded(change: u8) -> i32 {
    i32::from(change >> 1) ^ -i32::from(change & 1)
}
