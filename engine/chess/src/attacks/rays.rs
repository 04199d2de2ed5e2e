//! Lines through two squares and the squares between them.

use crate::types::{Bitboard, Square};

static BETWEEN: [[Bitboard; 64]; 64] = between_table();
static LINE: [[Bitboard; 64]; 64] = line_table();

/// Returns the square one step away; `None` off the board.
const fn step(square: usize, (files, ranks): (i32, i32)) -> Option<usize> {
    let file = square as i32 % 8 + files;
    let rank = square as i32 / 8 + ranks;
    if 0 <= file && file < 8 && 0 <= rank && rank < 8 {
        Some((rank * 8 + file) as usize)
    } else {
        None
    }
}

const DIRECTIONS: [(i32, i32); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

const fn between_table() -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let mut passed = 0;
            let mut square = from;
            while let Some(next) = step(square, DIRECTIONS[direction]) {
                table[from][next] = Bitboard(passed);
                passed |= 1 << next;
                square = next;
            }
            direction += 1;
        }
        from += 1;
    }
    table
}

const fn ray(from: usize, direction: usize) -> u64 {
    let mut squares = 0;
    let mut square = from;
    while let Some(next) = step(square, DIRECTIONS[direction]) {
        squares |= 1 << next;
        square = next;
    }
    squares
}

const fn line_table() -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let ahead = ray(from, direction);
            let whole = ahead | ray(from, (direction + 4) % 8) | 1 << from;
            let mut rest = ahead;
            while rest != 0 {
                table[from][rest.trailing_zeros() as usize] = Bitboard(whole);
                rest &= rest - 1;
            }
            direction += 1;
        }
        from += 1;
    }
    table
}

/// Returns the squares strictly between two squares; the empty set if they share no rank, file or
/// diagonal.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// Returns the whole line through two squares, edge to edge; the empty set if they share none.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}
