//! What a search tells whoever watches it.

use std::time::Duration;

use crate::table::TranspositionTable;
use crate::types::{Bound, Depth, Move, Score};

/// A step of a search, for whoever watches.
#[derive(Clone)]
pub struct Report<'a> {
    /// Plies of the iteration.
    pub depth: Depth,
    /// The deepest ply reached.
    pub selective_depth: usize,
    /// The number of the line, from 1.
    pub multi_pv: usize,
    /// The value for the side to move.
    pub score: Score,
    /// Whether the value is just a bound so far.
    pub bound: Bound,
    /// Nodes of all workers.
    pub nodes: u64,
    /// Time since the start.
    pub elapsed: Duration,
    /// The table that is being filled.
    pub table: &'a TranspositionTable,
    /// The best line.
    pub pv: &'a [Move],
}

impl Report<'_> {
    /// How full the table is, in thousandths. It takes a while to look, so nobody does who does not want to know.
    pub fn hashfull(&self) -> usize {
        self.table.hashfull()
    }
}

/// Takes reports. All calls come from the main worker.
pub trait Sink: Send + Sync {
    /// An iteration is done, or its window failed.
    fn report(&self, report: &Report<'_>);
    /// A long iteration has come to the move with this number.
    fn current_move(&self, depth: Depth, mv: Move, number: usize);
}

/// Takes reports and does nothing with them.
pub struct Silent;

impl Sink for Silent {
    fn report(&self, _: &Report<'_>) {}
    fn current_move(&self, _: Depth, _: Move, _: usize) {}
}
