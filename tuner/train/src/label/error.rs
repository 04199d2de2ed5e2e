//! The reasons for which positions are not labelled.

use std::fmt;
use std::path::PathBuf;

use nullarbor_games::engine_config::EngineStartError;
use nullarbor_games::player::Fault;
use nullarbor_openings::BookError;
use nullarbor_runs::Interrupted;
use nullarbor_runs::files::FileError;
use nullarbor_runs::journal::JournalError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::data::dataset::DatasetError;

/// Why positions were not labelled.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum LabelError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Engine(#[from] EngineStartError),
    #[error("there are no positions to label")]
    NoPositions,
    #[error("{path} exists already and is not from such a run; remove it, or choose another --out", path = path.display())]
    Exists { path: PathBuf },
    #[error("{path} has labels of a run with other {what}; remove it, or choose another --out", path = path.display())]
    OtherRun { path: PathBuf, what: String },
    #[error(
        "the engine failed {count} positions in a row, the last one because {failure}; {journal} has the labels so far: re-run the same command to continue",
        journal = journal.display()
    )]
    Hopeless { count: usize, failure: Failure, journal: PathBuf },
    #[error("no position was left: {0}")]
    NothingLeft(String),
    #[error("interrupted; re-run the same command to resume")]
    Interrupted(#[from] Interrupted),
}

/// A fault of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The process ended.
    Crashed,
    /// The engine did not answer.
    Hung,
    /// The engine answered with something else than a legal move.
    IllegalMove,
    /// The engine told no score.
    NoScore,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Crashed => "it crashed",
            Self::Hung => "it hung",
            Self::IllegalMove => "it played an illegal move",
            Self::NoScore => "it told no score",
        })
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Crash => Self::Crashed,
            Fault::Stall | Fault::Late => Self::Hung,
            Fault::IllegalMove(_) => Self::IllegalMove,
        }
    }
}
