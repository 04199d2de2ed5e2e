//! One worker: what it remembers from search to search, and the search that it is in.

use std::sync::Arc;

use super::control::Stopped;
use super::correction::{Corrections, LastMoves};
use super::frame::{Frame, Frames};
use super::history::{Histories, Past};
use super::job::Job;
use super::moved::MovedIndex;
use super::null_move::Stats;
use super::picker::{Ordering, Picker};
use super::pv::PvTable;
use super::root_move::RootMove;
use crate::board::{KeyHistory, Position};
use crate::eval::Evaluation;
use crate::eval::nnue::Network;
use crate::types::{ByColour, Depth, MAX_PLY, Move, Ply, Score};

/// Nodes between two looks at the clock: half a millisecond at most.
const POLL_INTERVAL: u64 = 1024;

/// What a worker keeps from one search to the next. It is large and never given back.
pub struct Memory {
    pub(super) histories: Histories,
    pub(super) corrections: Corrections,
    pub(super) frames: Frames,
    pub(super) pv: PvTable,
    pub(super) keys: KeyHistory,
    pub(super) evaluation: Evaluation,
}

impl Memory {
    /// Remembers nothing yet.
    pub fn new() -> Self {
        Self {
            histories: Histories::new(),
            corrections: Corrections::new(),
            frames: Frames::new(),
            pv: PvTable::new(),
            keys: KeyHistory::new(),
            evaluation: Evaluation::new(Network::embedded()),
        }
    }

    /// Forgets everything, as for a new game.
    pub fn clear(&mut self) {
        self.histories.clear();
        self.corrections.clear();
        self.frames.clear();
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

/// One worker's part in a search.
pub struct Search<'a> {
    pub(super) job: &'a Job,
    pub(super) memory: &'a mut Memory,
    /// The number of the worker; 0 is the main one, which watches the clock and reports.
    pub(super) worker: usize,
    pub(super) root_moves: Vec<RootMove>,
    /// Which line of several is being searched.
    pub(super) line: usize,
    pub(super) root_depth: Depth,
    pub(super) selective_depth: Ply,
    pub(super) nodes: u64,
    next_poll: u64,
    pub(super) null_stats: Stats,
    /// The best line of the iteration before.
    pub(super) previous_pv: Vec<Move>,
    /// Sides whose null moves are off because a cut-off is being verified.
    pub(super) null_barred: ByColour<bool>,
    /// A node is being searched on for the log of null moves.
    pub(super) probing: bool,
}

impl<'a> Search<'a> {
    /// Gets ready; `worker` counts from 0, the main one.
    pub fn new(job: &'a Job, memory: &'a mut Memory, worker: usize) -> Self {
        memory.frames.clear();
        memory.keys.copy_from(&job.history);
        if !Arc::ptr_eq(memory.evaluation.network(), &job.network) {
            memory.evaluation = Evaluation::new(&job.network);
        }
        memory.evaluation.fifty_move_damping = job.fifty_move_damping;
        Self {
            job,
            memory,
            worker,
            root_moves: job.root_moves.iter().map(|&mv| RootMove::new(mv)).collect(),
            line: 0,
            root_depth: Depth::ZERO,
            selective_depth: 0,
            nodes: 0,
            next_poll: 0,
            null_stats: Stats::default(),
            previous_pv: Vec::new(),
            null_barred: ByColour::default(),
            probing: false,
        }
    }

    pub(super) fn is_main(&self) -> bool {
        self.worker == 0
    }

    pub(super) fn frame(&self, ply: Ply) -> &Frame {
        self.memory.frames.at(ply)
    }

    pub(super) fn frame_mut(&mut self, ply: Ply) -> &mut Frame {
        self.memory.frames.at_mut(ply)
    }

    pub(super) fn past(&self, ply: Ply) -> Past<'_> {
        Past { frames: &self.memory.frames, ply }
    }

    /// The last move and the one before it, as seen from `ply`.
    pub(super) fn last_moves(&self, ply: Ply) -> LastMoves {
        (self.memory.frames.back(ply, 1).moved, self.memory.frames.back(ply, 2).moved)
    }

