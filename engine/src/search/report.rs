//! Progress reports of a search.

use std::time::Duration;

use crate::table::TranspositionTable;
use crate::types::{Bound, Depth, Move, Score};

/// The state of a line after an iteration, or after its window failed.
#[derive(Clone)]
pub struct Report<'a> {
    /// Depth of the iteration, in plies.
    pub depth: Depth,
    /// Maximum ply reached.
    pub selective_depth: usize,
    /// Number of the line, from 1.
    pub multi_pv: usize,
    /// Score for the side to move.
    pub score: Score,
    /// Bound type of the score.
    pub bound: Bound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Positions that all threads have found in the tablebases.
    pub tb_hits: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// The transposition table.
    pub table: &'a TranspositionTable,
    /// The principal variation.
    pub pv: &'a [Move],
    /// The search ends within milliseconds, so that the report may wait for the answer.
    pub is_brief: bool,
}

impl Report<'_> {
    /// Returns how full the table is, in thousandths. It samples the table, so it is worked out
    /// only on request.
    pub fn hashfull(&self) -> usize {
        self.table.hashfull()
    }
}

/// Receives reports. All calls but complaints come from the main thread of the search.
pub trait Sink: Send + Sync {
    /// Called when an iteration is done or its window failed.
    fn report(&self, report: &Report<'_>);
    /// Called at the end of a search that went on after its last report, with the lines of that report or
    /// of a better one, and the final counters.
    fn repeat(&self, _: &Report<'_>) {}
    /// Called when a long iteration comes to the root move with this number, from 1.
    fn current_move(&self, depth: Depth, mv: Move, number: usize);
    /// Called when something does not work that the search can do without.
    fn report_fault(&self, _: &str) {}
}

/// A sink that ignores all reports.
pub struct Silent;

impl Sink for Silent {
    fn report(&self, _: &Report<'_>) {}
    fn current_move(&self, _: Depth, _: Move, _: usize) {}
}

/// Returns whole nodes per second.
pub fn nodes_per_second(nodes: u64, elapsed: Duration) -> u64 {
    (nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64
}
