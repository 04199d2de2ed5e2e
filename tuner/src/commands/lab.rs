//! `lab`: null-move schemes side by side.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use nullarbor::engine::Engine;
use nullarbor_cluster::ClusterArgs;

use super::worker::workers;
use super::{CommandResult, arguments};
use nullarbor_games::limit::{self, Limit};
use nullarbor_games::scheme::{self, EngineKind, NamedScheme};
use nullarbor_lab::checkpoint::Checkpoints;
use nullarbor_lab::experiment::Experiment;
use nullarbor_lab::output;
use nullarbor_lab::result::Results;
use nullarbor_lab::suite::Suite;
use nullarbor_lab::tables;
use nullarbor_report::table::Table;
use nullarbor_report::terminal;
use nullarbor_runs::paths::OutputLock;
use nullarbor_runs::{Stop, worker_count};

/// Compare null-move schemes on suites of positions
///
/// Searches every position with every scheme, to the same depths or for the same time, and reports tree sizes,
/// solutions and null-move statistics. With --games the schemes also play each other. Searches to a depth are
/// deterministic: only the times depend on the machine and the number of workers.
#[derive(Args)]
#[command(after_long_help = help())]
pub struct LabArgs {
    /// Positions: tactical, mate, zugzwang, or an EPD file (bm, am and dm give the solution); may be repeated
    /// [default: all three]
    #[arg(long = "suite", value_name = "SUITE")]
    suites: Vec<String>,
    /// Search to the largest of these depths; the tables show all of them
    #[arg(long, value_delimiter = ',', required_unless_present = "seconds", conflicts_with = "seconds", value_parser = RangedU64ValueParser::<usize>::new().range(1..=30))]
    depths: Vec<usize>,
    /// Search for the longest of these times; the tables show all of them
    #[arg(long, value_delimiter = ',', value_parser = limit::move_time)]
    seconds: Vec<Duration>,
    /// Schemes, with changes as +key=value, or TOML files
    #[arg(long, alias = "policies", value_delimiter = ',', required = true)]
    schemes: Vec<String>,
    /// The search that tries the schemes; `no-...` is the search as it plays without one rule
    #[arg(long, value_enum, default_value_t = EngineKind::Full)]
    engine: EngineKind,
    /// The scheme to compare the others with [default: the first one]
    #[arg(long)]
    reference: Option<String>,
    /// Size of each transposition table in MiB
    #[arg(long, default_value_t = Engine::DEFAULT_HASH as u64, value_parser = clap::value_parser!(u64).range(1..))]
    hash: u64,
    /// Searches at the same time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Play a round robin between the schemes, with this number of games for each pairing
    #[arg(long, value_parser = clap::value_parser!(u64).range(2..))]
    games: Option<u64>,
    /// Limits of the games: nodes=N, tc=TIME+INCREMENT, st=SECONDS or depth=N; one round robin for each
    #[arg(
        long,
        value_name = "LIMITS",
        value_delimiter = ',',
        default_value = "nodes=5000",
        requires = "games"
    )]
    games_at: Vec<Limit>,
    /// Seed of the openings of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Output folder for tree.csv, null_moves.csv, lab.json and index.html
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print only the result, no progress
    #[arg(long)]
    quiet: bool,
}

fn help() -> String {
    format!(
        "Examples:
  nullarbor-tuner lab --suite ecm.epd --depths 6,7,8 --schemes off,fixed-2,fixed-3,verified --engine plain --out lab
  nullarbor-tuner lab --suite zugzwang --depths 8,10,12 --schemes fixed-3,fixed-3+guard=piece,verified --out lab
  nullarbor-tuner lab --seconds 0.1,1 --schemes off,nullarbor,mine.toml --games 200 --games-at tc=1+0.01 --out lab

If the name of a suite contains \"zugzwang\", the tables show wrong moves, and what each scheme saves and costs.

A scheme can have changes: fixed-3+guard=piece+min-depth=3. A scheme of your own is a TOML file with these keys:
{}  [rule]            a mined trigger, as `mine induce` writes it",
        scheme::syntax()
    )
}

/// Runs an experiment, and prints and writes its tables.
pub(super) fn run(
    experiment: &Experiment,
    out: &Path,
    quiet: bool,
    stop: &Stop,
) -> Result<Results, Box<dyn std::error::Error>> {
    let _lock = OutputLock::of_folder(out)?;
    let bar = terminal::bar(experiment.searches() as u64, "searches", quiet);
    let trials = experiment.run(stop, || bar.inc(1))?;
    bar.finish_and_clear();
    let results = Results::new(experiment, &trials);
    results.tables().iter().for_each(terminal::table);
    terminal::line(&tables::legend());
    // Before any games, which may take hours or be interrupted.
    output::write(out, &results, &command_line(), &[])?;
    Ok(results)
}

fn command_line() -> String {
    std::iter::once("nullarbor-tuner".to_owned()).chain(arguments()).collect::<Vec<_>>().join(" ")
}

impl LabArgs {
    fn experiment(&self) -> Result<Experiment, Box<dyn std::error::Error>> {
        let schemes = NamedScheme::read_all(&self.schemes)?;
        Ok(Experiment {
            suites: Suite::open_all(&self.suites)?,
            reference: scheme::index_of(self.reference.as_deref(), &schemes)?,
            schemes,
            engine: self.engine,
            checkpoints: Checkpoints::new(&self.depths, &self.seconds),
            hash: self.hash as usize,
            workers: workers(&self.cluster, worker_count(self.concurrency))?,
        })
    }

    /// Runs the experiment and the games.
    ///
    /// # Errors
    /// If an argument is wrong, a file cannot be written, or it was interrupted.
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let experiment = self.experiment()?;
        let results = run(&experiment, &self.out, self.quiet, stop)?;
        let games = self.play(&experiment, stop)?;
        let page = output::write(&self.out, &results, &command_line(), &games)?;
        terminal::line(&format!("next: open {}", page.display()));
        Ok(())
    }

    fn play(
        &self,
        experiment: &Experiment,
        stop: &Arc<Stop>,
    ) -> Result<Vec<Table>, Box<dyn std::error::Error>> {
        let mut tables = Vec::new();
        let Some(games) = self.games.filter(|_| experiment.schemes.len() > 1) else {
            return Ok(tables);
        };
        for limit in self.games_at.iter().cloned() {
            let round_robin = experiment.round_robin(limit, games, self.seed, None, self.quiet);
            let (plan, outcome) = round_robin.play(stop)?;
            let played = round_robin.tables(&plan, &outcome);
            played.iter().for_each(terminal::table);
            tables.extend(played);
        }
        Ok(tables)
    }
}
