//! Limited strength (`UCI_LimitStrength`, `UCI_Elo`): a weaker opponent that still plays like one who
//! wants to win.
//!
//! A level searches a number of nodes per move that grows exponentially with its rating. Low levels
//! also look at several moves and play one that is worse than the best by at most a margin, the rarer
//! the worse. What is won or lost by force is always played best. The draw depends on the position
//! and the number of the game alone, so that a game can be repeated.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::clock::Limits;
use crate::types::Score;

/// One row of the calibration: what gives a rating.
#[derive(Clone, Copy, Debug)]
struct Level {
    elo: i32,
    /// No iteration is started after this number of nodes.
    nodes: u64,
    /// Centipawns by which the move that is played may be worse than the best.
    margin: i32,
}

/// The levels, weakest first; between them the logarithm of the nodes and the margin are
/// interpolated. They were fitted to games: see `MEASUREMENTS.md`.
const LEVELS: &[Level] = &[
    Level { elo: 1000, nodes: 60, margin: 460 },
    Level { elo: 1300, nodes: 120, margin: 152 },
    Level { elo: 1600, nodes: 220, margin: 60 },
    Level { elo: 1800, nodes: 460, margin: 0 },
    Level { elo: 2200, nodes: 9000, margin: 0 },
    Level { elo: 2600, nodes: 600_000, margin: 0 },
];

/// The most moves among which a level chooses.
const MOST_LINES: usize = 6;
/// Centipawns of margin for which one more move is looked at.
const MARGIN_PER_LINE: i32 = 25;

/// A rating to play at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    elo: i32,
}

impl Strength {
    /// The lowest rating.
    pub const MIN: i32 = LEVELS[0].elo;
    /// The highest rating.
    pub const MAX: i32 = LEVELS[LEVELS.len() - 1].elo;
    /// The rating by default.
    pub const DEFAULT: i32 = 1800;

    /// Returns the strength for a rating; one out of range is clamped.
    pub fn new(elo: i32) -> Self {
        Self { elo: elo.clamp(Self::MIN, Self::MAX) }
    }

    /// Returns the two levels around the rating, and where between them it lies, 0 to 1.
    fn neighbours(self) -> (Level, Level, f64) {
        let above = LEVELS.partition_point(|level| level.elo < self.elo).clamp(1, LEVELS.len() - 1);
        let (low, high) = (LEVELS[above - 1], LEVELS[above]);
        (low, high, f64::from(self.elo - low.elo) / f64::from(high.elo - low.elo))
    }

    /// Returns the nodes after which no iteration is started.
    pub fn nodes(self) -> u64 {
        let (low, high, part) = self.neighbours();
        // In software, as those of systems differ in the last bit: a level can be repeated.
        let (low, high) = (libm::log(low.nodes as f64), libm::log(high.nodes as f64));
        libm::exp(low + (high - low) * part).round() as u64
    }

    /// Returns by how many centipawns a move may be worse than the best.
    pub fn margin(self) -> i32 {
        let (low, high, part) = self.neighbours();
        (f64::from(low.margin) + f64::from(high.margin - low.margin) * part).round() as i32
    }

    /// Returns what this strength means for one search; `seed` decides which moves are drawn.
    pub fn handicap(self, seed: u64) -> Handicap {
        Handicap { nodes: self.nodes(), margin: self.margin(), seed }
    }
}

impl Default for Strength {
    fn default() -> Self {
        Self::new(Self::DEFAULT)
    }
}

/// The handicap of one search at a limited strength.
#[derive(Clone, Copy, Debug)]
pub struct Handicap {
    nodes: u64,
    margin: i32,
    seed: u64,
}

impl Handicap {
    /// Returns the number of best lines that the choice needs.
    pub fn lines(&self) -> usize {
        let more = (self.margin + MARGIN_PER_LINE - 1) / MARGIN_PER_LINE;
        (1 + more.max(0) as usize).min(MOST_LINES)
    }

    /// Returns limits that hold for the search as well; its clock is still obeyed.
    pub fn limit(&self, limits: &Limits) -> Limits {
        // Whole iterations are comparable, so the budget is a soft limit; an iteration may take as
        // much again. While pondering only the hard limit counts.
        let lower = |limit: Option<u64>, most: u64| Some(limit.map_or(most, |it| it.min(most)));
        Limits {
            soft_nodes: lower(limits.soft_nodes, self.nodes),
            nodes: lower(limits.nodes, self.nodes * 2),
            ..limits.clone()
        }
    }

