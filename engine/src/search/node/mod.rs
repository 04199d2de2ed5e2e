//! The alpha-beta node. It calls the steps in the order in which a node lives: the end of the game, the
//! table, the evaluation, pruning of the whole node, and then its moves one by one.

mod facts;
mod kind;
mod moves;
mod prune;
mod quiescence;
mod root;
mod table;
mod update;

use super::control::Searched;
use super::rules::prune::Assessment;
use super::rules::reduce;
use super::window::Window;
use super::worker::Search;
use crate::board::Position;
use crate::types::{Depth, Move, Ply, Score};
use facts::Node;
use kind::NodeKind;
use prune::NullMove;
use table::TableFacts;

/// From this depth on the table cuts off whatever kind of node was expected.
const TRUST_TABLE_DEPTH: i32 = 5;

impl Search<'_> {
    /// The value of a position `depth` plies deep: exact inside the window, a bound outside.
    pub(super) fn node<N: NodeKind>(
        &mut self,
        position: &Position,
        ply: Ply,
        mut window: Window,
        mut depth: Depth,
        cut_node: bool,
    ) -> Searched {
        if depth.is_exhausted() {
            if self.job.tuned.leaf_check_extension == 0 || !position.in_check() {
                return self.quiescence::<N>(position, ply, window);
            }
            depth = Depth::ONE;
        }
        self.poll()?;
        self.selective_depth = self.selective_depth.max(ply);
        if N::PV {
            self.memory.pv.clear(ply);
        }
        if !N::ROOT
            && let Some(score) = self.end_of_line(position, ply, &mut window)
        {
            return Ok(score);
        }
        let excluded = self.frame(ply).excluded;
        let mut table = if excluded.is_some() {
            TableFacts::NOTHING
        } else {
            self.consult_table(position, ply)
        };
        if !N::PV && self.table_cuts(position, ply, window.beta, depth, cut_node, &table) {
            return Ok(table.score);
        }
        if N::ROOT {
            table.mv = self.expected_root_move(table.mv);
            self.frame_mut(1).cutoffs = 0;
        }
        self.frame_mut(ply + 2).cutoffs = 0;
        self.frame_mut(ply).threats = position.threats();
        let (raw_eval, assessment) = self.assess(position, ply, &table, excluded);
        let mut node = Node { ply, depth, window, cut_node, table, assessment, raw_eval, excluded };
        let mut unconfirmed = false;
        if !position.in_check() && excluded.is_none() {
            if !N::PV
                && let Some(score) = self.prune_by_evaluation(position, &node)?
            {
                return Ok(score);
            }
            match self.try_null_move::<N>(position, &node)? {
                NullMove::Cut(score) => return Ok(score),
                NullMove::FailedHigh => unconfirmed = true,
                NullMove::Threat if self.may_extend(ply) => node.depth += 1,
                NullMove::Threat | NullMove::SearchOn => {}
            }
            if !N::PV
                && let Some(score) = self.try_probcut(position, &node)?
            {
                return Ok(score);
            }
        }
        if unconfirmed {
            return self.confirm_null_move::<N>(position, node);
        }
        let expected = (N::PV || cut_node) && excluded.is_none();
        if reduce::without_table_move(depth, self.known_depth(&node), expected, &self.job.tuned) {
            node.depth -= 1;
        }
        self.search_moves::<N>(position, node)
    }

    /// A null search has failed high: the node is searched a ply shallower, and its subtree trusts null moves. If
    /// nothing fails high now, passing was the best move, and only a search of the full depth tells the truth.
    fn confirm_null_move<N: NodeKind>(&mut self, position: &Position, node: Node) -> Searched {
        let ply = node.ply;
        self.frame_mut(ply).verifies = false;
        let reduced = Node { depth: node.depth - 1, ..node };
        let score = self.search_moves::<N>(position, reduced)?;
        self.frame_mut(ply).verifies = true;
        if score >= node.window.beta {
            return Ok(score);
        }
        self.null_stats.at(node.depth).zugzwangs += 1;
        self.search_moves::<N>(position, node)
    }

    /// Whether a line that is extended again and again may go on.
    fn may_extend(&self, ply: Ply) -> bool {
        ply < 2 * self.root_depth.0.unsigned_abs() as Ply
    }

    /// Ends that need no search: a draw, a mate distance that decides, the last ply.
    fn end_of_line(&mut self, position: &Position, ply: Ply, window: &mut Window) -> Option<Score> {
        if window.alpha < Score::DRAW && self.memory.keys.can_repeat(position, ply) {
            window.alpha = self.draw_score();
            if window.is_closed() {
                return Some(window.alpha);
            }
        }
        if let Some(score) = self.game_end(position, ply) {
            return Some(score);
        }
        if Self::is_at_the_end(ply) {
            return Some(if position.in_check() {
                Score::DRAW
            } else {
                self.evaluate(position, ply)
            });
        }
        // Mate distance: a mate found nearer the root is better than any that can be found here.
        window.alpha = window.alpha.max(Score::mated_in(ply));
        window.beta = window.beta.min(Score::mate_in(ply + 1));
        window.is_closed().then_some(window.alpha)
    }

    /// Whether the table's score stands for a search of this node; a quiet move that cuts is rewarded.
    fn table_cuts(
        &mut self,
        position: &Position,
        ply: Ply,
        beta: Score,
        depth: Depth,
        cut_node: bool,
        table: &TableFacts,
    ) -> bool {
        let as_expected = cut_node == (table.score >= beta) || depth.0 > TRUST_TABLE_DEPTH;
        if !table.cuts(depth, beta, position) || !as_expected {
            return false;
        }
        if table.score >= beta && table.mv.is_some() && table.mv.is_quiet() {
            self.learn_table_cutoff(position, ply, depth, table.mv);
        }
        true
    }

    fn known_depth(&self, node: &Node) -> Option<Depth> {
        node.table.depth.filter(|_| node.table.mv.is_some())
    }

    /// Evaluates the position, with the corrections learnt and with the table's score where that says more.
    fn assess(
        &mut self,
        position: &Position,
        ply: Ply,
        table: &TableFacts,
        excluded: Move,
    ) -> (Score, Assessment) {
        if position.in_check() {
            self.frame_mut(ply).static_eval = Score::NONE;
            let none = Score::NONE;
            let assessment =
                Assessment { static_eval: none, eval: none, correction: 0, improving: false };
            return (none, assessment);
        }
        let raw_eval = if table.eval.is_some() { table.eval } else { self.evaluate(position, ply) };
        if !table.is_hit() && excluded.is_none() {
            let facts =
                TableFacts { eval: raw_eval, depth: Some(Depth(-1)), ..TableFacts::NOTHING };
            self.store(position, ply, &facts);
        }
        let (static_eval, correction) = self.corrected(position, ply, raw_eval);
        self.frame_mut(ply).static_eval = static_eval;
        let eval = if table.decides(static_eval) { table.score } else { static_eval };
        let improving = self.is_improving(ply, static_eval);
        (raw_eval, Assessment { static_eval, eval, correction, improving })
    }

    /// Compares with our last evaluation, two plies ago or, if we were in check then, four.
    fn is_improving(&self, ply: Ply, static_eval: Score) -> bool {
        let before = |plies| self.memory.frames.back(ply, plies).static_eval;
        [before(2), before(4)]
            .into_iter()
            .find(|eval| eval.is_some())
            .is_none_or(|eval| static_eval > eval)
    }
}
