//! Scores and depths, which the rules of chess do not have, beside the types of [`nullarbor_chess`].

mod depth;
mod score;

pub use depth::{Depth, MAX_PLY, Ply};
pub use nullarbor_chess::types::*;
pub use score::{Bound, Score};
