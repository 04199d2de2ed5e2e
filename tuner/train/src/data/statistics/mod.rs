//! Statistics of a dataset: piece counts, halfmove clocks, scores, plies, results, duplicates, and what the filter drops.
//!
//! [`Statistics`] counts games, [`read()`] those of whole datasets on all cores. A [`summary`] has the key [`figures`] with their
//! usual ranges, and [`page`] shows it.

pub mod change;
pub mod duplicates;
pub mod figures;
pub mod histogram;
pub mod output;
pub mod page;
mod read;
pub mod summary;

use super::filter::{DropReason, Filter};
use super::game_record::GameRecord;
use super::shard::Counts;
use change::{Change, white_wins};
use duplicates::KeySample;
use histogram::{Bins, Histogram};

pub use read::read;

const PIECES: Bins = Bins { first: 2, width: 1, max: 32 };
const FIFTY: Bins = Bins { first: 0, width: 5, max: 100 };
/// Absolute scores in centipawns; the last bin is that of all scores from 3000 on.
const SCORES: Bins = Bins { first: 0, width: 100, max: 3001 };
/// Plies after the opening.
const PLIES: Bins = Bins { first: 0, width: 10, max: 600 };
/// Plies of a game after the opening.
const LENGTHS: Bins = Bins { first: 0, width: 10, max: 600 };
/// Changes of the win probability are measured over these numbers of plies.
const DISTANCES: [usize; 3] = [1, 2, 4];

/// A histogram of all positions and one of those that the filter keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllAndKept {
    /// Histogram of all positions.
    pub all: Histogram,
    /// Histogram of the kept positions.
    pub kept: Histogram,
}

impl AllAndKept {
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

/// Counts over games. They do not depend on the order in which games are added and parts merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    filter: Filter,
    /// Games, positions and results.
    pub counts: Counts,
    /// Dropped positions by the first reason that applies, in the order of [`DropReason::ALL`].
    pub dropped: [u64; DropReason::ALL.len()],
    /// Pieces on the board, with kings and pawns.
    pub pieces: AllAndKept,
    /// Plies since the last capture or pawn move.
    pub fifty: AllAndKept,
    /// Absolute scores, in centipawns.
    pub scores: AllAndKept,
    /// Plies since the opening.
    pub plies: AllAndKept,
    /// Plies of games after the opening.
    pub lengths: Histogram,
    /// Changes of the win probability over 1, 2 and 4 plies.
    pub changes: [Change; DISTANCES.len()],
    /// Keys of the kept positions.
    pub keys: KeySample,
}

impl Statistics {
    /// Creates empty statistics.
    pub fn new(filter: Filter) -> Self {
        Self::sampled(filter, KeySample::with_bits(0))
    }

    fn sampled(filter: Filter, keys: KeySample) -> Self {
        Self {
            filter,
            counts: Counts::default(),
            dropped: [0; DropReason::ALL.len()],
            pieces: AllAndKept::new(PIECES),
            fifty: AllAndKept::new(FIFTY),
            scores: AllAndKept::new(SCORES),
            plies: AllAndKept::new(PLIES),
            lengths: Histogram::new(LENGTHS),
            changes: DISTANCES.map(Change::new),
            keys,
        }
    }

    /// Adds a game.
    pub fn add(&mut self, game: &GameRecord) {
        self.counts.add_result(game.outcome);
        self.lengths.add(game.moves.len());
        let mut white = Vec::with_capacity(game.moves.len());
        for (ply, (position, best, score)) in game.positions().enumerate() {
            white.push(white_wins(score, position.side_to_move()));
            let reason = self.filter.drop_reason(ply, &position, best, score);
            let kept = reason.is_none();
            self.counts.positions += 1;
            match reason {
                None => {
                    self.counts.kept += 1;
                    self.keys.add(position.key());
                }
                // The discriminants are the indices of [`DropReason::ALL`].
                Some(reason) => self.dropped[reason as usize] += 1,
            }
            self.pieces.add(position.occupied().count(), kept);
            self.fifty.add(position.halfmove_clock(), kept);
            if score.is_some() {
                self.scores.add(score.0.unsigned_abs() as usize, kept);
            }
            self.plies.add(ply, kept);
        }
        self.changes.iter_mut().for_each(|change| change.add(&white));
    }

