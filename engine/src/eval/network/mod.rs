//! An efficiently updatable neural network (Y. Nasu 2018): (768 -> H) x 2 -> 1 with squared clipped linear units.
//!
//! Each side sees the board from its own end, mirrored so that its king stands on the files a to d. [`features`] numbers
//! what it sees, [`weights`] are what was learnt, [`accumulator`] sums up the first layer, and [`evaluator`] keeps such sums
//! for the line that is being searched. [`format`](mod@format) says what a file of it is, [`file`] which files fit.

mod accumulator;
mod architecture;
mod evaluator;
pub mod features;
pub mod file;
pub mod format;
#[cfg(test)]
mod tests;
mod weights;

pub use architecture::{HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS, activation, centipawns};
pub use evaluator::Evaluator;
pub use file::NetworkError;
pub use weights::Network;
