//! Three entries and a checksum in half a cache line.
//!
//! # Why this is sound
//! A cluster is four atomic words, each read and written whole, relaxed: there is no data race, whatever the threads
//! do. But the four accesses are not one, so a reader may see some words of one write and some of
//! another one. The checksum over all of them tells: a mixture is taken for an empty cluster, except once in
//! 65,536 mixtures. Then a wrong entry is read, which the search must bear anyway, for just 16 bits of
//! the key are compared: a move is checked to be legal, a score is a guess like any other.
//! No order with other memory is needed: an entry is wholly in its cluster.

use super::atomic::{AtomicU64, Ordering};
use super::entry::Packed;

/// Entries in a cluster.
pub const SLOTS: usize = 3;

/// Three words of entries; the fourth holds their remaining 16 bits each, and the checksum.
#[repr(align(32))]
#[derive(Debug)]
pub struct Cluster([AtomicU64; 4]);

/// Zero for zeros, so that fresh memory is an empty cluster. Rotations keep equal changes in two words from
/// cancelling out.
fn checksum(words: &[u64; SLOTS], rests: u64) -> u16 {
    let mixed =
        words[0] ^ words[1].rotate_left(17) ^ words[2].rotate_left(34) ^ rests.rotate_left(51);
    let folded = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (folded >> 48) as u16
}

impl Cluster {
    /// An empty cluster.
    #[cfg(any(test, loom, miri))]
    pub fn new() -> Self {
        Self(std::array::from_fn(|_| AtomicU64::new(0)))
    }

    /// A copy of `whole` whose first word alone is from another write.
    #[cfg(all(test, not(loom)))]
    pub fn torn(whole: &Self, other: &[Packed; SLOTS]) -> Self {
        let copy = Self::new();
        for (cell, word) in copy.0.iter().zip(&whole.0) {
            cell.store(word.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        copy.0[0].store(other[0].word, Ordering::Relaxed);
        copy
    }

    /// Forgets all entries.
    pub fn clear(&self) {
        for word in &self.0 {
            word.store(0, Ordering::Relaxed);
        }
    }

    /// The entries, unless the words are from different writes.
    pub fn load(&self) -> Option<[Packed; SLOTS]> {
        let [first, second, third, last] = &self.0;
        let words = [first, second, third].map(|word| word.load(Ordering::Relaxed));
        let last = last.load(Ordering::Relaxed);
        let rests = last & (u64::MAX >> 16);
        let whole = checksum(&words, rests) == (last >> 48) as u16;
        whole.then(|| {
            std::array::from_fn(|slot| Packed {
                word: words[slot],
                rest: (rests >> (16 * slot)) as u16,
            })
        })
    }

    /// Writes all entries.
    pub fn store(&self, slots: &[Packed; SLOTS]) {
        let words = slots.map(|slot| slot.word);
        let rests = (0..SLOTS).fold(0, |rests, slot| {
            rests | u64::from(slots[slot].rest) << (16 * slot)
        });
        let last = rests | u64::from(checksum(&words, rests)) << 48;
        for (cell, word) in self.0.iter().zip([words[0], words[1], words[2], last]) {
            cell.store(word, Ordering::Relaxed);
        }
    }
}

#[cfg(loom)]
#[cfg(test)]
mod loom_model {
    use std::collections::HashSet;
    use std::sync::Mutex;

    use loom::sync::Arc;

    use super::*;

    fn slots(value: u64) -> [Packed; SLOTS] {
        std::array::from_fn(|slot| Packed {
            word: value
                .wrapping_mul(0x1234_5678_9abc_def1)
                .rotate_left(slot as u32),
            rest: value as u16 + 1,
        })
    }

    /// Two writers and a reader, in every order that memory allows: the reader gets one of the written clusters, the
    /// empty one, or nothing.
    #[test]
    fn loom_readers_see_whole_clusters_or_nothing() {
        static SEEN: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
        *SEEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(HashSet::new());
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let cluster = Arc::new(Cluster::new());
            let writers: Vec<_> = [1, 2]
                .map(|value| {
                    let cluster = Arc::clone(&cluster);
                    loom::thread::spawn(move || cluster.store(&slots(value)))
                })
                .into();
            let seen = match cluster.load() {
                None => "torn",
                Some(read) if read == [Packed::default(); SLOTS] => "empty",
                Some(read) if read == slots(1) => "first",
                Some(read) if read == slots(2) => "second",
                Some(read) => panic!("a mixture passed for whole: {read:?}"),
            };
            if let Some(all) = SEEN
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner())
                .as_mut()
            {
                all.insert(seen);
            }
            for writer in writers {
                writer.join().expect("a writer ends");
            }
        });
        // The model is worth something just if it has come upon torn reads at all.
        let seen = SEEN
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .take();
        assert_eq!(seen.map(|all| all.len()), Some(4));
    }
}
