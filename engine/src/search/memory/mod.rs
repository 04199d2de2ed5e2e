//! What a worker remembers from node to node and from search to search.

pub mod correction;
pub mod frame;
pub mod history;
pub mod moved;
pub mod picker;
pub mod pv;
