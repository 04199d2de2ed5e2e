//! State that the threads of one search share.

use std::sync::Arc;

use nullarbor_chess::board::Game;

use super::attempt_log::AttemptLog;
use super::control::Control;
use super::report::Sink;
use super::rules::null_move::Scheme;
use crate::clock::Budget;
use crate::eval::Source;
use crate::params::TunedParams;
use crate::strength::Handicap;
use crate::table::TranspositionTable;
use crate::tablebase::{RootRank, Tablebases};
use crate::types::{Depth, Move};

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
    /// True if evaluations fade as the halfmove clock runs.
    pub fifty_move_damping: bool,
    /// Receives a note of every null search, if set.
    pub attempt_log: Option<Arc<dyn AttemptLog>>,
    /// Source of evaluations.
    pub evaluation: Source,
    /// The transposition table.
    pub table: Arc<TranspositionTable>,
    /// The tablebases, if there are any.
    pub tb: Option<TbProbing>,
    /// Stop flags and node counts.
    pub control: Arc<Control>,
    /// Receives reports.
    pub sink: Arc<dyn Sink>,
    /// Give the answer only when told to stop, even if the search ends earlier (`go infinite`).
    pub wait_for_stop: bool,
}

/// The tablebases of one search.
#[derive(Clone)]
pub struct TbProbing {
    /// The tables.
    pub tablebases: Arc<Tablebases>,
    /// Positions with at most this number of pieces are probed in the tree; 0 for none.
    pub pieces: usize,
    /// Minimum remaining depth for a probe of positions with the most pieces.
    pub depth: Depth,
    /// True if the fifty-move rule holds.
    pub fifty_moves: bool,
    /// Ranks of the root moves by the tables; empty if they do not know the root.
    pub root: Vec<RootRank>,
}

impl SharedSearch {
    /// Returns whether only some of the legal moves are searched (`go searchmoves`).
    pub fn is_restricted(&self) -> bool {
        self.root_moves.len() < self.game.position().legal_moves().len()
    }

    /// Returns whether the clock ends the search within milliseconds.
    pub fn is_brief(&self) -> bool {
        self.budget.is_brief() && !self.control.is_pondering()
    }

    /// Returns the number of best lines to find. A handicap chooses among more than are reported.
    pub fn lines(&self) -> usize {
        self.handicap.map_or(self.multi_pv, |handicap| self.multi_pv.max(handicap.lines()))
    }
}

#[cfg(test)]
mod for_tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::clock::Limits;
    use crate::eval::nnue::Network;
    use crate::search::Silent;

    impl SharedSearch {
        /// A search of a game without limits.
        pub fn without_limits(game: Game, threads: usize) -> Self {
            let tuned = TunedParams::default();
            let (now, side) = (Instant::now(), game.position().side_to_move());
            Self {
                root_moves: game.position().legal_moves().to_vec(),
                game,
                budget: Limits::default().budget(now, side, 1, Duration::ZERO, &tuned),
                multi_pv: 1,
                handicap: None,
                tuned: Arc::new(tuned),
                scheme: Scheme::default(),
                fifty_move_damping: true,
                attempt_log: None,
                evaluation: Source::Network(Arc::clone(Network::embedded())),
                table: Arc::new(TranspositionTable::new(1, 1).expect("a small table")),
                tb: None,
                control: Arc::new(Control::new(threads, false)),
                sink: Arc::new(Silent),
                wait_for_stop: false,
            }
        }
    }
}
