//! Basic types: squares, pieces, moves, scores and depths.
//!
//! They are small values that give a number its meaning. Nothing here knows the rules of chess.

mod bitboard;
mod castling;
mod colour;
mod depth;
mod moves;
mod piece;
mod score;
mod square;

pub use bitboard::Bitboard;
pub use castling::{Castling, CastlingRights, CastlingSide};
pub use colour::{ByColour, Colour};
pub use depth::{Depth, MAX_PLY, Ply};
pub use moves::{Move, MoveFlag, MoveList};
pub use piece::{Piece, PieceType};
pub use score::{Bound, Score};
pub use square::{File, Rank, Square};
