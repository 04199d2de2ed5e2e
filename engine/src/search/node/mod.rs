//! The alpha-beta node. It lives in this order:
//!
//! 1. `node`: at depth 0 the node becomes a quiescence node (`quiescence`).
//! 2. `early_return`: draws, the maximum ply, mate distance pruning.
//! 3. `probe_tt`: the transposition table may cut a non-PV node. `probe_tb` (`tb`): the
//!    tablebases may settle any node but the root.
//! 4. `evaluate_node`: static evaluation with correction history; is it improving? `reduce_by_hindsight`: what
//!    the opponent's last move has changed, and whether that takes a ply off.
//! 5. Not in check and not in a singular search: razoring and reverse futility (`prune`), then
//!    `prune_by_search`: the null move (`null_move`), ProbCut (`prune`), confirmation of the null
//!    move.
//! 6. Internal iterative reduction.
//! 7. `search_moves` (`moves`): for each move shallow pruning, singular extension, late move
//!    reduction and the searches of principal variation search.
//! 8. `finish` (`moves`): mate and stalemate, the table, the histories (`update`).
//!
//! These files are methods of [`Search`] that call each other as nodes call their children. What
//! they decide by are the pure functions of `rules`. `root` starts it all: iterative deepening and
//! aspiration windows.

mod moves;
mod null_move;
mod prune;
mod quiescence;
mod root;
mod tb;
mod update;

use nullarbor_chess::board::Position;

use super::control::{Searched, Stopped};
use super::rules::node::{Evals, Node, TtInfo};
use super::rules::null_move::Verdict;
use super::rules::reduce;
use super::window::Window;
use super::worker::Search;
use crate::table::Entry;
use crate::types::{Depth, MAX_PLY, Move, Ply, Score};
use tb::Probed;

/// The kind of a node as a type, so that the compiler makes a function for each.
trait NodeKind {
    /// True on the principal variation: the window is open.
    const PV: bool;
    /// The first node of the tree.
    const ROOT: bool;
}

/// The root.
struct Root;
/// A node with an open window.
struct Pv;
/// A node with a zero window, which only asks for a bound.
struct NonPv;

impl NodeKind for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeKind for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeKind for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

