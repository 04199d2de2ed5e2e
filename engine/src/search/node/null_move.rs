//! Null-move pruning, the part that searches: pass (or try the first moves), verify, confirm, log.
//! The scheme (`rules::null_move`) decides what a score means.

use std::mem;

use nullarbor_chess::board::Position;

use super::{NodeKind, NonPv, Pv};
use crate::search::attempt_log::{Logged, Probe};
use crate::search::control::{Searched, Stopped};
use crate::search::memory::picker::Picker;
use crate::search::rules::node::Node;
use crate::search::rules::null_move::{Feature, LastMove, NodeContext, Verdict};
use crate::search::window::Window;
use crate::search::worker::Search;
use crate::types::{Colour, Depth, MoveFlag, PieceType, Score};

/// Plies back to which checks are counted.
const RECENT: usize = 4;

/// A node and its surroundings, for the scheme.
struct View<'a, 'b> {
    search: &'a Search<'b>,
    position: &'a Position,
    node: &'a Node,
}

impl NodeContext for View<'_, '_> {
    fn node(&self) -> &Node {
        self.node
    }

    fn side_to_move(&self) -> Colour {
        self.position.side_to_move()
    }

    fn piece_counts(&self) -> [[usize; 5]; 2] {
        let us = self.position.side_to_move();
        [us, !us].map(|colour| self.position.piece_counts(colour))
    }

    fn root_piece_counts(&self) -> [[usize; 5]; 2] {
        let root = self.search.shared.game.position();
        let us = self.position.side_to_move();
        [us, !us].map(|colour| root.piece_counts(colour))
    }

    fn threatened(&self) -> usize {
        let us = self.position.side_to_move();
        let threats = &self.search.frame(self.node.ply).threats;
        let threatened = self.position.pieces(us, PieceType::Queen) & threats.by_rooks
            | self.position.pieces(us, PieceType::Rook) & threats.by_minors
            | self.position.non_pawns(us) & threats.by_pawns;
        threatened.count()
    }

    fn recent_checks(&self) -> usize {
        // In check there is no static evaluation.
        let in_check =
            |back| self.search.memory.frames.back(self.node.ply, back).static_eval == Score::NONE;
        (1..=self.node.ply.min(RECENT)).filter(|&back| in_check(back)).count()
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

    fn null_moves_in_a_row(&self) -> usize {
        let moves = (0..self.node.ply).rev().map(|ply| self.search.frame(ply).mv);
        moves.take_while(|mv| mv.is_none()).count()
    }

    fn null_moves_above(&self) -> usize {
        (0..self.node.ply).filter(|&ply| self.search.frame(ply).mv.is_none()).count()
    }

    fn on_previous_pv(&self) -> bool {
        let (pv, node) = (&self.search.previous_pv, self.node);
        let played = |ply| self.search.frame(ply).mv;
        node.ply < pv.len() && (0..node.ply).all(|ply| played(ply) == pv[ply])
    }

    fn nmp_disabled(&self) -> bool {
        self.search.nmp_disabled[self.position.side_to_move()]
    }

    fn verification_pending(&self) -> bool {
        self.search.frame(self.node.ply).verification_pending
    }
}

impl Search<'_> {
    /// Tries a null move and returns what the scheme concludes from its score;
    /// [`Verdict::SearchOn`] if it was not tried.
    pub(super) fn try_null_move<N: NodeKind>(
        &mut self,
        position: &Position,
        node: &Node,
    ) -> Result<Verdict, Stopped> {
        let (shared, scheme) = (self.shared, &self.shared.scheme);
        if N::ROOT || N::PV && !scheme.in_pv_nodes {
            return Ok(Verdict::SearchOn);
        }
        let view = View { search: self, position, node };
        let Some(attempt) = scheme.attempt(&view, &shared.tuned) else {
            return Ok(Verdict::SearchOn);
        };
        let before = self.nodes;
        let score = if scheme.multi_cut_moves == 0 {
            self.null_search::<N>(position, node, attempt.depth)?
        } else {
            self.multi_cut(position, node, attempt.depth)?
        };
        if shared.attempt_log.is_some() {
            self.log_null_move::<N>(position, node, score, self.nodes - before)?;
        }
        let view = View { search: self, position, node };
        let verdict = scheme.conclude(attempt, score, &view, &shared.tuned);
        let counts = self.null_stats.at(node.depth);
        counts.attempts += 1;
        counts.threats += u64::from(score.is_loss());
        counts.cutoffs += u64::from(matches!(verdict, Verdict::Cut(_)));
        counts.fail_highs += u64::from(score >= node.window.beta);
        Ok(verdict)
    }

