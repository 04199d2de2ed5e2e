//! Moves as rows of the continuation tables.

use crate::types::{Piece, Square};

/// Chessmen times squares.
pub const MOVED: usize = Piece::COUNT * 64;
/// The same, and a row for "no move".
pub const MOVED_ROWS: usize = MOVED + 1;

/// A chessman and the square it came to, as an index; or nothing, before the root and after a null move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovedIndex(u16);

impl MovedIndex {
    /// No move.
    pub const NOTHING: Self = Self(MOVED as u16);

    /// The man that moves, and its target.
    pub fn of(piece: Piece, to: Square) -> Self {
        Self((piece.index() * 64 + to.index()) as u16)
    }

    /// A row number; `NOTHING` has the last one.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Whether there was a move.
    pub fn is_some(self) -> bool {
        self != Self::NOTHING
    }
}
