//! The errors of the crate.

use std::fs;
use std::path::{Path, PathBuf};

use nullarbor::engine::EngineError;
use nullarbor::params::ParamError;
use nullarbor_games::files::FileError;
use nullarbor_games::journal::JournalError;
use nullarbor_games::work::{Interrupted, RemoteError};
use nullarbor_openings::BookError;
use thiserror::Error;

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
    Engine(#[from] EngineError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Remote(#[from] RemoteError),
    #[error("{dir} contains no run: `spsa run FILE --dir {dir}` starts one", dir = dir.display())]
    NoRun { dir: PathBuf },
    #[error("{path} is the journal of another run: its run file differs", path = path.display())]
    Different { path: PathBuf },
    #[error(
        "{games} games are too few to gain any of {elo:.1} Elo: with any gain, noise costs more than the run finds; play more games, tune fewer parameters or narrow their ranges"
    )]
    TooFewGames { games: u64, elo: f64 },
    #[error("interrupted after {done} of {all} iterations; to resume: nullarbor-tuner spsa resume {dir}", dir = dir.display())]
    Unfinished { done: u64, all: u64, dir: PathBuf, source: Interrupted },
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
}

/// Writes a file.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    Ok(fs::write(path, text).map_err(FileError::at(path))?)
}
