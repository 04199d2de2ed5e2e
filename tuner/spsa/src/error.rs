//! The errors of the crate.

use std::fs;
use std::path::{Path, PathBuf};

use nullarbor::params::ParamError;
use nullarbor_games::limit::TimeControlError;
use nullarbor_games::player::Fault;
use nullarbor_games::scheme::SchemeError;
use nullarbor_games::uci::StartError;
use nullarbor_openings::BookError;
use nullarbor_runs::files::FileError;
use nullarbor_runs::journal::JournalError;
use nullarbor_runs::{Interrupted, RemoteError};
use thiserror::Error;

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
    #[error("{path} is the journal of another run: {difference}; begin a run in another folder, or go on as this one began", path = path.display())]
    Different { path: PathBuf, difference: &'static str },
    #[error("{path}: the run has {now} iterations and can get more, but not fewer; you can stop it at any time, and its result covers the iterations played", path = path.display())]
    Shortened { path: PathBuf, now: u64 },
    #[error("the engine did not search `{position}`: {fault:?}")]
    Fault { fault: Fault, position: String },
    #[error(
        "{games} games are too few to gain any of {elo:.1} Elo: noise costs more than the run finds, whatever the gains; play more games, tune fewer parameters or narrow their ranges"
    )]
    TooFewGames { games: u64, elo: f64 },
    #[error("the run tunes {engine}, so its result does not belong in this source; to print it: nullarbor-tuner spsa export --setoption {dir}", dir = dir.display())]
    Foreign { engine: String, dir: PathBuf },
    #[error("interrupted after {done} of {all} iterations; to resume: nullarbor-tuner spsa resume {dir}", dir = dir.display())]
    Unfinished { done: u64, all: u64, dir: PathBuf, source: Interrupted },
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
}

/// A fault of a run file.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ConfigError {
    #[error("{name} = {value}: it must be from 1 to {most}")]
    Count { name: &'static str, value: u64, most: u64 },
    #[error("{0}")]
    Toml(String),
    #[error("nodes must be at least 1")]
    NoNodes,
    #[error("{iterations} iterations of {pairs} pairs are more games than {most} million")]
    Games { iterations: u64, pairs: u64, most: u64 },
    #[error("{name} = {value}: it must be {expected}")]
    Number { name: &'static str, value: f64, expected: &'static str },
    #[error("exactly one of nodes, depth and tc is needed")]
    Limit,
    #[error("the settings of a pair of games are not values of the run's parameters")]
    Settings,
    #[error(transparent)]
    TimeControl(#[from] TimeControlError),
    #[error("nothing is tuned: name parameters (`nullarbor params` lists them) or groups: {0}")]
    Nothing(String),
    #[error("nothing is tuned: list the options of the engine as [parameters.NAME]")]
    NoOption,
    #[error("no group is called `{0}`; the groups are {1}")]
    Group(String, String),
    #[error("no parameter is called `{0}`; `nullarbor params` lists them")]
    Parameter(String),
    #[error("{name}: {problem}")]
    Tuning { name: String, problem: String },
    #[error(
        "groups = [\"{0}\"]: only Nullarbor has groups; list each option of another engine as [parameters.NAME]"
    )]
    ForeignGroup(String),
    #[error(transparent)]
    Engine(#[from] Box<EngineError>),
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    #[error(
        "null_move = \"{0}\": it must be the name of a scheme of this engine, with changes if you like, and no file; for another engine write option.NAME= into `engine`"
    )]
    NullMove(String),
}

/// An engine that cannot be tuned so.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum EngineError {
    #[error(
        "engine = \"{0}\": it must be cmd=PATH, with arg=, dir= and option.NAME= where needed, and without a limit, a name or ponder"
    )]
    Spec(String),
    #[error("{program} calls itself `{found}`, but the run file is for `{expected}`: write a new one with `spsa init`, or correct engine_id if the options mean the same", program = .program.display())]
    Other { program: PathBuf, found: String, expected: String },
    #[error("{program} has no spin or check option `{name}`{near}", program = .program.display())]
    NoOption { program: PathBuf, name: String, near: String },
    #[error("{program}: option {name} takes {least} to {greatest}, not {min} to {max}", program = .program.display())]
    Range { program: PathBuf, name: String, least: i64, greatest: i64, min: i32, max: i32 },
    #[error("{program} has no options to tune{}", hint(.wanted), program = .program.display())]
    Nothing { program: PathBuf, wanted: bool },
    #[error(transparent)]
    Start(#[from] StartError),
}

fn hint(wanted: &bool) -> &'static str {
    if *wanted {
        " with such names"
    } else {
        ": it lists no spin or check option but those that every engine has"
    }
}

/// Writes a file.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    Ok(fs::write(path, text).map_err(FileError::at(path))?)
}
