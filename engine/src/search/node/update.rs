//! What a finished node teaches the histories.

use arrayvec::ArrayVec;

use crate::board::Position;
use crate::params::Params;
use crate::search::memory::correction;
use crate::search::memory::history::Bonus;
use crate::search::memory::moved::MovedIndex;
use crate::search::worker::Search;
use crate::types::{Depth, Move, Ply};

/// Moves that were tried and did not raise alpha enough.
#[derive(Default)]
pub struct Tried {
    quiet: ArrayVec<Move, 48>,
    noisy: ArrayVec<Move, 32>,
}

impl Tried {
    /// Remembers a move; the first few dozen are enough.
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

impl Search<'_> {
    fn reward_quiet(&mut self, position: &Position, ply: Ply, mv: Move, amount: i32) {
        let continuation = amount * self.job.tuned.continuation_bonus / 1024;
        let memory = &mut *self.memory;
        let past = crate::search::memory::history::Past { frames: &memory.frames, ply };
        memory.histories.update_quiet(position, past, mv, Bonus { own: amount, continuation });
    }

    /// `best` failed high or became the best move; those `tried` before did not.
    pub(super) fn learn_best_move(
        &mut self,
        position: &Position,
        ply: Ply,
        depth: Depth,
        best: Move,
        tried: &Tried,
    ) {
        let (bonus, malus) = (bonus(depth, &self.job.tuned), malus(depth, &self.job.tuned));
        if best.is_quiet() {
            self.reward_quiet(position, ply, best, bonus);
            for &mv in tried.quiet.iter().filter(|&&mv| mv != best) {
                self.reward_quiet(position, ply, mv, malus);
            }
        } else {
            self.memory.histories.update_noisy(position, best, bonus);
        }
        for &mv in tried.noisy.iter().filter(|&&mv| mv != best) {
            self.memory.histories.update_noisy(position, mv, malus);
        }
    }

    /// The table's quiet move cuts off at once: it deserves a bonus like one that was searched.
    pub(super) fn learn_table_cutoff(
        &mut self,
        position: &Position,
        ply: Ply,
        depth: Depth,
        mv: Move,
    ) {
        let params = &self.job.tuned;
        let amount = (params.tt_cutoff_bonus * depth.0).min(params.bonus_cap);
        self.frame_mut(ply).threats = position.threats();
        self.reward_quiet(position, ply, mv, amount);
    }

    /// Nothing helped against the opponent's last quiet move: it must be good.
    pub(super) fn learn_refutation(&mut self, ply: Ply, depth: Depth) {
        let before = ply.wrapping_sub(1);
        if ply == 0 || self.frame(before).mv.is_none() || self.frame(before).mv.is_noisy() {
            return;
        }
        let amount = bonus(depth, &self.job.tuned) / 2;
        self.learn_continuation(before, self.frame(before).moved, amount);
    }

    /// Raises or lowers a move made at `ply` in the tables by earlier moves.
    pub(super) fn learn_continuation(&mut self, ply: Ply, moved: MovedIndex, amount: i32) {
        let memory = &mut *self.memory;
        let past = crate::search::memory::history::Past { frames: &memory.frames, ply };
        memory.histories.update_continuation(past, moved, amount);
    }

    /// A bonus for a late move whose reduced search beat alpha and was repeated.
    pub(super) fn learn_research(&mut self, ply: Ply, depth: Depth) {
        let amount = bonus(depth, &self.job.tuned);
        self.learn_continuation(ply, self.frame(ply).moved, amount);
    }

    /// The search of `depth` plies found so many centipawns more than the evaluation.
    pub(super) fn learn_correction(
        &mut self,
        position: &Position,
        ply: Ply,
        depth: Depth,
        difference: i32,
    ) {
        let bonus = correction::bonus(difference, depth.0, &self.job.tuned);
        let last = self.last_moves(ply);
        self.memory.corrections.update(position, last, bonus);
    }
}
