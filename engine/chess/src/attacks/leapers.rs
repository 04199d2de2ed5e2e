//! Attacks of pawns, knights and kings: one constant table each.

use crate::types::{Bitboard, Colour, Square};

const KNIGHT_STEPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING_STEPS: [(i32, i32); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
const PAWN_STEPS: [[(i32, i32); 2]; 2] = [[(-1, 1), (1, 1)], [(-1, -1), (1, -1)]];

static KNIGHT: [Bitboard; 64] = table(&KNIGHT_STEPS);
static KING: [Bitboard; 64] = table(&KING_STEPS);
static PAWN: [[Bitboard; 64]; 2] = [table(&PAWN_STEPS[0]), table(&PAWN_STEPS[1])];

const fn table(steps: &[(i32, i32)]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut step = 0;
        while step < steps.len() {
            let file = square as i32 % 8 + steps[step].0;
            let rank = square as i32 / 8 + steps[step].1;
            if 0 <= file && file < 8 && 0 <= rank && rank < 8 {
                table[square].0 |= 1 << (rank * 8 + file);
            }
            step += 1;
        }
        square += 1;
    }
    table
}

/// Returns the squares that a pawn of `colour` on `square` attacks.
#[inline]
pub fn pawn(colour: Colour, square: Square) -> Bitboard {
    PAWN[colour.index()][square.index()]
}

/// Returns the squares that any of the `pawns` of `colour` attacks.
#[inline]
pub fn pawns(colour: Colour, pawns: Bitboard) -> Bitboard {
    let ahead = pawns.forward(colour);
    ahead.east() | ahead.west()
}

/// Returns the squares that a knight attacks.
#[inline]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// Returns the squares that a king attacks.
#[inline]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}