    /// The next move of a picker. What the table knows of the position after it is on its way before anyone decides whether to
    /// search it: memory is slower than all that comes between.
    pub(super) fn next_move(
        &self,
        picker: &mut Picker,
        position: &Position,
        ply: Ply,
    ) -> Option<Move> {
        let (histories, past) = (&self.memory.histories, self.past(ply));
        let mv = picker.next(&Ordering { position, histories, past, params: &self.job.tuned })?;
        self.job.table.prefetch(position.key_after(mv));
        Some(mv)
    }

    /// Enters the position after `mv`.
    pub(super) fn play(&mut self, position: &Position, ply: Ply, mv: Move) -> Position {
        let moved = MovedIndex::of(position.moved(mv), mv.to());
        self.leave(position, ply, mv, moved);
        let next = position.make(mv);
        self.memory.corrections.prefetch(&next, self.last_moves(ply + 1));
        next
    }

    /// Enters the position after passing.
    pub(super) fn pass(&mut self, position: &Position, ply: Ply) -> Position {
        self.leave(position, ply, Move::NONE, MovedIndex::NOTHING);
        let next = position.make_null();
        self.job.table.prefetch(next.key());
        next
    }

    fn leave(&mut self, position: &Position, ply: Ply, mv: Move, moved: MovedIndex) {
        self.nodes += 1;
        self.memory.keys.push(position.key());
        let frame = self.frame_mut(ply);
        frame.mv = mv;
        frame.moved = moved;
        let (double_extensions, verifies) = (frame.double_extensions, frame.verifies);
        let child = self.frame_mut(ply + 1);
        child.double_extensions = double_extensions;
        child.verifies = verifies;
    }

    /// Comes back from [`Search::play`] or [`Search::pass`].
    pub(super) fn back(&mut self) {
        self.memory.keys.pop();
    }

    /// Looks now and then whether to go on.
    pub(super) fn poll(&mut self) -> Result<(), Stopped> {
        if self.nodes < self.next_poll { Ok(()) } else { self.poll_now() }
    }

    #[cold]
    fn poll_now(&mut self) -> Result<(), Stopped> {
        let (budget, control) = (&self.job.budget, &self.job.control);
        control.publish_nodes(self.worker, self.nodes);
        if self.is_main() {
            let out_of_nodes = budget.nodes.is_some_and(|limit| control.nodes() >= limit);
            if out_of_nodes || !control.is_pondering() && budget.is_spent() {
                control.halt();
            }
        }
        if control.is_halted() {
            // The first iteration is always finished: there must be a move to play, and it takes no time.
            return if self.root_depth > Depth::ONE { Err(Stopped) } else { Ok(()) };
        }
        // One worker alone meets its node limit exactly.
        let limit = budget.nodes.filter(|&limit| limit > self.nodes).unwrap_or(u64::MAX);
        self.next_poll = (self.nodes + POLL_INTERVAL).min(limit);
        Ok(())
    }

    /// A draw is worth nothing, give or take a centipawn: so the search does not take all draws for one
    /// and finds its way around repetitions.
    pub(super) fn draw_score(&self) -> Score {
        Score::DRAW + (self.nodes & 2) as i32 - 1
    }

    /// The value of a position that the game's rules decide, if they do.
    pub(super) fn game_end(&self, position: &Position, ply: Ply) -> Option<Score> {
        let drawn = self.memory.keys.is_repetition(position, ply)
            || position.is_insufficient_material()
            || position.is_fifty_moves_draw();
        drawn.then(|| self.draw_score())
    }

    /// What a position is worth before anything is searched.
    pub(super) fn evaluate(&mut self, position: &Position, ply: Ply) -> Score {
        self.memory.evaluation.evaluate(position, ply)
    }

    /// The evaluation as the table keeps it, and with what the search has learnt of its errors.
    pub(super) fn corrected(&self, position: &Position, ply: Ply, raw: Score) -> (Score, i32) {
        let last = self.last_moves(ply);
        let correction = self.memory.corrections.get(position, last, &self.job.tuned);
        ((raw + correction).clamp_eval(), correction)
    }

    /// Whether the tree must go no deeper.
    pub(super) fn is_at_the_end(ply: Ply) -> bool {
        ply >= MAX_PLY - 1
    }
}
