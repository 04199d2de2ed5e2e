//! From the words of the command line to runs.

mod contest;
pub mod datagen;
mod dataset_stats;
pub mod engine_spec;
pub mod lab;
pub mod match_args;
pub mod mine;
pub mod openings;
pub mod play;
pub mod spsa;
pub mod train;
