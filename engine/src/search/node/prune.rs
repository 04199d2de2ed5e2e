//! Pruning of whole nodes that needs a search of its own: razoring, reverse futility and ProbCut.

use nullarbor_chess::board::Position;

use super::NonPv;
use crate::search::control::Stopped;
use crate::search::memory::picker::Picker;
use crate::search::rules::node::{Node, TtInfo};
use crate::search::rules::prune;
use crate::search::window::Window;
use crate::search::worker::Search;
use crate::types::{Bound, Move, Score};

impl Search<'_> {
    /// Razoring and reverse futility pruning: returns a score if the evaluation is far from the
    /// window.
    pub(super) fn prune_by_evaluation(
        &mut self,
        position: &Position,
        node: &Node,
    ) -> Result<Option<Score>, Stopped> {
        let (tuned, alpha) = (&self.shared.tuned, node.window.alpha);
        if prune::razoring(node, tuned) {
            let score = self.quiescence::<NonPv>(position, node.ply, Window::zero_above(alpha))?;
            if score <= alpha {
                return Ok(Some(score));
            }
        }
        if node.tt.was_pv {
            return Ok(None);
        }
        Ok(prune::reverse_futility(node, tuned))
    }

    /// ProbCut (Buro 1995): returns a score if a capture beats a raised beta at a lower depth.
    pub(super) fn try_probcut(
        &mut self,
        position: &Position,
        node: &Node,
    ) -> Result<Option<Score>, Stopped> {
        let (tuned, ply) = (&self.shared.tuned, node.ply);
        if node.depth.0 < tuned.probcut_min_depth || node.window.beta.is_decisive() {
            return Ok(None);
        }
        let beta = prune::probcut_beta(node, tuned);
        let is_hopeless = node.tt.score.is_some() && node.tt.score < beta;
        if is_hopeless {
            return Ok(None);
        }
        let depth = node.depth - tuned.probcut_reduction;
        let tt_move = if node.tt.mv.is_noisy() { node.tt.mv } else { Move::NONE };
        let mut picker = Picker::noisy_from(tt_move, beta - node.evals.static_eval);
        while let Some(mv) = self.next_move(&mut picker, position, ply, None) {
            if picker.is_at_bad_noisy() {
                break;
            }
            let mut child = position.clone();
            self.make_move(&mut child, ply, mv);
            let window = -Window::zero_below(beta);
            let mut score = -self.quiescence::<NonPv>(&child, ply + 1, window)?;
            if score >= beta && !depth.is_exhausted() {
                score = -self.node::<NonPv>(&child, ply + 1, window, depth, !node.cut_node)?;
            }
            self.unmake_move();
            if score >= beta {
                let info = TtInfo {
                    mv,
                    score,
                    eval: node.evals.raw,
                    depth: Some(depth + 1),
                    bound: Bound::Lower,
                    was_pv: node.tt.was_pv,
                };
                self.store_tt(position, ply, &info);
                // Only the raised beta was beaten: the margin is subtracted again.
                let margin = beta - node.window.beta;
                return Ok(Some(if score.is_decisive() { score } else { score - margin }));
            }
        }
        Ok(None)
    }
}
