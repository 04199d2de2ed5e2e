//! `spsa`: parameters tuned by games of an engine against itself.

mod apply;
mod init;
mod plan;
mod report;
mod run;
mod verify;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};

use super::CommandResult;
use nullarbor_report::terminal;
use nullarbor_runs::Stop;
use nullarbor_spsa::record::Snapshot;

/// Tune the parameters of this engine, or the options of any other UCI engine, by self-play (SPSA).
///
/// A run is a TOML file (`init` writes one) and a folder with a journal, from which a killed run resumes. Without a
/// clock the seed and the file determine the result, with any number of workers.
#[derive(Subcommand)]
#[allow(missing_docs)]
pub enum SpsaCommand {
    Init(init::InitArgs),
    Plan(plan::PlanArgs),
    Run(run::RunArgs),
    Resume(run::ResumeArgs),
    Status(StatusArgs),
    Report(report::ReportArgs),
    Verify(verify::VerifyArgs),
    Apply(apply::ApplyArgs),
    Export(apply::ExportArgs),
    Import(apply::ImportArgs),
}

/// Print the state of a run: name, value and start of each parameter. Works during the run.
#[derive(Args)]
#[command(after_long_help = "Example:
  nullarbor-tuner spsa status run")]
pub struct StatusArgs {
    /// The folder of the run
    dir: PathBuf,
}

#[derive(Args)]
struct WorkArgs {
    /// Games at the same time [default: as in the run file, or the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
    /// Print only the result, no progress
    #[arg(long)]
    quiet: bool,
}

impl SpsaCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If it fails or is interrupted.
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        match self {
            Self::Init(args) => args.run(stop),
            Self::Plan(args) => args.run(stop),
            Self::Run(args) => args.run(stop),
            Self::Resume(args) => args.run(stop),
            Self::Status(args) => print_status(&args.dir),
            Self::Report(args) => args.run(stop),
            Self::Verify(args) => args.run(stop),
            Self::Apply(args) => args.run(),
            Self::Export(args) => args.run(),
            Self::Import(args) => args.run(),
        }
    }
}

fn print_status(dir: &Path) -> CommandResult {
    terminal::print(&Snapshot::read(dir)?.status());
    Ok(())
}
