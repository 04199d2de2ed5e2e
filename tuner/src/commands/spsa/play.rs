//! `spsa run` and `spsa resume`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::live::Live;
use super::{JOURNAL, Progress, RUN_FILE, SpsaError, status, write};
use nullarbor_games::work::{Stop, crew};
use nullarbor_spsa::run::Session;
use nullarbor_spsa::run_file::RunFile;

/// Play a run, and keep its journal in a folder. Where the folder holds the same run already, it goes on.
///
/// The journal gets a line for each finished iteration and is on the disk before the next one counts: a run that was killed
/// in whatever way goes on from there, to the same values.
#[derive(Args)]
pub struct RunArgs {
    /// The run, as `spsa init` writes it
    file: PathBuf,
    /// The folder for its journal
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    how: HowArgs,
}

/// Go on with a run that was stopped or killed.
#[derive(Args)]
pub struct ResumeArgs {
    /// The folder of the run
    dir: PathBuf,
    #[command(flatten)]
    how: HowArgs,
}

#[derive(Args)]
struct HowArgs {
    /// Games at the same time [default: what the run file says, or the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
    /// Show nothing but the result
    #[arg(long)]
    quiet: bool,
}

impl RunArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> Result<(), SpsaError> {
        let run = RunFile::read(&self.file)?;
        fs::create_dir_all(&self.dir)
            .map_err(|source| SpsaError::File { path: self.dir.clone(), source })?;
        play(run, &self.dir, &self.how, stop)
    }
}

impl ResumeArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> Result<(), SpsaError> {
        let progress = Progress::read(&self.dir)?;
        play(progress.record.run, &self.dir, &self.how, stop)
    }
}

fn play(run: RunFile, dir: &Path, how: &HowArgs, stop: &Arc<Stop>) -> Result<(), SpsaError> {
    let asked = how.concurrency.or(run.concurrency.map(|workers| workers as u64));
    let mut live = Live::new(&run, how.quiet);
    let mut session = Session::open(run.clone(), &dir.join(JOURNAL), &mut live)?;
    let copy = dir.join(RUN_FILE);
    // For people; the journal knows the run by itself.
    let text = toml::to_string(&run).unwrap_or_default();
    write(&copy, &text)?;
    if session.was_torn {
        live.say("The last line of the journal was cut short, and is dropped.");
    }
    let known = session.path().applied();
    if known > 0 {
        live.say(&format!("{known} iterations are known from the journal."));
    }
    live.begin(session.path());
    let done = session.play(crew::workers(asked), stop, &mut live)?;
    live.end();
    if done {
        return status::show(&Progress::read(dir)?);
    }
    let (done, all) = (session.path().applied(), run.iterations);
    Err(SpsaError::Interrupted { done, all, dir: dir.to_owned() })
}
