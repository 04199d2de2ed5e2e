//! Root moves, and the result of a search.

use super::rules::null_move::Stats;
use crate::tablebase::RootRank;
use crate::types::{Bound, Depth, Move, Ply, Score};

/// A root move and its results so far. Scores are minus infinity until it has been searched.
#[derive(Clone, Debug)]
pub struct RootMove {
    pub mv: Move,
    /// Rank by the tablebases: no score of a search lifts a move over one of a higher rank.
    pub rank: i32,
    /// Score by the tablebases.
    pub tb_score: Option<Score>,
    pub score: Score,
    pub previous_score: Score,
    /// Running mean of its scores over the iterations, for the aspiration window.
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
            rank: 0,
            tb_score: None,
            score: -Score::INFINITE,
            previous_score: -Score::INFINITE,
            average_score: None,
            bound: Bound::None,
            nodes: 0,
            selective_depth: 0,
            pv: vec![mv],
        }
    }

    /// Makes a root move that the tablebases know.
    pub fn ranked(by_tables: &RootRank) -> Self {
        let RootRank { mv, rank, score } = *by_tables;
        Self { rank, tb_score: score, ..Self::new(mv) }
    }

    /// Returns the score to report: that of the tables, unless the search has found a mate.
    pub fn shown(&self) -> (Score, Bound) {
        match self.tb_score {
            Some(score) if !self.score.is_mate() => (score, Bound::Exact),
            _ => (self.score, self.bound),
        }
    }
}

/// A principal variation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Score for the side to move.
    pub score: Score,
    /// Moves; at least one.
    pub moves: Vec<Move>,
    /// Maximum ply reached for it.
    pub selective_depth: Ply,
}

impl From<&RootMove> for Line {
    fn from(it: &RootMove) -> Self {
        Self { score: it.shown().0, moves: it.pv.clone(), selective_depth: it.selective_depth }
    }
}

/// The result of one thread.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best line.
    pub best: Line,
    /// The best lines of the last finished iteration, if more than one was searched.
    pub alternatives: Vec<Line>,
    /// The best line of the last finished iteration.
    pub completed: Line,
    /// Bound type of its score: not exact if the search was stopped on the way to it.
    pub bound: Bound,
    /// The line differs from the last one reported.
    pub unreported: bool,
    /// Depth of the last finished iteration.
    pub depth: Depth,
    /// Score of that iteration, which is never a bound.
    pub completed_score: Score,
    /// Maximum ply reached for the line.
    pub selective_depth: Ply,
    /// Nodes of this thread.
    pub nodes: u64,
    /// Nodes of all threads when the last iteration was reported; 0 if it was not.
    pub reported_nodes: u64,
    /// Statistics of its null moves.
    pub null_moves: Stats,
}

impl Outcome {
    /// Plays another of the alternatives; the first is the best line, which stays.
    pub fn choose(&mut self, index: usize) {
        if let Some(line) = self.alternatives.get(index).filter(|_| index > 0) {
            self.best = line.clone();
            self.selective_depth = line.selective_depth;
            self.bound = Bound::Exact;
            self.unreported = true;
        }
    }

    /// Returns the first lines to show, best first: the line to play, and the others of the last finished
    /// iteration with another first move.
    pub fn shown_lines(&self, lines: usize) -> impl Iterator<Item = &Line> {
        let first = if self.unreported { &self.best } else { &self.completed };
        let others = self.alternatives.iter().filter(|it| it.moves[0] != first.moves[0]);
        std::iter::once(first).chain(others).take(lines.max(1))
    }

    /// Returns the best move.
    pub fn best_move(&self) -> Move {
        self.best.moves[0]
    }

    /// Returns the expected reply.
    pub fn ponder_move(&self) -> Option<Move> {
        self.best.moves.get(1).copied()
    }
}
