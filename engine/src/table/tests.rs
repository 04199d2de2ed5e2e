use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;

use super::cluster::SLOTS;
use super::*;
use crate::types::{Bound, Depth, Move, Score};

/// A table small enough for Miri.
fn small() -> Table {
    let clusters = Clusters::zeroed(64).expect("two kilobytes");
    Table {
        clusters,
        mebibytes: 0,
        age: AtomicU8::new(0),
    }
}

fn entry(mv: u16, score: i32, depth: i32) -> Entry {
    Entry {
        mv: Move::from_bits(mv),
        score: Score(score),
        eval: Score(score / 2),
        depth: Depth(depth),
        bound: Bound::Lower,
        was_pv: false,
    }
}

#[cfg(not(miri))]
proptest! {
    #[test]
    fn entries_come_back_as_they_were(
        key: u64, mv: u16, score in -32_002..=32_002, eval in -32_002..=32_002,
        depth in -10..=240, bound in 0_u8..4, was_pv: bool, age in 0_u8..32,
    ) {
        let entry = Entry {
            mv: Move::from_bits(mv), score: Score(score), eval: Score(eval), depth: Depth(depth),
            bound: Bound::from_bits(bound), was_pv,
        };
        let packed = Packed::pack(key, &entry, age);
        prop_assert_eq!(packed.unpack(), entry);
        prop_assert_eq!(packed.age(), age);
        prop_assert!(packed.is_for(key) && !packed.is_for(key ^ 1) && !packed.is_empty());
    }

    #[test]
    fn a_mixture_of_two_writes_is_a_miss(a: [u64; 3], b: [u64; 3], rest: u16) {
        let slots = |words: [u64; 3]| words.map(|word| Packed { word, rest });
        prop_assume!(a[0] != b[0]);
        let (first, second) = (Cluster::new(), Cluster::new());
        first.store(&slots(a));
        second.store(&slots(b));
        // One pair of 65,536 may collide; the seeds of this test meet none.
        prop_assert_eq!(first.load(), Some(slots(a)));
        let mixed = [Packed { word: b[0], rest }, slots(a)[1], slots(a)[2]];
        let torn = Cluster::torn(&first, &mixed);
        prop_assert!(torn.load().is_none() || torn.load() == Some(mixed));
    }
}

#[test]
fn what_is_stored_is_found() {
    let table = small();
    assert_eq!(table.probe(77), None);
    table.store(77, entry(9, 120, 5));
    assert_eq!(table.probe(77), Some(entry(9, 120, 5)));
    assert_eq!(table.probe(78), None);
    table.clear(2);
    assert_eq!(table.probe(77), None);
}

#[test]
fn a_move_is_never_erased_by_none() {
    let table = small();
    table.store(5, entry(33, 10, 4));
    table.store(5, entry(0, 20, 12));
    assert_eq!(table.probe(5), Some(entry(33, 20, 12)));
}

#[test]
fn a_shallow_entry_brings_just_its_move() {
    let table = small();
    table.store(5, entry(33, 10, 20));
    table.store(5, entry(34, 99, 3));
    assert_eq!(table.probe(5), Some(entry(34, 10, 20)));
    table.store(
        5,
        Entry {
            bound: Bound::Exact,
            ..entry(35, 99, 3)
        },
    );
    assert_eq!(
        table.probe(5).map(|entry| entry.depth),
        Some(Depth(3)),
        "an exact one counts more"
    );
}

#[test]
fn the_shallowest_goes_first_but_age_outweighs_depth() {
    let table = small();
    for (key, depth) in [(1, 10), (2, 6), (3, 8)] {
        table.store(key, entry(1, 0, depth));
    }
    table.store(4, entry(1, 0, 7));
    assert_eq!(
        [1, 2, 3, 4].map(|key| table.probe(key).is_some()),
        [true, false, true, true]
    );
    for _ in 0..2 {
        table.new_search();
    }
    table.store(3, entry(1, 0, 8));
    table.store(4, entry(1, 0, 7));
    table.store(5, entry(1, 0, 1));
    assert_eq!(
        table.probe(1),
        None,
        "ten plies two searches ago are worth less than seven now"
    );
}

#[test]
fn only_this_search_fills_the_table() {
    let table = Table::new(1, 2).expect("a mebibyte");
    for key in 0..100_000_u64 {
        table.store(key.wrapping_mul(0x9e37_79b9_7f4a_7c15), entry(1, 0, 3));
    }
    assert!(table.hashfull() > 400, "{}", table.hashfull());
    table.new_search();
    assert_eq!(table.hashfull(), 0);
}

#[cfg(not(miri))]
#[test]
fn absurd_sizes_are_refused() {
    let error = Table::new(Table::MAX_MEBIBYTES, 1)
        .err()
        .expect("nobody has 32 TiB");
    assert!(error.to_string().contains("33554432 MiB"), "{error}");
}

/// Threads store entries that follow from the key, all over each other; what is found must follow from it too.
#[test]
fn hammered_entries_are_whole() {
    const ROUNDS: u64 = if cfg!(miri) { 60 } else { 300_000 };
    let derived = |key: u64| {
        let low = (key & 0xffff) as u16;
        Entry {
            mv: Move::from_bits(low | 1),
            score: Score(i32::from(low as i16) / 2),
            eval: Score(-i32::from(low as i16) / 3),
            depth: Depth(i32::from(low % 100)),
            bound: Bound::Exact,
            was_pv: low & 2 != 0,
        }
    };
    let table = small();
    let hits = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (table, hits) = (&table, &hits);
            scope.spawn(move || {
                let mut key = thread + 1;
                for _ in 0..ROUNDS {
                    key = key
                        .wrapping_mul(0x5851_f42d_4c95_7f2d)
                        .wrapping_add(0x1405_7b7e_f767_814f);
                    // Few different keys, so that threads meet: eight for the three slots of each cluster.
                    let key = (key & 0xf000_0000_0000_0000) | (key >> 20 & 7);
                    if let Some(found) = table.probe(key) {
                        assert_eq!(found, derived(key));
                        hits.fetch_add(1, Ordering::Relaxed);
                    }
                    table.store(key, derived(key));
                }
            });
        }
    });
    assert!(hits.load(Ordering::Relaxed) > ROUNDS / 10);
}

#[test]
fn a_cluster_is_half_a_cache_line() {
    assert_eq!(
        (size_of::<Cluster>(), align_of::<Cluster>(), SLOTS),
        (32, 32, 3)
    );
}
