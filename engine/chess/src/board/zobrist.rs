//! Zobrist keys (A. Zobrist, "A New Hashing Method", 1970); the build script draws the random
//! numbers.

use crate::types::{CastlingRights, Colour, File, Piece, Square};

include!(concat!(env!("OUT_DIR"), "/zobrist.rs"));

/// Returns the key of a piece on a square.
pub fn piece(piece: Piece, square: Square) -> u64 {
    PIECES[piece.index() * 64 + square.index()]
}

/// Returns the key of a set of castling rights.
pub fn castling(rights: CastlingRights) -> u64 {
    CASTLING[rights.index()]
}

/// Returns the key of an en-passant square on `file`.
pub fn en_passant(file: File) -> u64 {
    EN_PASSANT[file.index()]
}

/// Returns the key of the side to move.
pub const fn side(colour: Colour) -> u64 {
    match colour {
        Colour::White => 0,
        Colour::Black => SIDE,
    }
}