    /// Passes, and searches the opponent's replies to this depth.
    #[inline]
    fn null_search<N: NodeKind>(
        &mut self,
        position: &Position,
        node: &Node,
        depth: Depth,
    ) -> Searched {
        let child = self.make_null_move(position, node.ply);
        let ply = node.ply + 1;
        let score = if N::PV && self.shared.scheme.whole_window {
            -self.node::<Pv>(&child, ply, -node.window, depth, false)?
        } else {
            let window = -Window::zero_below(node.window.beta);
            -self.node::<NonPv>(&child, ply, window, depth, !node.cut_node)?
        };
        self.unmake_move();
        Ok(score)
    }

    /// Searches the first moves of the node to this depth, and returns beta as soon as enough of them
    /// reach it, else alpha: multi-cut.
    #[inline(never)]
    fn multi_cut(&mut self, position: &Position, node: &Node, depth: Depth) -> Searched {
        let (ply, Window { alpha, beta }) = (node.ply, node.window);
        let (scheme, checks) = (&self.shared.scheme, position.checks());
        let mut picker = Picker::new(node.tt.mv);
        let mut cuts = 0;
        for number in 1..=scheme.multi_cut_moves {
            let Some(mv) = self.next_move(&mut picker, position, ply, Some(&checks)) else { break };
            let mut child = position.clone();
            self.make_move(&mut child, ply, mv);
            self.frame_mut(ply).number = number;
            let window = -Window::zero_below(beta);
            let score = -self.node::<NonPv>(&child, ply + 1, window, depth, !node.cut_node)?;
            self.unmake_move();
            cuts += usize::from(score >= beta);
            if cuts == scheme.multi_cut_cuts {
                return Ok(beta);
            }
        }
        Ok(alpha)
    }

    /// Searches the node again: as any node if the search is `ordinary`, else with a zero window and
    /// without null moves of the side to move, where zugzwang shows. Returns whether the cut holds.
    pub(super) fn verify_null_move<N: NodeKind>(
        &mut self,
        position: &Position,
        node: &Node,
        depth: Depth,
        ordinary: bool,
    ) -> Result<bool, Stopped> {
        let (us, beta) = (position.side_to_move(), node.window.beta);
        let score = if ordinary {
            self.node::<N>(position, node.ply, node.window, depth, node.cut_node)?
        } else {
            self.nmp_disabled[us] = true;
            let window = Window::zero_below(beta);
            let score = self.node::<NonPv>(position, node.ply, window, depth, false)?;
            self.nmp_disabled[us] = false;
            score
        };
        let holds = score >= beta;
        let counts = self.null_stats.at(node.depth);
        counts.verifications += 1;
        counts.cutoffs += u64::from(holds);
        counts.overturned += u64::from(!holds);
        Ok(holds)
    }

    /// Searches the rest of a node whose null search failed high ([`Verdict::Reduce`]), so many plies
    /// shallower. Where the scheme verifies so, a node in which nothing fails high then is zugzwang, for
    /// passing was the best move, and is searched at full depth.
    pub(super) fn search_reduced<N: NodeKind>(
        &mut self,
        position: &Position,
        node: Node,
        plies: i32,
    ) -> Searched {
        let Node { ply, depth, window, .. } = node;
        self.null_stats.at(depth).verifications += 1;
        let reduced = Node { depth: depth - plies, ..node };
        if reduced.depth.is_exhausted() {
            return self.quiescence::<N>(position, ply, window);
        }
        let pending = mem::replace(&mut self.frame_mut(ply).verification_pending, false);
        let score = self.search_moves::<N>(position, reduced)?;
        self.frame_mut(ply).verification_pending = pending;
        if score >= window.beta || !self.shared.scheme.verification.repeats() {
            return Ok(score);
        }
        self.null_stats.at(depth).zugzwangs += 1;
        self.search_moves::<N>(position, node)
    }

