//! What people and programs get to see of a match.

pub mod progress;
pub mod ranking;
pub mod results;
pub mod summary;
