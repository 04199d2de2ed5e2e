//! One thread's part in a search: its state, making and unmaking moves, and the check whether to
//! stop.

use nullarbor_chess::board::{Checks, Position};

use super::control::Stopped;
use super::memory::ThreadData;
use super::memory::correction::LastMoves;
use super::memory::frame::{Frame, PieceTo, StackView};
use super::memory::picker::{OrderingContext, Picker};
use super::root_move::RootMove;
use super::rules::null_move::Stats;
use super::shared::SharedSearch;
use crate::eval::Evaluation;
use crate::params::scaled;
use crate::types::{ByColour, Depth, MAX_PLY, Move, Ply, Score};

/// Nodes between two checks of clock and stop flag: half a millisecond at most.
const POLL_INTERVAL: u64 = 1024;
/// The same where the clock ends the search within milliseconds.
const BRIEF_POLL_INTERVAL: u64 = 128;

/// Nodes of a thread within which the first iteration is finished, whatever the limits.
const FIRST_ITERATION_NODES: u64 = 10_000;

/// Returns the root moves, in the order of the tablebases where these know the root.
fn root_moves(shared: &SharedSearch) -> Vec<RootMove> {
    match &shared.tb {
        Some(tb) if !tb.root.is_empty() => tb.root.iter().map(RootMove::ranked).collect(),
        _ => shared.root_moves.iter().map(|&mv| RootMove::new(mv)).collect(),
    }
}

/// One thread's part in a search. The methods that walk the tree are in `node`.
pub struct Search<'a> {
    pub(super) shared: &'a SharedSearch,
    pub(super) memory: &'a mut ThreadData,
    /// Number of the thread; 0 is the main one, which decides when to stop and reports.
    pub(super) thread: usize,
    pub(super) root_moves: Vec<RootMove>,
    /// Index of the line being searched (`MultiPV`).
    pub(super) pv_index: usize,
    pub(super) root_depth: Depth,
    pub(super) selective_depth: Ply,
    pub(super) nodes: u64,
    /// Positions with at most this number of pieces are probed; 0 without tablebases.
    pub(super) tb_pieces: usize,
    next_poll: u64,
    pub(super) null_stats: Stats,
    /// The best line of the previous iteration.
    pub(super) previous_pv: Vec<Move>,
    /// Sides whose null moves are off because a cut is being verified.
    pub(super) nmp_disabled: ByColour<bool>,
    /// A node is being searched on for the log of null moves, which does not log itself.
    pub(super) logging: bool,
}

impl<'a> Search<'a> {
    /// Prepares thread number `thread`, from 0.
    pub fn new(shared: &'a SharedSearch, memory: &'a mut ThreadData, thread: usize) -> Self {
        memory.frames.clear();
        memory.keys.copy_from(shared.game.history());
        if !memory.evaluation.source().is_same(&shared.evaluation) {
            memory.evaluation = Evaluation::new(&shared.evaluation);
        }
        memory.evaluation.fifty_move_damping = shared.fifty_move_damping;
        Self {
            shared,
            memory,
            thread,
            root_moves: root_moves(shared),
            pv_index: 0,
            root_depth: Depth::ZERO,
            selective_depth: 0,
            nodes: 0,
            tb_pieces: shared.tb.as_ref().map_or(0, |tb| tb.pieces),
            next_poll: 0,
            null_stats: Stats::default(),
            previous_pv: Vec::new(),
            nmp_disabled: ByColour::default(),
            logging: false,
        }
    }

    pub(super) fn is_main(&self) -> bool {
        self.thread == 0
    }

    pub(super) fn frame(&self, ply: Ply) -> &Frame {
        self.memory.frames.at(ply)
    }

    pub(super) fn frame_mut(&mut self, ply: Ply) -> &mut Frame {
        self.memory.frames.at_mut(ply)
    }