impl Search<'_> {
    /// Searches a position `depth` plies deep by principal variation search (Marsland and Campbell
    /// 1982) and returns its score: exact inside the window, a bound outside (fail-soft).
    fn node<N: NodeKind>(
        &mut self,
        position: &Position,
        ply: Ply,
        mut window: Window,
        mut depth: Depth,
        cut_node: bool,
    ) -> Searched {
        debug_assert!(window.suits(N::PV), "{window:?}, PV {}", N::PV);
        debug_assert!(ply < MAX_PLY && (!N::ROOT || ply == 0), "ply {ply}, root {}", N::ROOT);
        debug_assert!(!N::PV || !cut_node, "a node of the principal variation is no cut node");
        let in_check = position.in_check();
        if depth.is_exhausted() {
            if self.shared.tuned.leaf_check_extension == 0 || !in_check {
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
            && let Some(score) = self.early_return(position, ply, &mut window)
        {
            return Ok(score);
        }
        let excluded = self.frame(ply).excluded;
        debug_assert!(!N::PV || excluded.is_none(), "{excluded:?} is excluded on the PV");
        let mut tt = if excluded.is_some() { TtInfo::MISS } else { self.probe_tt(position, ply) };
        if !N::PV
            && tt.cuts(depth, window.beta, position.halfmove_clock())
            && (cut_node == (tt.score >= window.beta) || depth.0 > self.shared.tuned.tt_trust_depth)
        {
            if tt.score >= window.beta && tt.mv.is_some() && tt.mv.is_quiet() {
                self.reward_tt_move(position, ply, depth, tt.mv);
            }
            return Ok(tt.score);
        }
        let probed = if !N::ROOT && excluded.is_none() && self.may_be_in_tb(position) {
            self.probe_tb(position, ply, depth, window)
        } else {
            Probed::Unknown
        };
        if let Probed::Score(score) = probed {
            return Ok(score);
        }
        if N::ROOT {
            tt.mv = self.expected_root_move(tt.mv);
            self.frame_mut(1).cutoffs = 0;
        }
        self.frame_mut(ply + 2).cutoffs = 0;
        let evals = self.evaluate_node(position, ply, &tt, excluded);
        if excluded.is_none() {
            depth = self.reduce_by_hindsight(position, ply, depth, evals.static_eval);
        }
        let pv = N::PV;
        let mut node = Node {
            pv,
            cut_node,
            in_check,
            ply,
            depth,
            window,
            excluded,
            tt,
            singular_gap: 0,
            evals,
            tb: probed.range(),
        };
        if excluded.is_none() {
            if !N::PV
                && !in_check
                && let Some(score) = self.prune_by_evaluation(position, &node)?
            {
                return Ok(score);
            }
            self.frame_mut(ply).threats = position.threats();
            if !in_check && let Some(score) = self.prune_by_search::<N>(position, &mut node)? {
                return Ok(score);
            }
        }
        let tt_depth = tt.depth.filter(|_| tt.mv.is_some());
        // A root without some of its moves has no entry of its own, however often it is searched.
        let expected = (N::PV || cut_node) && excluded.is_none();
        let expected = expected && !(N::ROOT && self.shared.is_restricted());
        if reduce::internal_iterative(depth, tt_depth, expected, &self.shared.tuned) {
            node.depth -= 1;
        }
        self.search_moves::<N>(position, node)
    }

    /// Tries to settle the node by a reduced search; a null search may also change its depth.
    fn prune_by_search<N: NodeKind>(
        &mut self,
        position: &Position,
        node: &mut Node,
    ) -> Result<Option<Score>, Stopped> {
        let verdict = self.try_null_move::<N>(position, node)?;
        match verdict {
            Verdict::Cut(score) => return Ok(Some(score.get())),
            Verdict::Verify { depth, cut, ordinary } => {
                if self.verify_null_move::<N>(position, node, depth, ordinary)? {
                    return Ok(Some(cut.get()));
                }
            }
            Verdict::Extend if self.may_extend(node.ply) => node.depth += 1,
            Verdict::RaiseAlpha(score) => node.window.alpha = score.get(),
            Verdict::Extend | Verdict::Reduce(_) | Verdict::SearchOn => {}
        }
        // ProbCut comes before the confirmation of a null move: it is cheaper, and its proof is a
        // real move.
        if !N::PV
            && let Some(score) = self.try_probcut(position, node)?
        {
            return Ok(Some(score));
        }
        if let Verdict::Reduce(plies) = verdict {
            return self.search_reduced::<N>(position, *node, plies).map(Some);
        }
        Ok(None)
    }

    /// Returns whether a line may still be extended: up to twice the depth of the iteration.
    fn may_extend(&self, ply: Ply) -> bool {
        ply < 2 * self.root_depth.0.unsigned_abs() as Ply
    }

    /// Returns the score where no search is needed: a draw, the maximum ply, or a mate distance
    /// that closes the window.
    fn early_return(
        &mut self,
        position: &Position,
        ply: Ply,
        window: &mut Window,
    ) -> Option<Score> {
        if window.alpha < Score::DRAW && self.memory.keys.can_repeat(position, ply) {
            window.alpha = self.draw_score();
            if window.is_closed() {
                return Some(window.alpha);
            }
        }
        let ending = self.game_end(position, ply).or_else(|| self.max_ply_score(position, ply));
        if ending.is_some() {
            return ending;
        }
        // Mate distance pruning: a mate found nearer to the root is better than any that can be
        // found here.
        window.alpha = window.alpha.max(Score::mated_in(ply));
        window.beta = window.beta.min(Score::mate_in(ply + 1));
        window.is_closed().then_some(window.alpha)
    }

    /// Evaluates the position, with the correction history and with the TT score where that
    /// says more. Stores the raw evaluation of a position that the table did not have.
    fn evaluate_node(
        &mut self,
        position: &Position,
        ply: Ply,
        tt: &TtInfo,
        excluded: Move,
    ) -> Evals {
        if position.in_check() {
            self.frame_mut(ply).static_eval = Score::NONE;
            return Evals::IN_CHECK;
        }
        let raw = if tt.eval.is_some() { tt.eval } else { self.evaluate(position, ply) };
        if !tt.is_hit() && excluded.is_none() {
            let info = TtInfo { eval: raw, depth: Some(Depth(-1)), ..TtInfo::MISS };
            self.store_tt(position, ply, &info);
        }
        let (static_eval, correction) = self.corrected(position, ply, raw);
        self.frame_mut(ply).static_eval = static_eval;
        let eval = if tt.decides(static_eval) { tt.score } else { static_eval };
        let improvement = self.improvement(ply, static_eval);
        let improving = improvement.is_none_or(|rise| rise > 0);
        let improvement = improvement.unwrap_or(0);
        Evals { raw, static_eval, eval, correction, improving, improvement }
    }

    /// Returns by how many centipawns the evaluation has risen since two plies ago or, if the side
    /// was in check then, four; `None` if it was in check twice.
    fn improvement(&self, ply: Ply, static_eval: Score) -> Option<i32> {
        let before = |plies| self.memory.frames.back(ply, plies).static_eval;
        [before(2), before(4)]
            .into_iter()
            .find(|eval| eval.is_some())
            .map(|eval| static_eval - eval)
    }

    /// Judges the opponent's last move by how the static evaluation has changed with it: its history
    /// is updated, and the depth to search to is returned.
    fn reduce_by_hindsight(
        &mut self,
        position: &Position,
        ply: Ply,
        depth: Depth,
        static_eval: Score,
    ) -> Depth {
        let Some(change) = self.eval_change(ply, static_eval) else { return depth };
        self.update_by_eval_change(!position.side_to_move(), ply, change);
        let reduction = self.memory.frames.back(ply, 1).reduction;
        depth - reduce::hindsight(depth, reduction, change, &self.shared.tuned)
    }

    /// Returns by how many centipawns the opponent's static evaluation has risen with its last move;
    /// `None` if that was a null move, or either side was in check.
    fn eval_change(&self, ply: Ply, static_eval: Score) -> Option<i32> {
        let before = self.memory.frames.back(ply, 1);
        (before.mv.is_some() && before.static_eval.is_some() && static_eval.is_some())
            .then_some(-static_eval.0 - before.static_eval.0)
    }

    /// Looks a position up in the transposition table. A move of another position with the same key
    /// is dropped.
    fn probe_tt(&self, position: &Position, ply: Ply) -> TtInfo {
        let Some(entry) = self.shared.table.probe(position.key()) else {
            return TtInfo::MISS;
        };
        let legal = entry.mv.is_some() && position.is_legal(entry.mv);
        TtInfo {
            mv: if legal { entry.mv } else { Move::NONE },
            score: entry.score.from_tt(ply, position.halfmove_clock()),
            eval: entry.eval,
            depth: Some(entry.depth),
            bound: entry.bound,
            was_pv: entry.was_pv,
        }
    }

    /// Stores what is known of a position in the transposition table.
    fn store_tt(&self, position: &Position, ply: Ply, info: &TtInfo) {
        debug_assert!(!position.in_check() || !info.eval.is_some(), "an evaluation in check");
        let entry = Entry {
            mv: info.mv,
            score: if info.score.is_some() { info.score.to_tt(ply) } else { Score::NONE },
            eval: info.eval,
            depth: info.depth.unwrap_or(Depth::ZERO),
            bound: info.bound,
            was_pv: info.was_pv,
        };
        self.shared.table.store(position.key(), entry);
    }
}