    /// Chooses among lines by their scores, the best first, and returns the index; 0 if there are
    /// none. A move that loses a share of the margin is drawn with a weight that falls exponentially.
    pub fn choose(&self, scores: &[Score]) -> usize {
        /// Margins after which the weight of a move has fallen by a factor of e.
        const DECAY: f64 = 0.5;
        let Some(&best) = scores.first().filter(|best| !best.is_decisive()) else { return 0 };
        let weight = |&score: &Score| {
            let loss = (best - score).max(0);
            if loss > self.margin || score.is_decisive() {
                return 0.0;
            }
            (-f64::from(loss) / (DECAY * f64::from(self.margin.max(1)))).exp()
        };
        let weights: Vec<f64> = scores.iter().map(weight).collect();
        let mut drawn =
            ChaCha8Rng::seed_from_u64(self.seed).random::<f64>() * weights.iter().sum::<f64>();
        for (index, weight) in weights.iter().enumerate() {
            drawn -= weight;
            if drawn < 0.0 {
                return index;
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::Depth;

    #[test]
    fn the_levels_are_in_order() {
        for pair in LEVELS.windows(2) {
            assert!(pair[0].elo < pair[1].elo, "{pair:?}");
            assert!(pair[0].nodes <= pair[1].nodes, "{pair:?}");
            assert!(pair[0].margin >= pair[1].margin, "{pair:?}");
        }
        for level in LEVELS {
            let strength = Strength::new(level.elo);
            assert_eq!((strength.nodes(), strength.margin()), (level.nodes, level.margin));
        }
        assert_eq!(Strength::new(i32::MAX), Strength::new(Strength::MAX));
    }

    #[test]
    fn limits_of_go_still_hold() {
        let handicap = Strength::new(Strength::MAX).handicap(1);
        let narrow = Limits { nodes: Some(7), depth: Some(Depth(3)), ..Limits::default() };
        let limited = handicap.limit(&narrow);
        assert_eq!((limited.nodes, limited.depth), (Some(7), Some(Depth(3))));
        let clock = handicap.limit(&Limits { infinite: true, ..Limits::default() });
        assert!(clock.waits_for_stop() && clock.nodes.is_some());
    }

    #[test]
    fn low_levels_vary_and_high_ones_do_not() {
        let scores = [Score(30), Score(25), Score(-20), Score(-900)];
        let chosen = |elo: i32| -> Vec<usize> {
            (0..1000).map(|seed| Strength::new(elo).handicap(seed).choose(&scores)).collect()
        };
        let times =
            |chosen: &[usize], index: usize| chosen.iter().filter(|&&it| it == index).count();
        let low = chosen(Strength::MIN);
        assert!(times(&low, 0) > times(&low, 2) && times(&low, 2) > 50, "{low:?}");
        assert_eq!(times(&low, 3), 0, "nobody gives away a queen");
        assert_eq!(times(&chosen(Strength::MAX), 0), 1000);
    }

    #[test]
    fn a_forced_win_is_played_and_none_allowed() {
        let handicap = |seed| Strength::new(Strength::MIN).handicap(seed);
        for seed in 0..100 {
            assert_eq!(handicap(seed).choose(&[Score::mate_in(1), Score::mate_in(3)]), 0);
            assert_eq!(handicap(seed).choose(&[Score::mated_in(8), Score::mated_in(6)]), 0);
            assert_eq!(handicap(seed).choose(&[Score(-40), Score::mated_in(2)]), 0);
            assert_eq!(handicap(seed).choose(&[]), 0);
        }
    }

    proptest! {
        #[test]
        fn a_higher_rating_searches_no_less_and_errs_no_more(
            low in Strength::MIN..=Strength::MAX,
            high in Strength::MIN..=Strength::MAX,
        ) {
            let (low, high) = (Strength::new(low.min(high)), Strength::new(low.max(high)));
            prop_assert!(low.nodes() <= high.nodes() && low.nodes() > 0);
            prop_assert!(low.margin() >= high.margin() && high.margin() >= 0);
        }

        /// The move is one of those given, within the margin, and the same for the same seed.
        #[test]
        fn the_choice_stays_within_the_margin(
            elo in Strength::MIN..=Strength::MAX,
            seed: u64,
            mut scores in prop::collection::vec(-1500..1500_i32, 1..10),
        ) {
            scores.sort_by_key(|score| -score);
            let strength = Strength::new(elo);
            let lines: Vec<Score> = scores.iter().copied().map(Score).collect();
            let chosen = strength.handicap(seed).choose(&lines);
            prop_assert!(scores[0] - scores[chosen] <= strength.margin());
            prop_assert_eq!(chosen, strength.handicap(seed).choose(&lines));
        }
    }
}
