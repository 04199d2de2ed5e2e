//! Basic types: squares, pieces and moves.
//!
//! They are small values that give a number its meaning. Nothing here knows the rules of chess.

mod bitboard;
mod castling;
mod colour;
mod moves;
mod piece;
mod square;

pub use bitboard::Bitboard;
pub use castling::{Castling, CastlingRights, CastlingSide};
pub use colour::{ByColour, Colour};
pub use moves::{Move, MoveFlag, MoveList};
pub use piece::{Piece, PieceType};
pub use square::{File, Rank, Square};
