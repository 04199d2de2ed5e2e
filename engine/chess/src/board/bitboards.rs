//! The pieces on the board.

use crate::types::{Bitboard, ByColour, Colour, Piece, PieceType, Square};

/// The pieces on the board: a bitboard per piece type and per colour, and a mailbox.
///
/// ```
/// use nullarbor_chess::board::Position;
/// use nullarbor_chess::types::{Bitboard, Colour, PieceType, Rank, Square};
///
/// let start = Position::start();
/// let board = start.bitboards();
/// let pawns = board.pieces_of_type(PieceType::Pawn) & board.occupied_by(Colour::White);
/// assert_eq!(pawns, Bitboard::rank(Rank::new(1)));
/// let e2 = Square::parse("e2").expect("a square");
/// assert_eq!(board.piece_on(e2).map(|piece| piece.letter()), Some('P'));
/// // What a move changes is two squares.
/// let next = start.make(start.parse_san("e4").expect("a legal move"));
/// assert_eq!(board.differences(next.bitboards()).count(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitboards {
    by_type: [Bitboard; 6],
    by_colour: ByColour<Bitboard>,
    mailbox: [Option<PieceType>; 64],
}

impl Bitboards {
    /// The empty board.
    pub const EMPTY: Self = Self {
        by_type: [Bitboard::EMPTY; 6],
        by_colour: ByColour([Bitboard::EMPTY; 2]),
        mailbox: [None; 64],
    };

    /// Returns the pieces of one type, of both sides.
    #[inline]
    pub fn pieces_of_type(&self, kind: PieceType) -> Bitboard {
        self.by_type[kind.index()]
    }

    /// Returns the pieces of one side.
    #[inline]
    pub fn occupied_by(&self, colour: Colour) -> Bitboard {
        self.by_colour[colour]
    }

    /// Returns all occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.by_colour[Colour::White] | self.by_colour[Colour::Black]
    }

    /// Returns the type of the piece on a square.
    #[inline]
    pub fn piece_type_on(&self, square: Square) -> Option<PieceType> {
        self.mailbox[square.index()]
    }

    /// Returns the piece on a square.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        let white = self.by_colour[Colour::White].has(square);
        let colour = if white { Colour::White } else { Colour::Black };
        self.piece_type_on(square).map(|kind| Piece::new(colour, kind))
    }

    /// Returns the squares on which the two boards differ.
    #[inline]
    pub fn differences(&self, other: &Self) -> Bitboard {
        let types = self.by_type.iter().zip(&other.by_type);
        let colours = self.by_colour.0.iter().zip(&other.by_colour.0);
        types.chain(colours).fold(Bitboard::EMPTY, |all, (&one, &other)| all | (one ^ other))
    }

    /// Puts a piece on an empty square.
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        debug_assert!(self.piece_type_on(square).is_none());
        self.mailbox[square.index()] = Some(piece.kind);
        self.toggle(piece, square);
    }

    /// Removes the given piece from its square.
    pub(super) fn remove(&mut self, piece: Piece, square: Square) {
        debug_assert_eq!(self.piece_on(square), Some(piece));
        self.mailbox[square.index()] = None;
        self.toggle(piece, square);
    }

    fn toggle(&mut self, piece: Piece, square: Square) {
        let set = Bitboard::of(square);
        self.by_type[piece.kind.index()] ^= set;
        self.by_colour[piece.colour] ^= set;
    }
}
