//! The rules of the search: pure functions from what is known of a [`Node`](node::Node) to a
//! decision. They import nothing of the engine but types and parameters, do no searching, and are
//! tested without a tree.

pub mod extend;
pub mod node;
pub mod null_move;
pub mod prune;
pub mod reduce;
