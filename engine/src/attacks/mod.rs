//! Where each chessman can strike from each square.

mod leapers;
mod magic;
mod rays;
mod sliders;

pub use leapers::{king, knight, pawn, pawns};
pub use rays::{between, line};
pub use sliders::{bishop, queen, rook};

use crate::types::{Bitboard, PieceType, Square};

/// The squares that a piece attacks. Pawns have a colour and so their own function, [`pawn`].
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
