//! `mine`: mining logs of null moves.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::RangedU64ValueParser;
use clap::{Args, Subcommand};
use nullarbor::engine::Engine;
use nullarbor::search::null_move::{Scheme, Trigger, UnknownName};

use super::{CommandResult, lab};
use nullarbor_games::limit::Limit;
use nullarbor_games::scheme::{EngineKind, NamedScheme};
use nullarbor_lab::checkpoint::Checkpoints;
use nullarbor_lab::experiment::Experiment;
use nullarbor_lab::mine::conditions::{self, Condition, LEA};
use nullarbor_lab::mine::decision_tree::{self, Config};
use nullarbor_lab::mine::levels;
use nullarbor_lab::mine::log::Logging;
use nullarbor_lab::suite::Suite;
use nullarbor_report::terminal;
use nullarbor_runs::files::FileError;
use nullarbor_runs::paths::{Named, OutputLock, check_outputs};
use nullarbor_runs::{Stop, Workers, worker_count};
use nullarbor_stats::Bounds;

/// Learn from logs when a null move pays.
#[derive(Subcommand)]
#[allow(missing_docs)]
pub enum MineCommand {
    Log(LogArgs),
    Partition(PartitionArgs),
    Levels(LevelsArgs),
    Induce(InduceArgs),
    Report(ReportArgs),
}

impl MineCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If an argument is wrong, a file cannot be read or written, or it was interrupted.
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        match self {
            Self::Log(args) => args.run(stop),
            Self::Partition(args) => args.run(),
            Self::Levels(args) => args.run(),
            Self::Induce(args) => args.run(),
            Self::Report(args) => args.run(stop),
        }
    }
}

/// Play games of the engine against itself and log every null-move search
///
/// The log is a Parquet file with an integer column for each feature of the node and for each outcome of the search.
/// The number of workers does not change it.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner mine log --out attempts.parquet --games 200 --nodes 20000 --scheme nullarbor+trigger=always
  nullarbor-tuner mine log --out lea.parquet --games 100 --depth 6 --scheme impchess --engine plain

Read it with any data tool:
  python3 -c 'import pandas; print(pandas.read_parquet(\"attempts.parquet\").describe().T)'
  duckdb -c \"select depth, avg(cut), count(*) from 'attempts.parquet' group by depth order by depth\"")]
pub struct LogArgs {
    /// The log file
    #[arg(long, visible_alias = "log-null-moves", value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    logging: Logging,
    /// Print only the result, no progress
    #[arg(long)]
    quiet: bool,
}

impl LogArgs {
    /// Plays the games and writes the log.
    ///
    /// # Errors
    /// If an argument is wrong, the log cannot be written, or it was interrupted; the log then holds the complete games.
    pub fn run(&self, stop: &Stop) -> CommandResult {
        check_outputs(&[Named::new("--out", &self.out)], &self.logging.inputs())?;
        let _lock = OutputLock::of_file(&self.out)?;
        let summary = self.logging.write(&self.out, self.quiet, stop)?;
        terminal::line(&format!("{}: {summary}", self.out.display()));
        Ok(summary.end?)
    }
}

/// Split a log by conditions, and report how null moves fared where each one holds and where it does not
///
/// A condition compares columns of the log: `material - beta > 100`, `eval - beta > 0 && depth > 4`. The operators are those
/// of C. Any other expression has a row for each of its values: `last_piece`, `(beta > 100) - (beta < -100)`.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner mine partition attempts.parquet 'material - beta > 100' 'eval - beta > 0 && depth > 4'
  nullarbor-tuner mine partition attempts.parquet --rules rules.txt
  nullarbor-tuner mine partition attempts.parquet last_piece --lea

The columns of the table:
  attempts  null-move searches
  cut %     attempts that failed high
  labelled  attempts whose ground truth is known: the score of a full search without null moves
  wrong %   labelled cutoffs that the full search does not confirm, with the 95 % interval over games
  missed %  labelled attempts without a cutoff whose node is worth at least beta, likewise
  spent     nodes of all null-move searches
  saved     nodes that the cutoffs saved, estimated from the probed ones
  gain      saved minus spent")]
pub struct PartitionArgs {
    /// A log
    log: PathBuf,
    /// Conditions, or expressions to group by
    conditions: Vec<String>,
    /// Add the profiles of A. Lea (2016): side, last piece, material outside of the window, his trigger
    #[arg(long)]
    lea: bool,
    /// A file with a condition in each line; `#` begins a comment
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
}

impl PartitionArgs {
    /// Prints the table.
    ///
    /// # Errors
    /// If the log or a condition cannot be read.
    pub fn run(&self) -> CommandResult {
        let lea: &[&str] = if self.lea { &LEA } else { &[] };
        let texts = self.conditions.iter().map(String::as_str).chain(lea.iter().copied());
        let texts: Vec<String> = texts.map(str::to_owned).collect();
        let conditions = Condition::read_all(&texts, self.rules.as_deref())?;
        terminal::table(&conditions::table(&self.log, &conditions)?);
        Ok(())
    }
}

/// Compare logs of searches of several depths: how often null moves of White and Black cut, and those of Lea's trigger
///
/// The table of A. Lea (2016) by level. His last column is of searches with the trigger, that of a log with scheme
/// `impchess-triggered`; of a log without it, it is the share where the trigger holds.
#[derive(Args)]
#[command(after_long_help = "Example:
  nullarbor-tuner mine log --out level-4.parquet --games 100 --depth 4 --scheme impchess --engine plain
  nullarbor-tuner mine log --out level-5.parquet --games 100 --depth 5 --scheme impchess --engine plain
  nullarbor-tuner mine levels level-4.parquet level-5.parquet")]
