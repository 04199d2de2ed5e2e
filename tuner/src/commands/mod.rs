//! From the words of the command line to runs.

pub mod engine_spec;
pub mod lab;
pub mod match_args;
pub mod openings;
pub mod play;
mod rules;
