//! Quiescence search: captures, and evasions of a check until one holds, so that the evaluation can
//! be trusted.

use nullarbor_chess::board::Position;

use super::NodeKind;
use crate::params::scaled;
use crate::search::control::Searched;
use crate::search::memory::picker::Picker;
use crate::search::rules::node::TtInfo;
use crate::search::rules::prune::Pruning;
use crate::search::window::Window;
use crate::search::worker::Search;
use crate::types::{Bound, Depth, MAX_PLY, Move, Ply, Score};

/// Less than the depth of any entry: each is from a search at least as deep as quiescence.
const ANY_DEPTH: Depth = Depth(-1);

/// The evaluations before the moves are tried.
struct Standing {
    raw_eval: Score,
    /// The corrected evaluation, or minus infinity in check, where the side cannot stand pat.
    stand_pat: Score,
}

impl Search<'_> {
    /// Searches noisy moves until the position is quiet and returns its score.
    pub(super) fn quiescence<N: NodeKind>(
        &mut self,
        position: &Position,
        ply: Ply,
        mut window: Window,
    ) -> Searched {
        debug_assert!(window.suits(N::PV), "{window:?}, PV {}", N::PV);
        debug_assert!(ply < MAX_PLY, "ply {ply}");
        self.poll()?;
        self.selective_depth = self.selective_depth.max(ply);
        if N::PV {
            self.memory.pv.clear(ply);
        }
        let ending = self.game_end(position, ply).or_else(|| self.max_ply_score(position, ply));
        if let Some(score) = ending {
            return Ok(score);
        }
        if window.alpha < Score::DRAW && self.memory.keys.can_repeat(position, ply) {
            window.alpha = self.draw_score();
            if window.is_closed() {
                return Ok(window.alpha);
            }
        }
        let tt = self.probe_tt(position, ply);
        if !N::PV && tt.cuts(ANY_DEPTH, window.beta, position.halfmove_clock()) {
            return Ok(tt.score);
        }
        let standing = self.stand_pat(position, ply, &tt);
        if standing.stand_pat >= window.beta {
            if !tt.is_hit() {
                let (eval, depth) = (standing.raw_eval, Some(Depth::ZERO));
                self.store_tt(position, ply, &TtInfo { eval, depth, ..TtInfo::MISS });
            }
            return Ok(self.fail_high_blend(standing.stand_pat, window.beta));
        }
        self.noisy_moves::<N>(position, ply, window, &tt, &standing)
    }

    fn stand_pat(&mut self, position: &Position, ply: Ply, tt: &TtInfo) -> Standing {
        self.frame_mut(ply).static_eval = Score::NONE;
        if position.in_check() {
            return Standing { raw_eval: Score::NONE, stand_pat: -Score::INFINITE };
        }
        let raw_eval = if tt.eval.is_some() { tt.eval } else { self.evaluate(position, ply) };
        let (corrected, _) = self.corrected(position, ply, raw_eval);
        self.frame_mut(ply).static_eval = corrected;
        let better = tt.decides(corrected) && !tt.score.is_decisive();
        Standing { raw_eval, stand_pat: if better { tt.score } else { corrected } }
    }

    fn noisy_moves<N: NodeKind>(
        &mut self,
        position: &Position,
        ply: Ply,
        mut window: Window,
        tt: &TtInfo,
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
        let mut picker = self.quiescence_picker(in_check, tt.mv);
        let mut moves = 0;
        while let Some(mv) = self.next_move(&mut picker, position, ply, None) {
            moves += 1;
            if !best.is_loss() {
                if in_check && mv.is_quiet() {
                    // One evasion holds: the other quiet ones are left to the next search.
                    picker.skip_quiets();
                    continue;
                }
                if !in_check {
                    if picker.is_at_bad_noisy() {
                        break;
                    }
                    match self.should_prune_noisy(position, ply, mv, moves, window.alpha) {
                        Pruning::Keep => {}
                        Pruning::Skip => continue,
                        Pruning::SkipBelow(bound) => {
                            best = best.max(bound);
                            continue;
                        }
                    }
                }
            }
            let mut child = position.clone();
            self.make_move(&mut child, ply, mv);
            let score = -self.quiescence::<N>(&child, ply + 1, -window)?;
            self.unmake_move();
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
                    if mv.is_noisy() {
                        let bonus = self.shared.tuned.qs_capture_bonus;
                        self.memory.histories.update_noisy(position, mv, bonus);
                    }
                    break;
                }
            }
        }
        if in_check && moves == 0 {
            return Ok(Score::mated_in(ply));
        }
        debug_assert!(best > -Score::INFINITE, "no evasion was searched");
        if best >= window.beta && !best.is_decisive() {
            best = self.fail_high_blend(best, window.beta);
        }
        let bound = if best >= window.beta { Bound::Lower } else { Bound::Upper };
        let mv = if best > original_alpha { best_move } else { Move::NONE };
        let depth = Some(Depth::ZERO);
        let was_pv = tt.was_pv || N::PV && best > original_alpha;
        let info = TtInfo { mv, score: best, eval: standing.raw_eval, depth, bound, was_pv };
        self.store_tt(position, ply, &info);
        Ok(best)
    }

    fn quiescence_picker(&self, in_check: bool, tt_move: Move) -> Picker {
        if in_check {
            return Picker::new(tt_move);
        }
        let noisy = if tt_move.is_noisy() { tt_move } else { Move::NONE };
        Picker::noisy_from(noisy, self.shared.tuned.qs_see_margin)
    }

    /// Decides whether a noisy move is worth a search: not after many others, nor with too small a
    /// victim, nor if it loses material in the exchange. Recaptures and direct checks need only the
    /// last.
    fn should_prune_noisy(
        &self,
        position: &Position,
        ply: Ply,
        mv: Move,
        moves: i32,
        alpha: Score,
    ) -> Pruning {
        let params = &self.shared.tuned;
        let last = self.memory.frames.back(ply, 1).mv;
        let recaptures = last.is_some() && last.to() == mv.to();
        if !recaptures && !position.gives_direct_check(mv) {
            let gain = scaled(position.immediate_gain(mv), params.qs_futility_victim);
            let hope = self.frame(ply).static_eval + params.qs_futility_margin + gain;
            if moves > params.qs_max_moves || hope <= alpha {
                return Pruning::SkipBelow(hope.min(alpha));
            }
        }
        if position.see_at_least(mv, params.qs_see_margin) { Pruning::Keep } else { Pruning::Skip }
    }

    /// Returns a score between beta and a fail-high score: standing pat proves a bound, and the true
    /// value is nearer to beta.
    fn fail_high_blend(&self, score: Score, beta: Score) -> Score {
        if score.is_decisive() || beta.is_decisive() {
            return score;
        }
        beta + scaled(score - beta, self.shared.tuned.qs_return_share)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use super::*;
    use crate::clock::Limits;
    use crate::engine::Engine;
    use crate::pool::SearchResult;
    use crate::search::memory::{SharedHistories, ThreadData};
    use crate::search::node::NonPv;
    use crate::search::{SharedSearch, Silent};
    use nullarbor_chess::board::Game;

    /// The result of a search of one ply after one move.
    fn search(engine: &mut Engine, game: Game, mv: &str) -> SearchResult {
        let mv = game.position().parse_uci(mv).expect("a legal move");
        engine.set_game(game);
        let limits = Limits { depth: Some(Depth::ONE), ..Limits::default() };
        let (sender, receiver) = std::sync::mpsc::channel();
        let answer = Box::new(move |result: &SearchResult| {
            let _ = sender.send(result.clone());
        });
        engine.go(&limits, vec![mv], Instant::now(), Arc::new(Silent), answer).expect("a move");
        receiver.recv().expect("an answer")
    }

    fn game(fen: &str) -> Game {
        Game::new(Position::from_fen(fen).expect("a position"))
    }

    fn engine() -> Engine {
        Engine::new(1, 1).expect("a small engine")
    }

    #[test]
    fn after_a_quiet_evasion_that_holds_no_other_is_searched() {
        // The king has three squares to go to, and nothing can be captured.
        let start = game("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
        let result = search(&mut engine(), start, "a1a8");
        assert_eq!(result.nodes, 2);
    }

    #[test]
    fn a_repetition_is_seen_before_it_is_played() {
        let start = Position::from_fen("3q3k/8/8/8/8/8/8/R3K3 w - - 0 1").expect("a position");
        let shared = SharedSearch::without_limits(Game::new(start.clone()), 1);
        let mut memory = ThreadData::new(SharedHistories::new(1));
        let mut search = Search::new(&shared, &mut memory, 0);
        let mut position = start;
        for (ply, text) in ["a1b1", "h8g8", "b1a1", "g8h8"].into_iter().enumerate() {
            let mv = position.parse_uci(text).expect("a legal move");
            search.make_move(&mut position, ply, mv);
        }
        // White is behind, but Rb1 repeats a position of the tree.
        let window = Window::zero_below(Score(-100));
        let score = search.quiescence::<NonPv>(&position, 4, window);
        assert!(score.is_ok_and(|score| score.0.abs() <= 1));
    }

    #[test]
    fn an_evaluation_from_the_table_is_damped_by_the_clock_of_the_position() {
        let (early, late) = ("r7/8/8/8/8/6k1/8/7K w - - 0 60", "r7/8/8/8/8/6k1/8/7K w - - 80 100");
        let score = |engine: &mut Engine, fen| search(engine, game(fen), "h1g1").outcome.best.score;
        let mut used = engine();
        let undamped = score(&mut used, early);
        assert_eq!(score(&mut used, late), score(&mut engine(), late));
        assert!(score(&mut used, late) > undamped, "the side that is behind draws near to a draw");
    }
}
