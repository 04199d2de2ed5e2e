use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A value in the middlegame and one in the endgame, in centipawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tapered {
    middlegame: i32,
    endgame: i32,
}

/// Both values at once.
pub const fn s(middlegame: i32, endgame: i32) -> Tapered {
    Tapered { middlegame, endgame }
}

impl Tapered {
    /// The mixture for a phase from 0 (endgame) to 24 (all pieces on the board).
    pub fn at(self, phase: i32) -> i32 {
        (self.middlegame * phase + self.endgame * (24 - phase)) / 24
    }

    /// The endgame value alone.
    pub fn endgame(self) -> i32 {
        self.endgame
    }

    /// With the endgame value scaled by `share` 64ths.
    pub fn scale_endgame(self, share: i32) -> Self {
        Self { endgame: self.endgame * share / 64, ..self }
    }
}

impl Add for Tapered {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        s(self.middlegame + other.middlegame, self.endgame + other.endgame)
    }
}

impl Sub for Tapered {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        s(self.middlegame - other.middlegame, self.endgame - other.endgame)
    }
}

impl Neg for Tapered {
    type Output = Self;

    fn neg(self) -> Self {
        s(-self.middlegame, -self.endgame)
    }
}

impl Mul<i32> for Tapered {
    type Output = Self;

    fn mul(self, factor: i32) -> Self {
        s(self.middlegame * factor, self.endgame * factor)
    }
}

impl AddAssign for Tapered {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Tapered {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}
