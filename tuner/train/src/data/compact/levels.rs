//! Levels of win probability, in which scores are kept.
//!
//! The win probability of a score of `cp` centipawns is `1 / (1 + exp(-cp / SCALE))`. A level stands for a range of centipawns whose
//! win probabilities all lie within 0.005 of the level's own. Mates and other decisive scores have no level: they are kept exactly.

use nullarbor::types::Score;

/// Centipawns that are worth a win probability of 1 / (1 + 1/e), 73 %.
pub const SCALE: f64 = 300.0;

/// The highest level; the lowest is its opposite, and 0 stands for an even position.
pub const HIGHEST: i32 = LEVELS.len() as i32 - 1;

/// The centipawns that each level stands for, and the most that belong to it. The last level but one ends where the usual filter
/// no longer keeps a position, so that it keeps the same ones before and after.
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

/// The level of a score that is not decisive, from the lowest to [`HIGHEST`].
pub fn level(score: Score) -> i32 {
    let level = LEVELS.partition_point(|&(_, most)| most < score.0.abs()) as i32;
    level.min(HIGHEST) * score.0.signum()
}

/// The score that a level stands for; `None` where there is no such level.
pub fn score(level: i32) -> Option<Score> {
    let &(score, _) = LEVELS.get(level.unsigned_abs() as usize)?;
    Some(Score(score * level.signum()))
}

/// A score as it is read again after it was written.
pub fn rounded(exact: Score) -> Score {
    if exact.is_decisive() { exact } else { score(level(exact)).unwrap_or(exact) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::filter::Filter;

    fn probability(score: Score) -> f64 {
        1.0 / (1.0 + (-f64::from(score.0) / SCALE).exp())
    }

    #[test]
    fn every_score_is_kept_within_half_a_hundredth_of_win_probability() {
        for exact in (-Score::MAX_EVAL.0..=Score::MAX_EVAL.0).map(Score) {
            let kept = rounded(exact);
            assert!((probability(exact) - probability(kept)).abs() <= 0.005, "{exact:?} {kept:?}");
            assert_eq!(rounded(kept), kept, "a level stands for a score of its own");
            assert_eq!(rounded(-exact), -kept);
            let most = Filter::default().most;
            assert_eq!(exact.0.abs() <= most, kept.0.abs() <= most, "{exact:?}");
        }
        assert_eq!(score(HIGHEST + 1), None);
    }

    #[test]
    fn decisive_scores_are_kept_exactly() {
        for exact in (Score::MATE_BOUND.0..=Score::MATE.0).map(Score) {
            assert_eq!((rounded(exact), rounded(-exact)), (exact, -exact));
        }
    }
}
