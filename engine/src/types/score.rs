//! Scores and their bounds.

use std::fmt;
use std::ops::{Add, Neg, Sub};

use super::{MAX_PLY, Ply};

/// A score for the side to move: centipawns, a win by the tablebases, or a mate.
///
/// A mate in `n` plies is `MATE - n`, being mated in `n` plies is `n - MATE`. A position `n` plies
/// from the root that the tables know as won is `MAX_EVAL - n`. An evaluation in centipawns lies
/// below all of these, within ±[`Score::MAX_UNPROVEN`]. Margins are added as plain integers, in centipawns.
///
/// ```
/// use nullarbor::types::Score;
///
/// assert_eq!((Score(31) + 10).to_string(), "cp 41");
/// assert_eq!(Score::mate_in(3).mate_moves(), Some(2));
/// assert_eq!((-Score::mate_in(3)).to_string(), "mate -1");
/// assert!(Score::mate_in(3) > Score::MAX_EVAL);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(pub i32);

/// The relation of a score to the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// No relation is known.
    None,
    /// The true value is at most the score: the search failed low.
    Upper,
    /// The true value is at least the score: the search failed high.
    Lower,
    /// The score is the true value.
    Exact,
}

impl Bound {
    /// Returns the bound for the low two bits.
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::None,
            1 => Self::Upper,
            2 => Self::Lower,
            _ => Self::Exact,
        }
    }

    /// Returns whether the score is a lower bound; an exact score is one.
    pub const fn is_lower(self) -> bool {
        self as u8 & Self::Lower as u8 != 0
    }

    /// Returns whether the score is an upper bound; an exact score is one.
    pub const fn is_upper(self) -> bool {
        self as u8 & Self::Upper as u8 != 0
    }

    /// Returns whether `score` with this bound proves on which side of `limit` the true value lies.
    pub fn decides(self, score: Score, limit: Score) -> bool {
        if score >= limit { self.is_lower() } else { self.is_upper() }
    }
}

impl Score {
    /// The score of a draw.
    pub const DRAW: Self = Self(0);
    /// Noise of draw scores: the largest difference to 0, so that the search does not take all draws for one.
    pub const DRAW_NOISE: i32 = 1;
    /// A mate in 0 plies, the limit of all mate scores.
    pub const MATE: Self = Self(32_000);
    /// The bound of a full window, which is ±`INFINITE`.
    pub const INFINITE: Self = Self(32_001);
    /// "No score", stored where there is none.
    pub const NONE: Self = Self(32_002);
    /// The minimum score of a mate: in [`MAX_PLY`] plies.
    pub const MATE_BOUND: Self = Self(Self::MATE.0 - MAX_PLY as i32);
    /// The largest score that is not a mate.
    pub const MAX_EVAL: Self = Self(Self::MATE_BOUND.0 - 1);
    /// The minimum score of a win by the tablebases, [`MAX_PLY`] plies from the root.
    pub const TB_BOUND: Self = Self(Self::MAX_EVAL.0 - MAX_PLY as i32);
    /// The largest score that proves nothing.
    pub const MAX_UNPROVEN: Self = Self(Self::TB_BOUND.0 - 1);

    /// Returns the score of mating `ply` plies from the root.
    pub const fn mate_in(ply: Ply) -> Self {
        Self(Self::MATE.0 - ply as i32)
    }

    /// Returns the score of being mated `ply` plies from the root.
    pub const fn mated_in(ply: Ply) -> Self {
        Self(ply as i32 - Self::MATE.0)
    }

    /// Returns the score of a position `ply` plies from the root that the tablebases know as won.
    pub const fn tb_win(ply: Ply) -> Self {
        Self(Self::MAX_EVAL.0 - ply as i32)
    }

    /// Returns whether this is not [`Score::NONE`].
    pub fn is_some(self) -> bool {
        self != Self::NONE
    }

    /// Returns the number, for arithmetic: no score has none.
    #[inline]
    fn value(self) -> i32 {
        debug_assert!(self.is_some(), "no score is no number");
        self.0
    }

    /// Returns whether the side to move is proven to win, by a mate or the tablebases.
    pub fn is_win(self) -> bool {
        self >= Self::TB_BOUND
    }

    /// Returns whether the side to move is proven to lose, by a mate or the tablebases.
    pub fn is_loss(self) -> bool {
        self <= -Self::TB_BOUND
    }

    /// Returns whether this is a proven win for either side.
    pub fn is_decisive(self) -> bool {
        self.is_win() || self.is_loss()
    }

    /// Returns whether this is a mate for either side.
    pub fn is_mate(self) -> bool {
        self.0.abs() >= Self::MATE_BOUND.0
    }

    /// Clamps the score to ±[`Score::MAX_UNPROVEN`].
    pub fn clamp_eval(self) -> Self {
        self.clamp(-Self::MAX_UNPROVEN, Self::MAX_UNPROVEN)
    }