    /// Adds other statistics, which must have the same filter.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::game_record::Outcome;
    use nullarbor::board::Position;
    use nullarbor::types::Score;

    fn game(start: &str, moves: &[(&str, i32)], outcome: Outcome) -> GameRecord {
        let start = Position::from_fen(start).expect(start);
        let mut position = start.clone();
        let play = |&(mv, score): &(&str, i32)| {
            let mv = position.parse_uci(mv).expect(mv);
            position = position.make(mv);
            (mv, Score(score))
        };
        let moves = moves.iter().map(play).collect();
        GameRecord { start, moves, outcome }
    }

    const KINGS: &str = "4k3/8/8/8/8/4p3/8/3QK3 w - - 18 40";

    fn games() -> [GameRecord; 3] {
        [
            game(KINGS, &[("d1d3", 650), ("e8e7", -600), ("d3e3", 31_990)], Outcome::Win),
            game(KINGS, &[("d1d4", 601), ("e8f8", -3001), ("d4d8", 50)], Outcome::Draw),
            game(KINGS, &[("d1d3", 0)], Outcome::Loss),
        ]
    }

    fn of(games: &[GameRecord]) -> Statistics {
        let mut statistics = Statistics::new(Filter { skip_plies: 0, max_score: 3000 });
        games.iter().for_each(|game| statistics.add(game));
        statistics
    }

    #[test]
    fn games_are_counted() {
        let found = of(&games());
        let Counts { games, positions, kept, white_wins, draws, black_wins } = found.counts;
        assert_eq!((games, positions, kept), (3, 7, 5));
        assert_eq!((white_wins, draws, black_wins), (1, 1, 1));
        assert_eq!(found.dropped, [0, 0, 0, 1, 0, 1]);
        assert_eq!(found.dropped.iter().sum::<u64>() + kept, positions);
        assert_eq!(found.pieces.all.percent(4, 4), Some(100.0));
        assert_eq!(found.fifty.kept.total(), 5);
        assert_eq!(found.fifty.all.percent(20, usize::MAX), Some(200.0 / 7.0));
        assert_eq!(found.scores.kept.median(), Some(600.0));
        assert_eq!(found.scores.kept.percent(601, usize::MAX), Some(40.0));
        assert_eq!(found.plies.all.percent(0, 0), Some(300.0 / 7.0));
        assert_eq!((found.lengths.median(), found.lengths.mean()), (Some(3.0), Some(7.0 / 3.0)));
        assert_eq!(found.changes.each_ref().map(|change| change.pairs), [4, 2, 0]);
        assert_eq!((found.keys.positions(), found.keys.duplicates()), (5, 2), "the start, twice");
    }

    #[test]
    fn positions_without_a_score_are_not_missed_among_the_kept() {
        let unscored = Score::NONE.0;
        let moves = [("d1d3", 650), ("e8e7", unscored), ("d3d4", 20), ("e7e8", unscored)];
        let found = of(&[game(KINGS, &moves, Outcome::Win)]);
        assert_eq!((found.counts.positions, found.counts.kept), (4, 2));
        assert_eq!(found.dropped, [2, 0, 0, 0, 0, 0]);
        assert_eq!(figures::Figures::of(&found).kept_percent, Some(100.0));
    }

    #[test]
    fn discriminants_are_the_indices_of_all_reasons() {
        let numbers = DropReason::ALL.map(|reason| reason as usize);
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn merged_parts_equal_the_whole() {
        let games = games();
        for cut in 0..=games.len() {
            let (mut one, other) = (of(&games[..cut]), of(&games[cut..]));
            one.merge(&other);
            assert_eq!(one, of(&games), "{cut}");
        }
    }
}
