//! `label`: labels positions by searches of any engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use nullarbor_games::engine_spec::{self, EngineSpec};
use nullarbor_games::limit::Limit;
use nullarbor_games::matches::Session;
use nullarbor_report::terminal;
use nullarbor_runs::paths::{Named, check_outputs};
use nullarbor_runs::{Stop, worker_count};
use nullarbor_train::label::{LabelJob, Positions, Selection};

use super::CommandResult;

/// Label positions by searches, for the sets of `judge`.
///
/// Each position is searched as in a new game, so a label depends on the position alone and any number of threads
/// writes the same file. Labels are centipawns for White; mates are ±10,000 less their distance. Repeated positions and
/// finished games are skipped. Finished searches are in TSV.journal: re-run the same command to resume.
///
/// An engine that crashes, hangs or plays an illegal move is restarted and searches the position again. A position that
/// it fails twice is skipped, and tried again after all others when you repeat the command.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner label games.pgn --quiet-only --count 2000 --out set/met.tsv --nodes 100000
  nullarbor-tuner label unbalanced endgames --count 3000 --out set/neutral.tsv --engine cmd=./other,option.Hash=64
  nullarbor-tuner label games.pgn --quiet-only --count 1800 --siblings 8 --out set/siblings.tsv --nodes 50000
  nullarbor-tuner judge net.nnue --set set")]
pub struct LabelArgs {
    /// Positions: files of EPD or FEN (.epd, .fen), games (.pgn), datasets of `datagen` (folders), built-in books
    #[arg(required = true, value_name = "POSITIONS")]
    inputs: Vec<PathBuf>,
    /// The file to write: FEN, label, name of the input; with --siblings: group, FEN, label
    #[arg(long, value_name = "TSV")]
    out: PathBuf,
    /// The engine, described as in `match`: self, self,EvalFile=net.nnue, cmd=./other,option.Hash=64
    #[arg(long, value_name = "ENGINE", default_value = "self")]
    engine: EngineSpec,
    /// Nodes of each search
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Replace each undecided position by this many quiet siblings: positions after moves that neither capture nor
    /// promote nor give check
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(2..=200))]
    siblings: Option<usize>,
    /// Keep only quiet positions: not in check, and neither the best move nor the move played captures or promotes
    #[arg(long)]
    quiet_only: bool,
    /// At most this many positions, chosen at random [default: all]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    count: Option<usize>,
    /// Skip this many plies at the beginning of each game (PGN and datasets)
    #[arg(long, value_name = "PLIES", default_value_t = 8)]
    skip_plies: usize,
    /// Seed of the choice of positions and siblings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Engines at the same time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Seconds after which an engine counts as hung
    #[arg(long, value_name = "SECONDS", default_value_t = Session::TIMEOUT.as_secs(), value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Print only the result, no progress
    #[arg(long)]
    quiet: bool,
}

impl LabelArgs {
    /// Labels the positions and writes the file.
    ///
    /// # Errors
    /// If positions cannot be read, the engine fails again and again, the file cannot be written, or the user interrupts it.
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let threads = worker_count(self.threads);
        let limit = Limit::Nodes { hard: Some(self.nodes), soft: None };
        let engine = engine_spec::engines(std::slice::from_ref(&self.engine), Some(&limit))?;
        let engine = engine.into_iter().next().ok_or("--engine is missing")?;
        if engine.limit.is_timed() {
            return Err(
                "--engine: labels by the clock would depend on the machine; limit nodes or depth"
                    .into(),
            );
        }
        let selection = Selection {
            count: self.count,
            seed: self.seed,
            skip_plies: self.skip_plies,
            quiet_only: self.quiet_only,
        };
        let inputs: Vec<Named> =
            self.inputs.iter().map(|path| Named::new("POSITIONS", path)).collect();
        check_outputs(&[Named::new("--out", &self.out)], &inputs)?;
        let job = LabelJob {
            engine,
            positions: Positions::read(&self.inputs, &selection, threads, self.quiet, stop)?,
            quiet_only: self.quiet_only,
            siblings: self.siblings,
            seed: self.seed,
            out: self.out.clone(),
            threads,
            timeout: Duration::from_secs(self.timeout),
            quiet: self.quiet,
        };
        let summary = job.run(stop)?;
        terminal::line(&format!("{}: {}", self.out.display(), summary.line()));
        summary
            .failures()
            .iter()
            .for_each(|failures| terminal::line(&format!("warning: {failures}")));
        Ok(())
    }
}
