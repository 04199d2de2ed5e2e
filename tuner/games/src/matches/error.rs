//! The reasons for which a match ends early.

use nullarbor_runs::files::FileError;
use nullarbor_runs::journal::JournalError;
use nullarbor_runs::{Interrupted, RemoteError};
use thiserror::Error;

use crate::engine_config::EngineStartError;

/// Why a match ended early.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum RunError {
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
    #[error("stopped after game {0}, in which an engine crashed or hung")]
    Crash(u64),
    #[error(transparent)]
    Remote(#[from] RemoteError),
    #[error(transparent)]
    Engine(#[from] EngineStartError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    File(#[from] FileError),
}
