//! The search stack: one frame for each ply of the line that is being searched.

use nullarbor_chess::board::Threats;

use crate::types::{Bitboard, MAX_PLY, Move, Piece, Ply, Score, Square};

/// A piece and the square it moved to: the index of the continuation histories. No move has an
/// index of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// Number of pieces times squares.
    pub const COUNT: usize = Piece::COUNT * 64;
    /// The same plus one for [`PieceTo::NONE`].
    pub const COUNT_WITH_NONE: usize = Self::COUNT + 1;
    /// No move: before the root, and after a null move.
    pub const NONE: Self = Self(Self::COUNT as u16);

    /// Packs a piece and its target.
    pub fn new(piece: Piece, to: Square) -> Self {
        Self((piece.index() * 64 + to.index()) as u16)
    }

    /// Returns the index; that of [`PieceTo::NONE`] is [`PieceTo::COUNT`].
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Returns whether there is a move.
    pub fn is_some(self) -> bool {
        self != Self::NONE
    }
}

/// The state that a node leaves for its descendants and for the children of its siblings.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The move that is being searched; [`Move::NONE`] for a null move.
    pub mv: Move,
    /// The same move as an index.
    pub piece_to: PieceTo,
    /// Number of the move in the order of search, from 1.
    pub number: usize,
    /// Plies by which its search is reduced.
    pub reduction: i32,
    /// Corrected static evaluation; [`Score::NONE`] in check.
    pub static_eval: Score,
    /// The move that a singular search leaves out.
    pub excluded: Move,
    /// Squares that the opponent attacks.
    pub threats: Threats,
    /// Number of nodes at this ply that failed high since the node two plies up began.
    pub cutoffs: i32,
    /// Number of double extensions on the way from the root.
    pub double_extensions: i32,
    /// No null search on the way from the root has failed high (see
    /// `null_move::Verification::Reduce`).
    pub verification_pending: bool,
}

impl Frame {
    const EMPTY: Self = Self {
        mv: Move::NONE,
        piece_to: PieceTo::NONE,
        number: 0,
        reduction: 0,
        static_eval: Score::NONE,
        excluded: Move::NONE,
        threats: Threats {
            all: Bitboard::EMPTY,
            by_pawns: Bitboard::EMPTY,
            by_minors: Bitboard::EMPTY,
            by_rooks: Bitboard::EMPTY,
        },
        cutoffs: 0,
        double_extensions: 0,
        verification_pending: true,
    };
}

/// The frames by ply. Empty ones lie before the root, so that looking back needs no test.
pub struct Frames(Box<[Frame]>);

impl Frames {
    /// Number of plies before the root that may be read.
    const BEFORE_ROOT: usize = 6;

    /// Allocates empty frames.
    pub fn new() -> Self {
        Self(vec![Frame::EMPTY; Self::BEFORE_ROOT + MAX_PLY + 2].into_boxed_slice())
    }

    /// Empties all frames.
    pub fn clear(&mut self) {
        self.0.fill(Frame::EMPTY);
    }

    /// Returns the frame of a ply.
    pub fn at(&self, ply: Ply) -> &Frame {
        &self.0[ply + Self::BEFORE_ROOT]
    }

    /// Returns the frame of a ply for writing.
    pub fn at_mut(&mut self, ply: Ply) -> &mut Frame {
        &mut self.0[ply + Self::BEFORE_ROOT]
    }

    /// Returns the frame `plies` (at most 6) before `ply`.
    pub fn back(&self, ply: Ply, plies: usize) -> &Frame {
        &self.0[ply + Self::BEFORE_ROOT - plies]
    }
}

/// The search stack as one node sees it.
#[derive(Clone, Copy)]
pub struct StackView<'a> {
    /// The frames of all plies.
    pub frames: &'a Frames,
    /// The ply of the node.
    pub ply: Ply,
}

impl StackView<'_> {
    /// Returns what the opponent attacks at the node.
    pub fn threats(&self) -> &Threats {
        &self.frames.at(self.ply).threats
    }

    /// Returns the move made `plies` (1 to 6) before the node.
    pub fn moved(&self, plies: usize) -> PieceTo {
        self.frames.back(self.ply, plies).piece_to
    }
}
