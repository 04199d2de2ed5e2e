//! The transposition table: what all search threads know of the positions they have seen.
//!
//! There is no lock. A key picks a [cluster](cluster::Cluster) of three entries by its high bits and
//! an entry in it by its low sixteen. A cluster is four words that are read and written one by one; a
//! checksum tells whether they belong together. A reader that comes between the words of a writer
//! sees a miss, which costs a search some time and nothing else.
//!
//! Of the positions that share a cluster, one in 65536 has the low bits of another too, so a hit may be
//! about another position: whoever uses its move must see that it is legal.

mod atomic;
mod available;
mod cluster;
mod entry;
#[cfg(not(loom))]
mod memory;
#[cfg(loom)]
#[path = "memory_loom.rs"]
mod memory;
mod parallel;
mod prefetch;

#[cfg(all(test, not(loom)))]
mod behaviour;
#[cfg(all(test, not(loom)))]
mod hammer;
#[cfg(all(test, loom))]
mod loom_tests;
#[cfg(test)]
mod testing;

use std::io;

pub use self::entry::Entry;
pub use self::prefetch::prefetch;

use self::atomic::{AtomicU8, Ordering};
use self::available::available;
use self::cluster::{Cluster, SLOTS};
use self::entry::{Age, Packed};
use self::memory::Memory;

const CLUSTERS_PER_MEBIBYTE: usize = (1 << 20) / size_of::<Cluster>();

/// The memory that was asked for could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// More than [`Table::MAX_MEBIBYTES`].
    #[error("a table of {0} MiB is too large, {max} MiB is the most; the old table stays", max = Table::MAX_MEBIBYTES)]
    TooLarge(usize),
    /// More than is free. The memory of the old table counts as used.
    #[error("a table of {wanted} MiB is too large, {available} MiB are free; the old table stays")]
    NotAvailable {
        /// What was asked for, in MiB.
        wanted: usize,
        /// What could be had, in MiB.
        available: usize,
    },
    /// The system refused.
    #[error("no memory for a table of {wanted} MiB ({reason}); the old table stays")]
    Refused {
        /// What was asked for, in MiB.
        wanted: usize,
        /// What the system said.
        reason: io::ErrorKind,
    },
}

/// A transposition table, shared by reference between threads.
pub struct Table {
    memory: Memory,
    /// Counts searches; an [`Age`] is made of its low bits. It orders nothing: a thread that sees it
    /// late stores an entry that looks a search older than it is.
    searches: AtomicU8,
}

impl Table {
    /// The largest table, in MiB: 32 TiB.
    pub const MAX_MEBIBYTES: usize = if usize::BITS >= 64 { 1 << 25 } else { 1 << 10 };

    /// An empty table of so many MiB, at least one. A large one is touched by all `threads`, so that
    /// the first search does not wait for its pages.
    pub fn new(mebibytes: usize, threads: usize) -> Result<Self, TableError> {
        let mebibytes = mebibytes.max(1);
        check_size(mebibytes)?;
        let table = Self::of_clusters(mebibytes * CLUSTERS_PER_MEBIBYTE)
            .map_err(|error| TableError::Refused { wanted: mebibytes, reason: error.kind() })?;
        if mebibytes >= TOUCHED_FROM {
            parallel::touch(&table.memory, threads);
        }
        Ok(table)
    }

    fn of_clusters(clusters: usize) -> io::Result<Self> {
        Ok(Self { memory: Memory::reserve(clusters)?, searches: AtomicU8::new(0) })
    }

    /// Forgets everything, with all threads at work.
    pub fn clear(&self, threads: usize) {
        parallel::clear(&self.memory, threads);
        self.searches.store(0, Ordering::Relaxed);
    }

    /// The size.
    pub fn mebibytes(&self) -> usize {
        self.memory.len() / CLUSTERS_PER_MEBIBYTE
    }

    /// Makes all entries one search older.
    pub fn new_search(&self) {
        self.searches.fetch_add(1, Ordering::Relaxed);
    }

    /// Looks a position up.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        self.cluster(key).probe(key as u16).map(Packed::entry)
    }

    /// Remembers a position, unless what is known of it or of its neighbours is worth more.
    #[inline]
    pub fn store(&self, key: u64, entry: Entry) {
        self.cluster(key).store(key as u16, Packed::new(entry, self.age()));
    }

    /// Begins to fetch what [`probe`](Self::probe) will need.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        self.memory.prefetch(self.index(key));
    }

    /// How much of the table the current search has filled, in permille, by its first clusters.
    pub fn hashfull(&self) -> usize {
        const SAMPLE: usize = 1000;
        let age = self.age();
        let sample = &self.memory[..SAMPLE];
        sample.iter().map(|cluster| cluster.count(age)).sum::<usize>() * 1000 / (SAMPLE * SLOTS)
    }

    /// The high bits, spread evenly over any number of clusters.
    #[inline]
    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.memory.len() as u128) >> 64) as usize
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        &self.memory[self.index(key)]
    }

    #[inline]
    fn age(&self) -> Age {
        Age::new(self.searches.load(Ordering::Relaxed))
    }
}

/// Tables from this size on, in MiB, are touched when new.
const TOUCHED_FROM: usize = 64;

/// Linux grants more memory than it has and kills whoever uses it, so ask before.
fn check_size(wanted: usize) -> Result<(), TableError> {
    if wanted > Table::MAX_MEBIBYTES {
        return Err(TableError::TooLarge(wanted));
    }
    match available().map(|bytes| spendable(bytes) >> 20) {
        Some(available) if wanted as u64 > available => {
            Err(TableError::NotAvailable { wanted, available: available as usize })
        }
        _ => Ok(()),
    }
}

/// What is free is an estimate, and the threads need some, too.
fn spendable(available: u64) -> u64 {
    available - available / 16
}