    pub(super) fn stack(&self, ply: Ply) -> StackView<'_> {
        StackView { frames: &self.memory.frames, ply }
    }

    /// Returns the last move and the one before it, as seen from `ply`.
    pub(super) fn last_moves(&self, ply: Ply) -> LastMoves {
        let stack = self.stack(ply);
        (stack.moved(1), stack.moved(2))
    }

    /// Returns the next move of a picker. The table entry after it is prefetched before anyone
    /// decides whether to search it: memory is slower than all that comes between. `checks` are
    /// those of the position, if they are known.
    pub(super) fn next_move(
        &self,
        picker: &mut Picker,
        position: &Position,
        ply: Ply,
        checks: Option<&Checks>,
    ) -> Option<Move> {
        let (histories, stack) = (&self.memory.histories, self.stack(ply));
        let params = &self.shared.tuned;
        let mv = picker.next(&OrderingContext { position, checks, histories, stack, params })?;
        self.shared.table.prefetch(position.key_after(mv));
        Some(mv)
    }

    /// Enters the position after `mv`, which is made in `position`, a copy of that at `ply`. The caller
    /// holds the copy: returned by value, it would be copied twice.
    pub(super) fn make_move(&mut self, position: &mut Position, ply: Ply, mv: Move) {
        debug_assert!(position.is_legal(mv), "{mv:?} in {position}");
        let piece_to = PieceTo::new(position.moved(mv), mv.to());
        self.enter_child(position, ply, mv, piece_to);
        position.play(mv);
        self.memory.corrections.prefetch(position, self.last_moves(ply + 1));
    }

    /// Enters the position after a null move.
    pub(super) fn make_null_move(&mut self, position: &Position, ply: Ply) -> Position {
        self.enter_child(position, ply, Move::NONE, PieceTo::NONE);
        let next = position.make_null();
        self.shared.table.prefetch(next.key());
        next
    }

    fn enter_child(&mut self, position: &Position, ply: Ply, mv: Move, piece_to: PieceTo) {
        self.nodes += 1;
        self.memory.keys.push(position.key());
        let frame = self.frame_mut(ply);
        frame.mv = mv;
        frame.piece_to = piece_to;
        let (double_extensions, pending) = (frame.double_extensions, frame.verification_pending);
        let child = self.frame_mut(ply + 1);
        child.double_extensions = double_extensions;
        child.verification_pending = pending;
    }

    /// Leaves the position entered by [`Search::make_move`] or [`Search::make_null_move`].
    pub(super) fn unmake_move(&mut self) {
        self.memory.keys.pop();
    }

    /// Checks clock and stop flag every [`POLL_INTERVAL`] nodes, or [`BRIEF_POLL_INTERVAL`].
    ///
    /// # Errors
    /// Returns [`Stopped`] if the search is over; the scores on the way up mean nothing then.
    pub(super) fn poll(&mut self) -> Result<(), Stopped> {
        if self.nodes < self.next_poll { Ok(()) } else { self.poll_now() }
    }

    /// Lets the next [`poll`](Self::poll) look at the clock.
    pub(super) fn poll_at_next_node(&mut self) {
        self.next_poll = self.nodes;
    }

    #[cold]
    fn poll_now(&mut self) -> Result<(), Stopped> {
        let (budget, control) = (&self.shared.budget, &self.shared.control);
        control.publish_nodes(self.thread, self.nodes);
        // The main thread counts for all. Every thread looks at the clock: where there are more
        // threads than cores, the main thread may have to wait for one.
        let nodes = if self.is_main() { control.nodes() } else { self.nodes };
        let out_of_nodes = budget.nodes.is_some_and(|limit| nodes >= limit);
        if out_of_nodes || !control.is_pondering() && budget.hard_limit_reached(nodes) {
            control.abort();
        }
        if control.is_aborted() {
            // There should be a searched move to play, and the first iteration takes no time, unless
            // captures explode on a board full of queens.
            let is_first = self.root_depth == Depth::ONE && self.nodes < FIRST_ITERATION_NODES;
            return if is_first { Ok(()) } else { Err(Stopped) };
        }
        // A single thread meets its node limit exactly.
        let limit = budget.nodes.filter(|&limit| limit > self.nodes).unwrap_or(u64::MAX);
        let interval = if budget.is_brief() { BRIEF_POLL_INTERVAL } else { POLL_INTERVAL };
        self.next_poll = (self.nodes + interval).min(limit);
        Ok(())
    }

    /// Returns the score of a draw: 0 ± [`Score::DRAW_NOISE`]. The noise keeps the search from taking
    /// all draws for one, so it finds its way around repetitions.
    pub(super) fn draw_score(&self) -> Score {
        Score::DRAW + ((self.nodes & 2) as i32 - 1) * Score::DRAW_NOISE
    }

    /// Returns the score of a position that the rules of the game draw: repetition, material, fifty
    /// moves.
    pub(super) fn game_end(&self, position: &Position, ply: Ply) -> Option<Score> {
        let drawn = self.memory.keys.is_repetition(position, ply)
            || position.is_insufficient_material()
            || position.is_fifty_moves_draw();
        drawn.then(|| self.draw_score())
    }

    /// Returns the score at the maximum ply of the tree, where nothing can be searched any more.
    pub(super) fn max_ply_score(&mut self, position: &Position, ply: Ply) -> Option<Score> {
        (ply >= MAX_PLY - 1).then(|| {
            if position.in_check() {
                Score::DRAW
            } else {
                self.memory.evaluation.evaluate(position, ply)
            }
        })
    }

    /// Returns the raw static evaluation: without damping, since the table keeps it.
    pub(super) fn evaluate(&mut self, position: &Position, ply: Ply) -> Score {
        debug_assert!(!position.in_check(), "a position in check has no evaluation");
        self.memory.evaluation.evaluate_undamped(position, ply)
    }

    /// Returns a raw evaluation, scaled by the number of pieces and damped by the halfmove clock,
    /// plus the correction history, and that correction in centipawns.
    pub(super) fn corrected(&self, position: &Position, ply: Ply, raw: Score) -> (Score, i32) {
        debug_assert!(raw.is_some() && !position.in_check(), "no evaluation to correct");
        let last = self.last_moves(ply);
        let correction = self.memory.corrections.get(position, last, &self.shared.tuned);
        let share = self.shared.tuned.eval_scale(position.occupied().count());
        let eval = Score(scaled(raw.0, share));
        let damped = self.memory.evaluation.damp(eval, position.halfmove_clock());
        ((damped + correction).clamp_eval(), correction)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::search::memory::SharedHistories;
    use nullarbor_chess::board::{Game, Position};

    #[test]
    fn a_thread_that_is_not_the_main_one_ends_the_search_in_time() {
        let mut shared = SharedSearch::without_limits(Game::new(Position::start()), 2);
        shared.budget.hard = Some(Duration::ZERO);
        shared.budget.depth = Depth(12);
        let mut memory = ThreadData::new(SharedHistories::new(2));
        let outcome = Search::new(&shared, &mut memory, 1).run();
        assert!(shared.control.is_aborted());
        assert!(outcome.depth < Depth(12));
    }

    #[test]
    fn a_root_without_some_of_its_moves_is_not_stored() {
        let is_stored = |moves: usize| {
            let mut shared = SharedSearch::without_limits(Game::new(Position::start()), 1);
            shared.budget.depth = Depth(4);
            shared.root_moves.truncate(moves);
            let mut memory = ThreadData::new(SharedHistories::new(1));
            Search::new(&shared, &mut memory, 0).run();
            let entry = shared.table.probe(shared.game.position().key());
            entry.is_some_and(|entry| entry.score.is_some())
        };
        assert!(is_stored(usize::MAX) && !is_stored(3));
    }
}
