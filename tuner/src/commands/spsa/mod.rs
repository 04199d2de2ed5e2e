//! `spsa`: parameters tuned by games of the engine against itself.

mod apply;
mod init;
mod live;
mod openbench;
mod plan;
mod play;
mod report;
mod status;
mod verify;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Subcommand;
use nullarbor::params::ParamError;
use thiserror::Error;

use super::play::MatchError;
use nullarbor_games::stats::PairCounts;
use nullarbor_games::work::Stop;
use nullarbor_spsa::openbench::ImportError;
use nullarbor_spsa::rewrite_defaults::SourceError;
use nullarbor_spsa::run::{Iteration, Record, RunError, pipeline, replay};
use nullarbor_spsa::run_file::{Mistake, RunFileError};
use nullarbor_spsa::theta::Path as Walk;

/// Tune parameters by games of the engine against itself.
///
/// A run is a file of TOML (`init` writes one) and a folder with a journal, from which a killed run goes on. Where no clock
/// runs, the seed and the file decide everything: one worker or many give the same values.
#[derive(Subcommand)]
#[allow(missing_docs)]
pub enum SpsaCommand {
    Init(init::InitArgs),
    Plan(plan::PlanArgs),
    Run(play::RunArgs),
    Resume(play::ResumeArgs),
    Status(status::StatusArgs),
    Report(report::ReportArgs),
    Verify(verify::VerifyArgs),
    Apply(apply::ApplyArgs),
    Export(openbench::ExportArgs),
    Import(openbench::ImportArgs),
}

/// Why nothing was tuned.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum SpsaError {
    #[error(transparent)]
    RunFile(#[from] RunFileError),
    #[error(transparent)]
    Mistake(#[from] Mistake),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Match(#[from] MatchError),
    #[error(transparent)]
    Sprt(#[from] nullarbor_games::stats::SprtError),
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("{path}: {source}", path = path.display())]
    Source { path: PathBuf, source: SourceError },
    #[error("{path}: {source}", path = path.display())]
    Import { path: PathBuf, source: ImportError },
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error("{dir} holds no run: `spsa run FILE --dir {dir}` makes one", dir = dir.display())]
    NoRun { dir: PathBuf },
    #[error("interrupted after {done} of {all} iterations; `spsa resume {dir}` goes on", dir = dir.display())]
    Interrupted { done: u64, all: u64, dir: PathBuf },
    #[error(
        "{games} games are too few to gain anything of {elo:.1} Elo: whatever the gains, noise would lose more than they find; more games, fewer parameters or narrower ranges may do"
    )]
    Hopeless { games: u64, elo: f64 },
    #[error("interrupted")]
    Stopped,
}

impl SpsaError {
    /// Whether somebody wanted it.
    pub fn is_interruption(&self) -> bool {
        matches!(
            self,
            Self::Interrupted { .. } | Self::Stopped | Self::Match(MatchError::Interrupted(_))
        )
    }
}

impl SpsaCommand {
    /// Does it.
    ///
    /// # Errors
    /// Where something that was asked for cannot be had.
    pub fn run(&self, stop: &Arc<Stop>) -> Result<(), SpsaError> {
        match self {
            Self::Init(args) => args.run(),
            Self::Plan(args) => args.run(stop),
            Self::Run(args) => args.run(stop),
            Self::Resume(args) => args.run(stop),
            Self::Status(args) => args.run(),
            Self::Report(args) => args.run(stop),
            Self::Verify(args) => args.run(stop),
            Self::Apply(args) => args.run(),
            Self::Export(args) => args.run(),
            Self::Import(args) => args.run(),
        }
    }
}

/// Writes a file.
fn write(path: &Path, text: &str) -> Result<(), SpsaError> {
    fs::write(path, text).map_err(|source| SpsaError::File { path: path.to_owned(), source })
}

const JOURNAL: &str = "journal.jsonl";
const RUN_FILE: &str = "run.toml";

/// Where a run is, as its journal tells.
struct Progress {
    record: Record,
    walk: Walk,
    games: PairCounts,
}

impl Progress {
    fn read(dir: &Path) -> Result<Self, SpsaError> {
        let journal = dir.join(JOURNAL);
        if !journal.is_file() {
            return Err(SpsaError::NoRun { dir: dir.to_owned() });
        }
        let record = Record::read(&journal)?;
        let mut pipeline = pipeline(&record.run)?;
        let mut games = PairCounts::default();
        replay(&mut pipeline, &record.iterations, |iteration: &Iteration, _, _| {
            games.merge(&iteration.pairs);
        });
        Ok(Self { walk: pipeline.path().clone(), record, games })
    }

    /// Names and values of the result, rounded.
    fn result(&self) -> Vec<(String, i32)> {
        let names = self.walk.axes().iter().map(|axis| axis.name.clone());
        names.zip(self.walk.result().into_iter().map(|value| value.round() as i32)).collect()
    }
}
