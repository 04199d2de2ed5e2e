//! From the words of the command line to runs.

mod contest;
pub mod datagen;
mod dataset_stats;
pub mod engine_spec;
pub mod lab;
pub mod match_args;
#[cfg(feature = "mine")]
pub mod mine;
pub mod openings;
pub mod play;
mod rules;
pub mod spsa;
pub mod train;
