//! Results counted by pairs of games.

use serde::{Deserialize, Serialize};

/// The result of a game for the first of two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GameResult {
    /// No point.
    Loss,
    /// Half a point.
    Draw,
    /// A point.
    Win,
}

/// Counts of pairs by their results for the first player. A win and a loss are worth as much as two draws, but are counted
/// separately: they tell something else about the openings.
///
/// ```
/// use nullarbor_stats::{GameResult, PairCounts};
///
/// let mut counts = PairCounts::default();
/// counts.add(GameResult::Win, GameResult::Draw);
/// counts.add(GameResult::Win, GameResult::Loss);
/// assert_eq!((counts.games(), counts.points()), (4, 2.5));
/// assert_eq!(counts.pentanomial(), [0, 0, 1, 1, 0]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairCounts {
    /// Both lost.
    pub ll: u64,
    /// One lost, one drawn.
    pub ld: u64,
    /// Both drawn.
    pub dd: u64,
    /// One won, one lost.
    pub wl: u64,
    /// One won, one drawn.
    pub wd: u64,
    /// Both won.
    pub ww: u64,
}

impl PairCounts {
    /// Adds a pair.
    pub fn add(&mut self, one: GameResult, other: GameResult) {
        use GameResult::{Draw, Loss, Win};
        *match (one, other) {
            (Loss, Loss) => &mut self.ll,
            (Loss, Draw) | (Draw, Loss) => &mut self.ld,
            (Draw, Draw) => &mut self.dd,
            (Win, Loss) | (Loss, Win) => &mut self.wl,
            (Win, Draw) | (Draw, Win) => &mut self.wd,
            (Win, Win) => &mut self.ww,
        } += 1;
    }

    /// Returns the counts for the second player.
    pub fn reversed(self) -> Self {
        Self { ll: self.ww, ld: self.wd, wd: self.ld, ww: self.ll, ..self }
    }

    /// Adds the pairs of another count.
    pub fn merge(&mut self, other: &Self) {
        self.ll += other.ll;
        self.ld += other.ld;
        self.dd += other.dd;
        self.wl += other.wl;
        self.wd += other.wd;
        self.ww += other.ww;
    }

    /// Returns the numbers of pairs worth 0, ½, 1, 1½ and 2 points.
    pub fn pentanomial(&self) -> [u64; 5] {
        [self.ll, self.ld, self.dd + self.wl, self.wd, self.ww]
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.pentanomial().iter().sum()
    }

    /// Returns the number of pairs; `None` if it is too great for any match, as in a damaged file.
    pub fn checked_pairs(&self) -> Option<u64> {
        let counts = [self.ll, self.ld, self.dd, self.wl, self.wd, self.ww];
        counts.into_iter().try_fold(0_u64, u64::checked_add)
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        2 * self.pairs()
    }

    /// Returns the number of games won.
    pub fn wins(&self) -> u64 {
        2 * self.ww + self.wd + self.wl
    }

    /// Returns the number of games lost.
    pub fn losses(&self) -> u64 {
        self.reversed().wins()
    }

    /// Returns the number of games drawn.
    pub fn draws(&self) -> u64 {
        2 * self.dd + self.wd + self.ld
    }

    /// Returns the points: one for a win, half for a draw.
    pub fn points(&self) -> f64 {
        self.wins() as f64 + self.draws() as f64 / 2.0
    }

    /// Returns the share of the points, 0 to 1; one half without games.
    pub fn score(&self) -> f64 {
        if self.pairs() == 0 { 0.5 } else { self.points() / self.games() as f64 }
    }

    /// Returns the variance of the share of the points of a pair; 0 without games.
    pub fn variance(&self) -> f64 {
        self.variance_around(self.score())
    }

    /// Returns the mean square of the difference between the share of the points of a pair and an expected one.
    pub fn variance_around(&self, mean: f64) -> f64 {
        let pairs = self.pairs().max(1) as f64;
        let scores = self.pentanomial().into_iter().zip([0.0, 0.25, 0.5, 0.75, 1.0]);
        scores.map(|(count, score)| count as f64 / pairs * (score - mean) * (score - mean)).sum()
    }

    /// Returns the share of pairs worth one point.
    pub fn draw_ratio(&self) -> f64 {
        (self.dd + self.wl) as f64 / self.pairs() as f64
    }

    /// Returns pairs won per pair lost.
    pub fn pairs_ratio(&self) -> f64 {
        (self.ww + self.wd) as f64 / (self.ld + self.ll) as f64
    }

    /// Returns pairs of one win each per pair of two draws: high if the openings decide games.
    pub fn wl_dd_ratio(&self) -> f64 {
        self.wl as f64 / self.dd as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_counted_once() {
        use GameResult::{Draw, Loss, Win};
        let mut counts = PairCounts::default();
        for one in [Loss, Draw, Win] {
            for other in [Loss, Draw, Win] {
                counts.add(one, other);
            }
        }
        assert_eq!(counts.pentanomial(), [1, 2, 3, 2, 1]);
        assert_eq!((counts.wins(), counts.losses(), counts.draws()), (6, 6, 6));
        assert_eq!((counts.wl, counts.dd), (2, 1));
        assert_eq!(counts.games(), 18);
        assert_eq!(counts.score(), 0.5);
    }

    #[test]
    fn the_other_player_sees_the_reverse() {
        let counts = PairCounts { ll: 1, ld: 2, dd: 3, wl: 4, wd: 5, ww: 6 };
        let reversed = counts.reversed();
        assert_eq!(reversed.pentanomial(), [6, 5, 7, 2, 1]);
        assert_eq!((reversed.wins(), reversed.draws()), (counts.losses(), counts.draws()));
        assert_eq!(reversed.reversed(), counts);
        let mut both = counts;
        both.merge(&reversed);
        assert_eq!(both.score(), 0.5);
    }
}