    /// Returns the distance to mate in moves: positive if the side to move mates, negative if it is
    /// mated.
    pub fn mate_moves(self) -> Option<i32> {
        if !self.is_mate() {
            None
        } else if self.is_win() {
            Some((Self::MATE.0 - self.0 + 1) / 2)
        } else {
            Some(-(Self::MATE.0 + self.0) / 2)
        }
    }

    /// Converts a proven score from "plies from the root" to "plies from this node", for the
    /// transposition table.
    pub fn to_tt(self, ply: Ply) -> Self {
        if self.is_win() {
            self + ply as i32
        } else if self.is_loss() {
            self - ply as i32
        } else {
            self
        }
    }

    /// Converts a score of the transposition table back to "plies from the root". A win that lies
    /// beyond the fifty-move limit becomes ±[`Score::MAX_UNPROVEN`], since it is not proven here.
    pub fn from_tt(self, ply: Ply, halfmove_clock: usize) -> Self {
        if self == Self::NONE {
            return self;
        }
        let end = if self.is_mate() { Self::MATE } else { Self::MAX_EVAL };
        let too_far = |plies: i32| plies > 100 - halfmove_clock as i32;
        if self.is_win() {
            if too_far(end.0 - self.0) { Self::MAX_UNPROVEN } else { self - ply as i32 }
        } else if self.is_loss() {
            if too_far(end.0 + self.0) { -Self::MAX_UNPROVEN } else { self + ply as i32 }
        } else {
            self
        }
    }
}

impl Add<i32> for Score {
    type Output = Self;

    fn add(self, centipawns: i32) -> Self {
        Self(self.value() + centipawns)
    }
}

impl Sub<i32> for Score {
    type Output = Self;

    fn sub(self, centipawns: i32) -> Self {
        Self(self.value() - centipawns)
    }
}

impl Sub for Score {
    type Output = i32;

    fn sub(self, other: Self) -> i32 {
        self.value() - other.value()
    }
}

impl Neg for Score {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.value())
    }
}

impl fmt::Display for Score {
    /// Formats the score for UCI: `cp 31` or `mate -2`. A win by the tables is 200 pawns, less a
    /// centipawn for each ply to it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const TB_WIN: i32 = 20_000;
        match self.mate_moves() {
            Some(moves) => write!(f, "mate {moves}"),
            None if self.is_win() => write!(f, "cp {}", TB_WIN - (Self::MAX_EVAL.0 - self.0)),
            None if self.is_loss() => write!(f, "cp {}", Self::MAX_EVAL.0 + self.0 - TB_WIN),
            None => write!(f, "cp {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_count_in_moves() {
        assert_eq!(Score::mate_in(1).mate_moves(), Some(1));
        assert_eq!(Score::mate_in(3).mate_moves(), Some(2));
        assert_eq!(Score::mated_in(2).mate_moves(), Some(-1));
        assert_eq!(Score(250).mate_moves(), None);
    }

    #[cfg(debug_assertions)]
    #[test]
    fn no_score_is_no_number() {
        let uses: [fn() -> bool; 4] = [
            || Score::NONE + 1 == Score::DRAW,
            || Score::NONE - 1 == Score::DRAW,
            || Score::DRAW - Score::NONE == 0,
            || -Score::NONE == Score::NONE,
        ];
        for (number, it) in uses.iter().enumerate() {
            assert!(std::panic::catch_unwind(it).is_err(), "{number}");
        }
    }

    #[test]
    fn mates_survive_the_table() {
        let mate = Score::mate_in(7);
        assert_eq!(mate.to_tt(4), Score::mate_in(3));
        assert_eq!(mate.to_tt(4).from_tt(4, 0), mate);
        assert_eq!(Score::mated_in(9).to_tt(2).from_tt(2, 10), Score::mated_in(9));
    }

    #[test]
    fn a_mate_behind_the_fifty_move_rule_is_unproven() {
        assert_eq!(Score::mate_in(9).from_tt(0, 95), Score::MAX_UNPROVEN);
        assert_eq!(Score::mated_in(9).from_tt(0, 95), -Score::MAX_UNPROVEN);
    }

    #[test]
    fn wins_by_the_tables_lie_between_evaluations_and_mates() {
        let win = Score::tb_win(7);
        assert!(Score::MAX_UNPROVEN < win && win < Score::MATE_BOUND);
        assert!(win.is_win() && (-win).is_loss() && !win.is_mate() && win.mate_moves().is_none());
        assert_eq!(win.to_tt(4), Score::tb_win(3));
        assert_eq!(win.to_tt(4).from_tt(4, 0), win);
        assert_eq!((-win).to_tt(4).from_tt(9, 30), -Score::tb_win(12));
        assert_eq!(win.from_tt(0, 95), Score::MAX_UNPROVEN);
        assert_eq!((win.to_string(), (-win).to_string()), ("cp 19993".into(), "cp -19993".into()));
        assert!(!Score::MAX_UNPROVEN.is_decisive());
    }
}
