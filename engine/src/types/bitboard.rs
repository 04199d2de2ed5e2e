use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::{Colour, File, Rank, Square};

/// A set of squares; bit 0 is a1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// Every square.
    pub const ALL: Self = Self(!0);

    const FILE_A: u64 = 0x0101_0101_0101_0101;
    const FILE_H: u64 = Self::FILE_A << 7;

    /// The set of one square.
    pub const fn of(square: Square) -> Self {
        Self(1 << square.index())
    }

    /// All squares of a file.
    pub const fn file(file: File) -> Self {
        Self(Self::FILE_A << file.index())
    }

    /// All squares of a rank.
    pub const fn rank(rank: Rank) -> Self {
        Self(0xff << (8 * rank.index()))
    }

    /// Whether there is no square.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether there is any square.
    pub const fn is_any(self) -> bool {
        self.0 != 0
    }

    /// Whether there are two squares or more.
    pub const fn many(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// How many squares there are.
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether `square` is one of them.
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// The first square from a1 on; `a1` of an empty set.
    pub const fn first(self) -> Square {
        Square::new(self.0.trailing_zeros() as usize)
    }

    /// The only square, if there is exactly one.
    pub fn single(self) -> Option<Square> {
        (self.is_any() && !self.many()).then(|| self.first())
    }

    /// All squares one rank ahead for `colour`.
    pub const fn forward(self, colour: Colour) -> Self {
        match colour {
            Colour::White => Self(self.0 << 8),
            Colour::Black => Self(self.0 >> 8),
        }
    }

    /// All squares one file towards h.
    pub const fn east(self) -> Self {
        Self((self.0 & !Self::FILE_H) << 1)
    }

    /// All squares one file towards a.
    pub const fn west(self) -> Self {
        Self((self.0 & !Self::FILE_A) >> 1)
    }

    /// The set without `other`.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Iterator for Bitboard {
    type Item = Square;

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
            fn $method(self, other: Self) -> Self {
                Self(self.0 $op other.0)
            }
        }
        impl $assign for Bitboard {
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
