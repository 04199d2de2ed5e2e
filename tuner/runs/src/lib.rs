//! Long work that stops, resumes and spreads over workers. Nothing here knows of chess.
//!
//! A run has a plan and numbered tasks. A [`Pool`] of threads or other machines ([`Workers`]) does them, [`InOrder`] puts the
//! results back into the order of their numbers, a [`journal`] keeps them so that a killed run goes on, and [`Stop`] ends it
//! early. Work that can travel to other machines implements [`Portable`].
//!
//! [`files`] reads and replaces files as a whole, [`paths`] finds outputs that collide, [`fingerprint`] hashes what decides
//! results, [`key_value`] reads `key=value` lists.

#![forbid(unsafe_code)]

pub mod files;
pub mod fingerprint;
mod in_order;
mod job;
pub mod journal;
pub mod key_value;
pub mod paths;
mod pool;
mod program;
mod stop;

pub use in_order::InOrder;
pub use job::{
    JobKind, Jobs, NotPortable, Portable, Referee, Remote, RemoteError, RemoteTask, RunRequest,
    RunSpec, ServeError, SpecError, Workers,
};
pub use pool::{Pool, worker_count};
pub use program::{LocalProgram, NotARevision, Revision};
pub use stop::{Interrupted, Stop};
