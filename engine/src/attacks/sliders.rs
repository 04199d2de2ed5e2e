//! Attacks of bishops, rooks and queens: [magic](super::magic) lookups into a table written by the
//! build script.

use super::magic::Magic;
use crate::types::{Bitboard, Square};

include!(concat!(env!("OUT_DIR"), "/sliders.rs"));

/// Returns the squares that a bishop attacks, given the `occupied` squares.
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(SLIDER_ATTACKS[BISHOP_MAGICS[square.index()].index(occupied.0)])
}

/// Returns the squares that a rook attacks, given the `occupied` squares.
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(SLIDER_ATTACKS[ROOK_MAGICS[square.index()].index(occupied.0)])
}

/// Returns the squares that a queen attacks, given the `occupied` squares.
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
