//! Facts of a node before its moves are searched: the input of every rule.

use crate::search::window::Window;
use crate::types::{Bound, Depth, Move, Ply, Score};

/// From this halfmove clock on no score of the transposition table cuts a node off: it may come
/// from a path with more moves left before the fifty-move rule.
const MAX_TT_CLOCK: usize = 90;

/// A node with the results of the steps before its first move.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// True on the principal variation: the window is open.
    pub pv: bool,
    /// Expected to fail high (Knuth and Moore 1975).
    pub cut_node: bool,
    /// The side to move is in check.
    pub in_check: bool,
    /// Distance from the root, in plies.
    pub ply: Ply,
    /// Depth left, in plies.
    pub depth: Depth,
    /// The interval of scores that matter.
    pub window: Window,
    /// The move that a singular search leaves out; [`Move::NONE`] elsewhere.
    pub excluded: Move,
    /// The transposition-table entry.
    pub tt: TtInfo,
    /// TT score less the score of all other moves in the singular search, in centipawns; 0 without
    /// one.
    pub singular_gap: i32,
    /// The evaluations of the position.
    pub evals: Evals,
    /// The range that the tablebases leave for the score.
    pub tb: Window,
}

impl Node {
    /// Returns whether the node is or once was on a principal variation.
    pub fn was_pv(&self) -> bool {
        self.pv || self.tt.was_pv
    }
}

/// The evaluations of one position, in centipawns for the side to move; all [`Score::NONE`] in
/// check.
#[derive(Clone, Copy, Debug)]
pub struct Evals {
    /// The network's evaluation, as the transposition table stores it.
    pub raw: Score,
    /// The same plus the correction history.
    pub static_eval: Score,
    /// The same, replaced by the TT score where its bound allows.
    pub eval: Score,
    /// Part that the correction history added; its size says how unreliable the evaluation is.
    pub correction: i32,
    /// The static evaluation has risen since the side's previous move.
    pub improving: bool,
    /// Rise of the static evaluation, in centipawns; 0 if there is nothing to compare with.
    pub improvement: i32,
}

impl Evals {
    /// The evaluations of a position in check.
    pub const IN_CHECK: Self = Self {
        raw: Score::NONE,
        static_eval: Score::NONE,
        eval: Score::NONE,
        correction: 0,
        improving: false,
        improvement: 0,
    };
}

/// A transposition-table entry made safe to use: the move is legal, mates count from the root.
#[derive(Clone, Copy, Debug)]
pub struct TtInfo {
    /// Best move; [`Move::NONE`] if unknown.
    pub mv: Move,
    /// Score; [`Score::NONE`] if unknown.
    pub score: Score,
    /// Raw static evaluation; [`Score::NONE`] if unknown.
    pub eval: Score,
    /// Depth of the search that was stored; `None` without an entry.
    pub depth: Option<Depth>,
    /// Bound type of the score.
    pub bound: Bound,
    /// A principal variation has passed through the position.
    pub was_pv: bool,
}

impl TtInfo {
    /// No entry.
    pub const MISS: Self = Self {
        mv: Move::NONE,
        score: Score::NONE,
        eval: Score::NONE,
        depth: None,
        bound: Bound::None,
        was_pv: false,
    };

    /// Returns whether there is an entry.
    pub fn is_hit(&self) -> bool {
        self.depth.is_some()
    }

    /// Returns whether the score tells on which side of `limit` the true value lies.
    pub fn decides(&self, limit: Score) -> bool {
        self.score.is_some() && self.bound.decides(self.score, limit)
    }

    /// Returns whether the score may replace a search of `depth` plies against `beta`. To fail high
    /// the entry must be one ply deeper than to fail low.
    pub fn cuts(&self, depth: Depth, beta: Score, halfmove_clock: usize) -> bool {
        let is_deep_enough = |stored| stored + i32::from(self.score <= beta) > depth;
        self.decides(beta)
            && self.depth.is_some_and(is_deep_enough)
            && halfmove_clock < MAX_TT_CLOCK
    }
}

#[cfg(test)]
impl Node {
    /// A node in the middle of a search, for the tests of the rules.
    pub const EXAMPLE: Self = Self {
        pv: false,
        cut_node: false,
        in_check: false,
        ply: 3,
        depth: Depth(9),
        window: Window { alpha: Score(99), beta: Score(100) },
        excluded: Move::NONE,
        tt: TtInfo::MISS,
        singular_gap: 0,
        evals: Evals {
            raw: Score(0),
            static_eval: Score(0),
            eval: Score(0),
            correction: 0,
            improving: false,
            improvement: 0,
        },
        tb: Window::OPEN,
    };
}
