//! The pieces and their Zobrist keys, which are always updated together.

use super::{bitboards::Bitboards, zobrist};
use crate::types::{ByColour, Piece, PieceType, Square};

/// The pieces and their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    bitboards: Bitboards,
    keys: PlacementKeys,
}

/// Zobrist keys of subsets of the pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlacementKeys {
    /// All pieces.
    pub all: u64,
    /// The pawns of both sides.
    pub pawns: u64,
    /// All pieces of one side except its pawns.
    pub non_pawns: ByColour<u64>,
}

impl Placement {
    /// The empty board.
    pub const EMPTY: Self = Self {
        bitboards: Bitboards::EMPTY,
        keys: PlacementKeys { all: 0, pawns: 0, non_pawns: ByColour([0; 2]) },
    };

    /// Returns the pieces.
    pub fn bitboards(&self) -> &Bitboards {
        &self.bitboards
    }

    /// Returns the keys.
    pub fn keys(&self) -> &PlacementKeys {
        &self.keys
    }

    /// Puts a piece on an empty square.
    pub fn put(&mut self, piece: Piece, square: Square) {
        self.bitboards.put(piece, square);
        self.toggle_keys(piece, square);
    }

    /// Removes the given piece from its square.
    pub fn remove(&mut self, piece: Piece, square: Square) {
        self.bitboards.remove(piece, square);
        self.toggle_keys(piece, square);
    }

    fn toggle_keys(&mut self, piece: Piece, square: Square) {
        let key = zobrist::piece(piece, square);
        self.keys.all ^= key;
        match piece.kind {
            PieceType::Pawn => self.keys.pawns ^= key,
            _ => self.keys.non_pawns[piece.colour] ^= key,
        }
    }
}
