//! Which games nothing is learnt from.

/// One game of so many is kept apart for validation.
const APART: u64 = 32;

/// Whether a game is kept apart for validation. That depends on the seed it was played with and its number there and on nothing
/// else: not on the shard or the folder it stands in now.
pub fn is_validation(seed: u64, number: u64) -> bool {
    mix(mix(seed).wrapping_add(number)).is_multiple_of(APART)
}

/// Spreads a number over all 64 bits (SplitMix64: G. Steele, D. Lea and C. Flood 2014).
fn mix(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_game_of_so_many_is_kept_apart_whatever_the_seed() {
        for seed in [0, 1, 602, u64::MAX] {
            let count = (0..100_000).filter(|&number| is_validation(seed, number)).count() as f64;
            let share = count * APART as f64 / 100_000.0;
            assert!((0.94..1.06).contains(&share), "{seed}: {share}");
        }
        let games = || 0..1000;
        let differ = games().filter(|&it| is_validation(1, it) != is_validation(2, it)).count();
        assert!(differ > 30, "{differ}");
    }
}
