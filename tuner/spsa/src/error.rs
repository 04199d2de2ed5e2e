//! The errors of the crate.

use std::fs;
use std::path::{Path, PathBuf};

use nullarbor::params::ParamError;
use nullarbor_games::player::Fault;
use nullarbor_openings::BookError;
use nullarbor_runs::files::FileError;
use nullarbor_runs::journal::JournalError;
use nullarbor_runs::{Interrupted, RemoteError};
use thiserror::Error;

use super::engine::EngineError;
use super::run_file::ConfigError;

/// Why a run cannot be planned, played, continued or used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum Error {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Memory(#[from] nullarbor::engine::EngineError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Remote(#[from] RemoteError),
    #[error("{dir} contains no run: `spsa run FILE --dir {dir}` starts one", dir = dir.display())]
    NoRun { dir: PathBuf },
    #[error("{path} is the journal of another run: its run file differs", path = path.display())]
    Different { path: PathBuf },
    #[error("{path}: the run has {now} iterations, and can get more but not fewer; it may be stopped at any time, and its result is that of what was played", path = path.display())]
    Shortened { path: PathBuf, now: u64 },
    #[error("the engine did not search `{position}`: {fault:?}")]
    Fault { fault: Fault, position: String },
    #[error(
        "{games} games are too few to gain any of {elo:.1} Elo: with any gain, noise costs more than the run finds; play more games, tune fewer parameters or narrow their ranges"
    )]
    TooFewGames { games: u64, elo: f64 },
    #[error("the run tunes {engine}, whose source is elsewhere; its values: nullarbor-tuner spsa export --setoption {dir}", dir = dir.display())]
    Foreign { engine: String, dir: PathBuf },
    #[error("interrupted after {done} of {all} iterations; to resume: nullarbor-tuner spsa resume {dir}", dir = dir.display())]
    Unfinished { done: u64, all: u64, dir: PathBuf, source: Interrupted },
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
}

/// Writes a file.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    Ok(fs::write(path, text).map_err(FileError::at(path))?)
}
