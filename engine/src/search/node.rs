//! The alpha-beta node. It calls the steps in the order in which a node lives: the end of the game, the
//! table, the evaluation, pruning of the whole node, and then its moves one by one.

use super::extend::{self, Asking, Candidate, Singularity};
use super::null_move::{self, Verdict};
use super::picker::Picker;
use super::prune::{self, Assessment};
use super::reduce::{self, LateMove, NodeOutlook};
use super::table_facts::TableFacts;
use super::update::Tried;
use super::window::Window;
use super::worker::Search;
use super::{Searched, Stopped};
use crate::board::Position;
use crate::eval::evaluate;
use crate::params::ONE_PLY;
use crate::types::{Bound, Depth, Move, Ply, Score};

/// From this depth on the table cuts off whatever kind of node was expected.
const TRUST_TABLE_DEPTH: i32 = 5;
/// Children that failed high more often than this mark a node whose moves all meet a good reply.
const MANY_CUTOFFS: u32 = 2;

/// What kind of node it is, known when the program is compiled.
pub(super) trait NodeKind {
    /// On the principal variation: the window is open.
    const PV: bool;
    /// The first node.
    const ROOT: bool;
}

/// The root.
pub(super) struct Root;
/// A node with an open window.
pub(super) struct Pv;
/// A node that is asked for a bound.
pub(super) struct NonPv;

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

/// What a node knows before its moves are tried.
struct Node {
    ply: Ply,
    depth: Depth,
    window: Window,
    cut_node: bool,
    table: TableFacts,
    assessment: Assessment,
    raw_eval: Score,
    excluded: Move,
}

/// What has come of the moves so far.
struct Progress {
    alpha: Score,
    best: Score,
    best_move: Move,
    moves: usize,
    tried: Tried,
}

/// A move that is about to be searched.
struct Candidacy {
    mv: Move,
    quiet: bool,
    history: i32,
    extension: i32,
}

