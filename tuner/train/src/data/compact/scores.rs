//! Encodes the scores of a game as changes of their levels.

use nullarbor::types::{Colour, Score};

use super::levels::{self, HIGHEST};
use super::streams::{StreamReader, StreamWriter};

/// The number of streams of scores: decisive scores that were not predicted, and the changes of each class.
pub const STREAMS: usize = 1 + CLASSES;
const CLASSES: usize = 8;

/// The code of a mate that is predicted by the score before.
const PREDICTED: u8 = 255;
/// The code of a decisive score that is stored in full.
const DECISIVE: u8 = 254;
/// The code of [`Score::NONE`], which changes nothing of what follows.
const UNSCORED: u8 = 253;

/// The state of the scores of a game.
pub struct Scores {
    /// The first stream of scores.
    stream: usize,
    /// The last score from White's point of view.
    score: Score,
    /// Level of the last score.
    level: i32,
    /// The absolute values of the last two changes of the level.
    changes: [i32; 2],
}

impl Scores {
    /// Begins a game; `stream` is the first stream of scores.
    pub fn new(stream: usize) -> Self {
        Self { stream, score: Score::DRAW, level: 0, changes: [0; 2] }
    }

    /// Encodes the next score of the side to move.
    pub fn encode(&mut self, score: Score, mover: Colour, writer: &mut StreamWriter) {
        let class = self.class();
        if score == Score::NONE {
            return writer.push(class, UNSCORED);
        }
        let score = by_white(score, mover);
        if score.is_mate() {
            let predicted = score == self.predicted();
            writer.push(class, if predicted { PREDICTED } else { DECISIVE });
            if !predicted {
                let exact = score.0.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
                exact.to_le_bytes().into_iter().for_each(|byte| writer.push(self.stream, byte));
            }
        } else {
            writer.push(class, zigzag(signed(levels::level(score) - self.level, mover)));
        }
        // As it is decoded: the next mate is predicted from it.
        self.update(levels::rounded(score));
    }

    /// Decodes the next score of the side to move.
    pub fn decode(&mut self, mover: Colour, reader: &mut StreamReader) -> Option<Score> {
        let score = match reader.next(self.class())? {
            UNSCORED => return Some(Score::NONE),
            PREDICTED => self.predicted(),
            DECISIVE => {
                let bytes = [reader.next(self.stream)?, reader.next(self.stream)?];
                Score(i16::from_le_bytes(bytes).into())
            }
            change => levels::score(self.level + signed(unzigzag(change), mover))?,
        };
        self.update(score);
        Some(by_white(score, mover))
    }

    /// Returns the stream of the next change: by the size of the last changes and of the level.
    fn class(&self) -> usize {
        let volatility = match self.changes[0].max(self.changes[1]) {
            0 => 0,
            1..=2 => 1,
            3..=5 => 2,
            _ => 3,
        };
        self.stream + 1 + 2 * volatility + usize::from(self.level.abs() > FAR)
    }

    /// Returns the score of a mate one ply nearer than in the position before.
    fn predicted(&self) -> Score {
        Score(self.score.0 + self.score.0.signum())
    }

    fn update(&mut self, score: Score) {
        let level = if score.is_mate() { HIGHEST * score.0.signum() } else { levels::level(score) };
        self.changes = [(level - self.level).abs(), self.changes[0]];
        (self.score, self.level) = (score, level);
    }
}

/// Levels beyond this change more slowly.
const FAR: i32 = 30;

fn by_white(score: Score, mover: Colour) -> Score {
    Score(signed(score.0, mover))
}

fn signed(value: i32, mover: Colour) -> i32 {
    if mover == Colour::White { value } else { -value }
}

/// Zigzag-codes a number of either sign.
fn zigzag(change: i32) -> u8 {
    (change << 1 ^ change >> 31) as u8
}

fn unzigzag(change: u8) -> i32 {
    i32::from(change >> 1) ^ -i32::from(change & 1)
}
