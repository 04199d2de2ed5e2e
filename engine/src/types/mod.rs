//! The vocabulary: small values that say what a number is.
//!
//! Nothing here knows a rule of chess; everything above speaks in these words.

mod bitboard;
mod castling;
mod colour;
mod depth;
mod moves;
mod piece;
mod score;
mod square;

pub use bitboard::Bitboard;
pub use castling::{Castling, CastlingRights, Wing};
pub use colour::{ByColour, Colour};
pub use depth::{Depth, MAX_PLY, Ply};
pub use moves::{Move, MoveFlag, MoveList};
pub use piece::{Piece, PieceType};
pub use score::{Bound, Score};
pub use square::{File, Rank, Square};
