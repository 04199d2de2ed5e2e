//! The errors of the crate.

use std::path::{Path, PathBuf};

use nullarbor::eval::nnue::NetworkError;
use nullarbor::eval::nnue::format::FormatError;
use nullarbor_games::engine_config::EngineStartError;
use nullarbor_games::engine_spec::EnginesError;
use nullarbor_games::matches::{MatchError, RunError};
use nullarbor_games::tablebases::TablesError;
use nullarbor_runs::Interrupted;
use nullarbor_runs::files::FileError;
use nullarbor_runs::journal::JournalError;
use nullarbor_train::data::DatasetError;
use nullarbor_train::data::self_play::SelfPlayError;
use nullarbor_train::label::LabelError;
use nullarbor_train::trainer::TrainError;
use nullarbor_train::trainer::judge::SetError;
use thiserror::Error;

use crate::config::ConfigError;

/// Why a run cannot go on.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum Error {
    #[error("{dir} has no breed.toml: `nullarbor-tuner breed init {dir}` writes one", dir = dir.display())]
    NoRun { dir: PathBuf },
    #[error("{path} exists already; begin a run in a new folder", path = path.display())]
    Exists { path: PathBuf },
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("{path}, event {number}: {problem}; the journal is damaged or from another version", path = path.display())]
    Event { path: PathBuf, number: usize, problem: String },
    #[error(
        "{path} is not the network that the journal names ({expected}) but {found}: put the right file back", path = path.display()
    )]
    OtherNetwork { path: PathBuf, expected: String, found: String },
    #[error("the games of cycle {cycle}: {source}{}", other_engine(.source))]
    Games { cycle: u64, source: SelfPlayError },
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error("training in cycle {cycle}: {source}")]
    Training { cycle: u64, source: TrainError },
    #[error(transparent)]
    Train(#[from] TrainError),
    /// `all` is the file or folder of all that was made of the match.
    #[error("the match of {path}: {source}{}", other_match(.source, .all), path = path.display())]
    Match { path: PathBuf, all: PathBuf, source: Box<MatchError> },
    #[error("the set of the judge: {0}")]
    Label(LabelError),
    #[error(transparent)]
    Set(#[from] SetError),
    #[error("[games]: {0}")]
    Tables(#[from] TablesError),
    #[error(
        "[games] tb: tablebases of this machine decide no games of others: leave out tb or --cluster"
    )]
    TablesOfThisMachine,
    #[error(transparent)]
    Opponents(#[from] EnginesError),
    #[error(transparent)]
    Engine(#[from] EngineStartError),
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error("engine_build: {command}: {problem}")]
    Build { command: String, problem: String },
    #[error("the network has another shape than this tuner, and [run] engine_build is empty")]
    NoBuild,
    #[error("{0}")]
    Ship(String),
    #[error("the nice value cannot be set: {0}; --nice 0 leaves it unchanged")]
    Priority(std::io::Error),
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
}

/// Returns advice about games of another build.
fn other_engine(error: &SelfPlayError) -> &'static str {
    match error {
        SelfPlayError::Dataset(DatasetError::OtherEngine { .. }) => {
            " (in a breeding run: continue with the tuner that began the cycle, or delete this folder; its games are then played again)"
        }
        _ => "",
    }
}

/// Returns advice about a match of another build.
fn other_match(error: &MatchError, all: &Path) -> String {
    match error {
        MatchError::Journal(JournalError::Different { .. }) => format!(
            " (delete {} to play this match from its beginning with the tuner as it is now)",
            all.display()
        ),
        _ => String::new(),
    }
}

impl From<LabelError> for Error {
    fn from(error: LabelError) -> Self {
        match error {
            LabelError::Interrupted(interrupted) => interrupted.into(),
            error => Self::Label(error),
        }
    }
}

impl Error {
    /// Returns the error of a match; an interruption is one of its own.
    pub(crate) fn of_match(path: PathBuf, all: PathBuf, source: MatchError) -> Self {
        match source {
            MatchError::Run(RunError::Interrupted(interrupted)) => interrupted.into(),
            source => Self::Match { path, all, source: Box::new(source) },
        }
    }
}
