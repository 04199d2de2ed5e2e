//! Notes of null moves, for those who learn from them.

use super::rules::null_move::Feature;
use crate::board::{KeyHistory, Position};
use crate::types::{Depth, Score};

/// Takes a note of every null search.
pub trait AttemptLog: Send + Sync {
    /// Whether a node that a null search is about to cut off is to be searched on for a [`Probe`]. It takes time, and
    /// what the search remembers of it may change what follows: seldom, then.
    fn wants_probe(&self) -> bool;
    /// A null search is done.
    fn note(&self, attempt: &Logged<'_>);
}

/// A null search and where it was made.
pub struct Logged<'a> {
    /// The position of the node.
    pub position: &'a Position,
    /// The keys of the positions before it.
    pub keys: &'a KeyHistory,
    /// Depth left at the node.
    pub depth: Depth,
    /// What had to be reached.
    pub beta: Score,
    /// What the node knew before it passed, in the order of [`Feature::ALL`].
    pub features: [i32; Feature::COUNT],
    /// What the null search found, for the side to move.
    pub score: Score,
    /// What it took.
    pub null_nodes: u64,
    /// What the node would have taken otherwise, if somebody wanted to know.
    pub probe: Option<Probe>,
}

/// A node searched on in spite of a null search that failed high.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// What its moves are worth.
    pub score: Score,
    /// What they took.
    pub nodes: u64,
}
