use std::fmt;

use super::Colour;

/// A file, `a` to `h` as 0 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct File(u8);

/// A rank, first to eighth as 0 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u8);

/// One of the 64 squares: `a1` is 0, `b1` is 1, `h8` is 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl File {
    /// Where the king lands that castles on the queen's wing.
    pub const C: Self = Self(2);
    /// Where its rook lands.
    pub const D: Self = Self(3);
    /// Where the rook lands that castles on the king's wing.
    pub const F: Self = Self(5);
    /// Where its king lands.
    pub const G: Self = Self(6);

    /// The file with this number; only the low three bits count.
    pub const fn new(index: usize) -> Self {
        Self((index & 7) as u8)
    }

    /// `a` to `h` from a to h.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..8).map(Self::new)
    }

    /// 0 to 7.
    pub const fn index(self) -> usize {
        (self.0 & 7) as usize
    }

    /// The file of a letter, small or capital.
    pub fn from_letter(letter: char) -> Option<Self> {
        let letter = letter.to_ascii_lowercase();
        ('a'..='h').contains(&letter).then(|| Self(letter as u8 - b'a'))
    }

    /// The small letter.
    pub const fn letter(self) -> char {
        (b'a' + self.0) as char
    }
}

impl Rank {
    /// The rank with this number; only the low three bits count.
    pub const fn new(index: usize) -> Self {
        Self((index & 7) as u8)
    }

    /// Ranks from the first to the eighth.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..8).map(Self::new)
    }

    /// 0 to 7.
    pub const fn index(self) -> usize {
        (self.0 & 7) as usize
    }

    /// The rank as `colour` counts it: its own first rank is 0.
    pub const fn relative_to(self, colour: Colour) -> Self {
        match colour {
            Colour::White => self,
            Colour::Black => Self(7 - self.0),
        }
    }
}

impl Square {
    /// The square with this number; only the low six bits count.
    pub const fn new(index: usize) -> Self {
        Self((index & 63) as u8)
    }

    /// Where a file and a rank meet.
    pub const fn at(file: File, rank: Rank) -> Self {
        Self(rank.0 << 3 | file.0)
    }

    /// a1, b1, ... h8.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..64).map(Self::new)
    }

    /// 0 to 63. The mask tells the compiler so: no bounds checks on boards.
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The file.
    pub const fn file(self) -> File {
        File(self.0 & 7)
    }

    /// The rank.
    pub const fn rank(self) -> Rank {
        Rank((self.0 & 63) >> 3)
    }

    /// The square as `colour` sees it from its own side.
    pub const fn relative_to(self, colour: Colour) -> Self {
        match colour {
            Colour::White => self,
            Colour::Black => Self(self.0 ^ 56),
        }
    }

    /// One rank ahead for `colour`; wraps on the last rank.
    pub const fn forward(self, colour: Colour) -> Self {
        let step: u8 = match colour {
            Colour::White => 8,
            Colour::Black => 56,
        };
        Self((self.0 + step) & 63)
    }

    /// The larger of the distances in files and in ranks, 0 to 7.
    pub fn distance(self, other: Self) -> usize {
        let files = self.file().index().abs_diff(other.file().index());
        files.max(self.rank().index().abs_diff(other.rank().index()))
    }

    /// The square that `text`, such as `e4`, names.
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
