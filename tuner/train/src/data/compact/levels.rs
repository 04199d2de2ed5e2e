//! Levels of win probability, to which scores are rounded.
//!
//! The win probability of a score of `cp` centipawns is `1 / (1 + exp(-cp / SCALE))`. A level represents a range of centipawns
//! whose win probabilities are all within 0.005 of its own. Mates have no level: they are stored exactly.

use nullarbor::types::Score;

/// The score in centipawns whose win probability is 1 / (1 + 1/e), 73 %.
pub const SCALE: f64 = 300.0;

/// The highest level; the lowest is its negative, and level 0 is an even score.
pub const HIGHEST: i32 = LEVELS.len() as i32 - 1;

/// The score of each level, and the largest score that is rounded to it, in centipawns. The last level but one ends at the limit of
/// the default filter, so that rounding does not change which positions it keeps.
const LEVELS: [(i32, i32); 51] = [
    (0, 6),
    (13, 19),
    (26, 32),
    (39, 45),
    (52, 58),
    (65, 71),
    (78, 84),
    (91, 97),
    (104, 110),
    (117, 123),
    (130, 136),
    (143, 149),
    (156, 162),
    (169, 175),
    (182, 188),
    (195, 201),
    (208, 214),
    (221, 227),
    (234, 240),
    (248, 255),
    (263, 270),
    (278, 285),
    (293, 300),
    (308, 315),
    (323, 330),
    (339, 347),
    (356, 364),
    (373, 381),
    (390, 398),
    (408, 417),
    (427, 436),
    (446, 456),
    (467, 477),
    (488, 499),
    (511, 522),
    (535, 547),
    (560, 573),
    (587, 601),
    (616, 631),
    (647, 663),
    (681, 699),
    (719, 739),
    (761, 783),
    (808, 834),
    (863, 894),
    (929, 967),
    (1011, 1061),
    (1122, 1196),
    (1295, 1439),
    (1725, 3000),
    (4000, Score::MAX_EVAL.0),
];

/// Returns the level of a score that is not decisive, from -[`HIGHEST`] to [`HIGHEST`].
pub fn level(score: Score) -> i32 {
    let level = LEVELS.partition_point(|&(_, max)| max < score.0.abs()) as i32;
    level.min(HIGHEST) * score.0.signum()
}

/// Returns the score of a level; `None` if there is no such level.
pub fn score(level: i32) -> Option<Score> {
    let &(score, _) = LEVELS.get(level.unsigned_abs() as usize)?;
    Some(Score(score * level.signum()))
}

/// Returns the score that is decoded after `exact` was encoded.
pub fn rounded(exact: Score) -> Score {
    if exact.is_mate() { exact } else { score(level(exact)).unwrap_or(exact) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::filter::Filter;

    fn probability(score: Score) -> f64 {
        1.0 / (1.0 + (-f64::from(score.0) / SCALE).exp())
    }

    #[test]
    fn every_score_is_rounded_within_half_a_percent_of_win_probability() {
        for exact in (-Score::MAX_EVAL.0..=Score::MAX_EVAL.0).map(Score) {
            let kept = rounded(exact);
            assert!((probability(exact) - probability(kept)).abs() <= 0.005, "{exact:?} {kept:?}");
            assert_eq!(rounded(kept), kept, "rounding is idempotent");
            assert_eq!(rounded(-exact), -kept);
            let max = Filter::default().max_score;
            assert_eq!(exact.0.abs() <= max, kept.0.abs() <= max, "{exact:?}");
        }
        assert_eq!(score(HIGHEST + 1), None);
    }

    #[test]
    fn decisive_scores_are_stored_exactly() {
        for exact in (Score::MATE_BOUND.0..=Score::MATE.0).map(Score) {
            assert_eq!((rounded(exact), rounded(-exact)), (exact, -exact));
        }
    }
}
