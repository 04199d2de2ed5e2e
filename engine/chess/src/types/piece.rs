//! Piece types and pieces.

use super::Colour;

/// A type of piece, without its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PieceType {
    /// The pawn.
    Pawn,
    /// The knight.
    Knight,
    /// The bishop.
    Bishop,
    /// The rook.
    Rook,
    /// The queen.
    Queen,
    /// The king.
    King,
}

impl PieceType {
    /// All types, from pawn to king.
    pub const ALL: [Self; 6] =
        [Self::Pawn, Self::Knight, Self::Bishop, Self::Rook, Self::Queen, Self::King];

    /// The conventional values of pawn, knight, bishop, rook and queen, in centipawns.
    pub const VALUES: [i32; 5] = [100, 300, 300, 500, 900];

    /// Returns 0 for the pawn up to 5 for the king.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the lower-case letter of FEN and UCI.
    pub const fn letter(self) -> char {
        match self {
            Self::Pawn => 'p',
            Self::Knight => 'n',
            Self::Bishop => 'b',
            Self::Rook => 'r',
            Self::Queen => 'q',
            Self::King => 'k',
        }
    }

    /// Returns the type for a letter of either case.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.letter() == letter.to_ascii_lowercase())
    }
}

/// A piece: a colour and a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The side that owns it.
    pub colour: Colour,
    /// Type of the piece.
    pub kind: PieceType,
}

impl Piece {
    /// The number of different pieces.
    pub const COUNT: usize = 12;

    /// Builds a piece from its colour and type.
    pub const fn new(colour: Colour, kind: PieceType) -> Self {
        Self { colour, kind }
    }

    /// Returns 0 to 5 for White's pawn to king, 6 to 11 for Black's.
    pub const fn index(self) -> usize {
        self.colour.index() * 6 + self.kind.index()
    }

    /// Returns the letter of FEN: upper case for White, lower case for Black.
    pub const fn letter(self) -> char {
        match self.colour {
            Colour::White => self.kind.letter().to_ascii_uppercase(),
            Colour::Black => self.kind.letter(),
        }
    }

    /// Returns the piece for a letter of FEN.
    pub fn from_letter(letter: char) -> Option<Self> {
        let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
        PieceType::from_letter(letter).map(|kind| Self::new(colour, kind))
    }
}
