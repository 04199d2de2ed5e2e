//! Entries and test settings that several test files share.

use proptest::prelude::*;

use crate::table::Entry;
use crate::types::{Bound, Depth, Move, Score};

/// Returns the test configuration: few cases and no files under Miri, which is slow.
pub fn config() -> ProptestConfig {
    if cfg!(miri) {
        ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() }
    } else {
        ProptestConfig::with_cases(2000)
    }
}

/// Generates any entry that a search may store.
pub fn entries() -> impl Strategy<Value = Entry> {
    let score = -Score::NONE.0..=Score::NONE.0;
    (any::<u16>(), score.clone(), score, -10..=240, 0_u8..4, any::<bool>()).prop_map(
        |(mv, score, eval, depth, bound, was_pv)| Entry {
            mv: Move::from_bits(mv),
            score: Score(score),
            eval: Score(eval),
            depth: Depth(depth),
            bound: Bound::from_bits(bound),
            was_pv,
        },
    )
}

/// Returns an entry whose fields follow from the low bits of a key. The depth is always the same,
/// so that all entries are replaced alike.
pub fn sample_entry(key: u16) -> Entry {
    let mixed = (u64::from(key) + 1).wrapping_mul(0xd134_2543_de82_ef95);
    let score = |shift: u32| Score(i32::from((mixed >> shift) as i16) / 2);
    Entry {
        mv: Move::from_bits((mixed >> 48) as u16 | 1),
        score: score(32),
        eval: score(16),
        depth: Depth(7),
        bound: Bound::from_bits((mixed >> 61) as u8),
        was_pv: mixed >> 63 != 0,
    }
}
