//! What a dataset is made of: piece counts, clocks, scores, plies, results, repeats, and why positions are left out.
//!
//! [`Statistics`] count games and [`read()`] counts those of whole folders on all cores; [`summary`] has the figures, with their usual
//! ranges in [`figures`], and [`page`] shows them.

pub mod change;
pub mod figures;
pub mod histogram;
pub mod page;
mod read;
pub mod repeats;
pub mod summary;

use serde::{Serialize, Serializer};

use super::filter::{Dropped, Filter};
use super::record::{Outcome, Record};
use super::shard::Counts;
use change::{Change, white_wins};
use histogram::{Bins, Histogram};
use repeats::KeySample;
use summary::Summary;

pub use read::read;

const PIECES: Bins = Bins { first: 2, width: 1, most: 32 };
const FIFTY: Bins = Bins { first: 0, width: 5, most: 100 };
/// Absolute scores in centipawns; the last bin holds all from 3000 on.
const SCORES: Bins = Bins { first: 0, width: 100, most: 3001 };
/// Plies after the opening.
const PLIES: Bins = Bins { first: 0, width: 10, most: 600 };
/// Plies of a game after the opening.
const LENGTHS: Bins = Bins { first: 0, width: 10, most: 600 };
/// Score changes are measured over so many plies.
const DISTANCES: [usize; 3] = [1, 2, 4];

/// The same statistic of all positions and of those that the filter keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Both {
    /// Of all positions.
    pub all: Histogram,
    /// Of the positions that are kept.
    pub kept: Histogram,
}

impl Both {
    fn new(bins: Bins) -> Self {
        Self { all: Histogram::new(bins), kept: Histogram::new(bins) }
    }

    fn add(&mut self, value: usize, kept: bool) {
        self.all.add(value);
        if kept {
            self.kept.add(value);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.all.merge(&other.all);
        self.kept.merge(&other.kept);
    }
}

/// Counts over games. They do not depend on the order of the games, nor on how they were parted and merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    filter: Filter,
    /// Games, positions and results.
    pub counts: Counts,
    /// The positions left out, by the first reason, in the order of [`Dropped::ALL`].
    pub dropped: [u64; Dropped::ALL.len()],
    /// Pieces on the board, kings and pawns among them.
    pub pieces: Both,
    /// Plies since the last capture or pawn move.
    pub fifty: Both,
    /// Absolute scores, in centipawns.
    pub scores: Both,
    /// Plies since the opening.
    pub plies: Both,
    /// Plies of the games after their opening.
    pub lengths: Histogram,
    /// Changes in win probability over 1, 2 and 4 plies.
    pub changes: [Change; DISTANCES.len()],
    /// Keys of the positions that are kept.
    pub keys: KeySample,
}

impl Statistics {
    /// No games; `filter` says which positions count as kept.
    pub fn new(filter: Filter) -> Self {
        Self::sampled(filter, KeySample::default())
    }

    fn sampled(filter: Filter, keys: KeySample) -> Self {
        Self {
            filter,
            counts: Counts::default(),
            dropped: [0; Dropped::ALL.len()],
            pieces: Both::new(PIECES),
            fifty: Both::new(FIFTY),
            scores: Both::new(SCORES),
            plies: Both::new(PLIES),
            lengths: Histogram::new(LENGTHS),
            changes: DISTANCES.map(Change::new),
            keys,
        }
    }

    /// Counts a game.
    pub fn add(&mut self, game: &Record) {
        self.counts.games += 1;
        match game.outcome {
            Outcome::Win => self.counts.white += 1,
            Outcome::Draw => self.counts.drawn += 1,
            Outcome::Loss => self.counts.black += 1,
        }
        self.lengths.add(game.moves.len());
        let mut white = Vec::with_capacity(game.moves.len());
        for (ply, (position, best, score)) in game.positions().enumerate() {
            white.push(white_wins(score, position.side_to_move()));
            let verdict = self.filter.verdict(ply, &position, best, score);
            let kept = verdict.is_none();
            self.counts.positions += 1;
            match verdict {
                None => {
                    self.counts.kept += 1;
                    self.keys.add(position.key());
                }
                // Reasons are numbered as they are listed.
                Some(reason) => self.dropped[reason as usize] += 1,
            }
            self.pieces.add(position.occupied().count(), kept);
            self.fifty.add(position.halfmove_clock(), kept);
            self.scores.add(score.0.unsigned_abs() as usize, kept);
            self.plies.add(ply, kept);
        }
        self.changes.iter_mut().for_each(|change| change.add(&white));
    }

