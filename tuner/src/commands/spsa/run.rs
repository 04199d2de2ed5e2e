//! `spsa run` and `spsa resume`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::{WorkArgs, print_status};
use crate::commands::CommandResult;
use crate::commands::worker::workers;
use nullarbor_cluster::ClusterArgs;
use nullarbor_report::terminal;
use nullarbor_runs::Stop;
use nullarbor_spsa::run::{play, resumed};
use nullarbor_spsa::run_file::RunFile;

/// Play a run and keep its journal in a folder. If the folder already has this run, it is resumed.
///
/// The journal gets a line for each finished iteration, synced to disk before the next one is applied: a killed run
/// resumes from there and ends with the same values. You can stop a run at any time, and extend it with more
/// `iterations` in the file.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner spsa run planned.toml --dir run
  nullarbor-tuner spsa run planned.toml --dir run --cluster nats://127.0.0.1")]
pub struct RunArgs {
    /// The run file
    file: PathBuf,
    /// The folder for its journal
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    cluster: ClusterArgs,
}

/// Resume a run that was stopped or killed, or extend one.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner spsa resume run
  nullarbor-tuner spsa resume run --iterations 5000")]
pub struct ResumeArgs {
    /// The folder of the run
    dir: PathBuf,
    /// Extend the run to this number of iterations; from here on, decaying gains and growing nodes are those of the
    /// longer run
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    iterations: Option<u64>,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    cluster: ClusterArgs,
}

impl RunArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        self.work.play(RunFile::read(&self.file)?, &self.dir, &self.cluster, stop)
    }
}

impl ResumeArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let run = resumed(&self.dir)?;
        let iterations = self.iterations.unwrap_or(run.iterations);
        let run = RunFile { iterations, ..run };
        run.check()?;
        self.work.play(run, &self.dir, &self.cluster, stop)
    }
}

impl WorkArgs {
    fn play(
        &self,
        run: RunFile,
        dir: &Path,
        cluster: &ClusterArgs,
        stop: &Arc<Stop>,
    ) -> CommandResult {
        let (workers, is_own) =
            (workers(cluster, run.workers(self.concurrency))?, run.engine.is_none());
        play(run, dir, &workers, stop, self.quiet)?;
        print_status(dir)?;
        if !self.quiet {
            let dir = dir.display();
            let use_it = match is_own {
                true => format!(
                    "spsa apply {dir}    # writes the result into the source as new defaults"
                ),
                false => format!("spsa export --setoption {dir}   # prints the result"),
            };
            terminal::message(format_args!(
                "next: nullarbor-tuner spsa verify {dir}   # plays the result against the start\n\
                 next: nullarbor-tuner spsa report {dir}   # writes a page with the path of each parameter\n\
                 next: nullarbor-tuner {use_it}"
            ));
        }
        Ok(())
    }
}
