//! The cost and the expected gain of a run, and the gains that suit it, before its games are played.

pub mod budget;
pub mod estimates;
pub mod measurements;
pub mod planner;
pub mod probe;
pub mod search;
pub mod sensitivity;
pub mod simulate;

pub use estimates::Estimates;
pub use measurements::Measurements;
pub use planner::Plan;
