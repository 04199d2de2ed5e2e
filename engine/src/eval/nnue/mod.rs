//! An efficiently updatable neural network, NNUE (Y. Nasu, 2018).
//!
//! The architecture is (768 → H)×2 → 1 with SCReLU activation (squared clipped ReLU), optional king
//! buckets and optional output buckets. Each side sees the board from its own end, mirrored so that
//! its king is on the files a to d. The parameters are quantised to integers.
//!
//! - [`features`]: input features and the perspective of a side.
//! - [`format`](mod@format): the file format and the quantisation constants.
//! - [`network`]: a network in memory, and how it is loaded.
//! - `accumulator`, `evaluator`: incremental evaluation.

mod accumulator;
mod architecture;
mod evaluator;
pub mod features;
pub mod format;
pub mod network;
#[cfg(test)]
mod tests;

pub use architecture::{HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS, centipawns, screlu};
pub use evaluator::Evaluator;
pub use network::{Network, NetworkError};
