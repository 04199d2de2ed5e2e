//! Quiescence: captures, and evasions of a check until one holds, so that the evaluation can be trusted.

use super::kind::NodeKind;
use super::table::TableFacts;
use crate::board::Position;
use crate::search::control::Searched;
use crate::search::memory::picker::Picker;
use crate::search::window::Window;
use crate::search::worker::Search;
use crate::types::{Bound, Depth, Move, Ply, Score};

/// Every score in the table is from a search at least as deep as quiescence.
const ANY_DEPTH: Depth = Depth(-1);

/// What stands before the moves are tried.
struct Standing {
    raw_eval: Score,
    /// The corrected evaluation, or minus infinity in check, where one cannot stand pat.
    stand_pat: Score,
}

impl Search<'_> {
    /// The value of a position where just noisy moves still matter.
    pub(super) fn quiescence<N: NodeKind>(
        &mut self,
        position: &Position,
        ply: Ply,
        window: Window,
    ) -> Searched {
        self.poll()?;
        self.selective_depth = self.selective_depth.max(ply);
        if N::PV {
            self.memory.pv.clear(ply);
        }
        if let Some(score) = self.game_end(position, ply) {
            return Ok(score);
        }
        if Self::is_at_the_end(ply) {
            return Ok(if position.in_check() {
                Score::DRAW
            } else {
                self.evaluate(position, ply)
            });
        }
        let table = self.consult_table(position, ply);
        if !N::PV && table.cuts(ANY_DEPTH, window.beta, position) {
            return Ok(table.score);
        }
        let standing = self.stand_pat(position, ply, &table);
        if standing.stand_pat >= window.beta {
            if !table.is_hit() {
                self.store(
                    position,
                    ply,
                    &TableFacts {
                        eval: standing.raw_eval,
                        depth: Some(Depth::ZERO),
                        ..TableFacts::NOTHING
                    },
                );
            }
            return Ok(softened(standing.stand_pat, window.beta));
        }
        self.noisy_moves::<N>(position, ply, window, &table, &standing)
    }

    fn stand_pat(&mut self, position: &Position, ply: Ply, table: &TableFacts) -> Standing {
        self.frame_mut(ply).static_eval = Score::NONE;
        if position.in_check() {
            return Standing { raw_eval: Score::NONE, stand_pat: -Score::INFINITE };
        }
        let raw_eval = if table.eval.is_some() { table.eval } else { self.evaluate(position, ply) };
        let (corrected, _) = self.corrected(position, ply, raw_eval);
        self.frame_mut(ply).static_eval = corrected;
        let better = table.decides(corrected) && !table.score.is_decisive();
        Standing { raw_eval, stand_pat: if better { table.score } else { corrected } }
    }

    fn noisy_moves<N: NodeKind>(
        &mut self,
        position: &Position,
        ply: Ply,
        mut window: Window,
        table: &TableFacts,
        standing: &Standing,
    ) -> Searched {
        let original_alpha = window.alpha;
        let mut best = standing.stand_pat;
        window.alpha = window.alpha.max(best);
        let mut best_move = Move::NONE;
        let in_check = position.in_check();
        if in_check {
            self.frame_mut(ply).threats = position.threats();
        }
        let mut picker = self.quiescence_picker(in_check, table.mv);
        let mut moves = 0;
        while let Some(mv) = self.next_move(&mut picker, position, ply) {
            moves += 1;
            if !best.is_loss() {
                if in_check && mv.is_quiet() {
                    // One evasion holds: the quiet rest is left to the next search.
                    picker.skip_quiets();
                } else if !in_check
                    && self.is_futile(position, ply, mv, moves, &mut best, window.alpha)
                {
                    continue;
                }
            }
            let child = self.play(position, ply, mv);
            let score = -self.quiescence::<N>(&child, ply + 1, -window)?;
            self.back();
            if score <= best {
                continue;
            }
            best = score;
            if score > window.alpha {
                best_move = mv;
                window.alpha = score;
                if N::PV {
                    self.memory.pv.update(ply, mv);
                }
                if window.is_closed() {
                    break;
                }
            }
        }
        if in_check && moves == 0 {
            return Ok(Score::mated_in(ply));
        }
        if best >= window.beta && !best.is_decisive() {
            best = softened(best, window.beta);
        }
        let bound = if best >= window.beta { Bound::Lower } else { Bound::Upper };
        let mv = if best > original_alpha { best_move } else { Move::NONE };
        let depth = Some(Depth::ZERO);
        let was_pv = table.was_pv || N::PV && best > original_alpha;
        self.store(
            position,
            ply,
            &TableFacts { mv, score: best, eval: standing.raw_eval, depth, bound, was_pv },
        );
        Ok(best)
    }

    fn quiescence_picker(&self, in_check: bool, table_move: Move) -> Picker {
        if in_check {
            return Picker::new(table_move);
        }
        let noisy = if table_move.is_noisy() { table_move } else { Move::NONE };
        Picker::noisy_from(noisy, self.job.tuned.qs_see_margin)
    }

    /// Whether a capture is not worth a look: too many before it, too small a victim, or it loses material.
    fn is_futile(
        &self,
        position: &Position,
        ply: Ply,
        mv: Move,
        moves: i32,
        best: &mut Score,
        alpha: Score,
    ) -> bool {
        let params = &self.job.tuned;
        let last = self.memory.frames.back(ply, 1).mv;
        let recaptures = last.is_some() && last.to() == mv.to();
        if recaptures || position.gives_direct_check(mv) {
            return !position.see_at_least(mv, params.qs_see_margin);
        }
        let hope =
            self.frame(ply).static_eval + params.qs_futility_margin + position.immediate_gain(mv);
        if moves > params.qs_max_moves || hope <= alpha {
            *best = (*best).max(hope.min(alpha));
            return true;
        }
        !position.see_at_least(mv, params.qs_see_margin)
    }
}

/// Standing pat proves a bound, not a value: the truth lies nearer to beta.
fn softened(score: Score, beta: Score) -> Score {
    if score.is_decisive() || beta.is_decisive() { score } else { Score((score.0 + beta.0) / 2) }
}
