//! What people and programs get to see of a match.

pub mod lines;
pub mod output;
pub mod progress;
pub mod summary;
pub mod table;
