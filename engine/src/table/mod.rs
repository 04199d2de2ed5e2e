//! The transposition table: what is known of positions, shared by all workers without a lock.

mod atomic;
mod cluster;
mod entry;
mod memory;

use std::sync::atomic::{AtomicU8, Ordering};

use thiserror::Error;

use cluster::Cluster;
pub use entry::Entry;
use entry::{AGE_MASK, Packed};
use memory::Clusters;

/// Why there is no table of the size asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a table of {wanted} MiB cannot be had ({reason}); the old one stays")]
pub struct TableError {
    wanted: usize,
    reason: &'static str,
}

/// A hash table of positions.
pub struct Table {
    clusters: Clusters,
    mebibytes: usize,
    /// The number of the search, modulo 32. Relaxed: it guards nothing, it just dates entries.
    age: AtomicU8,
}

impl Table {
    /// As much as can be asked for: 32 TiB.
    pub const MAX_MEBIBYTES: usize = 1 << 25;
    const CLUSTERS_PER_MEBIBYTE: usize = (1 << 20) / size_of::<Cluster>();

    /// An empty table of so many MiB, its memory touched by all `threads` at once.
    ///
    /// # Errors
    /// Where the system does not have the memory. Whoever wants to change the size keeps the old table until
    /// the new one is there.
    pub fn new(mebibytes: usize, threads: usize) -> Result<Self, TableError> {
        let refuse = |reason| TableError {
            wanted: mebibytes,
            reason,
        };
        let count = mebibytes
            .max(1)
            .checked_mul(Self::CLUSTERS_PER_MEBIBYTE)
            .ok_or_else(|| refuse("the number is too large"))?;
        let clusters = Clusters::zeroed(count).map_err(refuse)?;
        let table = Self {
            clusters,
            mebibytes: mebibytes.max(1),
            age: AtomicU8::new(0),
        };
        table.clear(threads);
        Ok(table)
    }

    /// Its size in MiB.
    pub fn mebibytes(&self) -> usize {
        self.mebibytes
    }

    /// Forgets everything, with so many threads at work.
    pub fn clear(&self, threads: usize) {
        self.age.store(0, Ordering::Relaxed);
        // More threads than this just wait for the memory.
        const MOST: usize = 64;
        let part = self.clusters.len().div_ceil(threads.clamp(1, MOST));
        std::thread::scope(|scope| {
            let mut parts = self.clusters.chunks(part);
            let own = parts.next();
            for part in parts {
                scope.spawn(|| part.iter().for_each(Cluster::clear));
            }
            own.into_iter().flatten().for_each(Cluster::clear);
        });
    }

    /// A new search begins: what is there becomes older.
    pub fn new_search(&self) {
        let age = self.age.load(Ordering::Relaxed);
        self.age.store((age + 1) & AGE_MASK, Ordering::Relaxed);
    }

    fn age(&self) -> u8 {
        self.age.load(Ordering::Relaxed)
    }

    /// The upper bits choose the cluster, by multiplication instead of a mask: any size will do.
    fn cluster(&self, key: u64) -> &Cluster {
        let index = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }

    /// What is known of the position with this key.
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let slots = self.cluster(key).load()?;
        slots
            .iter()
            .find(|slot| slot.is_for(key))
            .map(Packed::unpack)
    }

    /// Keeps what is known, unless what is there says more.
    pub fn store(&self, key: u64, entry: Entry) {
        let cluster = self.cluster(key);
        let age = self.age();
        // A torn cluster is as good as an empty one.
        let mut slots = cluster.load().unwrap_or_default();
        let chosen = choose(&slots, key, age);
        let old = slots[chosen];
        let mut entry = entry;
        if old.is_for(key) {
            if entry.mv.is_none() {
                entry.mv = old.mv();
            }
            if !replaces(&entry, old, age) {
                if entry.mv == old.mv() {
                    return;
                }
                slots[chosen].set_move(entry.mv);
                return cluster.store(&slots);
            }
        }
        slots[chosen] = Packed::pack(key, &entry, age);
        cluster.store(&slots);
    }

    /// Asks for the cluster to be brought near.
    pub fn prefetch(&self, key: u64) {
        memory::prefetch(self.cluster(key));
    }

    /// How many entries of a sample are from this search, in thousandths.
    pub fn hashfull(&self) -> usize {
        const SAMPLE: usize = 1000;
        let age = self.age();
        let sample = self.clusters.iter().take(SAMPLE);
        let slots = sample.filter_map(Cluster::load).flatten();
        let current = slots
            .filter(|slot| !slot.is_empty() && slot.age() == age)
            .count();
        current * 1000 / (SAMPLE * cluster::SLOTS)
    }
}

/// The slot to write to: the one of this position, else an empty one, else the one that is worth least.
fn choose(slots: &[Packed; cluster::SLOTS], key: u64, age: u8) -> usize {
    let mut worst = 0;
    for (index, slot) in slots.iter().enumerate() {
        if slot.is_for(key) || slot.is_empty() {
            return index;
        }
        if slot.worth(age) < slots[worst].worth(age) {
            worst = index;
        }
    }
    worst
}

/// Whether a new entry says more than the old one of the same position: it is exact, not much shallower, or the
/// old one is from an earlier search.
fn replaces(new: &Entry, old: Packed, age: u8) -> bool {
    const SLACK: i32 = 4;
    let slack = SLACK + 2 * i32::from(new.was_pv);
    new.bound == crate::types::Bound::Exact || new.depth + slack > old.depth() || old.age() != age
}

#[cfg(all(test, not(loom)))]
mod tests;
