//! Moves in 16 bits and lists of moves.

use std::fmt;

use arrayvec::ArrayVec;

use super::{PieceType, Square};

/// A move in 16 bits: the from square, the to square and a [`MoveFlag`].
///
/// Castling is encoded as the king capturing its own rook, in standard chess as in Chess960.
///
/// ```
/// use nullarbor_chess::types::{Move, MoveFlag, PieceType, Square};
///
/// let square = |text| Square::parse(text).expect("a square");
/// let mv = Move::new(square("e7"), square("d8"), MoveFlag::CapturePromoteQueen);
/// assert!(mv.is_capture() && mv.is_noisy());
/// assert_eq!(mv.promotion(), Some(PieceType::Queen));
/// assert_eq!(Move::from_bits(mv.bits()), mv);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(u16);

/// The kind of a move: quiet, capture, castling, promotion and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum MoveFlag {
    /// A plain move without a capture.
    Quiet = 0,
    /// A double pawn push.
    DoublePush = 1,
    /// Castling: the king takes its own rook.
    Castle = 2,
    /// A capture on the to square.
    Capture = 4,
    /// An en-passant capture.
    EnPassant = 5,
    /// A promotion to a knight.
    PromoteKnight = 8,
    /// A promotion to a bishop.
    PromoteBishop = 9,
    /// A promotion to a rook.
    PromoteRook = 10,
    /// A promotion to a queen.
    PromoteQueen = 11,
    /// A capture with promotion to a knight.
    CapturePromoteKnight = 12,
    /// A capture with promotion to a bishop.
    CapturePromoteBishop = 13,
    /// A capture with promotion to a rook.
    CapturePromoteRook = 14,
    /// A capture with promotion to a queen.
    CapturePromoteQueen = 15,
}

impl MoveFlag {
    const CAPTURE_BIT: u16 = 4;
    const PROMOTION_BIT: u16 = 8;
    const PROMOTED: [PieceType; 4] =
        [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

    /// Returns the promotion flags in the order knight, bishop, rook, queen.
    pub const fn promotions(capture: bool) -> [Self; 4] {
        if capture {
            [
                Self::CapturePromoteKnight,
                Self::CapturePromoteBishop,
                Self::CapturePromoteRook,
                Self::CapturePromoteQueen,
            ]
        } else {
            [Self::PromoteKnight, Self::PromoteBishop, Self::PromoteRook, Self::PromoteQueen]
        }
    }
}

impl Move {
    /// "No move" and the null move. No legal move equals it.
    pub const NONE: Self = Self(0);

    /// Builds a move from its parts.
    pub const fn new(from: Square, to: Square, flag: MoveFlag) -> Self {
        Self(from.index() as u16 | (to.index() as u16) << 6 | (flag as u16) << 12)
    }

    /// Returns the move with these [bits](Move::bits). Any 16 bits are accepted; the move need not
    /// be legal.
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Returns the packed form.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Returns the square the move starts from.
    pub const fn from(self) -> Square {
        Square::new(self.0 as usize)
    }

    /// Returns the square the move goes to; for castling, the square of the rook.
    pub const fn to(self) -> Square {
        Square::new((self.0 >> 6) as usize)
    }

    const fn flag_bits(self) -> u16 {
        self.0 >> 12
    }

    /// Returns whether this is [`Move::NONE`].
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Returns whether this is not [`Move::NONE`].
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Returns whether the move has this flag.
    #[inline]
    pub fn is(self, flag: MoveFlag) -> bool {
        self.flag_bits() == flag as u16
    }

    /// Returns whether the move captures, en passant included.
    pub const fn is_capture(self) -> bool {
        self.flag_bits() & MoveFlag::CAPTURE_BIT != 0
    }

    /// Returns whether the move is noisy: a capture or a promotion to a queen.
    /// The whole search uses this one definition.
    pub const fn is_noisy(self) -> bool {
        self.is_capture() || self.flag_bits() == MoveFlag::PromoteQueen as u16
    }

    /// Returns whether the move is quiet, that is, not noisy.
    pub const fn is_quiet(self) -> bool {
        !self.is_noisy()
    }

    /// Returns whether the move is a promotion.
    pub const fn is_promotion(self) -> bool {
        self.flag_bits() & MoveFlag::PROMOTION_BIT != 0
    }

    /// Returns the piece type that a pawn promotes to.
    pub const fn promotion(self) -> Option<PieceType> {
        if self.is_promotion() {
            Some(MoveFlag::PROMOTED[(self.flag_bits() & 3) as usize])
        } else {
            None
        }
    }

    /// Returns the from and to squares as one index below 4096, for history tables.
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

/// A list of moves with room for any legal position; the known maximum is 218 moves.
#[derive(Clone, Default)]
pub struct MoveList(ArrayVec<Move, { MoveList::CAPACITY }>);

impl MoveList {
    /// The capacity of the list.
    pub const CAPACITY: usize = 256;

    /// Returns an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a move.
    ///
    /// # Panics
    /// If the list is full.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        self.0.push(mv);
    }

    /// Removes all moves.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.0
    }
}
