//! History tables: how moves fared elsewhere in the search.
//!
//! - Quiet moves by start and target (butterfly history, Schaeffer 1983), and by whether those are
//!   attacked.
//! - Noisy moves by piece, target and victim (capture history).
//! - Quiet moves after an earlier move (continuation history: countermove and follow-up history),
//!   1, 2, 4 and 6 plies back.
//! - Quiet moves by pawn structure, which threads share.

use std::sync::Arc;
use std::sync::atomic::{AtomicI16, Ordering};

use nullarbor_chess::board::{Position, Threats};
use zerocopy::FromZeros;

use super::frame::{PieceTo, StackView};
use crate::huge_pages::HugePages;
use crate::table::prefetch;
use crate::types::{Colour, Move, Piece, PieceType, Square};

/// Histories stay within plus and minus this.
const LIMIT: i32 = 8192;
/// The same of continuation histories: with twice the room they forget half as fast.
const CONTINUATION_LIMIT: i32 = 16_384;
/// Number of rows that pawn structures share, for each thread.
const PAWN_ROWS: usize = 512;
/// Number of kinds of victims: pawn to queen, and none.
const VICTIMS: usize = 6;
/// Number of entries in a cache line.
const ENTRIES_PER_LINE: usize = 32;
/// Plies back to which the continuation histories look.
const CONTINUATIONS: [usize; 4] = [1, 2, 4, 6];

/// A history score within ±`LIMIT` that updates pull back by its own size ("gravity"): the nearer
/// to the limit, the less a bonus adds and the more a malus takes off.
#[derive(Clone, Copy, Default, FromZeros)]
pub struct HistoryEntry<const LIMIT: i32>(i16);

impl<const LIMIT: i32> HistoryEntry<LIMIT> {
    /// Returns the score.
    pub fn get(self) -> i32 {
        i32::from(self.0)
    }

    /// Adds a bonus, or a malus if it is negative.
    pub fn update(&mut self, bonus: i32) {
        let bonus = bonus.clamp(-LIMIT, LIMIT);
        let value = self.get();
        self.0 = (value + bonus - value * bonus.abs() / LIMIT) as i16;
    }
}

/// A history score that threads share. Of two updates at the same time one may be lost, which a
/// history survives: most of what it knows comes from others.
#[derive(FromZeros)]
pub struct SharedEntry<const LIMIT: i32>(AtomicI16);

impl<const LIMIT: i32> SharedEntry<LIMIT> {
    fn load(&self) -> HistoryEntry<LIMIT> {
        HistoryEntry(self.0.load(Ordering::Relaxed))
    }

    /// Returns the score.
    pub fn get(&self) -> i32 {
        self.load().get()
    }

    /// Adds a bonus, or a malus if it is negative.
    pub fn update(&self, bonus: i32) {
        let mut entry = self.load();
        entry.update(bonus);
        self.0.store(entry.0, Ordering::Relaxed);
    }

    /// Sets the score to zero.
    pub fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// The histories of quiet moves by pawn structure, of all threads of a pool.
pub struct PawnHistory(HugePages<[SharedEntry<LIMIT>; PieceTo::COUNT]>);

impl PawnHistory {
    /// Allocates an empty table for a number of threads.
    pub fn new(threads: usize) -> Self {
        Self(HugePages::zeroed(PAWN_ROWS * threads.next_power_of_two()))
    }

    /// Clears the table, keeping its memory.
    pub fn clear(&self) {
        self.0.iter().flatten().for_each(SharedEntry::clear);
    }

    fn of(&self, position: &Position) -> &[SharedEntry<LIMIT>; PieceTo::COUNT] {
        &self.0[position.pawn_key() as usize & (self.0.len() - 1)]
    }
}

type Entry = HistoryEntry<LIMIT>;
type ContinuationEntry = HistoryEntry<CONTINUATION_LIMIT>;
/// Quiet moves of one side: by whether the start is attacked and the start, then the same of the
/// target, so that the moves of one piece share a few cache lines.
type Butterfly = [[[[Entry; 64]; 2]; 64]; 2];

/// The histories of one thread, in one huge page. Rows start at a cache line.
#[derive(FromZeros)]
#[repr(C)]
struct Tables {
    continuation: [[ContinuationEntry; PieceTo::COUNT]; PieceTo::COUNT_WITH_NONE],
    quiet: [Butterfly; 2],
    noisy: [[[Entry; VICTIMS]; 64]; Piece::COUNT],
}

/// All histories of one thread, and one that it shares.
pub struct Histories {
    own: HugePages<Tables>,
    pawn: Arc<PawnHistory>,
}

impl Histories {
    /// Allocates empty tables beside a shared one.
    pub fn new(pawn: Arc<PawnHistory>) -> Self {
        Self { own: HugePages::zeroed(1), pawn }
    }

    /// Clears the tables of the thread, keeping their memory.
    pub fn clear(&mut self) {
        self.own.clear();
    }

    fn own(&self) -> &Tables {
        &self.own[0]
    }

    fn own_mut(&mut self) -> &mut Tables {
        &mut self.own[0]
    }

