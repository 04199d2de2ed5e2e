//! Ways to settle a node without trying all its moves: razoring, reverse futility, the null move, ProbCut.

use super::control::Stopped;
use super::node_facts::Node;
use super::node_kind::NonPv;
use super::null_move::{self, Verdict};
use super::picker::Picker;
use super::prune;
use super::table_facts::TableFacts;
use super::window::Window;
use super::worker::Search;
use crate::board::Position;
use crate::types::{Bound, Depth, Move, PieceType, Score};

impl Search<'_> {
    /// Tries to settle the node without trying its moves.
    pub(super) fn prune_node(
        &mut self,
        position: &Position,
        node: &Node,
    ) -> Result<Option<Score>, Stopped> {
        let Window { alpha, beta } = node.window;
        let tuned = &self.job.tuned;
        if prune::razoring(&node.assessment, node.depth, alpha, tuned) {
            let score = self.quiescence::<NonPv>(position, node.ply, Window::zero_above(alpha))?;
            if score <= alpha {
                return Ok(Some(score));
            }
        }
        if !node.table.was_pv {
            let cut = prune::reverse_futility(&node.assessment, node.depth, beta, tuned);
            if cut.is_some() {
                return Ok(cut);
            }
        }
        if let Some(score) = self.try_null_move(position, node)? {
            return Ok(Some(score));
        }
        self.try_probcut(position, node)
    }

    /// Passes, and fails high if the opponent cannot use it.
    fn try_null_move(
        &mut self,
        position: &Position,
        node: &Node,
    ) -> Result<Option<Score>, Stopped> {
        let (job, beta) = (self.job, node.window.beta);
        let facts = self.null_move_facts(position, node);
        let Some(attempt) = job.policy.attempt(&facts, &job.tuned) else {
            return Ok(None);
        };
        self.null_stats.attempts += 1;
        let child = self.pass(position, node.ply);
        let window = -Window::zero_below(beta);
        let score =
            -self.node::<NonPv>(&child, node.ply + 1, window, attempt.depth, !node.cut_node)?;
        self.back();
        match job.policy.conclude(attempt, score, &facts, &job.tuned) {
            Verdict::SearchOn => Ok(None),
            Verdict::Cut(score) => {
                self.null_stats.cutoffs += 1;
                Ok(Some(score.get()))
            }
            Verdict::Verify(depth, score) => {
                let verified = self.verify_null_move(position, node, depth)?;
                Ok(verified.then(|| score.get()))
            }
        }
    }

    fn null_move_facts(&self, position: &Position, node: &Node) -> null_move::Facts {
        let us = position.side_to_move();
        let threats = &self.frame(node.ply).threats;
        let threatened = position.pieces(us, PieceType::Queen) & threats.by_rooks
            | position.pieces(us, PieceType::Rook) & threats.by_minors
            | position.non_pawns(us) & threats.by_pawns;
        null_move::Facts {
            depth: node.depth,
            beta: node.window.beta,
            static_eval: node.assessment.static_eval,
            eval: node.assessment.eval,
            improving: node.assessment.improving,
            in_check: position.in_check(),
            excluding: node.excluded.is_some(),
            after_null: self.memory.frames.back(node.ply, 1).mv.is_none(),
            has_pieces: !position.has_only_pawns(us),
            barred: self.null_barred[us],
            table_fails_low: node.table.bound == Bound::Upper
                && node.table.score < node.window.beta,
            table_move_is_capture: node.table.mv.is_capture(),
            quiet_board: threatened.is_empty(),
        }
    }

    /// Searches the node again without null moves of the side to move: zugzwang shows there.
    fn verify_null_move(
        &mut self,
        position: &Position,
        node: &Node,
        depth: Depth,
    ) -> Result<bool, Stopped> {
        let (us, beta) = (position.side_to_move(), node.window.beta);
        self.null_stats.verifications += 1;
        self.null_barred[us] = true;
        let score =
            self.node::<NonPv>(position, node.ply, Window::zero_below(beta), depth, false)?;
        self.null_barred[us] = false;
        let holds = score >= beta;
        self.null_stats.cutoffs += u64::from(holds);
        self.null_stats.overturned += u64::from(!holds);
        Ok(holds)
    }

    /// Tries captures against a raised beta at a lower depth.
    fn try_probcut(&mut self, position: &Position, node: &Node) -> Result<Option<Score>, Stopped> {
        let (job, ply) = (self.job, node.ply);
        let tuned = &job.tuned;
        let beta = prune::probcut_beta(&node.assessment, node.window.beta, tuned);
        let hopeless = node.table.score.is_some() && node.table.score < beta;
        if node.depth.0 < tuned.probcut_min_depth || node.window.beta.is_decisive() || hopeless {
            return Ok(None);
        }
        let depth = node.depth - tuned.probcut_reduction;
        let table_move = if node.table.mv.is_noisy() { node.table.mv } else { Move::NONE };
        let mut picker = Picker::noisy_from(table_move, beta - node.assessment.static_eval);
        while let Some(mv) = self.next_move(&mut picker, position, ply) {
            if picker.is_at_bad_noisy() {
                break;
            }
            let child = self.play(position, ply, mv);
            let window = -Window::zero_below(beta);
            let mut score = -self.quiescence::<NonPv>(&child, ply + 1, window)?;
            if score >= beta && !depth.is_exhausted() {
                score = -self.node::<NonPv>(&child, ply + 1, window, depth, !node.cut_node)?;
            }
            self.back();
            if score >= beta {
                let facts = TableFacts {
                    mv,
                    score,
                    eval: node.raw_eval,
                    depth: Some(depth + 1),
                    bound: Bound::Lower,
                    was_pv: node.table.was_pv,
                };
                self.store(position, ply, &facts);
                // Only the raised beta was beaten: what lies above it is handed back.
                let margin = beta - node.window.beta;
                return Ok(Some(if score.is_decisive() { score } else { score - margin }));
            }
        }
        Ok(None)
    }
}
