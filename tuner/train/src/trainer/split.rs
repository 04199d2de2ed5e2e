//! The validation split: which games are not trained on.

use crate::data::shard::GameId;

/// One game in this many is in the validation set.
const VALIDATION_DIVISOR: u64 = 32;

/// Returns whether a game belongs to the validation set. That depends only on its identity, not on the shard or dataset it is in.
///
/// ```
/// use nullarbor_train::data::shard::GameId;
/// use nullarbor_train::trainer::split::is_validation;
///
/// let games = (0..3200).map(|number| GameId { seed: 1, number });
/// let validation = games.filter(|&game| is_validation(game)).count();
/// assert!((80..120).contains(&validation), "one game in 32");
/// ```
pub fn is_validation(game: GameId) -> bool {
    mix(mix(game.seed).wrapping_add(game.number)).is_multiple_of(VALIDATION_DIVISOR)
}

/// Mixes a number into all 64 bits (SplitMix64: G. Steele, D. Lea and C. Flood 2014).
fn mix(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn validates(seed: u64, number: u64) -> bool {
        is_validation(GameId { seed, number })
    }

    #[test]
    fn the_share_of_validation_games_does_not_depend_on_the_seed() {
        for seed in [0, 1, 602, u64::MAX] {
            let count = (0..100_000).filter(|&number| validates(seed, number)).count() as f64;
            let share = count * VALIDATION_DIVISOR as f64 / 100_000.0;
            assert!((0.94..1.06).contains(&share), "{seed}: {share}");
        }
        let differ = (0..1000).filter(|&it| validates(1, it) != validates(2, it)).count();
        assert!(differ > 30, "{differ}");
    }
}
