//! Changes of the win probability from ply to ply.

use nullarbor::types::{Colour, Score};

use crate::data::compact::levels::SCALE;

/// Sums are integers in units of 2^-32, so that they do not depend on the order of merging.
const UNIT: f64 = (1u64 << 32) as f64;

/// Sums of the changes of the win probability over a number of plies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Plies between the two scores of a pair.
    pub plies: usize,
    /// Pairs of scores.
    pub pairs: u64,
    squares: u64,
    absolutes: u64,
}

impl Change {
    /// Creates empty sums over this number of plies.
    pub fn new(plies: usize) -> Self {
        Self { plies, pairs: 0, squares: 0, absolutes: 0 }
    }

    /// Adds the changes within a game, given White's win probability at each ply, where there is a score.
    pub fn add(&mut self, white: &[Option<f64>]) {
        let pairs = white.iter().zip(white.iter().skip(self.plies));
        for (now, then) in pairs.filter_map(|(now, then)| (*now).zip(*then)) {
            let change = (then - now).abs();
            self.pairs += 1;
            self.squares += (change * change * UNIT).round() as u64;
            self.absolutes += (change * UNIT).round() as u64;
        }
    }

    /// Adds other sums over the same number of plies.
    pub fn merge(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.squares += other.squares;
        self.absolutes += other.absolutes;
    }

    /// Returns the mean squared change; `None` without pairs.
    pub fn mean_square(&self) -> Option<f64> {
        self.mean(self.squares)
    }

    /// Returns the mean absolute change; `None` without pairs.
    pub fn mean_absolute(&self) -> Option<f64> {
        self.mean(self.absolutes)
    }

    fn mean(&self, sum: u64) -> Option<f64> {
        (self.pairs > 0).then(|| sum as f64 / UNIT / self.pairs as f64)
    }
}

/// Returns White's win probability, from 0 to 1, for a score of the side to move; `None` without a score.
pub fn white_wins(score: Score, mover: Colour) -> Option<f64> {
    let white = if mover == Colour::White { score.0 } else { -score.0 };
    score.is_some().then(|| 1.0 / (1.0 + (-f64::from(white) / SCALE).exp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_seen_from_one_side() {
        assert_eq!(white_wins(Score(0), Colour::Black), Some(0.5));
        let (white, black) =
            (white_wins(Score(300), Colour::White), white_wins(Score(-300), Colour::Black));
        assert_eq!(white, black);
        assert!(white.is_some_and(|it| (it - 0.731_058_6).abs() < 1e-6), "{white:?}");
    }

    #[test]
    fn means_are_those_of_the_pairs() {
        let game = [0.5, 0.75, 0.25, 0.5].map(Some);
        let mut change = Change::new(1);
        assert_eq!((change.mean_square(), change.mean_absolute()), (None, None));
        change.add(&game);
        assert_eq!(change.pairs, 3);
        assert_eq!(change.mean_square(), Some((0.0625 + 0.25 + 0.0625) / 3.0));
        assert_eq!(change.mean_absolute(), Some(1.0 / 3.0));
        let mut two = Change::new(2);
        two.add(&game);
        assert_eq!((two.pairs, two.mean_absolute()), (2, Some(0.25)));
        let mut four = Change::new(4);
        four.add(&game);
        assert_eq!(four.pairs, 0);
    }
}
