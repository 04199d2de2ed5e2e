//! The search: iterative deepening over a principal variation search with a shared table.
//!
//! [`root`] deepens and sets windows, [`node`] and [`quiescence`] walk the tree. The rules that prune, reduce and
//! extend are pure functions in modules of their own; what a worker remembers lies in [`Memory`].
//! The module prints nothing: it hands [`Report`]s to a [`Sink`].

mod control;
mod correction;
mod extend;
mod frame;
mod history;
mod moved;
mod node;
pub mod null_move;
mod picker;
mod prune;
mod pv;
mod quiescence;
mod reduce;
mod root;
mod table_facts;
mod update;
mod window;
mod worker;

pub use control::Control;
pub use root::{Line, Outcome};
pub use worker::{Memory, Search};

use std::sync::Arc;
use std::time::Duration;

use crate::board::{KeyHistory, Position};
use crate::clock::Budget;
use crate::params::Tuned;
use crate::table::Table;
use crate::types::{Bound, Depth, Move, Score};

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
    /// The shared table.
    pub table: Arc<Table>,
    /// Stop flag and node counts.
    pub control: Arc<Control>,
    /// Where reports go.
    pub sink: Arc<dyn Sink>,
    /// Answer just when told to stop, however soon the search is done.
    pub hold: bool,
}

/// A step of a search, for whoever watches.
#[derive(Clone, Debug)]
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
    /// How full the table is, in thousandths.
    pub hashfull: usize,
    /// The best line.
    pub pv: &'a [Move],
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

/// The search was told to stop: the scores on the way up mean nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stopped;

type Searched = Result<Score, Stopped>;
