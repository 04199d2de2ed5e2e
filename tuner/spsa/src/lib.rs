//! Simultaneous perturbation stochastic approximation (J. Spall 1992) over games of the engine against itself.
//!
//! Each iteration moves all parameters at once, up or down by chance, lets the two settings play each other, and steps
//! towards the winner. From the ground up: [`gains`] says how large moves and steps are, [`perturbation`] which way, [`theta`]
//! adds up what came of it; [`run_file`] is what the user wants; [`run`] plays it on all cores and keeps a journal. Before a run,
//! [`plan`] says what to expect of it.

#![forbid(unsafe_code)]

pub mod gains;
pub mod openbench;
pub mod page;
mod pair;
pub mod perturbation;
pub mod pipeline;
pub mod plan;
pub mod rewrite_defaults;
pub mod run;
pub mod run_file;
pub mod theta;
pub mod trace;
