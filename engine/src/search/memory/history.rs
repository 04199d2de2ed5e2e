//! What earlier parts of the search say of a move: tables of scores that cut-offs raise and failures
//! lower, each pulled back by its own size ("gravity") so that none runs off.

use crate::board::{Position, Threats};
use crate::types::{Colour, Move, Piece, PieceType, Ply};

use super::frame::Frames;
use super::moved::{MOVED, MOVED_ROWS, MovedIndex};

/// Histories stay within plus and minus this.
const LIMIT: i32 = 8192;
/// Pawn structures share this many rows.
const PAWN_ROWS: usize = 512;
/// Kinds of victims: pawn to queen, and none.
const VICTIMS: usize = 6;

/// How many plies back a continuation looks.
const CONTINUATIONS: [usize; 4] = [1, 2, 4, 6];

/// A history score.
#[derive(Clone, Copy, Default)]
pub struct Gravity(i16);

impl Gravity {
    /// The score.
    pub fn get(self) -> i32 {
        i32::from(self.0)
    }

    /// Adds a bonus, or a malus if negative; the nearer the limit, the less.
    pub fn update(&mut self, bonus: i32) {
        let bonus = bonus.clamp(-LIMIT, LIMIT);
        let value = self.get();
        self.0 = (value + bonus - value * bonus.abs() / LIMIT) as i16;
    }
}

/// All histories of one worker.
pub struct Histories {
    quiet: Box<[Main]>,
    noisy: Box<[[[Gravity; VICTIMS]; 64]]>,
    continuation: Box<[[Gravity; MOVED]]>,
    pawn: Box<[[Gravity; MOVED]]>,
}

impl Histories {
    /// Empty tables.
    pub fn new() -> Self {
        let zero = Gravity::default();
        Self {
            quiet: vec![[[[zero; 4096]; 2]; 2]; 2].into_boxed_slice(),
            noisy: vec![[[zero; VICTIMS]; 64]; Piece::COUNT].into_boxed_slice(),
            continuation: vec![[zero; MOVED]; MOVED_ROWS].into_boxed_slice(),
            pawn: vec![[zero; MOVED]; PAWN_ROWS].into_boxed_slice(),
        }
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        let zero = Gravity::default();
        self.quiet.fill([[[zero; 4096]; 2]; 2]);
        self.noisy.fill([[zero; VICTIMS]; 64]);
        self.continuation.fill([zero; MOVED]);
        self.pawn.fill([zero; MOVED]);
    }

    /// What there is on quiet moves at a node, looked up once for all of them.
    pub fn of_quiets<'a>(&'a self, position: &Position, past: Past<'a>) -> QuietHistories<'a> {
        let after = |plies| &self.continuation[past.frames.back(past.ply, plies).moved.index()];
        QuietHistories {
            main: &self.quiet[position.side_to_move().index()],
            pawn: &self.pawn[pawn_row(position)],
            continuations: CONTINUATIONS.map(after),
            threats: &past.frames.at(past.ply).threats,
        }
    }

    /// By side, by whether start and target are attacked, by start and target.
    pub fn quiet(&self, side: Colour, threats: &Threats, mv: Move) -> i32 {
        main(&self.quiet[side.index()], threats, mv)
    }

    /// By man, target and victim.
    pub fn noisy(&self, position: &Position, mv: Move) -> i32 {
        self.noisy[position.moved(mv).index()][mv.to().index()][victim(position, mv)].get()
    }

    /// By an earlier move and this one.
    pub fn continuation(&self, earlier: MovedIndex, moved: MovedIndex) -> i32 {
        self.continuation[earlier.index()][moved.index()].get()
    }

    /// Raises or lowers all that is known of a quiet move; `continuation_bonus` goes to the tables by
    /// earlier moves.
    pub fn update_quiet(&mut self, position: &Position, past: Past<'_>, mv: Move, bonus: Bonus) {
        let (from, to) = attacked(past.threats(), mv);
        let moved = MovedIndex::of(position.moved(mv), mv.to());
        let side = position.side_to_move().index();
        self.quiet[side][from][to][mv.from_to()].update(bonus.own);
        self.pawn[pawn_row(position)][moved.index()].update(bonus.own);
        self.update_continuation(past, moved, bonus.continuation);
    }

    /// Raises or lowers what is known of `moved` after the moves before it.
    pub fn update_continuation(&mut self, past: Past<'_>, moved: MovedIndex, bonus: i32) {
        for plies in CONTINUATIONS {
            let earlier = past.frames.back(past.ply, plies).moved;
            if earlier.is_some() {
                self.continuation[earlier.index()][moved.index()].update(bonus);
            }
        }
    }

    /// Raises or lowers the score of a noisy move.
    pub fn update_noisy(&mut self, position: &Position, mv: Move, bonus: i32) {
        let piece = position.moved(mv);
        self.noisy[piece.index()][mv.to().index()][victim(position, mv)].update(bonus);
    }
}

/// By whether start and target are attacked, by start and target.
type Main = [[[Gravity; 4096]; 2]; 2];

/// The histories of the quiet moves of one node.
pub struct QuietHistories<'a> {
    main: &'a Main,
    pawn: &'a [Gravity; MOVED],
    continuations: [&'a [Gravity; MOVED]; CONTINUATIONS.len()],
    threats: &'a Threats,
}

impl QuietHistories<'_> {
    /// The sum for a move, its own history twice.
    #[inline]
    pub fn sum(&self, mv: Move, moved: MovedIndex) -> i32 {
        let continuations = self.continuations.map(|after| after[moved.index()].get());
        2 * main(self.main, self.threats, mv)
            + self.pawn[moved.index()].get()
            + continuations.iter().sum::<i32>()
    }
}

fn main(table: &Main, threats: &Threats, mv: Move) -> i32 {
    let (from, to) = attacked(threats, mv);
    table[from][to][mv.from_to()].get()
}

/// The way to a node.
#[derive(Clone, Copy)]
pub struct Past<'a> {
    /// The frames of all plies.
    pub frames: &'a Frames,
    /// The ply of the node.
    pub ply: Ply,
}

impl Past<'_> {
    /// What the opponent attacks at the node.
    pub fn threats(&self) -> &Threats {
        &self.frames.at(self.ply).threats
    }
}

/// What an update adds.
#[derive(Clone, Copy, Debug)]
pub struct Bonus {
    /// To the tables of the move itself.
    pub own: i32,
    /// To those by earlier moves.
    pub continuation: i32,
}

fn attacked(threats: &Threats, mv: Move) -> (usize, usize) {
    (usize::from(threats.all.has(mv.from())), usize::from(threats.all.has(mv.to())))
}

fn victim(position: &Position, mv: Move) -> usize {
    position.captured(mv).map_or(VICTIMS - 1, PieceType::index).min(VICTIMS - 1)
}

fn pawn_row(position: &Position) -> usize {
    position.pawn_key() as usize % PAWN_ROWS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gravity_keeps_scores_in_bounds_and_moves_them_the_right_way() {
        let mut score = Gravity::default();
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
