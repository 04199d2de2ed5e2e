use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;

use super::cluster::{Cluster, Contents, SLOTS};
use super::entry::{Age, Packed};
use super::testing::{derived, entries, few_cases};
use super::*;
use crate::types::{Bound, Depth, Move, Score};

fn table() -> Table {
    Table::new(1, 2).expect("a mebibyte")
}

fn entry(mv: u16, depth: i32) -> Entry {
    let mv = Move::from_bits(mv);
    Entry {
        mv,
        score: Score(9),
        eval: Score(-9),
        depth: Depth(depth),
        bound: Bound::Lower,
        was_pv: false,
    }
}

/// Keys of one cluster that differ in the bits that are compared.
fn neighbours() -> [u64; 5] {
    [1, 2, 3, 4, 5]
}

proptest! {
    #![proptest_config(few_cases())]

    #[test]
    fn a_mixture_of_two_writes_is_not_whole(old in [entries(), entries(), entries()], new in [entries(), entries(), entries()], mixed in 1_u8..15) {
        let contents = |entries: [Entry; SLOTS], key: u16| {
            let mut contents = Contents::default();
            for (slot, entry) in entries.into_iter().enumerate() {
                contents.put(slot, key + slot as u16, Packed::new(entry, Age::new(3)));
            }
            contents.keys = contents.sealed_keys();
            contents
        };
        let (old, new) = (contents(old, 10), contents(new, 20));
        let mut torn = old;
        for slot in (0..SLOTS).filter(|slot| mixed >> slot & 1 != 0) {
            torn.slots[slot] = new.slots[slot];
        }
        if mixed >> SLOTS & 1 != 0 {
            torn.keys = new.keys;
        }
        let whole = [old, new].iter().any(|write| write.slots == torn.slots && write.keys == torn.keys);
        // One mixture in 65,536 has the right checksum by chance.
        let chance = torn.checksum() == torn.keys >> 48;
        prop_assert_eq!(torn.is_whole(), whole || chance);
        prop_assert!(old.is_whole() && new.is_whole());
    }
}

#[test]
fn what_is_stored_is_found_until_cleared() {
    let table = table();
    assert_eq!(table.probe(77), None);
    table.store(77, entry(9, 5));
    assert_eq!(table.probe(77), Some(entry(9, 5)));
    assert_eq!(table.probe(78), None);
    table.clear(2);
    assert_eq!(table.probe(77), None);
}

#[test]
fn a_move_is_never_erased_by_none() {
    let table = table();
    table.store(5, entry(33, 4));
    table.store(5, entry(0, 12));
    assert_eq!(table.probe(5), Some(entry(33, 12)));
}

#[test]
fn the_shallowest_goes_first() {
    let table = table();
    let [a, b, c, d, _] = neighbours();
    for (key, depth) in [(a, 10), (b, 6), (c, 8), (d, 7)] {
        table.store(key, entry(1, depth));
    }
    assert_eq!([a, b, c, d].map(|key| table.probe(key).is_some()), [true, false, true, true]);
}

#[test]
fn age_outweighs_depth() {
    let table = table();
    let [a, b, c, d, _] = neighbours();
    table.store(a, entry(1, 10));
    table.new_search();
    table.new_search();
    for (key, depth) in [(b, 8), (c, 7), (d, 1)] {
        table.store(key, entry(1, depth));
    }
    assert_eq!(table.probe(a), None, "ten plies two searches ago are worth less than seven now");
}

#[test]
fn only_this_search_fills_the_table() {
    let table = table();
    let spread = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let count = if cfg!(miri) { 3000 } else { 100_000 };
    for number in 0..count {
        table.store(spread(number), entry(1, 3));
    }
    let full = table.hashfull();
    assert!(full > 10 && full <= 1000, "{full}");
    table.new_search();
    assert_eq!(table.hashfull(), 0);
}

#[cfg(not(miri))]
#[test]
fn absurd_sizes_are_refused() {
    for size in [Table::MAX_MEBIBYTES, Table::MAX_MEBIBYTES + 1, usize::MAX] {
        let error = Table::new(size, 1).err().expect("nobody has 32 TiB");
        assert!(error.to_string().contains(&format!("{size} MiB")), "{error}");
    }
}

/// Threads store entries that follow from the key, all over each other; what is found must follow from it
/// too.
#[test]
fn hammered_entries_are_whole() {
    const ROUNDS: u64 = if cfg!(miri) { 100 } else { 300_000 };
    let (cluster, hits) = (Cluster::default(), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (cluster, hits) = (&cluster, &hits);
            scope.spawn(move || {
                let mut random = thread + 1;
                for _ in 0..ROUNDS {
                    random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e);
                    // Eight keys for three slots, so that threads meet and evict each other.
                    let key = (random >> 40) as u16 & 7;
                    if let Some(found) = cluster.probe(key) {
                        assert_eq!(found.entry(), derived(key));
                        hits.fetch_add(1, Ordering::Relaxed);
                    }
                    cluster.store(key, Packed::new(derived(key), Age::new(0)));
                }
            });
        }
    });
    assert!(hits.load(Ordering::Relaxed) > ROUNDS / 10);
}

#[test]
fn a_cluster_is_half_a_cache_line() {
    assert_eq!((size_of::<Cluster>(), align_of::<Cluster>(), SLOTS), (32, 32, 3));
}
