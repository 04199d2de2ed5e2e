//! Sets of squares.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::{Colour, File, Rank, Square};

/// A set of squares in 64 bits: bit 0 is a1, bit 1 is b1, bit 63 is h8.
///
/// The set operations are `&`, `|`, `^` and `!`. As an iterator it yields the squares from a1 to
/// h8.
///
/// ```
/// use nullarbor_chess::types::{Bitboard, File, Rank, Square};
///
/// let mut e_file = Bitboard::file(File::new(4));
/// let fourth_rank = Bitboard::rank(Rank::new(3));
/// let e4 = Square::parse("e4").expect("a square");
/// assert_eq!((e_file & fourth_rank).single(), Some(e4));
/// assert_eq!((e_file | fourth_rank).count(), 15);
/// assert_eq!(e_file.next().map(|square| square.to_string()), Some("e1".to_owned()));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Self = Self(0);
    /// All 64 squares.
    pub const ALL: Self = Self(!0);

    const FILE_A: u64 = 0x0101_0101_0101_0101;
    const FILE_H: u64 = Self::FILE_A << 7;

    /// Returns the set of one square.
    pub const fn of(square: Square) -> Self {
        Self(1 << square.index())
    }

    /// Returns the squares of a file.
    pub const fn file(file: File) -> Self {
        Self(Self::FILE_A << file.index())
    }

    /// Returns the squares of a rank.
    pub const fn rank(rank: Rank) -> Self {
        Self(0xff << (8 * rank.index()))
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set has a square.
    pub const fn is_any(self) -> bool {
        self.0 != 0
    }

    /// Returns whether the set has two squares or more.
    pub const fn more_than_one(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Returns the number of squares.
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether `square` is in the set.
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Returns the first square, counted from a1; a1 for the empty set.
    pub const fn first(self) -> Square {
        Square::new(self.0.trailing_zeros() as usize)
    }

    /// Returns the square of a set that has exactly one.
    #[inline]
    pub fn single(self) -> Option<Square> {
        (self.is_any() && !self.more_than_one()).then(|| self.first())
    }

    /// Moves all squares one rank forward, as seen by `colour`; the last rank drops out.
    pub const fn forward(self, colour: Colour) -> Self {
        match colour {
            Colour::White => Self(self.0 << 8),
            Colour::Black => Self(self.0 >> 8),
        }
    }

    /// Moves all squares one file towards h; the h-file drops out.
    pub const fn east(self) -> Self {
        Self((self.0 & !Self::FILE_H) << 1)
    }

    /// Moves all squares one file towards a; the a-file drops out.
    pub const fn west(self) -> Self {
        Self((self.0 & !Self::FILE_A) >> 1)
    }

    /// Returns the squares that are not in `other`.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Iterator for Bitboard {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.is_empty() {
            return None;
        }
        let square = self.first();
        self.0 &= self.0 - 1;
        Some(square)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $assign:ident, $assign_method:ident, $op:tt) => {
        impl $trait for Bitboard {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $op other.0)
            }
        }
        impl $assign for Bitboard {
            #[inline]
            fn $assign_method(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    };
}
operator!(BitAnd, bitand, BitAndAssign, bitand_assign, &);
operator!(BitOr, bitor, BitOrAssign, bitor_assign, |);
operator!(BitXor, bitxor, BitXorAssign, bitxor_assign, ^);

impl Not for Bitboard {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}
