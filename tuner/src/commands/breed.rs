//! `breed`: generations of networks.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand};
use nullarbor_breed::run::{Options, init, is_under_way, read_state};
use nullarbor_breed::ship::{Target, ship, ship_accepted};
use nullarbor_breed::{BreedRun, Config, End, Error, Folder, page, priority, supervisor};
use nullarbor_cluster::{Cluster, ClusterArgs};
use nullarbor_report::terminal;
use nullarbor_runs::{Interrupted, Stop, Workers};

use super::worker::build;
use super::{CommandResult, ExitWith};

/// Exit code of a run that three rejections in a row have stopped.
const GAVE_UP: u8 = 3;
/// Exit code of a run that goes on only with a tuner that was built with its network.
const REBUILD: u8 = 4;

/// Breed networks: play games, train, test and adopt, again and again.
///
/// A run is a folder with a configuration, breed.toml, and a journal. Each cycle plays games with the accepted network
/// and trains a new one from it on the games of the last generations. The new network is accepted if it passes every
/// gate: sanity, held-out loss, the judge (a new set labelled by deep searches), a match at fixed nodes from two books
/// of different origin, and a match on a clock if its shape is new. breed.html in the folder shows the run. After two
/// rejections in a row the next cycle collects twice as many positions; after three the run stops.
///
/// The same command resumes a run that was stopped or killed; only unfinished games, or the last seconds of training,
/// are lost. While the folder has a file called `pause`, the run finishes its current games and waits.
///
/// Exit codes: 0 if the time is up or all cycles are done, 1 for an error, 2 for a wrong command line, 3 after three
/// rejections in a row, 4 if the tuner must be rebuilt with the accepted network, 130 after Ctrl-C.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_long_help = "Examples:
  nullarbor-tuner breed init run        # writes run/breed.toml, which explains every key
  nullarbor-tuner breed run --hours 2.5
  nullarbor-tuner breed run --until 07:00
  touch run/pause                       # leaves the machine idle; rm run/pause continues
  nullarbor-tuner breed ship run        # puts the accepted network into this source tree, after a fresh match"
)]
pub struct BreedArgs {
    #[command(subcommand)]
    command: Option<BreedCommand>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Subcommand)]
enum BreedCommand {
    /// Write the configuration and the first network of a new run
    #[command(after_long_help = "Examples:
  nullarbor-tuner breed init run
  nullarbor-tuner breed init run --evalfile net.nnue")]
    Init {
        /// The folder of the run
        dir: PathBuf,
        /// Begin with this network instead of the built-in one
        #[arg(long, value_name = "FILE")]
        evalfile: Option<PathBuf>,
    },
    /// Print what a run has done, and write its page; works during the run
    #[command(after_long_help = "Example:
  nullarbor-tuner breed status run")]
    Status {
        /// The folder of the run
        dir: PathBuf,
    },
    /// Put the accepted network into a source tree, after a fresh match against the network there
    ///
    /// The matches that chose the best of many networks flatter it, so this match uses openings that no gate uses. If
    /// it is not won, nothing is written. Otherwise the facts of the generation go into the network's metadata, as a line
    /// into engine/generations.jsonl and as rows into engine/NETWORK.md, and the signature is recorded (make
    /// bench-record).
    #[command(after_long_help = "Examples:
  nullarbor-tuner breed ship run
  nullarbor-tuner breed ship run --tree ../nullarbor --no-bench
  nullarbor-tuner breed ship run --commit")]
    Ship {
        /// The folder of the run
        dir: PathBuf,
        /// The source tree
        #[arg(long, value_name = "DIR", default_value = ".")]
        tree: PathBuf,
        /// Leave the signature as it is
        #[arg(long)]
        no_bench: bool,
        /// Commit the files, in a tree without other changes
        #[arg(long, conflicts_with = "no_bench")]
        commit: bool,
        #[command(flatten)]
        work: Box<WorkArgs>,
    },
}

#[derive(Args)]
struct RunArgs {
    /// The folder of the run
    #[arg(required = true)]
    dir: Option<PathBuf>,
    /// Stop after this many hours
    #[arg(long, value_name = "HOURS", value_parser = hours)]
    hours: Option<Duration>,
    /// Stop at this time of day, such as 07:30
    #[arg(long, value_name = "TIME", value_parser = supervisor::until, conflicts_with = "hours")]
    until: Option<Duration>,
    /// Continue after three rejections in a row
    #[arg(long)]
    retry: bool,
    /// After a network is accepted, ship it to this source tree as `breed ship --commit` does. What hinders that, such
    /// as changes in the tree, is told and ends nothing; nothing is pushed
    #[arg(long, value_name = "TREE", num_args = 0..=1, require_equals = true, default_missing_value = ".")]
    ship: Option<PathBuf>,
    #[command(flatten)]
    work: WorkArgs,
}

