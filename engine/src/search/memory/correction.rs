//! Correction history (from the engine Caissa; in Stockfish since 2024): how far the static
//! evaluation was off in positions with the same pawns, with the same pieces of one side, and after
//! the same two moves.

use nullarbor_chess::board::Position;

use super::frame::PieceTo;
use super::history::SharedEntry;
use crate::huge_pages::HugePages;
use crate::params::{Params, UNIT, scaled};
use crate::table::prefetch;
use crate::types::Colour;

/// Number of rows that the keys share, for each thread.
const ROWS: usize = 16_384;
/// Entries stay within plus and minus this.
const LIMIT: i32 = 1024;
/// Units of an entry in one centipawn.
const GRAIN: i32 = 16;
/// Maximum update by one result.
const MAX_BONUS: i32 = LIMIT / 4;

type Entry = SharedEntry<LIMIT>;

/// The correction tables of all threads of a pool: what one of them learns holds for all.
pub struct CorrectionHistory {
    pawns: Table,
    white: Table,
    black: Table,
    continuation: HugePages<[Entry; PieceTo::COUNT_WITH_NONE]>,
}

/// The last move and the one before it.
pub type LastMoves = (PieceTo, PieceTo);

impl CorrectionHistory {
    /// Allocates empty tables for a number of threads.
    pub fn new(threads: usize) -> Self {
        let rows = ROWS * threads.next_power_of_two();
        Self {
            pawns: Table::new(rows),
            white: Table::new(rows),
            black: Table::new(rows),
            continuation: HugePages::zeroed(PieceTo::COUNT_WITH_NONE),
        }
    }

    /// Clears all tables, keeping their memory.
    pub fn clear(&self) {
        for table in [&self.pawns, &self.white, &self.black] {
            table.0.iter().for_each(Entry::clear);
        }
        self.continuation.iter().flatten().for_each(Entry::clear);
    }

    /// Returns what to add to the evaluation, in centipawns.
    pub fn get(&self, position: &Position, last: LastMoves, params: &Params) -> i32 {
        let [pawns, white, black] = self.of(position).map(Entry::get);
        let moves = self.after(last).get();
        (pawns * params.correction_pawn_weight
            + (white + black) * params.correction_non_pawn_weight
            + moves * params.correction_continuation_weight)
            / (UNIT * GRAIN)
    }

    /// Prefetches what [`get`](Self::get) will read.
    pub fn prefetch(&self, position: &Position, last: LastMoves) {
        for entry in self.of(position) {
            prefetch(entry);
        }
        prefetch(self.after(last));
    }

    /// Adds a [`bonus`] to all entries of a position; `last` are the moves that led to it.
    pub fn update(&self, position: &Position, last: LastMoves, bonus: i32) {
        for entry in self.of(position) {
            entry.update(bonus);
        }
        if last.0.is_some() && last.1.is_some() {
            self.after(last).update(bonus);
        }
    }

    /// Returns the entries of the pawns, of White's pieces and of Black's.
    #[inline]
    fn of(&self, position: &Position) -> [&Entry; 3] {
        let side = position.side_to_move();
        [
            self.pawns.at(side, position.pawn_key()),
            self.white.at(side, position.non_pawn_key(Colour::White)),
            self.black.at(side, position.non_pawn_key(Colour::Black)),
        ]
    }

    #[inline]
    fn after(&self, last: LastMoves) -> &Entry {
        &self.continuation[last.1.index()][last.0.index()]
    }
}

/// Entries by key, for each side to move.
struct Table(HugePages<Entry>);

impl Table {
    /// Allocates an empty table with a number of rows that is a power of two.
    fn new(rows: usize) -> Self {
        Self(HugePages::zeroed(2 * rows))
    }

    #[inline]
    fn at(&self, side: Colour, key: u64) -> &Entry {
        let rows = self.0.len() / 2;
        &self.0[side.index() * rows + (key as usize & (rows - 1))]
    }
}

/// Returns the update for a search of `depth` plies whose score was `difference` centipawns above
/// the evaluation.
pub fn bonus(difference: i32, depth: i32, params: &Params) -> i32 {
    scaled(difference * depth, params.correction_bonus_scale).clamp(-MAX_BONUS, MAX_BONUS)
}
