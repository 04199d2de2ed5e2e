//! What a search is given.

use std::sync::Arc;

use super::attempt_log::AttemptLog;
use super::control::Control;
use super::null_move;
use super::report::Sink;
use crate::board::{KeyHistory, Position};
use crate::clock::Budget;
use crate::eval::nnue::Network;
use crate::params::Tuned;
use crate::table::TranspositionTable;
use crate::types::Move;

/// Everything that the workers of one `go` share.
pub struct Job {
    /// Where to search.
    pub position: Position,
    /// The keys of the positions before.
    pub history: KeyHistory,
    /// The moves to choose from; at least one.
    pub root_moves: Vec<Move>,
    /// How long.
    pub budget: Budget,
    /// How many best lines to find.
    pub multi_pv: usize,
    /// The parameters.
    pub tuned: Arc<Tuned>,
    /// The scheme of the null move.
    pub policy: null_move::Policy,
    /// Whether evaluations fade as the fifty-move clock runs.
    pub fifty_move_damping: bool,
    /// Who takes notes of null moves, if anybody does.
    pub attempt_log: Option<Arc<dyn AttemptLog>>,
    /// What evaluates.
    pub network: Arc<Network>,
    /// The shared table.
    pub table: Arc<TranspositionTable>,
    /// Stop flag and node counts.
    pub control: Arc<Control>,
    /// Where reports go.
    pub sink: Arc<dyn Sink>,
    /// Answer just when told to stop, however soon the search is done.
    pub hold: bool,
}
