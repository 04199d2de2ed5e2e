//! Reports of a match, for people and for programs.

pub mod course;
mod openings;
pub mod page;
pub mod progress;
pub mod ranking;
pub mod results;
mod searches;
pub mod summary;
