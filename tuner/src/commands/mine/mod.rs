//! `mine`: logs of null moves, and what can be learnt from them.

mod induce;
mod log;
mod partition;
mod report;

use std::path::PathBuf;

use clap::Subcommand;
use nullarbor::engine::EngineError;
use nullarbor_openings::BookError;
use thiserror::Error;

use super::lab::LabError;
use super::play::MatchError;
use nullarbor_games::scheme::SchemeError;
use nullarbor_games::stats::SprtError;
use nullarbor_games::work::Stop;
use nullarbor_lab::mine::file::LogFileError;
use nullarbor_lab::mine::induce::InduceError;
use nullarbor_lab::mine::partition::ConditionError;
use nullarbor_report::table::grouped;

/// Learn from logs when a null move pays.
#[derive(Subcommand)]
#[allow(missing_docs)]
pub enum MineCommand {
    Log(log::LogArgs),
    Partition(partition::PartitionArgs),
    Induce(induce::InduceArgs),
    Report(report::ReportArgs),
}

/// Why nothing was learnt.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum MineError {
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    LogFile(#[from] LogFileError),
    #[error(transparent)]
    Condition(#[from] ConditionError),
    #[error(transparent)]
    Induce(#[from] InduceError),
    #[error("--sprt: {0}")]
    Sprt(#[from] SprtError),
    #[error(transparent)]
    Lab(#[from] LabError),
    #[error(transparent)]
    Match(#[from] MatchError),
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("say a condition, such as 'material - beta > 100', or --rules FILE")]
    NoCondition,
    #[error("{0}: it has no learnt rule; `mine induce` makes one")]
    NoRule(PathBuf),
    #[error("interrupted; {0}")]
    Interrupted(String),
}

impl MineError {
    /// Whether somebody wanted it.
    pub fn is_interruption(&self) -> bool {
        matches!(
            self,
            Self::Interrupted(_)
                | Self::Lab(LabError::Interrupted)
                | Self::Match(MatchError::Interrupted(_))
        )
    }
}

impl MineCommand {
    /// Does it.
    ///
    /// # Errors
    /// Where something that was asked for cannot be had.
    pub fn run(&self, stop: &std::sync::Arc<Stop>) -> Result<(), MineError> {
        match self {
            Self::Log(args) => args.run(stop),
            Self::Partition(args) => args.run(),
            Self::Induce(args) => args.run(),
            Self::Report(args) => args.run(stop),
        }
    }
}

/// A share in percent, `-` of nothing.
fn percent(part: u64, all: u64) -> String {
    if all == 0 { "-".to_owned() } else { format!("{:.1}", 100.0 * part as f64 / all as f64) }
}

/// A number that may be below nothing, in groups of three digits.
fn signed(number: f64) -> String {
    let sign = if number < 0.0 { "-" } else { "" };
    format!("{sign}{}", grouped(number.abs().round() as u64))
}