pub struct LevelsArgs {
    /// Logs, one for each depth
    #[arg(required = true)]
    logs: Vec<PathBuf>,
}

impl LevelsArgs {
    /// Prints the table.
    ///
    /// # Errors
    /// If a log cannot be read.
    pub fn run(&self) -> CommandResult {
        terminal::table(&levels::table(&self.logs)?);
        Ok(())
    }
}

/// Fit a rule to a log: a decision tree of bounded depth that saves as many nodes as it can
///
/// The tree is fitted to the attempts of every other game, as far as their gain is known (probed cutoffs, and attempts
/// that failed), and validated on the other games. The command prints the rule, draws it, and writes it as a scheme that
/// the engine can play.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner mine induce attempts.parquet --out mined
  nullarbor-tuner match --engine self,NullMove=mined/rule.toml --engine self --nodes 5000 --sprt=-10,0")]
pub struct InduceArgs {
    /// A log with probed cutoffs (`mine log --probe`)
    log: PathBuf,
    /// The scheme whose trigger the rule replaces
    #[arg(long, alias = "preset", default_value = "nullarbor", value_parser = scheme)]
    scheme: String,
    #[command(flatten)]
    config: Config,
    /// Output folder for rule.toml, rule.svg and rule.txt
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

fn scheme(name: &str) -> Result<String, UnknownName> {
    name.parse::<Scheme>().map(|_| name.to_owned())
}

impl InduceArgs {
    /// Fits, prints and writes the rule.
    ///
    /// # Errors
    /// If the log cannot be read or does not hold enough, or a file cannot be written.
    pub fn run(&self) -> CommandResult {
        let outputs = ["rule.toml", "rule.svg", "rule.txt"];
        let outputs = outputs.map(|name| Named::new(name, self.out.join(name)));
        check_outputs(&outputs, &[Named::new("the log", &self.log)])?;
        let _lock = OutputLock::of_folder(&self.out)?;
        let fitted = decision_tree::fit_log(&self.log, &self.config)?;
        let rule = fitted.write(&self.out, &self.scheme)?;
        terminal::line(&fitted.text());
        terminal::table(&fitted.table());
        let (rule, out) = (rule.display(), self.out.display());
        terminal::line(&format!("next: nullarbor-tuner mine report {rule} --out {out}/report"));
        Ok(())
    }
}

/// Compare a mined rule with the scheme without it: the tables of the laboratory, then an SPRT
#[derive(Args)]
#[command(after_long_help = "Example:
  nullarbor-tuner mine report mined/rule.toml --out mined/report")]
pub struct ReportArgs {
    /// The scheme with the rule, as `mine induce` writes it
    rule: PathBuf,
    /// The scheme without it
    #[arg(long, default_value = "nullarbor")]
    against: String,
    /// Positions for the laboratory [default: all built-in suites]
    #[arg(long = "suite", value_name = "SUITE")]
    suites: Vec<String>,
    /// Depths for the laboratory
    #[arg(long, value_delimiter = ',', default_value = "8,10", value_parser = RangedU64ValueParser::<usize>::new().range(1..=30))]
    depths: Vec<usize>,
    /// Nodes per move of the games
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Bounds of the SPRT in normalised Elo [default: a non-regression test]
    #[arg(long, value_name = "ELO0,ELO1", default_value = "-10,0", allow_hyphen_values = true)]
    sprt: Bounds,
    /// Maximum number of games
    #[arg(long, default_value_t = 16_000, value_parser = clap::value_parser!(u64).range(2..))]
    games: u64,
    /// Seed of the openings of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Searches or games at the same time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
    /// Output folder for the tables, the page and sprt.txt
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print only the result, no progress
    #[arg(long)]
    quiet: bool,
}

impl ReportArgs {
    /// Runs the experiment and the games.
    ///
    /// # Errors
    /// If an argument is wrong, a file cannot be written, or it was interrupted.
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let rule = self.rule.display().to_string();
        let schemes = NamedScheme::read_all(&[&self.against, &rule])?;
        if !matches!(schemes[1].scheme.trigger, Trigger::Rule(_)) {
            return Err(format!("{rule}: it has no mined rule; `mine induce` writes one").into());
        }
        let sprt = self.sprt.normalised_test().map_err(|error| format!("--sprt: {error}"))?;
        let experiment = Experiment {
            suites: Suite::open_all(&self.suites)?,
            schemes,
            reference: 0,
            engine: EngineKind::Full,
            checkpoints: Checkpoints::new(&self.depths, &[]),
            hash: Engine::DEFAULT_HASH,
            workers: Workers::Threads(worker_count(self.concurrency)),
        };
        lab::run(&experiment, &self.out, self.quiet, stop)?;
        let limit = Limit::Nodes { hard: Some(self.nodes), soft: None };
        let mut round_robin =
            experiment.round_robin(limit, self.games, self.seed, Some(sprt), self.quiet);
        round_robin.players.reverse();
        let text = round_robin.play_and_print(stop)?;
        let path = self.out.join("sprt.txt");
        fs::write(&path, text).map_err(FileError::at(&path))?;
        terminal::line(&format!("next: open {}", self.out.join("index.html").display()));
        Ok(())
    }
}
