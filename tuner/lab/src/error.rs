//! The error of an experiment.

use nullarbor::engine::EngineError;
use nullarbor_runs::journal::JournalError;
use nullarbor_runs::{Interrupted, RemoteError};
use thiserror::Error;

/// Why an experiment has no results.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ExperimentError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Remote(#[from] RemoteError),
    #[error("there is no scheme {0}")]
    NoScheme(usize),
    #[error("interrupted; nothing was written")]
    Interrupted(#[from] Interrupted),
    #[error(transparent)]
    Journal(#[from] JournalError),
}
