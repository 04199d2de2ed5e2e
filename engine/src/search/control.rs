//! Flags and counters through which the threads of a search and its owner communicate while it
//! runs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam::utils::CachePadded;
use parking_lot::{Condvar, Mutex};

use crate::types::Score;

/// Error of a search that was told to stop: the scores on the way up mean nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// A score, unless the search was stopped on the way to it.
pub type Searched = Result<Score, Stopped>;

/// Flags and counters of one search.
///
/// Most are relaxed atomics: a thread that sees a flag a little late searches a little longer, and
/// results are handed over under a lock. Only of `pondering` and `soft_limit` each side writes one
/// and then reads the other, and at least one side must see both: these two are sequentially
/// consistent.
#[derive(Debug)]
pub struct Control {
    aborted: AtomicBool,
    stopped: AtomicBool,
    pondering: AtomicBool,
    soft_limit: AtomicBool,
    /// A cache line for each thread, which alone writes to it.
    nodes: Box<[CachePadded<AtomicU64>]>,
    /// The same for hits in the tablebases.
    tb_hits: Box<[CachePadded<AtomicU64>]>,
    gate: Mutex<()>,
    opened: Condvar,
}

impl Control {
    /// Makes the flags for a number of threads; while `pondering` the clock does not count.
    pub fn new(threads: usize, pondering: bool) -> Self {
        Self {
            aborted: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            soft_limit: AtomicBool::new(false),
            nodes: (0..threads).map(|_| CachePadded::default()).collect(),
            tb_hits: (0..threads).map(|_| CachePadded::default()).collect(),
            gate: Mutex::new(()),
            opened: Condvar::new(),
        }
    }

    /// Ends the search and demands its answer.
    pub fn stop(&self) {
        self.abort();
        self.stopped.store(true, Ordering::Relaxed);
        self.open_gate();
    }

    /// Returns whether the answer was demanded.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Ends the work of all threads. The answer may still have to wait, for `stop` or `ponderhit`.
    pub fn abort(&self) {
        self.aborted.store(true, Ordering::Relaxed);
    }

    /// Returns whether the threads are to end.
    pub fn is_aborted(&self) -> bool {
        self.aborted.load(Ordering::Relaxed)
    }

    /// Ends pondering, since the opponent has moved as expected: from now on the clock counts.
    pub fn ponder_hit(&self) {
        self.pondering.store(false, Ordering::SeqCst);
        if self.soft_limit.load(Ordering::SeqCst) {
            self.stop();
        }
        self.open_gate();
    }

    /// Wakes whoever waits. Taking the lock makes sure that they have seen the flag or are waiting
    /// already.
    fn open_gate(&self) {
        drop(self.gate.lock());
        self.opened.notify_all();
    }

    /// Sleeps until the search is stopped or `released` says so.
    pub fn wait_until(&self, released: impl Fn(&Self) -> bool) {
        let mut gate = self.gate.lock();
        while !self.is_stopped() && !released(self) {
            self.opened.wait(&mut gate);
        }
    }

    /// Returns whether the search runs on the opponent's time.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::SeqCst)
    }

    /// Notes that the soft limit is reached. While pondering, that ends the search only at
    /// [`Control::ponder_hit`].
    pub fn note_soft_limit(&self) {
        self.soft_limit.store(true, Ordering::SeqCst);
    }

    /// Publishes the node count of a thread.
    pub fn publish_nodes(&self, thread: usize, nodes: u64) {
        self.nodes[thread].store(nodes, Ordering::Relaxed);
    }

    /// Counts positions that a thread has found in the tablebases.
    pub fn add_tb_hits(&self, thread: usize, hits: u64) {
        self.tb_hits[thread].fetch_add(hits, Ordering::Relaxed);
    }

    /// Returns the positions that all threads have found in the tablebases.
    pub fn tb_hits(&self) -> u64 {
        self.tb_hits.iter().map(|hits| hits.load(Ordering::Relaxed)).sum()
    }

    /// Returns the nodes of all threads.
    pub fn nodes(&self) -> u64 {
        self.nodes.iter().map(|nodes| nodes.load(Ordering::Relaxed)).sum()
    }
}
