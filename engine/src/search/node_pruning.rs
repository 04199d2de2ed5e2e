//! Ways to settle a node without trying all its moves: razoring, reverse futility, the null move, ProbCut.

use super::attempt_log::{Logged, Probe};
use super::control::Stopped;
use super::node_facts::Node;
use super::node_kind::{NodeKind, NonPv};
use super::null_move::{self, Facts, Feature, LastMove, Surroundings, Verdict};
use super::picker::Picker;
use super::prune;
use super::table_facts::TableFacts;
use super::window::Window;
use super::worker::Search;
use crate::board::Position;
use crate::types::{Bitboard, Bound, Colour, Depth, Move, MoveFlag, PieceType, Ply, Score};

/// What passing has shown.
pub enum NullMove {
    /// The node fails high.
    Cut(Score),
    /// It may fail high: a shallower search has to confirm it.
    FailedHigh,
    /// The opponent threatens mate.
    Threat,
    /// Nothing, or it was not tried.
    SearchOn,
}

/// What some schemes of the null move ask for beside the facts of the node.
struct Around<'a, 'b> {
    search: &'a Search<'b>,
    position: &'a Position,
    node: &'a Node,
}

impl Surroundings for Around<'_, '_> {
    fn men(&self) -> [[usize; 5]; 2] {
        let us = self.position.side_to_move();
        [us, !us].map(|colour| self.position.piece_counts(colour))
    }

    fn on_previous_pv(&self) -> bool {
        let (pv, node) = (&self.search.previous_pv, self.node);
        let played = |ply| self.search.frame(ply).mv;
        node.ply < pv.len() && (0..node.ply).all(|ply| played(ply) == pv[ply])
    }

    fn null_above(&self) -> bool {
        (0..self.node.ply).any(|ply| self.search.frame(ply).mv.is_none())
    }

    fn last_move(&self) -> Option<LastMove> {
        let last = self.search.memory.frames.back(self.node.ply, 1).mv;
        let piece = if last.is(MoveFlag::Castle) {
            Some(PieceType::King)
        } else {
            self.position.piece_type_on(last.to()).filter(|_| last.is_some())
        };
        let (target, captured) = (last.to().index(), last.is_capture());
        piece.map(|piece| LastMove { piece, target, captured })
    }

    fn side_to_move(&self) -> Colour {
        self.position.side_to_move()
    }

    fn alpha(&self) -> Score {
        self.node.window.alpha
    }

    fn is_cut_node(&self) -> bool {
        self.node.cut_node
    }

    fn table(&self) -> (Bound, Score) {
        (self.node.table.bound, self.node.table.score)
    }

    fn threatened(&self) -> usize {
        self.search.threatened(self.position, self.node.ply).count()
    }

    fn recent_checks(&self) -> usize {
        // In check there is no static evaluation.
        let in_check =
            |back| self.search.memory.frames.back(self.node.ply, back).static_eval == Score::NONE;
        (1..=self.node.ply.min(4)).filter(|&back| in_check(back)).count()
    }
}

