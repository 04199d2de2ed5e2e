use super::Colour;

/// A kind of chessman, whoever owns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PieceType {
    /// Moves forward, captures diagonally.
    Pawn,
    /// Leaps.
    Knight,
    /// Slides on diagonals.
    Bishop,
    /// Slides on ranks and files.
    Rook,
    /// Slides everywhere.
    Queen,
    /// Must not be taken.
    King,
}

impl PieceType {
    /// All kinds, in order of value.
    pub const ALL: [Self; 6] =
        [Self::Pawn, Self::Knight, Self::Bishop, Self::Rook, Self::Queen, Self::King];

    /// 0 for the pawn to 5 for the king.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The small letter that FEN and UCI use.
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

    /// The kind that a letter, small or capital, stands for.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.letter() == letter.to_ascii_lowercase())
    }
}

/// A chessman: a kind and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Who owns it.
    pub colour: Colour,
    /// What it is.
    pub kind: PieceType,
}

impl Piece {
    /// How many different chessmen there are.
    pub const COUNT: usize = 12;

    /// Puts a kind and its owner together.
    pub const fn new(colour: Colour, kind: PieceType) -> Self {
        Self { colour, kind }
    }

    /// 0 to 11: the white kinds, then the black ones.
    pub const fn index(self) -> usize {
        self.colour.index() * 6 + self.kind.index()
    }

    /// The letter of FEN: capital for White.
    pub const fn letter(self) -> char {
        match self.colour {
            Colour::White => self.kind.letter().to_ascii_uppercase(),
            Colour::Black => self.kind.letter(),
        }
    }

    /// The chessman that a letter of FEN stands for.
    pub fn from_letter(letter: char) -> Option<Self> {
        let colour = if letter.is_ascii_uppercase() { Colour::White } else { Colour::Black };
        PieceType::from_letter(letter).map(|kind| Self::new(colour, kind))
    }
}
