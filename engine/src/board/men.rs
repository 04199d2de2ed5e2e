//! Which chessmen stand where.

use crate::types::{Bitboard, ByColour, Colour, Piece, PieceType, Square};

/// Bitboards and a mailbox of all men.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Men {
    kinds: [Bitboard; 6],
    colours: ByColour<Bitboard>,
    mailbox: [Option<PieceType>; 64],
}

impl Men {
    /// The empty board.
    pub const NONE: Self = Self {
        kinds: [Bitboard::EMPTY; 6],
        colours: ByColour([Bitboard::EMPTY; 2]),
        mailbox: [None; 64],
    };

    /// Men of one kind, both sides.
    pub fn kind(&self, kind: PieceType) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// Men of one side.
    pub fn colour(&self, colour: Colour) -> Bitboard {
        self.colours[colour]
    }

    /// The kind of man on a square.
    pub fn kind_on(&self, square: Square) -> Option<PieceType> {
        self.mailbox[square.index()]
    }

    /// The man on a square.
    pub fn on(&self, square: Square) -> Option<Piece> {
        let white = self.colours[Colour::White].has(square);
        let colour = if white { Colour::White } else { Colour::Black };
        self.kind_on(square).map(|kind| Piece::new(colour, kind))
    }

    /// The squares on which others have something else.
    #[inline]
    pub fn differences(&self, others: &Self) -> Bitboard {
        let kinds = self.kinds.iter().zip(&others.kinds);
        let colours = self.colours.0.iter().zip(&others.colours.0);
        kinds.chain(colours).fold(Bitboard::EMPTY, |all, (&one, &other)| all | (one ^ other))
    }

    /// Puts a man on an empty square.
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        debug_assert!(self.kind_on(square).is_none());
        self.mailbox[square.index()] = Some(piece.kind);
        self.toggle(piece, square);
    }

    /// Takes away the man that stands there.
    pub(super) fn remove(&mut self, piece: Piece, square: Square) {
        debug_assert_eq!(self.on(square), Some(piece));
        self.mailbox[square.index()] = None;
        self.toggle(piece, square);
    }

    fn toggle(&mut self, piece: Piece, square: Square) {
        let set = Bitboard::of(square);
        self.kinds[piece.kind.index()] ^= set;
        self.colours[piece.colour] ^= set;
    }
}