impl Search<'_> {
    /// The value of a position `depth` plies deep: exact inside the window, a bound outside.
    pub(super) fn node<N: NodeKind>(
        &mut self,
        position: &Position,
        ply: Ply,
        mut window: Window,
        depth: Depth,
        cut_node: bool,
    ) -> Searched {
        if depth.is_exhausted() {
            return self.quiescence::<N>(position, ply, window);
        }
        self.poll()?;
        self.selective_depth = self.selective_depth.max(ply);
        if N::PV {
            self.memory.pv.clear(ply);
        }
        if !N::ROOT {
            if let Some(score) = self.end_of_line(position, ply, &mut window) {
                return Ok(score);
            }
        }
        let excluded = self.frame(ply).excluded;
        let table = if excluded.is_some() {
            TableFacts::NOTHING
        } else {
            self.consult_table(position, ply)
        };
        if !N::PV && self.table_cuts(position, ply, window.beta, depth, cut_node, &table) {
            return Ok(table.score);
        }
        self.frame_mut(ply + 2).cutoffs = 0;
        self.frame_mut(ply).threats = position.threats();
        let (raw_eval, assessment) = self.assess(position, ply, &table, excluded);
        let mut node = Node {
            ply,
            depth,
            window,
            cut_node,
            table,
            assessment,
            raw_eval,
            excluded,
        };
        if !N::PV && !position.in_check() && excluded.is_none() {
            if let Some(score) = self.prune_node(position, &node)? {
                return Ok(score);
            }
        }
        let expected = (N::PV || cut_node) && excluded.is_none();
        if reduce::without_table_move(depth, self.known_depth(&node), expected, &self.job.tuned) {
            node.depth -= 1;
        }
        self.search_moves::<N>(position, node)
    }

    /// Ends that need no search: a draw, a mate distance that decides, the last ply.
    fn end_of_line(&self, position: &Position, ply: Ply, window: &mut Window) -> Option<Score> {
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
                evaluate(position)
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
            let assessment = Assessment {
                static_eval: none,
                eval: none,
                correction: 0,
                improving: false,
            };
            return (none, assessment);
        }
        let raw_eval = if table.eval.is_some() {
            table.eval
        } else {
            evaluate(position)
        };
        if !table.is_hit() && excluded.is_none() {
            let facts = TableFacts {
                eval: raw_eval,
                depth: Some(Depth(-1)),
                ..TableFacts::NOTHING
            };
            self.store(position, ply, &facts);
        }
        let (static_eval, correction) = self.corrected(position, ply, raw_eval);
        self.frame_mut(ply).static_eval = static_eval;
        let eval = if table.decides(static_eval) {
            table.score
        } else {
            static_eval
        };
        let improving = self.is_improving(ply, static_eval);
        (
            raw_eval,
            Assessment {
                static_eval,
                eval,
                correction,
                improving,
            },
        )
    }

    /// Compares with our last evaluation, two plies ago or, if we were in check then, four.
    fn is_improving(&self, ply: Ply, static_eval: Score) -> bool {
        let before = |plies| self.memory.frames.back(ply, plies).static_eval;
        [before(2), before(4)]
            .into_iter()
            .find(|eval| eval.is_some())
            .is_none_or(|eval| static_eval > eval)
    }

    /// Tries to settle the node without trying its moves.
    fn prune_node(&mut self, position: &Position, node: &Node) -> Result<Option<Score>, Stopped> {
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
        let heavy = position.pieces(us, crate::types::PieceType::Queen) & threats.by_rooks
            | position.pieces(us, crate::types::PieceType::Rook) & threats.by_minors
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
            quiet_board: heavy.is_empty(),
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
        let table_move = if node.table.mv.is_noisy() {
            node.table.mv
        } else {
            Move::NONE
        };
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
                return Ok(Some(if score.is_decisive() {
                    score
                } else {
                    score - margin
                }));
            }
        }
        Ok(None)
    }

    fn search_moves<N: NodeKind>(&mut self, position: &Position, node: Node) -> Searched {
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
            let mut candidate = Candidacy {
                mv,
                quiet,
                history,
                extension: 0,
            };
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
                let window = Window {
                    alpha: progress.alpha,
                    beta: node.window.beta,
                };
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
        let moved = super::moved::MovedIndex::of(position.moved(mv), mv.to());
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
        let Candidacy {
            mv, quiet, history, ..
        } = *candidate;
        let reduction = tuned.base_reduction(quiet, depth.0, progress.moves) / ONE_PLY;
        let reduced = Depth((depth.0 - reduction).max(0));
        if quiet && !position.gives_direct_check(mv) {
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
                picker.skip_quiets();
                return true;
            }
        } else if !quiet && !position.in_check() {
            let victim = position.immediate_gain(mv);
            if picker.is_at_bad_noisy()
                && prune::noisy_futility(&node.assessment, depth, progress.alpha, victim, tuned)
            {
                return true;
            }
        }
        let floor = prune::exchange_floor(quiet, depth, reduced, history, tuned);
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
        // No line grows to more than twice the iteration's depth.
        if mv != node.table.mv
            || node.excluded.is_some()
            || node.ply >= 2 * self.root_depth.0 as usize
        {
            return Ok(none);
        }
        let job = self.job;
        let (score, bound) = (node.table.score, node.table.bound);
        let depth = node.table.depth.unwrap_or(Depth::ZERO);
        let table = Candidate {
            score,
            bound,
            depth,
            quiet: mv.is_quiet(),
        };
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
        Ok(extend::conclude(
            others?, &table, node.depth, &asking, &job.tuned,
        ))
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
            let window = -Window {
                alpha,
                beta: node.window.beta,
            };
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
            self.learn_best_move(
                position,
                ply,
                node.depth,
                progress.best_move,
                &progress.tried,
            );
        } else {
            self.learn_refutation(ply, node.depth);
        }
        if node.excluded.is_some() {
            return Ok(best);
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if N::PV && progress.best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if !(N::ROOT && self.line > 0) {
            let facts = TableFacts {
                mv: progress.best_move,
                score: best,
                eval: node.raw_eval,
                depth: Some(node.depth),
                bound,
                was_pv: node.table.was_pv || N::PV,
            };
            self.store(position, ply, &facts);
        }
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
            self.learn_correction(position, node.ply, node.depth, best);
        }
    }
}
