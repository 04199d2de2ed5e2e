//! Castling rights, for standard chess and Chess960.

use bitflags::bitflags;

use super::{ByColour, Colour, File, Rank, Square};

/// A castling side: kingside or queenside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastlingSide {
    /// Kingside, O-O: the king ends on the g-file, the rook on the f-file.
    King,
    /// Queenside, O-O-O: the king ends on the c-file, the rook on the d-file.
    Queen,
}

impl CastlingSide {
    /// Both sides, kingside first.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];

    /// Returns the side that a king on `king` castles to with the rook on `rook`.
    pub fn of(king: Square, rook: Square) -> Self {
        if rook.file() > king.file() { Self::King } else { Self::Queen }
    }

    /// Returns the square of the king of `colour` after castling.
    pub const fn king_target(self, colour: Colour) -> Square {
        let file = match self {
            Self::King => File::G,
            Self::Queen => File::C,
        };
        Square::at(file, Rank::new(0).relative_to(colour))
    }

    /// Returns the square of the rook of `colour` after castling.
    pub const fn rook_target(self, colour: Colour) -> Square {
        let file = match self {
            Self::King => File::F,
            Self::Queen => File::D,
        };
        Square::at(file, Rank::new(0).relative_to(colour))
    }
}

bitflags! {
    /// A set of castling rights.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct CastlingRights: u8 {
        /// White, kingside.
        const WHITE_KING = 1;
        /// White, queenside.
        const WHITE_QUEEN = 2;
        /// Black, kingside.
        const BLACK_KING = 4;
        /// Black, queenside.
        const BLACK_QUEEN = 8;
    }
}

impl CastlingRights {
    /// Returns the right of `colour` to castle on one side.
    pub const fn of(colour: Colour, castling_side: CastlingSide) -> Self {
        match (colour, castling_side) {
            (Colour::White, CastlingSide::King) => Self::WHITE_KING,
            (Colour::White, CastlingSide::Queen) => Self::WHITE_QUEEN,
            (Colour::Black, CastlingSide::King) => Self::BLACK_KING,
            (Colour::Black, CastlingSide::Queen) => Self::BLACK_QUEEN,
        }
    }

    /// Returns the index of the set, 0 to 15. The mask lets the compiler drop bounds checks.
    pub const fn index(self) -> usize {
        self.intersection(Self::all()).bits() as usize
    }

    /// Returns both rights of `colour`.
    pub const fn both(colour: Colour) -> Self {
        Self::of(colour, CastlingSide::King).union(Self::of(colour, CastlingSide::Queen))
    }
}

/// Castling rights and the rooks they belong to. In Chess960 the rooks may start on any file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Castling {
    /// The rights that are left.
    pub rights: CastlingRights,
    rooks: ByColour<[Square; 2]>,
}

impl Castling {
    /// No rights.
    pub const NONE: Self = Self {
        rights: CastlingRights::empty(),
        rooks: ByColour([[Square::new(7), Square::new(0)], [Square::new(63), Square::new(56)]]),
    };

    /// Adds the right to castle with the rook on `rook`.
    pub fn grant(&mut self, colour: Colour, castling_side: CastlingSide, rook: Square) {
        self.rights |= CastlingRights::of(colour, castling_side);
        self.rooks[colour][castling_side as usize] = rook;
    }

    /// Returns the rook with which `colour` may castle; `None` without the right.
    pub fn rook(&self, colour: Colour, castling_side: CastlingSide) -> Option<Square> {
        let allowed = self.rights.contains(CastlingRights::of(colour, castling_side));
        allowed.then(|| self.rooks[colour][castling_side as usize])
    }

    /// Removes the right that belongs to the rook of `colour` on `square`, if there is one.
    pub fn revoke_rook(&mut self, colour: Colour, square: Square) {
        for castling_side in CastlingSide::ALL {
            if self.rooks[colour][castling_side as usize] == square {
                self.rights.remove(CastlingRights::of(colour, castling_side));
            }
        }
    }

    /// Removes both rights of `colour`.
    pub fn revoke_both(&mut self, colour: Colour) {
        self.rights.remove(CastlingRights::both(colour));
    }
}
