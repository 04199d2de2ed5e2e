//! Depth and ply.

use std::ops::{Add, AddAssign, Sub, SubAssign};

/// A distance from the root, in plies.
pub type Ply = usize;

/// The largest distance from the root that the search reaches, in plies.
pub const MAX_PLY: Ply = 240;

/// A remaining depth in plies. At 0 and below the quiescence search takes over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Depth(pub i32);

impl Depth {
    /// The depth at which the quiescence search starts.
    pub const ZERO: Self = Self(0);
    /// One ply.
    pub const ONE: Self = Self(1);
    /// The depth of the last iteration.
    pub const MAX: Self = Self(MAX_PLY as i32 - 1);

    /// Returns whether the quiescence search takes over.
    pub const fn is_exhausted(self) -> bool {
        self.0 <= 0
    }
}

impl Add<i32> for Depth {
    type Output = Self;

    fn add(self, plies: i32) -> Self {
        Self(self.0 + plies)
    }
}

impl Sub<i32> for Depth {
    type Output = Self;

    fn sub(self, plies: i32) -> Self {
        Self(self.0 - plies)
    }
}

impl AddAssign<i32> for Depth {
    fn add_assign(&mut self, plies: i32) {
        self.0 += plies;
    }
}

impl SubAssign<i32> for Depth {
    fn sub_assign(&mut self, plies: i32) {
        self.0 -= plies;
    }
}
