//! Where the chessmen stand, with keys that cannot drift: whoever moves a man updates both.

use super::zobrist;
use crate::types::{Bitboard, ByColour, Colour, Piece, PieceType, Square};

/// Bitboards, mailbox and the keys of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    kinds: [Bitboard; 6],
    colours: ByColour<Bitboard>,
    mailbox: [Option<PieceType>; 64],
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
        kinds: [Bitboard::EMPTY; 6],
        colours: ByColour([Bitboard::EMPTY; 2]),
        mailbox: [None; 64],
        keys: PlacementKeys { all: 0, pawns: 0, non_pawns: ByColour([0; 2]) },
    };

    /// Men of one kind, both sides.
    pub fn kind(&self, kind: PieceType) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// Men of one side.
    pub fn colour(&self, colour: Colour) -> Bitboard {
        self.colours[colour]
    }

    /// What stands on a square.
    pub fn on(&self, square: Square) -> Option<PieceType> {
        self.mailbox[square.index()]
    }

    /// The keys as they are now.
    pub fn keys(&self) -> &PlacementKeys {
        &self.keys
    }

    /// Puts a man on an empty square.
    pub fn put(&mut self, piece: Piece, square: Square) {
        debug_assert!(self.on(square).is_none());
        self.mailbox[square.index()] = Some(piece.kind);
        self.toggle(piece, square);
    }

    /// Takes away the man that stands there.
    pub fn remove(&mut self, piece: Piece, square: Square) {
        debug_assert_eq!(self.on(square), Some(piece.kind));
        self.mailbox[square.index()] = None;
        self.toggle(piece, square);
    }

    fn toggle(&mut self, piece: Piece, square: Square) {
        let set = Bitboard::of(square);
        self.kinds[piece.kind.index()] ^= set;
        self.colours[piece.colour] ^= set;
        let key = zobrist::piece(piece, square);
        self.keys.all ^= key;
        match piece.kind {
            PieceType::Pawn => self.keys.pawns ^= key,
            _ => self.keys.non_pawns[piece.colour] ^= key,
        }
    }
}