    /// Logs a null search. If the log asks for a probe, the node is searched on as though there had
    /// been no null move.
    #[cold]
    fn log_null_move<N: NodeKind>(
        &mut self,
        position: &Position,
        node: &Node,
        score: Score,
        null_nodes: u64,
    ) -> Result<(), Stopped> {
        let log = self.shared.attempt_log.as_ref().filter(|_| !self.logging);
        let Some(log) = log else { return Ok(()) };
        let (depth, beta) = (node.depth, node.window.beta);
        let features = Feature::all(&View { search: self, position, node });
        let probe = if score >= beta && log.wants_probe() {
            let before = self.nodes;
            self.logging = true;
            let searched = self.search_moves::<N>(position, *node);
            self.logging = false;
            Some(Probe { score: searched?, nodes: self.nodes - before })
        } else {
            None
        };
        let keys = &self.memory.keys;
        log.note(&Logged { position, keys, depth, beta, features, score, null_nodes, probe });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nullarbor_chess::board::Game;

    use super::*;
    use crate::params::{Params, TunedParams};
    use crate::search::memory::{SharedHistories, ThreadData};
    use crate::search::rules::null_move::{Counts, Repetition, Scheme};
    use crate::search::shared::SharedSearch;
    use crate::types::{Move, Score};

    const BEATEN: Score = Score(-5000);
    const OUT_OF_REACH: Score = Score(5000);
    /// White has seven moves, and Black three after each. Nothing can be captured, so that a node of
    /// quiescence search has no child.
    const PAWN: &str = "7k/8/8/8/8/8/P7/4K3 w - - 0 1";

    /// Runs part of a search at the root of a position, in the plain search with a scheme, and returns
    /// its result, its nodes and its null moves.
    fn part<T>(
        scheme: Scheme,
        fen: &str,
        beta: Score,
        run: impl FnOnce(&mut Search<'_>, &Position, &Node) -> Result<T, Stopped>,
    ) -> (T, u64, Counts) {
        let position = Position::from_fen(fen).expect("valid");
        let mut shared = SharedSearch::without_limits(Game::new(position.clone()), 1);
        shared.scheme = scheme;
        shared.tuned = Arc::new(TunedParams::new(Params::default().made_plain()));
        let mut memory = ThreadData::new(SharedHistories::new(1));
        let mut search = Search::new(&shared, &mut memory, 0);
        // The picker takes the king's moves from them.
        search.frame_mut(0).threats = position.threats();
        let window = Window::zero_below(beta);
        let node = Node { ply: 0, depth: Depth(2), window, cut_node: true, ..Node::EXAMPLE };
        let result = run(&mut search, &position, &node).expect("no limit");
        (result, search.nodes, search.null_stats.total())
    }

    fn named(name: &str) -> Scheme {
        Scheme::named(name).expect(name)
    }

    /// Puts a line of moves and null moves before a node of the position, and returns the node.
    fn after(line: &[Move], search: &mut Search<'_>, position: &Position, node: &Node) -> Node {
        for (ply, mv) in line.iter().enumerate() {
            search.frame_mut(ply).mv = *mv;
        }
        search.frame_mut(line.len()).threats = position.threats();
        Node { ply: line.len(), ..*node }
    }

    /// Some move.
    const PLAYED: Move = Move::from_bits(1);
    const PASSED: Move = Move::NONE;

    #[test]
    fn small_trees_are_those_counted_by_hand() {
        // Two plies, and any score of White is enough. Without a null move: a move, and all replies to
        // it, which do not reach what Black needs. A null move that cuts is one node, since its search is
        // quiescence.
        for (scheme, expected) in [
            ("off", 1 + 3),
            ("fixed-1", 1),
            ("fixed-2", 1),
            ("fixed-4", 1),
            ("mediocre", 1),
            ("double", 1),
            // Two pieces less than a rook are left.
            ("micromax", 1 + 3),
            // A pawn is no piece.
            ("heinz", 1 + 3),
            // From depth 3 on, or 4.
            ("guide-fixed", 1 + 3),
            ("guide-verified", 1 + 3),
            ("nullarbor", 1 + 3),
            // White may not make a null move right after the root; that of Black fails low.
            ("impchess", 1 + 1 + 3),
            // Black is not a pawn ahead.
            ("impchess-triggered", 1 + 3),
            // The null move, and a move a ply shallower.
            ("verified", 1 + 1),
            // No ply is left.
            ("extended", 1),
            // Three moves.
            ("multi-cut", 3),
        ] {
            let of = |search: &mut Search<'_>, position: &Position, node: &Node| {
                let node = after(&[PLAYED], search, position, node);
                search.node::<NonPv>(position, node.ply, node.window, node.depth, true)
            };
            let (score, nodes, _) = part(named(scheme), PAWN, BEATEN, of);
            assert!(score >= BEATEN, "{scheme}");
            assert_eq!(nodes, expected, "{scheme}");
        }
    }

    #[test]
    fn null_moves_follow_each_other_as_far_as_the_scheme_allows() {
        let tried = |repetition: &str, line: &[Move]| {
            let repetition: Repetition = repetition.parse().expect(repetition);
            let scheme = Scheme { repetition, ..named("fixed-2") };
            let of = |search: &mut Search<'_>, position: &Position, node: &Node| {
                let node = after(line, search, position, node);
                search.try_null_move::<NonPv>(position, &node)
            };
            part(scheme, PAWN, BEATEN, of).2.attempts
        };
        let lines: [&[Move]; 5] = [
            &[PLAYED, PLAYED, PLAYED],
            &[PLAYED, PLAYED, PASSED],
            &[PASSED, PLAYED, PASSED],
            &[PASSED, PLAYED, PLAYED],
            &[PLAYED, PASSED, PASSED],
        ];
        for (repetition, expected) in [
            ("single", [1, 0, 0, 1, 0]),
            ("once", [1, 0, 0, 0, 0]),
            ("twice", [1, 1, 0, 1, 0]),
            ("pair", [1, 1, 1, 1, 0]),
            ("double", [1; 5]),
        ] {
            assert_eq!(lines.map(|line| tried(repetition, line)), expected, "{repetition}");
        }
    }