impl Search<'_> {
    /// Gives a node up whose evaluation is far from the window.
    pub(super) fn prune_by_evaluation(
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
        if node.table.was_pv {
            return Ok(None);
        }
        Ok(prune::reverse_futility(&node.assessment, node.depth, beta, tuned))
    }

    /// Passes, and fails high if the opponent cannot use it.
    pub(super) fn try_null_move<N: NodeKind>(
        &mut self,
        position: &Position,
        node: &Node,
    ) -> Result<NullMove, Stopped> {
        let (job, beta) = (self.job, node.window.beta);
        if N::ROOT || N::PV && !job.policy.in_pv_nodes {
            return Ok(NullMove::SearchOn);
        }
        let facts = self.null_move_facts(position, node);
        let around = Around { search: self, position, node };
        let Some(attempt) = job.policy.attempt(&facts, &around, &job.tuned) else {
            return Ok(NullMove::SearchOn);
        };
        let before = self.nodes;
        let child = self.pass(position, node.ply);
        let window = -Window::zero_below(beta);
        let score =
            -self.node::<NonPv>(&child, node.ply + 1, window, attempt.depth, !node.cut_node)?;
        self.back();
        if job.attempt_log.is_some() {
            self.log_null_move::<N>(position, node, &facts, score, self.nodes - before)?;
        }
        let around = Around { search: self, position, node };
        let verdict = job.policy.conclude(attempt, score, &facts, &around, &job.tuned);
        let counts = self.null_stats.at(node.depth);
        counts.attempts += 1;
        counts.threats += u64::from(score.is_loss());
        Ok(match verdict {
            Verdict::SearchOn => NullMove::SearchOn,
            Verdict::Extend => NullMove::Threat,
            Verdict::Reduce => {
                counts.cutoffs += 1;
                counts.verifications += 1;
                NullMove::FailedHigh
            }
            Verdict::Cut(score) => {
                counts.cutoffs += 1;
                NullMove::Cut(score.get())
            }
            Verdict::Verify(depth, score) => {
                if self.verify_null_move(position, node, depth)? {
                    NullMove::Cut(score.get())
                } else {
                    NullMove::SearchOn
                }
            }
        })
    }

    fn null_move_facts(&self, position: &Position, node: &Node) -> null_move::Facts {
        let us = position.side_to_move();
        let Window { alpha, beta } = node.window;
        null_move::Facts {
            depth: node.depth,
            ply: node.ply,
            beta,
            finite_window: alpha > -Score::INFINITE && beta < Score::INFINITE,
            static_eval: node.assessment.static_eval,
            eval: node.assessment.eval,
            improving: node.assessment.improving,
            in_check: position.in_check(),
            excluding: node.excluded.is_some(),
            after_null: self.memory.frames.back(node.ply, 1).mv.is_none(),
            has_pieces: !position.has_only_pawns(us),
            barred: self.null_barred[us],
            verifies: self.frame(node.ply).verifies,
            table_fails_low: node.table.bound == Bound::Upper && node.table.score < beta,
            table_move_is_capture: node.table.mv.is_capture(),
            quiet_board: self.threatened(position, node.ply).is_empty(),
        }
    }

    /// Pieces of the side to move that are attacked by lesser men.
    fn threatened(&self, position: &Position, ply: Ply) -> Bitboard {
        let us = position.side_to_move();
        let threats = &self.frame(ply).threats;
        position.pieces(us, PieceType::Queen) & threats.by_rooks
            | position.pieces(us, PieceType::Rook) & threats.by_minors
            | position.non_pawns(us) & threats.by_pawns
    }

    /// Writes a null search down; where the log asks for it, the node is searched on as though nobody had passed.
    #[cold]
    fn log_null_move<N: NodeKind>(
        &mut self,
        position: &Position,
        node: &Node,
        facts: &Facts,
        score: Score,
        null_nodes: u64,
    ) -> Result<(), Stopped> {
        let job = self.job;
        let Some(log) = job.attempt_log.as_ref().filter(|_| !self.probing) else { return Ok(()) };
        let features = Feature::all(facts, &Around { search: self, position, node });
        let probe = if score >= facts.beta && log.wants_probe() {
            let before = self.nodes;
            self.probing = true;
            let searched = self.search_moves::<N>(position, *node);
            self.probing = false;
            Some(Probe { score: searched?, nodes: self.nodes - before })
        } else {
            None
        };
        let (depth, beta, keys) = (node.depth, facts.beta, &self.memory.keys);
        log.note(&Logged { position, keys, depth, beta, features, score, null_nodes, probe });
        Ok(())
    }

    /// Searches the node again without null moves of the side to move: zugzwang shows there.
    fn verify_null_move(
        &mut self,
        position: &Position,
        node: &Node,
        depth: Depth,
    ) -> Result<bool, Stopped> {
        let (us, beta) = (position.side_to_move(), node.window.beta);
        self.null_barred[us] = true;
        let score =
            self.node::<NonPv>(position, node.ply, Window::zero_below(beta), depth, false)?;
        self.null_barred[us] = false;
        let holds = score >= beta;
        let counts = self.null_stats.at(node.depth);
        counts.verifications += 1;
        counts.cutoffs += u64::from(holds);
        counts.overturned += u64::from(!holds);
        Ok(holds)
    }

    /// Tries captures against a raised beta at a lower depth.
    pub(super) fn try_probcut(
        &mut self,
        position: &Position,
        node: &Node,
    ) -> Result<Option<Score>, Stopped> {
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
