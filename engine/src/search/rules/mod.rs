//! The rules of the search: pure functions of what is known of a node, and no searching.

pub mod extend;
pub mod null_move;
pub mod prune;
pub mod reduce;