    /// Counts the games of others, too; they must have the same filter.
    pub fn merge(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        self.dropped.iter_mut().zip(other.dropped).for_each(|(count, more)| *count += more);
        self.pieces.merge(&other.pieces);
        self.fifty.merge(&other.fifty);
        self.scores.merge(&other.scores);
        self.plies.merge(&other.plies);
        self.lengths.merge(&other.lengths);
        self.changes.iter_mut().zip(&other.changes).for_each(|(change, more)| change.merge(more));
        self.keys.merge(&other.keys);
    }
}

impl Serialize for Statistics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Summary::of(self).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::board::Position;
    use nullarbor::types::Score;

    fn game(start: &str, moves: &[(&str, i32)], outcome: Outcome) -> Record {
        let start = Position::from_fen(start).expect(start);
        let mut position = start.clone();
        let play = |&(mv, score): &(&str, i32)| {
            let mv = position.parse_uci(mv).expect(mv);
            position = position.make(mv);
            (mv, Score(score))
        };
        let moves = moves.iter().map(play).collect();
        Record { start, moves, outcome }
    }

    const KINGS: &str = "4k3/8/8/8/8/4p3/8/3QK3 w - - 18 40";

    fn games() -> [Record; 3] {
        [
            game(KINGS, &[("d1d3", 650), ("e8e7", -600), ("d3e3", 31_990)], Outcome::Win),
            game(KINGS, &[("d1d4", 601), ("e8f8", -3001), ("d4d8", 50)], Outcome::Draw),
            game(KINGS, &[("d1d3", 0)], Outcome::Loss),
        ]
    }

    fn of(games: &[Record]) -> Statistics {
        let mut statistics = Statistics::new(Filter { early: 0, most: 3000 });
        games.iter().for_each(|game| statistics.add(game));
        statistics
    }

    #[test]
    fn games_are_counted() {
        let found = of(&games());
        let Counts { games, positions, kept, white, drawn, black } = found.counts;
        assert_eq!((games, positions, kept), (3, 7, 5));
        assert_eq!((white, drawn, black), (1, 1, 1));
        assert_eq!(found.dropped, [0, 0, 1, 0, 1]);
        assert_eq!(found.dropped.iter().sum::<u64>() + kept, positions);
        assert_eq!(found.pieces.all.percent(4, 4), Some(100.0));
        assert_eq!(found.fifty.kept.total(), 5);
        assert_eq!(found.fifty.all.percent(20, usize::MAX), Some(200.0 / 7.0));
        assert_eq!(found.scores.kept.median(), Some(600.0));
        assert_eq!(found.scores.kept.percent(601, usize::MAX), Some(40.0));
        assert_eq!(found.plies.all.percent(0, 0), Some(300.0 / 7.0));
        assert_eq!((found.lengths.median(), found.lengths.mean()), (Some(3.0), Some(7.0 / 3.0)));
        assert_eq!(found.changes.each_ref().map(|change| change.pairs), [4, 2, 0]);
        assert_eq!((found.keys.positions(), found.keys.repeats()), (5, 2), "the start, twice");
    }

    #[test]
    fn reasons_are_numbered_as_they_are_listed() {
        let numbers = Dropped::ALL.map(|reason| reason as usize);
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn parts_merge_to_the_whole() {
        let games = games();
        for cut in 0..=games.len() {
            let (mut one, other) = (of(&games[..cut]), of(&games[cut..]));
            one.merge(&other);
            assert_eq!(one, of(&games), "{cut}");
        }
    }
}