#[derive(Args)]
struct WorkArgs {
    /// Threads, and games at the same time [default: as in breed.toml, or the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Nice value of the process [default: as in breed.toml, 19]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=19))]
    nice: Option<u8>,
    /// Print only the result, no progress
    #[arg(long)]
    quiet: bool,
}

/// A run that was interrupted.
#[derive(Debug, thiserror::Error)]
#[error("interrupted; to resume: nullarbor-tuner breed {}", .dir.display())]
struct Stopped {
    dir: PathBuf,
    source: Interrupted,
}

fn hours(text: &str) -> Result<Duration, String> {
    let hours = text.parse::<f64>().ok().filter(|hours| (0.0..=100_000.0).contains(hours));
    let hours = hours.ok_or_else(|| format!("`{text}` is not a number of hours, such as 2.5"))?;
    Ok(Duration::from_secs_f64(3600.0 * hours))
}

impl BreedArgs {
    /// Breeds, or does what the subcommand says.
    ///
    /// # Errors
    /// If a step fails, the user interrupts it, or the run cannot go on by itself.
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        match &self.command {
            None => self.run.run(stop),
            Some(BreedCommand::Init { dir, evalfile }) => {
                init(&Folder(dir.clone()), evalfile.as_deref())?;
                let dir = dir.display();
                terminal::line(&format!(
                    "{dir}/breed.toml has the settings, each with an explanation.\nnext: nullarbor-tuner breed {dir} --hours 2.5"
                ));
                Ok(())
            }
            Some(BreedCommand::Status { dir }) => status(&Folder(dir.clone())),
            Some(BreedCommand::Ship { dir, tree, no_bench, commit, work }) => {
                let mut run = work.open(dir, None, false, None, stop)?;
                let target = Target { tree: tree.clone(), bench: !no_bench, commit: *commit };
                let lines = ship(&mut run, &target).map_err(|error| stopped(error, dir))?;
                lines.iter().for_each(|line| terminal::line(line));
                Ok(())
            }
        }
    }
}

impl RunArgs {
    fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        // Without a subcommand it is required.
        let Some(dir) = &self.dir else { return Ok(()) };
        let (time, tree) = (self.hours.or(self.until), self.ship.clone());
        let mut run = self.work.open(dir, time, self.retry, tree, stop)?;
        let end = run.run(ship_accepted).map_err(|error| stopped(error, dir))?;
        let generation = run.state().generation();
        let again = format!("nullarbor-tuner breed {}", dir.display());
        let page = run.folder().page();
        terminal::line(&format!("Generation {generation}; {}", page.display()));
        match end {
            End::Time => terminal::line(&format!("The time is up; to resume: {again}")),
            End::Cycles(cycles) => terminal::line(&format!(
                "All cycles are done ({cycles}); to continue, raise `cycles` in breed.toml."
            )),
            End::GaveUp(lines) => {
                return Err(ExitWith { code: GAVE_UP, message: lines.join("\n") }.into());
            }
            End::Rebuild => {
                let net = run.folder().accepted();
                let message = format!(
                    "the accepted network has another shape than this tuner; to continue: make tuner EVALFILE={} && {again}",
                    net.display()
                );
                return Err(ExitWith { code: REBUILD, message }.into());
            }
        }
        Ok(())
    }
}

impl WorkArgs {
    fn open(
        &self,
        dir: &std::path::Path,
        time: Option<Duration>,
        retry: bool,
        ship: Option<PathBuf>,
        stop: &Arc<Stop>,
    ) -> Result<BreedRun, Box<dyn std::error::Error>> {
        let options = Options {
            user: Arc::clone(stop),
            time,
            retry,
            threads: self.threads,
            nice: self.nice,
            machines: Cluster::open(&self.cluster, build())?
                .map(|it| Workers::Machines(Arc::new(it))),
            ship,
            quiet: self.quiet,
        };
        let run = BreedRun::open(&Folder(dir.to_owned()), options)?;
        priority::lower(run.nice())?;
        Ok(run)
    }
}

/// Returns the error of a run; an interruption says how the run is resumed.
fn stopped(error: Error, dir: &std::path::Path) -> Box<dyn std::error::Error> {
    match error {
        Error::Interrupted(source) => Stopped { dir: dir.to_owned(), source }.into(),
        error => error.into(),
    }
}

fn status(folder: &Folder) -> CommandResult {
    let state = read_state(folder)?;
    let config = Config::read(&folder.config())?;
    page::write(folder, &state, &config, is_under_way(folder))?;
    state.cycles.iter().for_each(|cycle| terminal::line(&cycle.summary()));
    let next = state.next(config.anchors.every).title();
    terminal::line(&format!("Generation {}; now: {next}", state.generation()));
    terminal::line(&folder.page().display().to_string());
    Ok(())
}
