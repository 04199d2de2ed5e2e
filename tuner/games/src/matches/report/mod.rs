//! Reports of a match, for people and for programs.

pub mod progress;
pub mod ranking;
pub mod results;
pub mod summary;