    #[test]
    fn a_null_score_inside_the_window_raises_alpha() {
        let window = Window { alpha: BEATEN, beta: OUT_OF_REACH };
        let alpha = |scheme: Scheme| {
            let of = |search: &mut Search<'_>, position: &Position, node: &Node| {
                let mut node = Node { window, ..after(&[PLAYED], search, position, node) };
                let settled = search.prune_by_search::<Pv>(position, &mut node)?;
                assert_eq!((settled, node.window.beta), (None, OUT_OF_REACH));
                Ok(node.window.alpha)
            };
            part(scheme, PAWN, BEATEN, of).0
        };
        let whole = Scheme { whole_window: true, ..named("fixed-2") };
        let raised = alpha(whole);
        assert!(raised > BEATEN && raised < OUT_OF_REACH, "{raised:?}");
        for scheme in [named("fixed-2"), Scheme { keep_alpha: true, ..whole }] {
            assert_eq!(alpha(scheme), BEATEN);
        }
    }

    #[test]
    fn a_threat_of_mate_extends_the_node_up_to_twice_the_iteration() {
        // Whoever passes is mated on the back rank.
        const BACK_RANK: &str = "r5k1/5ppp/8/7N/8/8/5PPP/6K1 w - - 0 1";
        let depth = |iteration| {
            let of = |search: &mut Search<'_>, position: &Position, node: &Node| {
                search.root_depth = Depth(iteration);
                let node = after(&[PLAYED], search, position, node);
                let mut node = Node { depth: Depth(4), ..node };
                search.prune_by_search::<NonPv>(position, &mut node)?;
                Ok(node.depth)
            };
            part(named("guide-fixed"), BACK_RANK, Score(-100), of).0
        };
        assert_eq!((depth(1), depth(0)), (Depth(5), Depth(4)));
    }

    #[test]
    fn a_node_is_searched_as_many_plies_shallower_as_the_scheme_says() {
        let nodes = |scheme: &str, depth, plies| {
            let of = |search: &mut Search<'_>, position: &Position, node: &Node| {
                let node = Node { depth: Depth(depth), ..*node };
                search.search_reduced::<NonPv>(position, node, plies)
            };
            let (_, nodes, counts) = part(named(scheme), PAWN, OUT_OF_REACH, of);
            assert_eq!(counts.verifications - counts.fail_highs, 1, "{scheme}: {counts:?}");
            (nodes, counts.zugzwangs)
        };
        // Two plies are seven moves, each refuted at once: by a null move, whose node has no ply left.
        assert_eq!([1, 2, 3].map(|plies| nodes("extended", 3, plies).0), [7 * 2, 7, 0]);
        // No move reaches beta, so all is searched again, where Black moves instead of passing.
        assert_eq!(nodes("verified", 2, 1), (7 + 7 * 2, 1));
    }

    #[test]
    fn a_scheme_sees_the_pieces_of_the_node_and_of_the_root() {
        const ROOT: &str = "q3k3/p7/8/8/8/8/PP6/RN2K3 w - - 0 1";
        let of = |search: &mut Search<'_>, _: &Position, node: &Node| {
            let below = Position::from_fen("4k3/p7/8/8/8/8/PP6/qN2K3 b - - 0 1").expect("valid");
            let view = View { search, position: &below, node };
            Ok((view.root_piece_counts(), view.piece_counts()))
        };
        let ((root, own), ..) = part(named("off"), ROOT, BEATEN, of);
        assert_eq!(root, [[1, 0, 0, 0, 1], [2, 1, 0, 1, 0]], "of the side to move first");
        assert_eq!(own, [[1, 0, 0, 0, 1], [2, 1, 0, 0, 0]]);
    }

    #[test]
    fn multi_cut_counts_the_first_moves_that_reach_beta() {
        let cut = |fen, beta| {
            let of = |search: &mut Search<'_>, position: &Position, node: &Node| {
                search.multi_cut(position, node, node.depth - 3)
            };
            let (score, nodes, _) = part(named("multi-cut"), fen, beta, of);
            (score, nodes)
        };
        // A node for each move.
        assert_eq!(cut(PAWN, BEATEN), (BEATEN, 3), "it ends with the third");
        assert_eq!(cut(PAWN, OUT_OF_REACH), (OUT_OF_REACH - 1, 6), "it tries six");
        const ONE_MOVE: &str = "7k/8/8/8/8/8/r7/7K w - - 0 1";
        assert_eq!(cut(ONE_MOVE, BEATEN), (BEATEN - 1, 1), "one move is not enough");
    }

    #[test]
    fn the_side_to_move_may_pass_in_an_ordinary_verification() {
        // Black has no piece, and so never passes; White may, two plies below the root.
        const KNIGHT: &str = "4k3/8/8/8/3N4/4K3/4P3/8 w - - 0 1";
        let attempts = |ordinary| {
            let of = |search: &mut Search<'_>, position: &Position, node: &Node| {
                search.verify_null_move::<NonPv>(position, node, Depth(6), ordinary)
            };
            let (holds, _, counts) = part(named("guide-verified"), KNIGHT, BEATEN, of);
            assert!(holds);
            counts.attempts
        };
        assert_eq!(attempts(false), 0);
        assert!(attempts(true) > 0);
    }
}
