//! Correction history: how far the search has found the evaluation off in positions with the same
//! pawns, the same pieces of a side, or after the same two moves.

use crate::board::Position;
use crate::params::Params;
use crate::table::prefetch;
use crate::types::Colour;

use super::moved::{MOVED_ROWS, MovedIndex};

const ROWS: usize = 16_384;
/// Entries stay within plus and minus this.
const LIMIT: i32 = 1024;
/// Entries per centipawn.
const GRAIN: i32 = 16;
/// The most that one result may add.
const MAX_BONUS: i32 = LIMIT / 4;

type Table = Box<[[Entry; ROWS]; 2]>;

#[derive(Clone, Copy, Default)]
struct Entry(i16);

impl Entry {
    fn update(&mut self, bonus: i32) {
        let value = i32::from(self.0);
        self.0 = (value + bonus - value * bonus.abs() / LIMIT) as i16;
    }
}

/// The tables of one worker, each by side to move.
pub struct Corrections {
    pawns: Table,
    white: Table,
    black: Table,
    continuation: Box<[[Entry; MOVED_ROWS]]>,
}

/// The last move and the one before it.
pub type LastMoves = (MovedIndex, MovedIndex);

impl Corrections {
    /// Empty tables.
    pub fn new() -> Self {
        let table = || -> Table { vec_table() };
        Self {
            pawns: table(),
            white: table(),
            black: table(),
            continuation: vec![[Entry::default(); MOVED_ROWS]; MOVED_ROWS].into_boxed_slice(),
        }
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        for table in [&mut self.pawns, &mut self.white, &mut self.black] {
            table.fill([Entry::default(); ROWS]);
        }
        self.continuation.fill([Entry::default(); MOVED_ROWS]);
    }

    /// What to add to the evaluation, in centipawns.
    pub fn get(&self, position: &Position, last: LastMoves, params: &Params) -> i32 {
        let side = position.side_to_move().index();
        let of = |table: &Table, key: u64| i32::from(table[side][row(key)].0);
        let pawns = of(&self.pawns, position.pawn_key());
        let pieces = of(&self.white, position.non_pawn_key(Colour::White))
            + of(&self.black, position.non_pawn_key(Colour::Black));
        let moves = i32::from(self.continuation[last.1.index()][last.0.index()].0);
        (pawns * params.correction_pawn_weight
            + pieces * params.correction_non_pawn_weight
            + moves * params.correction_continuation_weight)
            / (1024 * GRAIN)
    }

    /// Begins to fetch what [`get`](Self::get) will need.
    pub fn prefetch(&self, position: &Position, last: LastMoves) {
        let side = position.side_to_move().index();
        prefetch(&raw const self.pawns[side][row(position.pawn_key())]);
        prefetch(&raw const self.white[side][row(position.non_pawn_key(Colour::White))]);
        prefetch(&raw const self.black[side][row(position.non_pawn_key(Colour::Black))]);
        prefetch(&raw const self.continuation[last.1.index()][last.0.index()]);
    }

    /// Notes that the search of `depth` plies found `difference` centipawns more than the evaluation.
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

/// The update that a difference in centipawns at a depth earns.
pub fn bonus(difference: i32, depth: i32, params: &Params) -> i32 {
    (difference * depth * params.correction_bonus_scale / 1024).clamp(-MAX_BONUS, MAX_BONUS)
}

fn row(key: u64) -> usize {
    key as usize % ROWS
}

fn vec_table() -> Table {
    let rows = vec![[Entry::default(); ROWS]; 2].into_boxed_slice();
    rows.try_into().unwrap_or_else(|_| unreachable!("two sides"))
}
