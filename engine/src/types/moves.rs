use std::fmt;

use arrayvec::ArrayVec;

use super::{PieceType, Square};

/// A move in 16 bits: from, to and [`MoveFlag`]. Castling is the king taking its own rook.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(u16);

/// What is special about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum MoveFlag {
    /// Nothing is.
    Quiet = 0,
    /// A pawn's first step of two squares.
    DoubleStep = 1,
    /// King takes own rook.
    Castle = 2,
    /// Takes what stands on the target.
    Capture = 4,
    /// Takes the pawn beside it.
    EnPassant = 5,
    /// Promotes to a knight.
    PromoteKnight = 8,
    /// Promotes to a bishop.
    PromoteBishop = 9,
    /// Promotes to a rook.
    PromoteRook = 10,
    /// Promotes to a queen.
    PromoteQueen = 11,
    /// Takes and promotes to a knight.
    TakePromoteKnight = 12,
    /// Takes and promotes to a bishop.
    TakePromoteBishop = 13,
    /// Takes and promotes to a rook.
    TakePromoteRook = 14,
    /// Takes and promotes to a queen.
    TakePromoteQueen = 15,
}

impl MoveFlag {
    const CAPTURE_BIT: u16 = 4;
    const PROMOTION_BIT: u16 = 8;
    const PROMOTED: [PieceType; 4] =
        [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

    /// The flag of a promotion to each kind, knight first.
    pub const fn promotions(capture: bool) -> [Self; 4] {
        if capture {
            [
                Self::TakePromoteKnight,
                Self::TakePromoteBishop,
                Self::TakePromoteRook,
                Self::TakePromoteQueen,
            ]
        } else {
            [Self::PromoteKnight, Self::PromoteBishop, Self::PromoteRook, Self::PromoteQueen]
        }
    }
}

impl Move {
    /// Stands for "no move" and for the null move; no legal move equals it.
    pub const NONE: Self = Self(0);

    /// Puts a move together.
    pub const fn new(from: Square, to: Square, flag: MoveFlag) -> Self {
        Self(from.index() as u16 | (to.index() as u16) << 6 | (flag as u16) << 12)
    }

    /// The move that [`Move::bits`] gave. Any number is a move, if not a legal one.
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The packed form.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Where it starts.
    pub const fn from(self) -> Square {
        Square::new(self.0 as usize)
    }

    /// Where it ends; for castling the square of the rook.
    pub const fn to(self) -> Square {
        Square::new((self.0 >> 6) as usize)
    }

    const fn flag_bits(self) -> u16 {
        self.0 >> 12
    }

    /// Whether it is [`Move::NONE`].
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether it is a move at all.
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Whether it has this flag.
    pub fn is(self, flag: MoveFlag) -> bool {
        self.flag_bits() == flag as u16
    }

    /// Whether it takes something.
    pub const fn is_capture(self) -> bool {
        self.flag_bits() & MoveFlag::CAPTURE_BIT != 0
    }

    /// Whether it changes the material for good: a capture or a promotion to a queen.
    /// The search knows no other definition of a noisy move.
    pub const fn is_noisy(self) -> bool {
        self.is_capture() || self.flag_bits() == MoveFlag::PromoteQueen as u16
    }

    /// Whether it is not noisy.
    pub const fn is_quiet(self) -> bool {
        !self.is_noisy()
    }

    /// Whether a pawn becomes something else.
    pub const fn is_promotion(self) -> bool {
        self.flag_bits() & MoveFlag::PROMOTION_BIT != 0
    }

    /// What a pawn becomes.
    pub const fn promotion(self) -> Option<PieceType> {
        if self.is_promotion() {
            Some(MoveFlag::PROMOTED[(self.flag_bits() & 3) as usize])
        } else {
            None
        }
    }

    /// From and to as one number below 4096, an index into histories.
    pub const fn from_to(self) -> usize {
        (self.0 & 0xfff) as usize
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        self.promotion().map_or(Ok(()), |kind| write!(f, "{}", kind.letter()))
    }
}

/// Room for every move of any legal position (218 are known to be the most).
#[derive(Clone, Default)]
pub struct MoveList(ArrayVec<Move, { MoveList::CAPACITY }>);

impl MoveList {
    /// More than any position has.
    pub const CAPACITY: usize = 256;

    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a move.
    pub fn push(&mut self, mv: Move) {
        self.0.push(mv);
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];

    fn deref(&self) -> &[Move] {
        &self.0
    }
}
