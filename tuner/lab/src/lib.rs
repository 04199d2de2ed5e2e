//! The null-move laboratory: searches the same positions with different null-move schemes and compares their trees, their
//! solutions and their null moves; [`mine`] learns from logs when a null move pays.

#![forbid(unsafe_code)]

pub mod board;
pub mod builtin;
pub mod checkpoint;
pub mod counters;
mod error;
pub mod experiment;
mod job;
pub mod mine;
pub mod numbers;
pub mod output;
pub mod page;
pub mod provenance;
pub mod result;
pub mod suite;
pub mod tables;
pub mod tree;
pub mod trial;

pub use error::ExperimentError;

/// The searches of an experiment as work for other machines.
pub const KIND: nullarbor_runs::JobKind = nullarbor_runs::JobKind::of::<job::Searches>();
