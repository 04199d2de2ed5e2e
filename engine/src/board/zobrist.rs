//! Keys that tell positions apart; the numbers come from the build script.

use crate::types::{CastlingRights, Colour, File, Piece, Square};

include!(concat!(env!("OUT_DIR"), "/zobrist.rs"));

/// The key of a chessman on a square.
pub fn piece(piece: Piece, square: Square) -> u64 {
    PIECES[piece.index() * 64 + square.index()]
}

/// The key of a set of castling rights.
pub fn castling(rights: CastlingRights) -> u64 {
    CASTLING[usize::from(rights.bits() & 15)]
}

/// The key of an en-passant capture on `file`.
pub fn en_passant(file: File) -> u64 {
    EN_PASSANT[file.index()]
}

/// The key of the side to move.
pub const fn side(colour: Colour) -> u64 {
    match colour {
        Colour::White => 0,
        Colour::Black => SIDE,
    }
}
