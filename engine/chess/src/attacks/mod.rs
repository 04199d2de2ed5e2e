//! Attack tables: the squares that each piece attacks from each square.

mod leapers;
mod rays;
mod sliders;

pub use leapers::{king, knight, pawn, pawns};
pub use rays::{between, line};
pub use sliders::{bishop, queen, rook};

use crate::types::{Bitboard, PieceType, Square};

/// Returns the squares that a piece attacks, given the `occupied` squares.
///
/// Pawns attack nothing here: their attacks depend on the colour, see [`pawn`].
///
/// ```
/// use nullarbor_chess::attacks;
/// use nullarbor_chess::types::{Bitboard, PieceType, Square};
///
/// let a1 = Square::parse("a1").expect("a square");
/// let a3 = Square::parse("a3").expect("a square");
/// let attacked = attacks::piece(PieceType::Rook, a1, Bitboard::of(a3));
/// assert_eq!(attacked.count(), 2 + 7);
/// ```
#[inline]
pub fn piece(kind: PieceType, square: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceType::Pawn => Bitboard::EMPTY,
        PieceType::Knight => knight(square),
        PieceType::Bishop => bishop(square, occupied),
        PieceType::Rook => rook(square, occupied),
        PieceType::Queen => queen(square, occupied),
        PieceType::King => king(square),
    }
}
