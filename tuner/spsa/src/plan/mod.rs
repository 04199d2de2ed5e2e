//! What a run will cost and gain, before its games are played.

pub mod budget;
pub mod probe;
pub mod sensitivity;
pub mod simulate;
