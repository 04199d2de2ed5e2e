//! The moves of a node, one by one: which to give up, which to extend, how deep to search, what comes of it.

use super::facts::{Candidacy, Node, Progress};
use super::kind::{NodeKind, NonPv, Pv};
use super::table::TableFacts;
use super::update::Tried;
use crate::board::Position;
use crate::params::ONE_PLY;
use crate::search::control::{Searched, Stopped};
use crate::search::memory::moved::MovedIndex;
use crate::search::memory::picker::Picker;
use crate::search::rules::extend::{self, Asking, Candidate, Singularity};
use crate::search::rules::prune;
use crate::search::rules::reduce::{self, LateMove, NodeOutlook};
use crate::search::window::Window;
use crate::search::worker::Search;
use crate::types::{Bound, Depth, Move, Ply, Score};

/// Children that failed high more often than this mark a node whose moves all meet a good reply.
const MANY_CUTOFFS: u32 = 2;

impl Search<'_> {
    /// Searches the moves in order until one fails high.
    pub(super) fn search_moves<N: NodeKind>(
        &mut self,
        position: &Position,
        node: Node,
    ) -> Searched {
        let checks = position.checks();
        let mut picker = Picker::new(node.table.mv);
        let mut progress = Progress {
            alpha: node.window.alpha,
            best: -Score::INFINITE,
            best_move: Move::NONE,
            moves: 0,
            tried: Tried::default(),
        };
        while let Some(mv) = self.next_move(&mut picker, position, node.ply) {
            if mv == node.excluded || N::ROOT && !self.is_root_candidate(mv) {
                continue;
            }
            progress.moves += 1;
            if N::ROOT {
                self.report_current_move(mv, progress.moves);
            }
            let quiet = mv.is_quiet();
            let history = self.history_of(position, node.ply, mv);
            let gives_check = position.gives_check(mv, &checks);
            let mut candidate = Candidacy { mv, quiet, gives_check, history, extension: 0 };
            if !N::ROOT && self.gives_up(position, &node, &mut progress, &candidate, &mut picker) {
                continue;
            }
            if !N::ROOT {
                match self.singularity::<N>(position, &node, mv)? {
                    Singularity::MultiCut(score) => return Ok(score),
                    Singularity::Extend(plies) => candidate.extension = plies,
                }
            }
            let nodes_before = self.nodes;
            let score = self.search_move::<N>(position, &node, &progress, &candidate)?;
            if N::ROOT {
                let window = Window { alpha: progress.alpha, beta: node.window.beta };
                self.note_root_move(mv, score, window, progress.moves, self.nodes - nodes_before);
            }
            if self.weigh::<N>(&node, &mut progress, mv, score) {
                break;
            }
            if progress.best_move != mv {
                progress.tried.push(mv);
            }
        }
        self.finish::<N>(position, &node, progress)
    }

    /// What the histories say of a move, quiet ones as the sum of the main tables.
    fn history_of(&self, position: &Position, ply: Ply, mv: Move) -> i32 {
        let histories = &self.memory.histories;
        if mv.is_noisy() {
            return histories.noisy(position, mv);
        }
        let past = self.past(ply);
        let moved = MovedIndex::of(position.moved(mv), mv.to());
        let (last, before) = self.last_moves(ply);
        histories.quiet(position.side_to_move(), past.threats(), mv)
            + histories.continuation(last, moved)
            + histories.continuation(before, moved)
    }

    /// Shallow pruning: whether the move is not worth a search, given that some move was.
    fn gives_up(
        &self,
        position: &Position,
        node: &Node,
        progress: &mut Progress,
        candidate: &Candidacy,
        picker: &mut Picker,
    ) -> bool {
        let us = position.side_to_move();
        if progress.best.is_loss() || position.has_only_pawns(us) {
            return false;
        }
        let (tuned, depth) = (&self.job.tuned, node.depth);
        let Candidacy { mv, quiet, gives_check, history, .. } = *candidate;
        let reduction = tuned.base_reduction(quiet, depth.0, progress.moves) / ONE_PLY;
        let reduced = Depth((depth.0 - reduction).max(0));
        if quiet && !gives_check {
            if prune::late_moves(progress.moves, depth, node.assessment.improving, tuned) {
                picker.skip_quiets();
            }
            if prune::bad_history(history, reduced, tuned) {
                return true;
            }
            if !position.in_check()
                && let Some(hope) =
                    prune::futility(&node.assessment, reduced, progress.alpha, history, tuned)
            {
                progress.best = progress.best.max(hope.clamp_eval());
                return true;
            }
        } else if !quiet && !gives_check && !position.in_check() {
            let victim = position.immediate_gain(mv);
            if picker.is_at_bad_noisy()
                && prune::noisy_futility(&node.assessment, depth, progress.alpha, victim, tuned)
            {
                return true;
            }
        }
        // Checks may lose as much as captures: what follows is forced.
        let floor = prune::exchange_floor(quiet && !gives_check, depth, reduced, history, tuned);
        depth.0 <= tuned.see_max_depth && !position.see_at_least(mv, floor)
    }

    /// Asks whether the table move is the only good one, by a search without it.
    fn singularity<N: NodeKind>(
        &mut self,
        position: &Position,
        node: &Node,
        mv: Move,
    ) -> Result<Singularity, Stopped> {
        let none = Singularity::Extend(0);
        // Beyond twice the iteration's depth no line is extended any more.
        if mv != node.table.mv
            || node.excluded.is_some()
            || node.ply >= 2 * self.root_depth.0 as usize
        {
            return Ok(none);
        }
        let job = self.job;
        let (score, bound) = (node.table.score, node.table.bound);
        let depth = node.table.depth.unwrap_or(Depth::ZERO);
        let table = Candidate { score, bound, depth, quiet: mv.is_quiet() };
        if !score.is_some() || !extend::is_candidate(&table, node.depth, &job.tuned) {
            return Ok(none);
        }
        let limit = extend::singular_beta(&table, node.depth, &job.tuned);
        self.frame_mut(node.ply).excluded = mv;
        let window = Window::zero_below(limit);
        let depth = extend::singular_depth(node.depth);
        let others = self.node::<NonPv>(position, node.ply, window, depth, node.cut_node);
        self.frame_mut(node.ply).excluded = Move::NONE;
        let asking = Asking {
            beta: node.window.beta,
            pv: N::PV,
            cut_node: node.cut_node,
            double_extensions: self.frame(node.ply).double_extensions,
        };
        Ok(extend::conclude(others?, &table, node.depth, &asking, &job.tuned))
    }

    /// Searches one move: reduced and with an empty window first, fully where that beats alpha.
    fn search_move<N: NodeKind>(
        &mut self,
        position: &Position,
        node: &Node,
        progress: &Progress,
        candidate: &Candidacy,
    ) -> Searched {
        let (ply, alpha) = (node.ply, progress.alpha);
        let child = self.play(position, ply, candidate.mv);
        let doubled = self.frame(ply).double_extensions + i32::from(candidate.extension >= 2);
        self.frame_mut(ply + 1).double_extensions = doubled;
        let mut depth = node.depth - 1 + candidate.extension;
        let mut score = alpha;
        let first = progress.moves == 1;
        let mut ask_again = !(N::PV && first);
        if !first && node.depth.0 >= self.job.tuned.lmr_min_depth {
            let reduced = self.reduced_depth::<N>(&child, node, progress, candidate, depth);
            score =
                -self.node::<NonPv>(&child, ply + 1, -Window::zero_above(alpha), reduced, true)?;
            ask_again = score > alpha && reduced < depth;
            if ask_again {
                depth += self.reconsider(progress.best, score);
                ask_again = reduced < depth;
                self.learn_research(ply, node.depth);
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
        self.back();
        Ok(score)
    }

    /// The depth of the first, reduced search of a late move; at least one ply, and one more than full at
    /// most.
    fn reduced_depth<N: NodeKind>(
        &self,
        child: &Position,
        node: &Node,
        progress: &Progress,
        candidate: &Candidacy,
        full: Depth,
    ) -> Depth {
        let late = LateMove {
            depth: node.depth,
            moves: progress.moves,
            quiet: candidate.quiet,
            history: candidate.history,
            gives_check: child.in_check(),
            node: NodeOutlook {
                pv: N::PV,
                was_pv: node.table.was_pv || N::PV,
                cut_node: node.cut_node,
                improving: node.assessment.improving,
                table_move_is_capture: node.table.mv.is_capture(),
                many_cutoffs: self.frame(node.ply + 1).cutoffs > MANY_CUTOFFS,
                correction: node.assessment.correction,
            },
        };
        let reduction = reduce::late_move(&late, &self.job.tuned).div_euclid(ONE_PLY);
        let most = (full + i32::from(N::PV)).max(Depth::ONE);
        (full - reduction).clamp(Depth::ONE, most)
    }

    /// A reduced search that beat alpha is repeated, deeper if by much and shallower if by little.
    fn reconsider(&self, best: Score, score: Score) -> i32 {
        let tuned = &self.job.tuned;
        i32::from(score > best + tuned.lmr_deeper_margin)
            - i32::from(score < best + tuned.lmr_shallower_margin)
    }

    /// Takes the score of a move into account; says whether it fails high.
    fn weigh<N: NodeKind>(
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

    /// What the node is worth now that its moves are known, and what is learnt from it.
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
            } else if position.in_check() {
                Score::mated_in(ply)
            } else {
                self.draw_score()
            });
        }
        let mut best = progress.best;
        if best >= beta && !best.is_decisive() && !beta.is_decisive() {
            // A shallow fail-high overstates.
            best = Score((best.0 * node.depth.0 + beta.0) / (node.depth.0 + 1));
        }
        if progress.best_move.is_some() {
            self.learn_best_move(position, ply, node.depth, progress.best_move, &progress.tried);
        } else if node.excluded.is_none() {
            self.learn_refutation(ply, node.depth);
        }
        // Without its best move, or at the root without the lines before, the node is not itself.
        if node.excluded.is_some() || N::ROOT && self.line > 0 {
            return Ok(best);
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if N::PV && progress.best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let facts = TableFacts {
            mv: progress.best_move,
            score: best,
            eval: node.raw_eval,
            depth: Some(node.depth),
            bound,
            was_pv: node.table.was_pv || N::PV,
        };
        self.store(position, ply, &facts);
        self.learn_from_result(position, node, &progress, best, bound);
        Ok(best)
    }

    /// Lets the corrections learn where the result says on which side the evaluation was wrong.
    fn learn_from_result(
        &mut self,
        position: &Position,
        node: &Node,
        progress: &Progress,
        best: Score,
        bound: Bound,
    ) {
        let static_eval = node.assessment.static_eval;
        let tells = match bound {
            Bound::Lower => best > static_eval,
            Bound::Upper => best < static_eval,
            _ => true,
        };
        if !position.in_check() && !progress.best_move.is_noisy() && tells && !best.is_decisive() {
            self.learn_correction(position, node.ply, node.depth, best - static_eval);
        }
    }
}
