//! The alpha-beta window.

use std::ops::Neg;

use crate::types::Score;

/// The interval of scores that matter at a node. A value up to alpha or from beta on needs only a
/// bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Score that the side to move has already.
    pub alpha: Score,
    /// Score that the opponent will not allow.
    pub beta: Score,
}

impl Window {
    /// All scores.
    pub const OPEN: Self = Self { alpha: Score(-Score::INFINITE.0), beta: Score::INFINITE };

    /// Returns the zero window that asks whether the value reaches `beta`.
    pub fn zero_below(beta: Score) -> Self {
        Self { alpha: beta - 1, beta }
    }

    /// Returns the zero window that asks whether the value exceeds `alpha`.
    pub fn zero_above(alpha: Score) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// Returns whether a node may be searched with this window: it is a window of scores, and off the
    /// principal variation a zero window.
    pub fn suits(self, pv: bool) -> bool {
        let is_open = -Score::INFINITE <= self.alpha && self.alpha < self.beta;
        is_open && self.beta <= Score::INFINITE && (pv || self.beta - self.alpha == 1)
    }

    /// Returns whether no score lies inside.
    pub fn is_closed(self) -> bool {
        self.alpha >= self.beta
    }

    /// Returns whether both ends are finite.
    pub fn is_finite(self) -> bool {
        self.alpha > -Score::INFINITE && self.beta < Score::INFINITE
    }
}

impl Neg for Window {
    type Output = Self;

    /// Returns the same window from the opponent's side.
    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn off_the_principal_variation_windows_are_zero() {
        let wide = Window { alpha: Score(-20), beta: Score(20) };
        assert!(wide.suits(true) && !wide.suits(false));
        assert!(Window::OPEN.suits(true) && Window::zero_above(Score(7)).suits(false));
        let closed = Window { alpha: Score(3), beta: Score(3) };
        let beyond = Window { beta: Score::INFINITE + 2, ..wide };
        assert!(!closed.suits(true) && !closed.suits(false) && !beyond.suits(true));
    }
}
