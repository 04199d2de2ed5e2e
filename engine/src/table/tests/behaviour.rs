//! The behaviour of the table in one thread.

use super::strategies::sample_entry;
use crate::table::*;
use crate::types::{Depth, Move, Score};

/// As small as `hashfull` allows, since Miri is slow.
fn small_table() -> TranspositionTable {
    TranspositionTable::of_clusters(1000).expect("32 kilobytes")
}

/// Returns keys spread over the table, with different low bits.
fn keys(count: u64) -> impl Iterator<Item = u64> {
    (1..=count).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[test]
fn what_is_stored_is_found() {
    let table = small_table();
    for key in keys(200) {
        assert_eq!(table.probe(key), None);
        table.store(key, sample_entry(key as u16));
        table.prefetch(key);
    }
    for key in keys(200) {
        assert_eq!(table.probe(key), Some(sample_entry(key as u16)));
        assert_eq!(table.probe(key ^ 1), None);
    }
}

#[test]
fn keys_reach_the_whole_table() {
    let table = TranspositionTable::new(1, 1).expect("one mebibyte");
    assert_eq!(table.memory.len() * size_of::<Cluster>(), 1 << 20);
    assert_eq!((table.index(0), table.index(u64::MAX)), (0, table.memory.len() - 1));
}

#[test]
fn a_move_is_kept_when_the_next_search_finds_none() {
    let (table, old) = (small_table(), sample_entry(5));
    table.store(5, old);
    table.new_search();
    let new = Entry { mv: Move::NONE, score: Score(-3), depth: Depth(1), ..old };
    table.store(5, new);
    assert_eq!(table.probe(5), Some(Entry { mv: old.mv, ..new }));
}

#[test]
fn ages_wrap_after_32_searches() {
    let table = small_table();
    table.store(5, sample_entry(5));
    let full = |searches: usize| {
        (0..searches).for_each(|_| table.new_search());
        table.memory[0].count(table.age())
    };
    assert_eq!([full(0), full(1), full(30), full(1)], [1, 0, 0, 1]);
}

#[test]
fn clear_removes_all_entries() {
    let table = small_table();
    table.new_search();
    keys(200).for_each(|key| table.store(key, sample_entry(key as u16)));
    table.clear(3);
    assert!(keys(200).all(|key| table.probe(key).is_none()));
    assert_eq!(table.age(), Age::new(0));
}

/// Large enough for several threads, and for `new` to touch its pages.
#[test]
#[cfg(not(miri))]
fn clear_reaches_every_part() {
    let table = TranspositionTable::new(TOUCH_FROM_MEBIBYTES, 3).expect("little memory");
    assert_eq!(table.mebibytes(), TOUCH_FROM_MEBIBYTES);
    table
        .memory
        .iter()
        .for_each(|cluster| cluster.store(1, Packed::new(sample_entry(1), table.age())));
    assert_eq!(table.hashfull(), 333);
    for threads in [0, 1, 5] {
        table.clear(threads);
        assert!(table.memory.iter().all(|cluster| cluster.read() == Some(Default::default())));
    }
}

#[test]
fn hashfull_counts_this_search_only() {
    let table = small_table();
    assert_eq!(table.hashfull(), 0);
    for cluster in &table.memory[..500] {
        (1..=3).for_each(|key| cluster.store(key, Packed::new(sample_entry(key), table.age())));
    }
    assert_eq!(table.hashfull(), 500);
    table.new_search();
    assert_eq!(table.hashfull(), 0);
}

#[test]
fn the_smallest_size_is_one_mebibyte() {
    assert_eq!(TranspositionTable::new(0, 0).expect("one mebibyte").mebibytes(), 1);
}

#[test]
fn sizes_beyond_the_limit_are_refused() {
    for size in [TranspositionTable::MAX_MEBIBYTES + 1, usize::MAX] {
        assert_eq!(TranspositionTable::new(size, 1).err(), Some(TableError::TooLarge(size)));
    }
}

#[test]
#[cfg(all(target_os = "linux", not(miri)))]
fn sizes_beyond_the_memory_are_refused() {
    let free = free_mebibytes().expect("Linux reports it");
    for wanted in [2 * free, 30 << 20, TranspositionTable::MAX_MEBIBYTES] {
        let error = TranspositionTable::new(wanted, 1).err().expect("more than there is");
        assert!(matches!(error, TableError::NotAvailable { .. }), "{error:?}");
        let text = error.to_string();
        assert!(
            text.contains(&format!("{wanted} MiB")) && text.contains("the old size is kept"),
            "{text}"
        );
    }
}

#[test]
fn threads_may_share_a_table() {
    fn shared<T: Send + Sync>() {}
    shared::<TranspositionTable>();
}
