//! Use of the endgame tables in a search.

use std::sync::Arc;

use crate::tablebase::{RootRank, Tablebases};
use crate::types::Depth;

/// The endgame tables of one search.
#[derive(Clone)]
pub struct TableUse {
    /// The tables.
    pub tables: Arc<Tablebases>,
    /// Positions with at most this number of pieces are probed in the tree; 0 for none.
    pub pieces: usize,
    /// Least remaining depth for a probe of positions with the most pieces.
    pub depth: Depth,
    /// True if the fifty-move rule holds.
    pub fifty_moves: bool,
    /// Ranks of the root moves by the tables; empty if they do not know the root.
    pub root: Vec<RootRank>,
}
