//! The moves at the root, and what comes of them.

use super::rules::null_move;
use crate::types::{Bound, Depth, Move, Ply, Score};

/// A legal move at the root and what is known of it.
#[derive(Clone, Debug)]
pub struct RootMove {
    pub mv: Move,
    pub score: Score,
    pub previous_score: Score,
    pub average_score: Option<Score>,
    pub bound: Bound,
    pub nodes: u64,
    pub selective_depth: Ply,
    pub pv: Vec<Move>,
}

impl RootMove {
    pub fn new(mv: Move) -> Self {
        Self {
            mv,
            score: -Score::INFINITE,
            previous_score: -Score::INFINITE,
            average_score: None,
            bound: Bound::None,
            nodes: 0,
            selective_depth: 0,
            pv: vec![mv],
        }
    }
}

/// A best line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its value for the side to move.
    pub score: Score,
    /// Its moves; at least one.
    pub moves: Vec<Move>,
}

/// What a worker found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best line.
    pub best: Line,
    /// What its value means: a bound where the search was stopped on the way to it.
    pub bound: Bound,
    /// Whether it was not reported yet.
    pub is_news: bool,
    /// The last finished iteration.
    pub depth: Depth,
    /// What that iteration said, which is never a bound.
    pub completed_score: Score,
    /// The deepest ply of the line.
    pub selective_depth: Ply,
    /// Nodes of this worker.
    pub nodes: u64,
    /// How its null moves fared.
    pub null_moves: null_move::Stats,
}

impl Outcome {
    /// The best move.
    pub fn best_move(&self) -> Move {
        self.best.moves[0]
    }

    /// The reply that is expected.
    pub fn ponder_move(&self) -> Option<Move> {
        self.best.moves.get(1).copied()
    }
}
