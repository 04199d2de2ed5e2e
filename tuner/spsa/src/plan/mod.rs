//! The cost and the expected gain of a run, and the gains that suit it, before its games are played.

pub mod budget;
pub mod planner;
pub mod probe;
pub mod sensitivity;
pub mod simulate;

pub use planner::{Estimates, Measurements, Plan};
