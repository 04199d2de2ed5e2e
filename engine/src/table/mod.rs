//! The transposition table, shared by all search threads without a lock.
//!
//! The high bits of a key select a cluster of three entries, the low 16 bits an
//! entry in it. A cluster is four words that are read and written one by one; a checksum tells
//! whether they belong together. A reader that sees a half-written cluster misses, which costs the
//! search some time and nothing else (compare R. Hyatt and T. Mann, "A Lock-less Transposition
//! Table Implementation for Parallel Search", 2002).
//!
//! Of the positions that share a cluster, one in 65536 also shares the low bits of the key. So a
//! hit may belong to another position, and its move must be checked for legality.

mod atomic;
mod cluster;
mod entry;
mod parallel;
mod prefetch;

#[cfg(test)]
mod tests;

use std::io;

pub use self::entry::Entry;
pub use self::prefetch::prefetch;

use self::atomic::{AtomicU8, Ordering};
use self::cluster::{Cluster, SLOTS};
use self::entry::{Age, Packed};
use crate::free_memory::free_mebibytes;
#[cfg(not(loom))]
use crate::huge_pages::HugePages;

#[cfg(not(loom))]
type Memory = HugePages<Cluster>;
/// The atomics of loom are not plain integers in zeroed pages.
#[cfg(loom)]
type Memory = Box<[Cluster]>;

#[cfg(not(loom))]
fn reserve(clusters: usize) -> io::Result<Memory> {
    HugePages::reserve(clusters)
}

#[cfg(loom)]
fn reserve(clusters: usize) -> io::Result<Memory> {
    Ok((0..clusters).map(|_| Cluster::default()).collect())
}

const CLUSTERS_PER_MEBIBYTE: usize = (1 << 20) / size_of::<Cluster>();

/// Why a table could not be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// The size exceeds [`TranspositionTable::MAX_MEBIBYTES`].
    #[error("a table of {0} MiB is too large, the maximum is {max} MiB; the old size is kept", max = TranspositionTable::MAX_MEBIBYTES)]
    TooLarge(usize),
    /// The size exceeds the free memory.
    #[error("a table of {wanted} MiB is too large, {available} MiB are free; the old size is kept")]
    NotAvailable {
        /// The requested size in MiB.
        wanted: usize,
        /// The available memory in MiB.
        available: usize,
    },
    /// The system refused the allocation.
    #[error("no memory for a table of {wanted} MiB ({reason}); the old size is kept")]
    Refused {
        /// The requested size in MiB.
        wanted: usize,
        /// The reason given by the system.
        reason: io::ErrorKind,
    },
}

/// A transposition table, shared by reference between threads.
///
/// ```
/// use nullarbor::board::Position;
/// use nullarbor::table::{Entry, TranspositionTable};
/// use nullarbor::types::{Bound, Depth, Score};
///
/// let table = TranspositionTable::new(1, 1)?;
/// let position = Position::start();
/// let entry = Entry {
///     mv: position.parse_uci("e2e4").expect("a legal move"),
///     score: Score(20),
///     eval: Score(15),
///     depth: Depth(6),
///     bound: Bound::Exact,
///     was_pv: true,
/// };
/// table.store(position.key(), entry);
/// assert_eq!(table.probe(position.key()), Some(entry));
/// # Ok::<(), nullarbor::table::TableError>(())
/// ```
pub struct TranspositionTable {
    memory: Memory,
    /// Number of searches; its low bits are the [`Age`]. It orders nothing: a thread that sees it
    /// late stores an entry that looks one search older.
    searches: AtomicU8,
}

impl TranspositionTable {
    /// The maximum size in MiB: 32 TiB.
    pub const MAX_MEBIBYTES: usize = if usize::BITS >= 64 { 1 << 25 } else { 1 << 10 };

    /// Allocates an empty table of `mebibytes` MiB, at least one. The pages of a large table are
    /// touched with `threads` threads, so that the first search does not wait for them.
    ///
    /// # Errors
    /// If the size exceeds the maximum or the memory is not available.
    pub fn new(mebibytes: usize, threads: usize) -> Result<Self, TableError> {
        let mebibytes = mebibytes.max(1);
        check_size(mebibytes)?;
        let table = Self::of_clusters(mebibytes * CLUSTERS_PER_MEBIBYTE)
            .map_err(|error| TableError::Refused { wanted: mebibytes, reason: error.kind() })?;
        if mebibytes >= TOUCH_FROM_MEBIBYTES {
            parallel::touch(&table.memory, threads);
        }
        Ok(table)
    }

    fn of_clusters(clusters: usize) -> io::Result<Self> {
        Ok(Self { memory: reserve(clusters)?, searches: AtomicU8::new(0) })
    }

    /// Removes all entries, with `threads` threads.
    pub fn clear(&self, threads: usize) {
        parallel::clear(&self.memory, threads);
        self.searches.store(0, Ordering::Relaxed);
    }

    /// Returns the size in MiB.
    pub fn mebibytes(&self) -> usize {
        self.memory.len() / CLUSTERS_PER_MEBIBYTE
    }

    /// Starts a new search: all entries age by one.
    pub fn new_search(&self) {
        self.searches.fetch_add(1, Ordering::Relaxed);
    }

    /// Looks up a position by its key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        self.cluster(key).probe(key as u16).map(Packed::entry)
    }

    /// Stores an entry. The entry of the same position may be kept instead, but takes over the new
    /// move.
    #[inline]
    pub fn store(&self, key: u64, entry: Entry) {
        self.cluster(key).store(key as u16, Packed::new(entry, self.age()));
    }

    /// Prefetches the cluster of a key.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.memory.as_ptr().wrapping_add(self.index(key)));
    }

    /// Returns the share of entries of the current search, in permille, estimated from the first
    /// 1000 clusters.
    pub fn hashfull(&self) -> usize {
        const SAMPLE: usize = 1000;
        let age = self.age();
        let sample = &self.memory[..SAMPLE];
        sample.iter().map(|cluster| cluster.count(age)).sum::<usize>() * 1000 / (SAMPLE * SLOTS)
    }

    /// Maps the high bits evenly to any number of clusters.
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

/// Tables of at least this size, in MiB, have their pages touched when new.
const TOUCH_FROM_MEBIBYTES: usize = 64;

/// Checks the size against the free memory.
fn check_size(wanted: usize) -> Result<(), TableError> {
    if wanted > TranspositionTable::MAX_MEBIBYTES {
        return Err(TableError::TooLarge(wanted));
    }
    match free_mebibytes() {
        Some(available) if wanted > available => {
            Err(TableError::NotAvailable { wanted, available })
        }
        _ => Ok(()),
    }
}
