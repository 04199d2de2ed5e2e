//! Squares, files and ranks.

use std::fmt;

use super::Colour;

/// A file: 0 for the a-file to 7 for the h-file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct File(u8);

/// A rank: 0 for the first to 7 for the eighth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u8);

/// One of the 64 squares: a1 is 0, b1 is 1, h8 is 63.
///
/// ```
/// use nullarbor_chess::types::{Colour, Square};
///
/// let e4 = Square::parse("e4").expect("a square");
/// assert_eq!(e4.index(), 28);
/// assert_eq!(e4.forward(Colour::White).to_string(), "e5");
/// assert_eq!(e4.relative_to(Colour::Black).to_string(), "e5");
/// assert_eq!(Square::parse("e9"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl File {
    /// The a-file, where a rook starts in standard chess.
    pub const A: Self = Self(0);
    /// The c-file, where the king ends after castling queenside.
    pub const C: Self = Self(2);
    /// The d-file, where the rook ends after castling queenside.
    pub const D: Self = Self(3);
    /// The e-file, where the king starts in standard chess.
    pub const E: Self = Self(4);
    /// The f-file, where the rook ends after castling kingside.
    pub const F: Self = Self(5);
    /// The g-file, where the king ends after castling kingside.
    pub const G: Self = Self(6);
    /// The h-file, where the other rook starts in standard chess.
    pub const H: Self = Self(7);

    /// Returns the file with this index; only the low three bits are used.
    pub const fn new(index: usize) -> Self {
        Self((index & 7) as u8)
    }

    /// Returns all files from a to h.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..8).map(Self::new)
    }

    /// Returns the index, 0 to 7.
    pub const fn index(self) -> usize {
        (self.0 & 7) as usize
    }

    /// Returns the file for a letter of either case.
    pub fn from_letter(letter: char) -> Option<Self> {
        let letter = letter.to_ascii_lowercase();
        ('a'..='h').contains(&letter).then(|| Self(letter as u8 - b'a'))
    }

    /// Returns the lower-case letter.
    pub const fn letter(self) -> char {
        (b'a' + self.0) as char
    }
}

impl Rank {
    /// Returns the rank with this index; only the low three bits are used.
    pub const fn new(index: usize) -> Self {
        Self((index & 7) as u8)
    }

    /// Returns all ranks from the first to the eighth.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..8).map(Self::new)
    }

    /// Returns the index, 0 to 7.
    pub const fn index(self) -> usize {
        (self.0 & 7) as usize
    }

    /// Returns the rank as seen by `colour`, whose back rank is 0.
    pub const fn relative_to(self, colour: Colour) -> Self {
        match colour {
            Colour::White => self,
            Colour::Black => Self(7 - self.0),
        }
    }
}

impl Square {
    /// Returns the square with this index; only the low six bits are used.
    pub const fn new(index: usize) -> Self {
        Self((index & 63) as u8)
    }

    /// Returns the square of a file and a rank.
    pub const fn at(file: File, rank: Rank) -> Self {
        Self(rank.0 << 3 | file.0)
    }

    /// Returns all squares in the order a1, b1, ..., h8.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..64).map(Self::new)
    }

    /// Returns the index, 0 to 63. The mask lets the compiler drop bounds checks.
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// Returns the file.
    pub const fn file(self) -> File {
        File(self.0 & 7)
    }

    /// Returns the rank.
    pub const fn rank(self) -> Rank {
        Rank((self.0 & 63) >> 3)
    }

    /// Returns the square as seen by `colour`: flipped vertically for Black.
    pub const fn relative_to(self, colour: Colour) -> Self {
        match colour {
            Colour::White => self,
            Colour::Black => Self(self.0 ^ 56),
        }
    }

    /// Returns the square one rank forward for `colour`; wraps around on the last rank.
    pub const fn forward(self, colour: Colour) -> Self {
        let step: u8 = match colour {
            Colour::White => 8,
            Colour::Black => 56,
        };
        Self((self.0 + step) & 63)
    }

    /// Returns the Chebyshev distance, 0 to 7: the number of king moves on an empty board.
    pub fn distance(self, other: Self) -> usize {
        let files = self.file().index().abs_diff(other.file().index());
        files.max(self.rank().index().abs_diff(other.rank().index()))
    }

    /// Parses a square such as `e4`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut letters = text.chars();
        let file = File::from_letter(letters.next()?)?;
        let rank = letters.next()?.to_digit(10).filter(|digit| (1..=8).contains(digit))?;
        letters.next().is_none().then(|| Self::at(file, Rank::new(rank as usize - 1)))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file().letter(), self.rank().index() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
