use std::ops::Neg;

use crate::types::Score;

/// What a node is asked: is the value below alpha, above beta, or what is it in between?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The side to move has this already.
    pub alpha: Score,
    /// The opponent does not allow this.
    pub beta: Score,
}

impl Window {
    /// Everything is of interest.
    pub const OPEN: Self = Self { alpha: Score(-Score::INFINITE.0), beta: Score::INFINITE };

    /// Asks just whether the value reaches `beta`.
    pub fn zero_below(beta: Score) -> Self {
        Self { alpha: beta - 1, beta }
    }

    /// Asks just whether the value exceeds `alpha`.
    pub fn zero_above(alpha: Score) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// Whether nothing is left to ask.
    pub fn is_closed(self) -> bool {
        self.alpha >= self.beta
    }
}

impl Neg for Window {
    type Output = Self;

    /// The same question, asked of the opponent.
    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}
