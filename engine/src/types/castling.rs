use bitflags::bitflags;

use super::{ByColour, Colour, File, Rank, Square};

/// The side of the board on which a king castles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wing {
    /// Towards h: the king ends on g, the rook on f.
    King,
    /// Towards a: the king ends on c, the rook on d.
    Queen,
}

impl Wing {
    /// Both wings, the king's first.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];

    /// Where the king of `colour` stands after castling.
    pub const fn king_target(self, colour: Colour) -> Square {
        let file = match self {
            Self::King => File::G,
            Self::Queen => File::C,
        };
        Square::at(file, Rank::new(0).relative_to(colour))
    }

    /// Where the rook of `colour` stands after castling.
    pub const fn rook_target(self, colour: Colour) -> Square {
        let file = match self {
            Self::King => File::F,
            Self::Queen => File::D,
        };
        Square::at(file, Rank::new(0).relative_to(colour))
    }
}

bitflags! {
    /// Who may still castle, and on which wing.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct CastlingRights: u8 {
        /// White on the king's wing.
        const WHITE_KING = 1;
        /// White on the queen's wing.
        const WHITE_QUEEN = 2;
        /// Black on the king's wing.
        const BLACK_KING = 4;
        /// Black on the queen's wing.
        const BLACK_QUEEN = 8;
    }
}

impl CastlingRights {
    /// The right of one side on one wing.
    pub const fn of(colour: Colour, wing: Wing) -> Self {
        match (colour, wing) {
            (Colour::White, Wing::King) => Self::WHITE_KING,
            (Colour::White, Wing::Queen) => Self::WHITE_QUEEN,
            (Colour::Black, Wing::King) => Self::BLACK_KING,
            (Colour::Black, Wing::Queen) => Self::BLACK_QUEEN,
        }
    }

    /// The rights of one side.
    pub const fn both(colour: Colour) -> Self {
        Self::of(colour, Wing::King).union(Self::of(colour, Wing::Queen))
    }
}

/// The rights, and the squares of the rooks that they are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Castling {
    /// What is still allowed.
    pub rights: CastlingRights,
    rooks: ByColour<[Square; 2]>,
}

impl Castling {
    /// No rights.
    pub const NONE: Self = Self {
        rights: CastlingRights::empty(),
        rooks: ByColour([[Square::new(7), Square::new(0)], [Square::new(63), Square::new(56)]]),
    };

    /// Grants a right to castle with the rook on `rook`.
    pub fn grant(&mut self, colour: Colour, wing: Wing, rook: Square) {
        self.rights |= CastlingRights::of(colour, wing);
        self.rooks[colour][wing as usize] = rook;
    }

    /// The rook with which `colour` may castle on `wing`.
    pub fn rook(&self, colour: Colour, wing: Wing) -> Option<Square> {
        let allowed = self.rights.contains(CastlingRights::of(colour, wing));
        allowed.then(|| self.rooks[colour][wing as usize])
    }

    /// Takes the rights away that hang on a rook of `colour` on `square`.
    pub fn revoke_rook(&mut self, colour: Colour, square: Square) {
        for wing in Wing::ALL {
            if self.rooks[colour][wing as usize] == square {
                self.rights.remove(CastlingRights::of(colour, wing));
            }
        }
    }

    /// Takes both rights of `colour` away.
    pub fn revoke_both(&mut self, colour: Colour) {
        self.rights.remove(CastlingRights::both(colour));
    }
}
