//! The win/draw/loss model: how likely a score wins, draws or loses, fitted to games with scores.
//!
//! The model is that of Stockfish (`win_rate_model`): a score v at move m is won with the probability `1 / (1 + exp((a - v) / b))` and
//! lost with that of -v, where a and b are polynomials of third degree in m / 32. The score a is won half of the time:
//! engines that follow Stockfish print `100 v / a(32)` centipawns, so that 100 cp win half of the games at move 32. Early moves are
//! not counted, since they are those of books, nor late ones, which are rare.

mod fit;
mod games;

pub use fit::{Curve, Fit, Logistic};
pub use games::{GamesError, read};

use std::collections::BTreeMap;

use nullarbor::eval::wdl::MOVES;

/// The result of a game for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Result3 {
    Loss,
    Draw,
    Win,
}

/// Maximum score that is counted, in centipawns: all beyond are won.
pub const GREATEST_SCORE: i32 = 2000;
/// Width of a class of scores, in centipawns.
const CLASS: i32 = 5;

/// Counts of losses, draws and wins.
pub type Counts = [u64; 3];

/// Positions with scores and results, counted by move and class of score.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    counts: BTreeMap<(u32, i32), Counts>,
}

impl Sample {
    /// Counts a position: its move, its score in centipawns and the result, for the side to move.
    pub fn add(&mut self, number: u32, score: i32, result: Result3) {
        if MOVES.contains(&number) && score.abs() <= GREATEST_SCORE {
            let class = score.div_euclid(CLASS);
            self.counts.entry((number, class)).or_default()[result as usize] += 1;
        }
    }

    /// Returns the number of positions.
    pub fn positions(&self) -> u64 {
        self.counts.values().flatten().sum()
    }

    /// Returns scores (the middle of their class) and counts of these moves.
    pub fn of_moves(&self, moves: std::ops::RangeInclusive<u32>) -> Vec<(f64, Counts)> {
        let mut classes: BTreeMap<i32, Counts> = BTreeMap::new();
        for ((_, class), counts) in
            self.counts.iter().filter(|((number, _), _)| moves.contains(number))
        {
            let sums = classes.entry(*class).or_default();
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        let middle = |class: i32| f64::from(class * CLASS) + f64::from(CLASS - 1) / 2.0;
        classes.into_iter().map(|(class, counts)| (middle(class), counts)).collect()
    }
}
