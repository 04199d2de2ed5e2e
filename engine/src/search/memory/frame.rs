use crate::board::Threats;
use crate::types::{MAX_PLY, Move, Ply, Score};

use super::moved::MovedIndex;

/// What a node leaves behind for its descendants and for its siblings' children.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The move that is being searched from here.
    pub mv: Move,
    /// Which man moved where, for continuation history.
    pub moved: MovedIndex,
    /// Corrected static evaluation; `Score::NONE` in check.
    pub static_eval: Score,
    /// The move that a singular search leaves out.
    pub excluded: Move,
    /// Squares that the opponent attacks.
    pub threats: Threats,
    /// Nodes at this ply that failed high since the one two plies up began.
    pub cutoffs: u32,
    /// Double extensions on the way here.
    pub double_extensions: i32,
    /// No null search on the way here has failed high (see `null_move::Verification::Reduce`).
    pub verifies: bool,
}

impl Frame {
    const EMPTY: Self = Self {
        mv: Move::NONE,
        moved: MovedIndex::NOTHING,
        static_eval: Score::NONE,
        excluded: Move::NONE,
        threats: Threats {
            all: crate::types::Bitboard::EMPTY,
            by_pawns: crate::types::Bitboard::EMPTY,
            by_minors: crate::types::Bitboard::EMPTY,
            by_rooks: crate::types::Bitboard::EMPTY,
        },
        cutoffs: 0,
        double_extensions: 0,
        verifies: true,
    };
}

/// Frames by ply, with empty ones before the root so that looking back needs no test.
pub struct Frames(Box<[Frame]>);

impl Frames {
    /// How far before the root one may look.
    const BEFORE_ROOT: usize = 6;

    /// Empty frames.
    pub fn new() -> Self {
        Self(vec![Frame::EMPTY; Self::BEFORE_ROOT + MAX_PLY + 2].into_boxed_slice())
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.fill(Frame::EMPTY);
    }

    /// The frame of a ply.
    pub fn at(&self, ply: Ply) -> &Frame {
        &self.0[ply + Self::BEFORE_ROOT]
    }

    /// The frame of a ply, to change it.
    pub fn at_mut(&mut self, ply: Ply) -> &mut Frame {
        &mut self.0[ply + Self::BEFORE_ROOT]
    }

    /// The frame `plies` (at most six) before `ply`.
    pub fn back(&self, ply: Ply, plies: usize) -> &Frame {
        &self.0[ply + Self::BEFORE_ROOT - plies]
    }
}
