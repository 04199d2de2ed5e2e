//! Generations of networks: the accepted network plays games, a new one is trained on them, and it is accepted if it passes every
//! gate.
//!
//! From the bottom up: [`config`] is what the user writes, [`event`] what the journal records, with [`check`]s of figures, [`gates`] are pure rules from
//! measurements to decisions, [`state`] is a fold over the events that says what is done next; [`supervisor`] stops and pauses
//! work, `steps` do it and [`run`] is the loop. [`page`] shows a run, [`ship`] puts its network into a source tree.

#![forbid(unsafe_code)]

pub mod books;
pub mod check;
mod commit;
pub mod config;
mod error;
pub mod event;
pub mod folder;
pub mod gates;
pub mod generations;
pub mod page;
pub mod priority;
pub mod run;
pub mod ship;
pub mod state;
mod steps;
pub mod supervisor;
pub mod under_way;

pub use config::Config;
pub use error::Error;
pub use folder::Folder;
pub use run::{BreedRun, End};
