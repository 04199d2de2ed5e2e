//! Attacks of bishops, rooks and queens: kindergarten bitboards (U. Müller and G. Isenberg, 2007).
//!
//! A multiplication gathers the occupied squares of a line into six bits, the index into a table of
//! a few kilobytes. Magic bitboards need fewer instructions, but their table of 860 KB competes with
//! the network and the histories for the caches.

use crate::types::{Bitboard, Square};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_B: u64 = FILE_A << 1;
const RANK_1: u64 = 0xff;
/// The diagonal from c7 to h2: it turns the six inner squares of the a-file into the upper bits.
const FROM_C7_TO_H2: u64 = 0x0080_4020_1008_0400;
/// The upper bits of a product are the index: the outer squares of a line never block.
const INDEX_SHIFT: u32 = 58;

/// Diagonals through a square: towards h8 and towards h1.
static DIAGONALS: [[u64; 2]; 64] = diagonals();
/// Attacks on a rank by file and inner occupancy, repeated on all ranks.
static RANK_ATTACKS: [[u64; 64]; 8] = rank_attacks();
/// Attacks on the a-file by rank and inner occupancy.
static FILE_ATTACKS: [[u64; 64]; 8] = file_attacks();

const fn diagonals() -> [[u64; 2]; 64] {
    let mut table = [[0; 2]; 64];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square as i32 % 8, square as i32 / 8);
        let mut other = 0;
        while other < 64 {
            let (files, ranks) = (other % 8 - file, other / 8 - rank);
            if files == ranks {
                table[square][0] |= 1 << other;
            }
            if files == -ranks {
                table[square][1] |= 1 << other;
            }
            other += 1;
        }
        square += 1;
    }
    table
}

/// Returns the places on a line of eight that a slider attacks, given the occupied ones.
const fn line_attacks(from: usize, occupied: u64) -> u64 {
    let mut attacks = 0;
    let mut place = from;
    while place < 7 {
        place += 1;
        attacks |= 1 << place;
        if occupied >> place & 1 != 0 {
            break;
        }
    }
    place = from;
    while place > 0 {
        place -= 1;
        attacks |= 1 << place;
        if occupied >> place & 1 != 0 {
            break;
        }
    }
    attacks
}

const fn rank_attacks() -> [[u64; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut inner = 0;
        while inner < 64 {
            table[file][inner] = line_attacks(file, (inner as u64) << 1) * FILE_A;
            inner += 1;
        }
        file += 1;
    }
    table
}

const fn file_attacks() -> [[u64; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let mut rank = 0;
    while rank < 8 {
        let mut inner = 0;
        while inner < 64 {
            let on_rank = (inner as u64) << 1;
            let occupied = on_file_a(on_rank);
            let index = occupied.wrapping_mul(FROM_C7_TO_H2) >> INDEX_SHIFT;
            table[rank][index as usize] = on_file_a(line_attacks(rank, on_rank));
            inner += 1;
        }
        rank += 1;
    }
    table
}

/// Turns the places of a line from the first rank to the a-file.
const fn on_file_a(line: u64) -> u64 {
    let mut set = 0;
    let mut place = 0;
    while place < 8 {
        set |= (line >> place & 1) << (8 * place);
        place += 1;
    }
    set
}

/// Returns the attacks on a rank or diagonal, whose squares are on different files.
fn on_line(line: u64, square: Square, occupied: Bitboard) -> u64 {
    let index = (occupied.0 & line).wrapping_mul(FILE_B) >> INDEX_SHIFT;
    RANK_ATTACKS[square.file().index()][index as usize] & line
}

fn on_file(square: Square, occupied: Bitboard) -> u64 {
    let file = square.file().index();
    let index = (occupied.0 >> file & FILE_A).wrapping_mul(FROM_C7_TO_H2) >> INDEX_SHIFT;
    FILE_ATTACKS[square.rank().index()][index as usize] << file
}

/// Returns the squares that a bishop attacks, given the `occupied` squares.
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    let [up, down] = DIAGONALS[square.index()];
    Bitboard(on_line(up, square, occupied) | on_line(down, square, occupied))
}

/// Returns the squares that a rook attacks, given the `occupied` squares.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    let rank = RANK_1 << (8 * square.rank().index());
    Bitboard(on_line(rank, square, occupied) | on_file(square, occupied))
}

/// Returns the squares that a queen attacks, given the `occupied` squares.
#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(square: Square, occupied: Bitboard, steps: &[(i32, i32)]) -> Bitboard {
        let mut attacks = Bitboard::EMPTY;
        for (file_step, rank_step) in steps {
            let (mut file, mut rank) = (square.file().index() as i32, square.rank().index() as i32);
            loop {
                (file, rank) = (file + file_step, rank + rank_step);
                if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                    break;
                }
                let target = Square::new((rank * 8 + file) as usize);
                attacks |= Bitboard::of(target);
                if occupied.has(target) {
                    break;
                }
            }
        }
        attacks
    }

    #[test]
    fn lookups_equal_walks_over_the_board() {
        let mut occupied = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..2000 {
            occupied = occupied.wrapping_mul(0x5851_f42d_4c95_7f2d).rotate_left(23) ^ 0x14057b7e;
            for square in Square::all() {
                let set = Bitboard(occupied & occupied.rotate_left(17));
                assert_eq!(
                    rook(square, set),
                    walk(square, set, &[(0, 1), (1, 0), (0, -1), (-1, 0)])
                );
                assert_eq!(
                    bishop(square, set),
                    walk(square, set, &[(1, 1), (1, -1), (-1, -1), (-1, 1)])
                );
            }
        }
    }
}
