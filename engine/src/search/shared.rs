//! What the threads of one search share.

use std::sync::Arc;

use super::attempt_log::AttemptLog;
use super::control::Control;
use super::report::Sink;
use super::rules::null_move::Scheme;
use super::tables::TableUse;
use crate::board::Game;
use crate::clock::Budget;
use crate::eval::Source;
use crate::params::TunedParams;
use crate::strength::Handicap;
use crate::table::TranspositionTable;
use crate::types::Move;

/// Everything that the threads of one `go` share.
pub struct SharedSearch {
    /// The position to search, and those before it for repetitions.
    pub game: Game,
    /// The moves to choose from; at least one.
    pub root_moves: Vec<Move>,
    /// The limits in time, nodes and depth.
    pub budget: Budget,
    /// Number of best lines to report.
    pub multi_pv: usize,
    /// Limits the strength; the limits are in the budget already.
    pub handicap: Option<Handicap>,
    /// The parameters.
    pub tuned: Arc<TunedParams>,
    /// The scheme of the null move.
    pub scheme: Scheme,
    /// Whether evaluations fade as the fifty-move clock runs.
    pub fifty_move_damping: bool,
    /// Receives a note of every null search, if set.
    pub attempt_log: Option<Arc<dyn AttemptLog>>,
    /// What positions are evaluated by.
    pub evaluation: Source,
    /// The transposition table.
    pub table: Arc<TranspositionTable>,
    /// The endgame tables, if there are any.
    pub tables: Option<TableUse>,
    /// Stop flags and node counts.
    pub control: Arc<Control>,
    /// Receives reports.
    pub sink: Arc<dyn Sink>,
    /// Give the answer only when told to stop, even if the search ends earlier (`go infinite`).
    pub wait_for_stop: bool,
}

impl SharedSearch {
    /// Returns whether the clock ends the search within milliseconds.
    pub fn is_brief(&self) -> bool {
        self.budget.is_brief() && !self.control.is_pondering()
    }

    /// Returns the number of best lines to find. A handicap chooses among more than are reported.
    pub fn lines(&self) -> usize {
        self.handicap.map_or(self.multi_pv, |handicap| self.multi_pv.max(handicap.lines()))
    }
}
