//! The log of null searches, for the study of null moves (see the tuner's `mine`).

use nullarbor_chess::board::{KeyHistory, Position};

use super::rules::null_move::Feature;
use crate::types::{Depth, Score};

/// Receives a record of every null search.
pub trait AttemptLog: Send + Sync {
    /// Returns whether a node that a null search is about to cut shall be searched on for a
    /// [`Probe`]. That takes time, and what the search remembers of it may change what follows, so
    /// it should be rare.
    fn wants_probe(&self) -> bool;
    /// Called after a null search.
    fn note(&self, attempt: &Logged<'_>);
}

/// A null search and its node.
pub struct Logged<'a> {
    /// The position of the node.
    pub position: &'a Position,
    /// The keys of the positions before it.
    pub keys: &'a KeyHistory,
    /// Depth left at the node.
    pub depth: Depth,
    /// The score that had to be reached.
    pub beta: Score,
    /// Facts that the node knew before its null move, in the order of [`Feature::ALL`].
    pub features: [i32; Feature::COUNT],
    /// Score of the null search, for the side to move.
    pub score: Score,
    /// Nodes of the null search.
    pub null_nodes: u64,
    /// Result of searching the node on, if the log asked for it.
    pub probe: Option<Probe>,
}

/// The result of a node searched on in spite of a null search that failed high.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Score of the node.
    pub score: Score,
    /// Nodes of the search.
    pub nodes: u64,
}
