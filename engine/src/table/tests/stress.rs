//! Threads that store to and probe the same few clusters. Every entry is a function of the low bits
//! of its key, so a hit with any other entry is a mixture of two writes.

use std::collections::HashSet;
use std::sync::atomic::AtomicUsize;
use std::thread;

use super::strategies::sample_entry;
use crate::table::cluster::Contents;
use crate::table::*;

const THREADS: usize = 4;
const ROUNDS: usize = if cfg!(miri) { 150 } else { 500_000 };
/// Twice the number of slots, so that entries are replaced all the time.
const KEYS: usize = 2 * SLOTS;
const CLUSTERS: usize = 2;

/// The values that the threads have seen: the test must not pass without hits.
#[derive(Default)]
struct Seen {
    hits: [AtomicUsize; KEYS],
    torn: AtomicUsize,
}

fn key(random: usize) -> u64 {
    let cluster = (random / KEYS % CLUSTERS) as u64;
    cluster << 63 | (random % KEYS) as u64
}

/// A linear congruential generator (Knuth, MMIX); its high bits are good enough.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 40) as usize
}

fn probe(table: &TranspositionTable, key: u64, seen: &Seen) {
    if let Some(entry) = table.probe(key) {
        assert_eq!(entry, sample_entry(key as u16), "key {key:x}");
        seen.hits[key as u16 as usize].fetch_add(1, Ordering::Relaxed);
    }
    if table.cluster(key).read().is_none() {
        seen.torn.fetch_add(1, Ordering::Relaxed);
    }
}

fn stress(table: &TranspositionTable, thread: usize, seen: &Seen) {
    let mut state = thread as u64;
    for _ in 0..ROUNDS {
        let stored = key(next(&mut state));
        table.store(stored, sample_entry(stored as u16));
        probe(table, key(next(&mut state)), seen);
        // Otherwise all entries of a full cluster would stay but the first.
        if next(&mut state).is_multiple_of(8) {
            table.cluster(stored).clear();
        }
    }
}

/// One mixture in 65536 has the right checksum. None of the values of this test has, so the test
/// can be strict.
#[test]
fn no_two_clusters_of_the_stress_test_share_a_checksum() {
    let mut values: Vec<_> =
        (0..KEYS).map(|key| Packed::new(sample_entry(key as u16), Age::new(0))).collect();
    values.push(Packed::default());
    let mut checksums = HashSet::new();
    for choice in 0..values.len().pow(SLOTS as u32) {
        let slots = [0, 1, 2].map(|slot| values[choice / values.len().pow(slot) % values.len()]);
        assert!(checksums.insert(Contents { slots, keys: 0 }.checksum()), "{slots:?}");
    }
    assert_eq!(checksums.len(), 7 * 7 * 7);
}

#[test]
fn a_hit_is_never_a_mixture() {
    let (table, seen) =
        (TranspositionTable::of_clusters(CLUSTERS).expect("64 bytes"), Seen::default());
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (table, seen) = (&table, &seen);
            scope.spawn(move || stress(table, thread, seen));
        }
    });
    let hits = seen.hits.map(AtomicUsize::into_inner);
    println!("hits {hits:?}, torn reads {:?}", seen.torn);
    assert!(hits.iter().all(|&hits| hits > ROUNDS / 50), "{hits:?}");
}
