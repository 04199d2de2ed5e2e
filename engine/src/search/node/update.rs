//! Updates of the histories after a node.

use arrayvec::ArrayVec;
use nullarbor_chess::board::Position;

use crate::params::{Params, scaled};
use crate::search::memory::correction;
use crate::search::memory::frame::{PieceTo, StackView};
use crate::search::rules::node::{Node, TtInfo};
use crate::search::worker::Search;
use crate::types::{Bound, Colour, Depth, Move, Ply};

/// Moves that were searched and did not become the best; the first few dozen are enough.
#[derive(Default)]
pub struct Tried {
    quiet: ArrayVec<Move, 48>,
    noisy: ArrayVec<Move, 32>,
}

impl Tried {
    /// Adds a move.
    pub fn push(&mut self, mv: Move) {
        // A full list drops the move: so late a move says little.
        let _ = if mv.is_quiet() { self.quiet.try_push(mv) } else { self.noisy.try_push(mv) };
    }
}

fn bonus(depth: Depth, params: &Params) -> i32 {
    (params.bonus_depth_scale * depth.0 + params.bonus_base).clamp(0, params.bonus_cap)
}

fn malus(depth: Depth, params: &Params) -> i32 {
    -(params.malus_depth_scale * depth.0 + params.malus_base).clamp(0, params.malus_cap)
}

/// Returns the bonus for a move after which its side's evaluation has risen by `change` centipawns,
/// or the malus if it has fallen.
fn eval_change_bonus(change: i32, params: &Params) -> i32 {
    let change = change.clamp(-params.eval_change_cap, params.eval_change_cap);
    (change + params.eval_change_offset) * params.eval_change_scale
}

impl Search<'_> {
    /// Raises the histories of the best move and lowers those of the moves tried before it.
    pub(super) fn update_histories(
        &mut self,
        position: &Position,
        node: &Node,
        best: Move,
        tried: &Tried,
    ) {
        let params = &self.shared.tuned;
        let (bonus, malus) = (bonus(node.depth, params), malus(node.depth, params));
        if best.is_quiet() {
            self.update_quiet(position, node.ply, best, bonus);
            for &mv in tried.quiet.iter().filter(|&&mv| mv != best) {
                self.update_quiet(position, node.ply, mv, malus);
            }
        } else {
            self.memory.histories.update_noisy(position, best, bonus);
        }
        for &mv in tried.noisy.iter().filter(|&&mv| mv != best) {
            self.memory.histories.update_noisy(position, mv, malus);
        }
    }

    /// Rewards a quiet TT move whose entry cuts the node without a search.
    pub(super) fn reward_tt_move(&mut self, position: &Position, ply: Ply, depth: Depth, mv: Move) {
        let params = &self.shared.tuned;
        let amount = (params.tt_cutoff_bonus * depth.0).min(params.bonus_cap);
        self.frame_mut(ply).threats = position.threats();
        self.update_quiet(position, ply, mv, amount);
    }

    /// Rewards the opponent's last quiet move: nothing helped against it.
    pub(super) fn reward_prior_move(&mut self, ply: Ply, depth: Depth) {
        let before = ply.wrapping_sub(1);
        if ply == 0 || self.frame(before).mv.is_none() || self.frame(before).mv.is_noisy() {
            return;
        }
        let params = &self.shared.tuned;
        let amount = scaled(bonus(depth, params), params.prior_bonus);
        self.update_continuation(before, self.frame(before).piece_to, amount);
    }

    /// Punishes the opponent's last move if it was quiet and the first of its node: it is refuted.
    pub(super) fn punish_prior_move(&mut self, ply: Ply, depth: Depth) {
        let frame = *self.memory.frames.back(ply, 1);
        if frame.mv.is_some() && frame.mv.is_quiet() && frame.number == 1 {
            let params = &self.shared.tuned;
            let amount = scaled(malus(depth, params), params.refuted_malus);
            self.update_continuation(ply - 1, frame.piece_to, amount);
        }
    }

    /// Rewards or punishes the last move of `side`, if it was quiet, by the `change` of that side's
    /// static evaluation, in centipawns.
    pub(super) fn update_by_eval_change(&mut self, side: Colour, ply: Ply, change: i32) {
        let (params, frame) = (&self.shared.tuned, *self.memory.frames.back(ply, 1));
        if frame.mv.is_quiet() {
            let bonus = eval_change_bonus(change, params);
            self.memory.histories.update_butterfly(side, &frame.threats, frame.mv, bonus);
        }
    }

    /// Rewards a late move whose reduced search beat alpha.
    pub(super) fn reward_research(&mut self, ply: Ply, depth: Depth) {
        let amount = bonus(depth, &self.shared.tuned);
        self.update_continuation(ply, self.frame(ply).piece_to, amount);
    }

    /// Updates the correction history with the result of a node, if that says on which side the
    /// evaluation was wrong: not in check, no capture best, no mate, and the bound on the right
    /// side of the evaluation.
    pub(super) fn update_correction(&mut self, position: &Position, node: &Node, result: &TtInfo) {
        if node.in_check {
            return;
        }
        let (score, static_eval) = (result.score, node.evals.static_eval);
        let tells = match result.bound {
            Bound::Lower => score > static_eval,
            Bound::Upper => score < static_eval,
            _ => true,
        };
        if !result.mv.is_noisy() && tells && !score.is_decisive() {
            let difference = score - static_eval;
            let bonus = correction::bonus(difference, node.depth.0, &self.shared.tuned);
            let last = self.last_moves(node.ply);
            self.memory.corrections.update(position, last, bonus);
        }
    }

    fn update_quiet(&mut self, position: &Position, ply: Ply, mv: Move, amount: i32) {
        let continuation = scaled(amount, self.shared.tuned.continuation_bonus);
        let memory = &mut *self.memory;
        let stack = StackView { frames: &memory.frames, ply };
        memory.histories.update_quiet(position, stack, mv, amount, continuation);
    }

    fn update_continuation(&mut self, ply: Ply, piece_to: PieceTo, amount: i32) {
        let memory = &mut *self.memory;
        let stack = StackView { frames: &memory.frames, ply };
        memory.histories.update_continuation(stack, piece_to, amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_judged_by_what_it_does_to_the_evaluation() {
        let params = Params::default();
        let bonus = |change| eval_change_bonus(change, &params);
        assert!(bonus(40) > bonus(0) && bonus(0) > bonus(-40) && bonus(-40) < 0);
        assert_eq!(bonus(params.eval_change_cap), bonus(5000), "a blunder counts once");
    }
}
