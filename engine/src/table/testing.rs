//! What the tests of the table share.

use proptest::prelude::*;

use super::entry::Entry;
use crate::types::{Bound, Depth, Move, Score};

/// Few enough for Miri, which is slow and must not touch files.
pub fn few_cases() -> ProptestConfig {
    ProptestConfig {
        cases: if cfg!(miri) { 8 } else { 512 },
        failure_persistence: None,
        ..Default::default()
    }
}

/// Entries of every kind that the search stores.
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

/// The entry that the tests of concurrency store for a key: all of it follows from the key.
pub fn derived(key: u16) -> Entry {
    let signed = i32::from(key as i16);
    Entry {
        mv: Move::from_bits(key | 1),
        score: Score(signed / 2),
        eval: Score(-signed / 3),
        depth: Depth(i32::from(key % 100)),
        bound: Bound::Exact,
        was_pv: key & 2 != 0,
    }
}