    /// Returns the rows for the quiet moves of one node, looked up once for all of them.
    pub fn of_quiets<'a>(
        &'a self,
        position: &Position,
        stack: StackView<'a>,
    ) -> QuietHistories<'a> {
        QuietHistories {
            main: &self.own().quiet[position.side_to_move().index()],
            pawn: self.pawn.of(position),
            continuations: CONTINUATIONS
                .map(|plies| &self.own().continuation[stack.moved(plies).index()]),
            threats: &stack.frames.at(stack.ply).threats,
        }
    }

    /// Returns the butterfly history of a quiet move.
    pub fn quiet(&self, side: Colour, threats: &Threats, mv: Move) -> i32 {
        butterfly(&self.own().quiet[side.index()], threats, mv)
    }

    /// Returns the capture history of a noisy move.
    pub fn noisy(&self, position: &Position, mv: Move) -> i32 {
        self.own().noisy[position.moved(mv).index()][mv.to().index()][victim(position, mv)].get()
    }

    /// Returns the continuation history of a move after an earlier one.
    pub fn continuation(&self, earlier: PieceTo, piece_to: PieceTo) -> i32 {
        self.own().continuation[earlier.index()][piece_to.index()].get()
    }

    /// Adds `bonus` to the butterfly and pawn histories of a quiet move and `continuation_bonus` to
    /// its continuation histories.
    pub fn update_quiet(
        &mut self,
        position: &Position,
        stack: StackView<'_>,
        mv: Move,
        bonus: i32,
        continuation_bonus: i32,
    ) {
        let piece_to = PieceTo::new(position.moved(mv), mv.to());
        self.update_butterfly(position.side_to_move(), stack.threats(), mv, bonus);
        self.pawn.of(position)[piece_to.index()].update(bonus);
        self.update_continuation(stack, piece_to, continuation_bonus);
    }

    /// Adds `bonus` to the butterfly history of a quiet move of `side`.
    pub fn update_butterfly(&mut self, side: Colour, threats: &Threats, mv: Move, bonus: i32) {
        let [from_attacked, from, to_attacked, to] = butterfly_index(threats, mv);
        let table = &mut self.own_mut().quiet[side.index()];
        table[from_attacked][from][to_attacked][to].update(bonus);
    }

    /// Adds `bonus` to the continuation histories of a move at the node of `stack`.
    pub fn update_continuation(&mut self, stack: StackView<'_>, piece_to: PieceTo, bonus: i32) {
        for plies in CONTINUATIONS {
            let earlier = stack.moved(plies);
            if earlier.is_some() {
                self.own_mut().continuation[earlier.index()][piece_to.index()].update(bonus);
            }
        }
    }

    /// Adds `bonus` to the capture history of a noisy move.
    pub fn update_noisy(&mut self, position: &Position, mv: Move, bonus: i32) {
        let piece = position.moved(mv);
        self.own_mut().noisy[piece.index()][mv.to().index()][victim(position, mv)].update(bonus);
    }
}

/// The rows of the histories that matter for the quiet moves of one node.
pub struct QuietHistories<'a> {
    main: &'a Butterfly,
    pawn: &'a [SharedEntry<LIMIT>; PieceTo::COUNT],
    continuations: [&'a [ContinuationEntry; PieceTo::COUNT]; CONTINUATIONS.len()],
    threats: &'a Threats,
}

impl QuietHistories<'_> {
    /// Prefetches the rows that are seldom in the cache, as far as the moves of `side` read them: those
    /// after the last two moves, and that of the pawns.
    pub fn prefetch(&self, side: Colour) {
        let first = PieceTo::new(Piece::new(side, PieceType::Pawn), Square::new(0)).index();
        let own = first..first + PieceTo::COUNT / 2;
        for row in &self.continuations[..2] {
            row[own.clone()].chunks(ENTRIES_PER_LINE).for_each(|line| prefetch(line.as_ptr()));
        }
        self.pawn[own].chunks(ENTRIES_PER_LINE).for_each(|line| prefetch(line.as_ptr()));
    }

    /// Returns the sum of all histories of a move; butterfly history counts twice.
    #[inline]
    pub fn sum(&self, mv: Move, piece_to: PieceTo) -> i32 {
        let continuations = self.continuations.map(|after| after[piece_to.index()].get());
        2 * butterfly(self.main, self.threats, mv)
            + self.pawn[piece_to.index()].get()
            + continuations.iter().sum::<i32>()
    }
}

fn butterfly(table: &Butterfly, threats: &Threats, mv: Move) -> i32 {
    let [from_attacked, from, to_attacked, to] = butterfly_index(threats, mv);
    table[from_attacked][from][to_attacked][to].get()
}

/// Returns start and target of a move, each after whether it is attacked.
fn butterfly_index(threats: &Threats, mv: Move) -> [usize; 4] {
    let (from, to) = (mv.from(), mv.to());
    let attacked = |square| usize::from(threats.all.has(square));
    [attacked(from), from.index(), attacked(to), to.index()]
}

fn victim(position: &Position, mv: Move) -> usize {
    position.captured(mv).map_or(VICTIMS - 1, PieceType::index).min(VICTIMS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gravity_keeps_scores_in_bounds_and_moves_them_the_right_way() {
        let mut score = Entry::default();
        for _ in 0..1000 {
            score.update(1500);
        }
        assert!(score.get() > LIMIT * 9 / 10 && score.get() <= LIMIT);
        let high = score.get();
        score.update(-1500);
        assert!(score.get() < high - 1500, "far from the middle a malus weighs more");
        for _ in 0..1000 {
            score.update(-9999);
        }
        assert!(score.get() >= -LIMIT);
    }
}
