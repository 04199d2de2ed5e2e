//! Correction history (from the engine Caissa; in Stockfish since 2024): how far the static
//! evaluation was off in positions with the same pawns, with the same pieces of one side, and after
//! the same two moves.

use super::frame::PieceTo;
use super::history::HistoryEntry;
use crate::board::Position;
use crate::params::{Params, UNIT, scaled};
use crate::table::prefetch;
use crate::types::Colour;

/// Number of rows that the keys share.
const ROWS: usize = 16_384;
/// Entries stay within plus and minus this.
const LIMIT: i32 = 1024;
/// Units of an entry in one centipawn.
const GRAIN: i32 = 16;
/// Greatest update by one result.
const MAX_BONUS: i32 = LIMIT / 4;

type Entry = HistoryEntry<LIMIT>;
/// By side to move and key.
type Table = Box<[[Entry; ROWS]; 2]>;

/// The correction tables of one thread.
pub struct CorrectionHistory {
    pawns: Table,
    white: Table,
    black: Table,
    continuation: Box<[[Entry; PieceTo::COUNT_WITH_NONE]]>,
}

/// The last move and the one before it.
pub type LastMoves = (PieceTo, PieceTo);

impl CorrectionHistory {
    /// Allocates empty tables.
    pub fn new() -> Self {
        let row = [Entry::default(); PieceTo::COUNT_WITH_NONE];
        Self {
            pawns: new_table(),
            white: new_table(),
            black: new_table(),
            continuation: vec![row; PieceTo::COUNT_WITH_NONE].into_boxed_slice(),
        }
    }

    /// Clears all tables, keeping their memory.
    pub fn clear(&mut self) {
        for table in [&mut self.pawns, &mut self.white, &mut self.black] {
            table.fill([Entry::default(); ROWS]);
        }
        self.continuation.fill([Entry::default(); PieceTo::COUNT_WITH_NONE]);
    }

    /// Returns what to add to the evaluation, in centipawns.
    pub fn get(&self, position: &Position, last: LastMoves, params: &Params) -> i32 {
        let side = position.side_to_move().index();
        let of = |table: &Table, key: u64| table[side][row(key)].get();
        let pawns = of(&self.pawns, position.pawn_key());
        let pieces = of(&self.white, position.non_pawn_key(Colour::White))
            + of(&self.black, position.non_pawn_key(Colour::Black));
        let moves = self.continuation[last.1.index()][last.0.index()].get();
        (pawns * params.correction_pawn_weight
            + pieces * params.correction_non_pawn_weight
            + moves * params.correction_continuation_weight)
            / (UNIT * GRAIN)
    }

    /// Prefetches what [`get`](Self::get) will read.
    pub fn prefetch(&self, position: &Position, last: LastMoves) {
        let side = position.side_to_move().index();
        prefetch(&raw const self.pawns[side][row(position.pawn_key())]);
        prefetch(&raw const self.white[side][row(position.non_pawn_key(Colour::White))]);
        prefetch(&raw const self.black[side][row(position.non_pawn_key(Colour::Black))]);
        prefetch(&raw const self.continuation[last.1.index()][last.0.index()]);
    }

    /// Adds a [`bonus`] to all entries of a position; `last` are the moves that led to it.
    pub fn update(&mut self, position: &Position, last: LastMoves, bonus: i32) {
        let side = position.side_to_move().index();
        self.pawns[side][row(position.pawn_key())].update(bonus);
        self.white[side][row(position.non_pawn_key(Colour::White))].update(bonus);
        self.black[side][row(position.non_pawn_key(Colour::Black))].update(bonus);
        if last.0.is_some() && last.1.is_some() {
            self.continuation[last.1.index()][last.0.index()].update(bonus);
        }
    }
}

/// Returns the update for a search of `depth` plies whose score was `difference` centipawns above
/// the evaluation.
pub fn bonus(difference: i32, depth: i32, params: &Params) -> i32 {
    scaled(difference * depth, params.correction_bonus_scale).clamp(-MAX_BONUS, MAX_BONUS)
}

fn row(key: u64) -> usize {
    key as usize % ROWS
}

fn new_table() -> Table {
    let rows = vec![[Entry::default(); ROWS]; 2].into_boxed_slice();
    rows.try_into().unwrap_or_else(|_| unreachable!("two sides"))
}
