//! Simultaneous perturbation stochastic approximation over games of the engine against itself (J. C. Spall, "Multivariate
//! stochastic approximation using a simultaneous perturbation gradient approximation", IEEE Transactions on Automatic Control
//! 37(3), 1992).
//!
//! Each iteration perturbs all parameters at once, each up or down at random, lets the two settings play each other and steps
//! towards the winner. [`gains`] are the sizes of perturbations and steps, [`perturbation`] draws the two settings, [`theta`] is
//! the iterate, [`pipeline`] overlaps iterations; [`run_file`] is what the user writes, [`run`] plays it on all cores and
//! [`record`] reads its journal. [`plan`] estimates beforehand what a run will gain.

#![forbid(unsafe_code)]

mod average;
pub mod engine;
mod error;
pub mod export;
pub mod gains;
mod job;
pub mod openbench;
pub mod page;
pub mod pair;
pub mod parameter;
pub mod perturbation;
pub mod pipeline;
pub mod plan;
mod progress;
pub mod record;
pub mod regression;
pub mod report;
pub mod rewrite_defaults;
pub mod run;
mod run_copy;
pub mod run_file;
mod start;
mod stop_rule;
pub mod theta;
pub mod trace;

pub use error::{ConfigError, EngineError, Error};

/// The pairs of a run as work for other machines.
pub const KIND: nullarbor_runs::JobKind = nullarbor_runs::JobKind::of::<job::Pairs>();
