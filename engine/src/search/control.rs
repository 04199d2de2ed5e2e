//! What the workers of a search and its owner tell each other while it runs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam::utils::CachePadded;
use parking_lot::{Condvar, Mutex};

use crate::types::Score;

/// The search was told to stop: the scores on the way up mean nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// A score, unless the search was stopped on the way to it.
pub type Searched = Result<Score, Stopped>;

/// Flags and counters that need no order among each other: a worker that sees a flag a little late just
/// searches a little longer, and results are handed over under a lock. So they are relaxed. But of `pondering` and
/// `enough` each side writes one and then reads the other, and at least one of them must see both: these
/// two are sequentially consistent.
#[derive(Debug)]
pub struct Control {
    halted: AtomicBool,
    stopped: AtomicBool,
    pondering: AtomicBool,
    enough: AtomicBool,
    /// One cache line for each worker: plain stores by its owner, sums by whoever asks.
    nodes: Box<[CachePadded<AtomicU64>]>,
    gate: Mutex<()>,
    opened: Condvar,
}

impl Control {
    /// For so many workers; `pondering` holds the clock back.
    pub fn new(workers: usize, pondering: bool) -> Self {
        Self {
            halted: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            enough: AtomicBool::new(false),
            nodes: (0..workers).map(|_| CachePadded::default()).collect(),
            gate: Mutex::new(()),
            opened: Condvar::new(),
        }
    }

    /// Ends the search and asks for its answer.
    pub fn stop(&self) {
        self.halt();
        self.stopped.store(true, Ordering::Relaxed);
        self.open_gate();
    }

    /// Whether the answer has been asked for.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Ends the work of all workers; the answer may have to wait for its time.
    pub fn halt(&self) {
        self.halted.store(true, Ordering::Relaxed);
    }

    /// Whether the workers are to end.
    pub fn is_halted(&self) -> bool {
        self.halted.load(Ordering::Relaxed)
    }

    /// The opponent has moved as expected: from now on the clock counts.
    pub fn ponder_hit(&self) {
        self.pondering.store(false, Ordering::SeqCst);
        if self.enough.load(Ordering::SeqCst) {
            self.stop();
        }
        self.open_gate();
    }

    /// Taking the lock makes sure that whoever is about to wait has seen the flag or is waiting already.
    fn open_gate(&self) {
        drop(self.gate.lock());
        self.opened.notify_all();
    }

    /// Sleeps until the search is stopped, or until `released` by what the flags say.
    pub fn wait_until(&self, released: impl Fn(&Self) -> bool) {
        let mut gate = self.gate.lock();
        while !self.is_stopped() && !released(self) {
            self.opened.wait(&mut gate);
        }
    }

    /// Whether the opponent is still thinking.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::SeqCst)
    }

    /// The soft limit is over; while pondering that is only remembered.
    pub fn note_enough(&self) {
        self.enough.store(true, Ordering::SeqCst);
    }

    /// A worker's node count.
    pub fn publish_nodes(&self, worker: usize, nodes: u64) {
        self.nodes[worker].store(nodes, Ordering::Relaxed);
    }

    /// The node count of all workers.
    pub fn nodes(&self) -> u64 {
        self.nodes.iter().map(|nodes| nodes.load(Ordering::Relaxed)).sum()
    }
}
