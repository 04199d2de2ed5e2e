//! Where the chessmen stand, with keys that cannot drift: whoever moves a man updates both.

use super::{bitboards::Bitboards, zobrist};
use crate::types::{ByColour, Piece, PieceType, Square};

/// The men and their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    bitboards: Bitboards,
    keys: PlacementKeys,
}

/// Keys over subsets of the chessmen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlacementKeys {
    /// All men.
    pub all: u64,
    /// Pawns of both sides.
    pub pawns: u64,
    /// Pieces and king of one side.
    pub non_pawns: ByColour<u64>,
}

impl Placement {
    /// The empty board.
    pub const EMPTY: Self = Self {
        bitboards: Bitboards::EMPTY,
        keys: PlacementKeys { all: 0, pawns: 0, non_pawns: ByColour([0; 2]) },
    };

    /// The men.
    pub fn bitboards(&self) -> &Bitboards {
        &self.bitboards
    }

    /// The keys as they are now.
    pub fn keys(&self) -> &PlacementKeys {
        &self.keys
    }

    /// Puts a man on an empty square.
    pub fn put(&mut self, piece: Piece, square: Square) {
        self.bitboards.put(piece, square);
        self.toggle_keys(piece, square);
    }

    /// Takes away the man that stands there.
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
