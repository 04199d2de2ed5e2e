//! The moves of a node, one by one: which to prune, which to extend, how deep to search, and what
//! comes of them.

use nullarbor_chess::board::Position;

use super::update::Tried;
use super::{NodeKind, NonPv, Pv};
use crate::params::ONE_PLY;
use crate::search::control::{Searched, Stopped};
use crate::search::memory::frame::PieceTo;
use crate::search::memory::picker::Picker;
use crate::search::rules::extend::{self, Singularity};
use crate::search::rules::node::{Node, TtInfo};
use crate::search::rules::prune::{self, Pruning};
use crate::search::rules::reduce::{self, LateMove};
use crate::search::window::Window;
use crate::search::worker::Search;
use crate::types::{Bound, Depth, Move, Ply, Score};

/// The progress through the moves so far.
struct Progress {
    alpha: Score,
    best: Score,
    best_move: Move,
    /// Number of moves so far, pruned ones included.
    moves: usize,
    tried: Tried,
}

/// A move that is about to be searched.
struct MoveContext {
    mv: Move,
    quiet: bool,
    gives_check: bool,
    /// The picker has put it among the captures that lose material.
    bad_noisy: bool,
    history: i32,
    /// Plies that it is searched deeper.
    extension: i32,
}

impl Search<'_> {
    /// Searches the moves in order until one fails high.
    pub(super) fn search_moves<N: NodeKind>(
        &mut self,
        position: &Position,
        mut node: Node,
    ) -> Searched {
        debug_assert!(node.window.suits(N::PV), "{:?}, PV {}", node.window, N::PV);
        let checks = position.checks();
        let mut picker = Picker::new(node.tt.mv);
        let mut progress = Progress {
            alpha: node.window.alpha,
            best: -Score::INFINITE,
            best_move: Move::NONE,
            moves: 0,
            tried: Tried::default(),
        };
        while let Some(mv) = self.next_move(&mut picker, position, node.ply, Some(&checks)) {
            if mv == node.excluded || N::ROOT && !self.is_root_candidate(mv) {
                continue;
            }
            progress.moves += 1;
            if N::ROOT {
                self.report_current_move(mv, progress.moves);
            }
            let mut context = MoveContext {
                mv,
                quiet: mv.is_quiet(),
                gives_check: position.gives_check(mv, &checks),
                bad_noisy: picker.is_at_bad_noisy(),
                history: self.history_of(position, node.ply, mv),
                extension: 0,
            };
            if !N::ROOT {
                if self.enough_quiets(position, &node, &progress, &context) {
                    picker.skip_quiets();
                }
                match self.should_prune(position, &node, &progress, &context) {
                    Pruning::Keep => {}
                    Pruning::Skip => continue,
                    Pruning::SkipBelow(bound) => {
                        progress.best = progress.best.max(bound);
                        continue;
                    }
                }
                match self.singular_extension(position, &mut node, mv)? {
                    Singularity::MultiCut(score) => return Ok(score),
                    Singularity::Extend(plies) => context.extension = plies,
                }
            }
            let nodes_before = self.nodes;
            let score = self.search_move::<N>(position, &node, &progress, &context)?;
            if N::ROOT {
                let window = Window { alpha: progress.alpha, beta: node.window.beta };
                let nodes = self.nodes - nodes_before;
                self.update_root_move(mv, score, window, progress.moves, nodes);
            }
            if self.update_best::<N>(&node, &mut progress, mv, score) {
                break;
            }
            if progress.best_move != mv {
                progress.tried.push(mv);
            }
            // A node with a singular move is worth a deeper look at the others, too.
            node.depth += i32::from(context.extension > 0);
        }
        self.finish::<N>(position, &node, progress)
    }

    /// Returns the history score of a move; for a quiet one the sum of the butterfly and the first
    /// two continuation tables.
    fn history_of(&self, position: &Position, ply: Ply, mv: Move) -> i32 {
        let histories = &self.memory.histories;
        if mv.is_noisy() {
            return histories.noisy(position, mv);
        }
        let stack = self.stack(ply);
        let piece_to = PieceTo::new(position.moved(mv), mv.to());
        histories.quiet(position.side_to_move(), stack.threats(), mv)
            + histories.continuation(stack.moved(1), piece_to)
            + histories.continuation(stack.moved(2), piece_to)
    }

    /// Returns whether moves may be pruned: some move does not lose to a mate, and there are
    /// pieces, so no zugzwang.
    fn may_prune_moves(position: &Position, progress: &Progress) -> bool {
        !progress.best.is_loss() && !position.has_only_pawns(position.side_to_move())
    }

    /// Late move pruning: returns whether this quiet move is the last one to be considered.
    fn enough_quiets(
        &self,
        position: &Position,
        node: &Node,
        progress: &Progress,
        mv: &MoveContext,
    ) -> bool {
        mv.quiet
            && !mv.gives_check
            && prune::late_moves(node, progress.moves, &self.shared.tuned)
            && Self::may_prune_moves(position, progress)
    }

    /// Shallow pruning: decides whether a move is worth a search.
    fn should_prune(
        &self,
        position: &Position,
        node: &Node,
        progress: &Progress,
        context: &MoveContext,
    ) -> Pruning {
        if !Self::may_prune_moves(position, progress) {
            return Pruning::Keep;
        }
        let (tuned, depth, alpha) = (&self.shared.tuned, node.depth, progress.alpha);
        let MoveContext { mv, quiet, gives_check, bad_noisy, history, .. } = *context;
        let reduced = reduce::depth_for_pruning(depth, quiet, progress.moves, history, tuned);
        if quiet && !gives_check {
            if prune::bad_history(history, reduced, tuned) {
                return Pruning::Skip;
            }
            if !node.in_check
                && let Some(hope) = prune::futility(node, reduced, alpha, history, tuned)
            {
                return Pruning::SkipBelow(hope.clamp_eval());
            }
        } else if !quiet && !gives_check && !node.in_check && bad_noisy {
            let victim = position.immediate_gain(mv);
            if prune::noisy_futility(node, alpha, victim, tuned) {
                return Pruning::Skip;
            }
        }
        // Checks may lose as much as captures: the reply is forced.
        let floor = prune::exchange_floor(quiet && !gives_check, depth, reduced, history, tuned);
        if depth.0 <= tuned.see_max_depth
            && !position.see_at_least_with(&self.frame(node.ply).threats, mv, floor)
        {
            Pruning::Skip
        } else {
            Pruning::Keep
        }
    }

    /// Decides whether to extend the TT move, by a search of all others, which shows how far they
    /// are behind.
    fn singular_extension(
        &mut self,
        position: &Position,
        node: &mut Node,
        mv: Move,
    ) -> Result<Singularity, Stopped> {
        let tuned = &self.shared.tuned;
        if mv != node.tt.mv
            || node.excluded.is_some()
            || !self.may_extend(node.ply)
            || !extend::is_candidate(node, tuned)
        {
            return Ok(Singularity::Extend(0));
        }
        self.frame_mut(node.ply).excluded = mv;
        let window = Window::zero_below(extend::singular_beta(node, tuned));
        let depth = extend::singular_depth(node.depth);
        let others = self.node::<NonPv>(position, node.ply, window, depth, node.cut_node);
        self.frame_mut(node.ply).excluded = Move::NONE;
        let double_extensions = self.frame(node.ply).double_extensions;
        let others = others?;
        node.singular_gap = node.tt.score - others;
        Ok(extend::conclude(others, node, double_extensions, tuned))
    }

    /// Searches one move: reduced and with a zero window first, at full depth and window where that
    /// beats alpha.
    fn search_move<N: NodeKind>(
        &mut self,
        position: &Position,
        node: &Node,
        progress: &Progress,
        context: &MoveContext,
    ) -> Searched {
        let (ply, alpha) = (node.ply, progress.alpha);
        let mut child = position.clone();
        self.make_move(&mut child, ply, context.mv);
        self.frame_mut(ply).number = progress.moves;
        let doubled = self.frame(ply).double_extensions + i32::from(context.extension >= 2);
        self.frame_mut(ply + 1).double_extensions = doubled;
        let mut depth = node.depth - 1 + context.extension;
        let mut score = alpha;
        let first = progress.moves == 1;
        let mut ask_again = !(N::PV && first);
        if !first && node.depth.0 >= self.shared.tuned.lmr_min_depth {
            let reduced = self.reduced_depth(&child, node, progress, context, depth);
            self.frame_mut(ply).reduction = depth.0 - reduced.0;
            let searched =
                self.node::<NonPv>(&child, ply + 1, -Window::zero_above(alpha), reduced, true);
            self.frame_mut(ply).reduction = 0;
            score = -searched?;
            ask_again = score > alpha && reduced < depth;
            if ask_again {
                depth += self.deeper_or_shallower(progress.best, score);
                ask_again = reduced < depth;
                self.reward_research(ply, node.depth);
            }
        }
        if ask_again {
            let window = -Window::zero_above(alpha);
            score = -self.node::<NonPv>(&child, ply + 1, window, depth, !node.cut_node)?;
        }
        if N::PV && (first || score > alpha) {
            let window = -Window { alpha, beta: node.window.beta };
            score = -self.node::<Pv>(&child, ply + 1, window, depth, false)?;
        }
        self.unmake_move();
        Ok(score)
    }

    /// Returns the depth of the first, reduced search of a late move: from one ply to `full`, in PV
    /// nodes one more.
    fn reduced_depth(
        &self,
        child: &Position,
        node: &Node,
        progress: &Progress,
        context: &MoveContext,
        full: Depth,
    ) -> Depth {
        let late = LateMove {
            number: progress.moves,
            quiet: context.quiet,
            history: context.history,
            gives_check: child.in_check(),
            alpha_raised: progress.best_move.is_some(),
            many_cutoffs: self.frame(node.ply + 1).cutoffs > self.shared.tuned.lmr_many_cutoffs,
        };
        let reduction = reduce::late_move(node, &late, &self.shared.tuned).div_euclid(ONE_PLY);
        let most = (full + i32::from(node.pv)).max(Depth::ONE);
        (full - reduction).clamp(Depth::ONE, most)
    }

    /// Returns how many plies deeper (or shallower, if negative) to repeat a reduced search that
    /// beat alpha with `score`: it depends on how much it gained on the best score so far.
    fn deeper_or_shallower(&self, best: Score, score: Score) -> i32 {
        let tuned = &self.shared.tuned;
        i32::from(score > best + tuned.lmr_deeper_margin)
            - i32::from(score < best + tuned.lmr_shallower_margin)
    }

    /// Takes the score of a move into account and returns whether it fails high.
    fn update_best<N: NodeKind>(
        &mut self,
        node: &Node,
        progress: &mut Progress,
        mv: Move,
        score: Score,
    ) -> bool {
        if score <= progress.best {
            return false;
        }
        progress.best = score;
        if score <= progress.alpha {
            return false;
        }
        progress.best_move = mv;
        if N::PV {
            self.memory.pv.update(node.ply, mv);
        }
        progress.alpha = score;
        let fails_high = score >= node.window.beta;
        if fails_high {
            self.frame_mut(node.ply).cutoffs += 1;
        }
        fails_high
    }

    /// Returns the score of the node after its last move, stores it, and updates the histories.
    fn finish<N: NodeKind>(
        &mut self,
        position: &Position,
        node: &Node,
        progress: Progress,
    ) -> Searched {
        let (ply, Window { alpha, beta }) = (node.ply, node.window);
        if progress.moves == 0 {
            return Ok(if node.excluded.is_some() {
                alpha
            } else if node.in_check {
                Score::mated_in(ply)
            } else {
                self.draw_score()
            });
        }
        debug_assert!(progress.best > -Score::INFINITE, "all moves were pruned");
        let mut best = progress.best.clamp(node.tb.alpha, node.tb.beta);
        debug_assert!(best < Score::INFINITE, "{best:?}");
        if best >= beta && !best.is_decisive() && !beta.is_decisive() {
            // A shallow fail-high overstates.
            best = Score((best.0 * node.depth.0 + beta.0) / (node.depth.0 + 1));
        }
        if progress.best_move.is_some() {
            self.update_histories(position, node, progress.best_move, &progress.tried);
            if best >= beta && node.excluded.is_none() {
                self.punish_prior_move(ply, node.depth);
            }
        } else if node.excluded.is_none() {
            self.reward_prior_move(ply, node.depth);
        }
        // Without its best move, or at the root without some moves, the result is not that of the
        // position.
        let without_some = || self.pv_index > 0 || self.shared.is_restricted();
        if node.excluded.is_some() || N::ROOT && without_some() {
            return Ok(best);
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if N::PV && progress.best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let info = TtInfo {
            mv: progress.best_move,
            score: best,
            eval: node.evals.raw,
            depth: Some(node.depth),
            bound,
            was_pv: node.was_pv(),
        };
        self.store_tt(position, ply, &info);
        self.update_correction(position, node, &info);
        Ok(best)
    }
}
