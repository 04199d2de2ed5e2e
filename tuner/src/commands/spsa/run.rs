//! `spsa run` and `spsa resume`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::print_status;
use crate::commands::CommandResult;
use nullarbor_games::work::Stop;
use nullarbor_spsa::progress::Progress;
use nullarbor_spsa::record::Record;
use nullarbor_spsa::run::Session;
use nullarbor_spsa::run_file::RunFile;

/// Play a run and keep its journal in a folder. If the folder already has this run, it is resumed.
///
/// The journal gets a line for each finished iteration, synced to disk before the next one is applied: a run that was killed
/// resumes from there and ends with the same values.
#[derive(Args)]
pub struct RunArgs {
    /// The run file
    file: PathBuf,
    /// The folder for its journal
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    session: SessionArgs,
}

/// Resume a run that was stopped or killed.
#[derive(Args)]
pub struct ResumeArgs {
    /// The folder of the run
    dir: PathBuf,
    #[command(flatten)]
    session: SessionArgs,
}

#[derive(Args)]
struct SessionArgs {
    /// Games at the same time [default: that of the run file, or the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
    /// Show only the result
    #[arg(long)]
    quiet: bool,
}

impl RunArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        self.session.play(RunFile::read(&self.file)?, &self.dir, stop)
    }
}

impl ResumeArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        self.session.play(Record::read(&self.dir)?.run, &self.dir, stop)
    }
}

impl SessionArgs {
    fn play(&self, run: RunFile, dir: &Path, stop: &Arc<Stop>) -> CommandResult {
        let mut session = Session::open(run.clone(), dir)?;
        let mut progress = Progress::new(&run, session.theta(), self.quiet);
        if session.was_torn {
            progress.say("The last line of the journal was incomplete and is dropped.");
        }
        if session.theta().iteration() > 0 {
            progress.say(&format!("Resumed after {} iterations.", session.theta().iteration()));
        }
        let played =
            session.play(run.workers(self.concurrency), stop, |theta| progress.update(theta));
        progress.end();
        played?;
        print_status(dir)?;
        for (command, purpose) in [
            ("report", "draws the paths of the parameters"),
            ("verify", "plays the result against the start"),
            ("apply", "writes the result into the source as new defaults"),
        ] {
            let dir = dir.display();
            progress.say(&format!("next: nullarbor-tuner spsa {command} {dir}  # {purpose}"));
        }
        Ok(())
    }
}
