//! `spsa init`.

use std::sync::Arc;

use clap::Args;

use crate::commands::CommandResult;
use nullarbor_games::engine_spec::with_absolute_paths;
use nullarbor_report::terminal;
use nullarbor_runs::Stop;
use nullarbor_spsa::engine::tunables;
use nullarbor_spsa::run_file::{RunFile, narrowed, select};

/// Print a run file for parameters by group or by name, with their declared ranges and gains, or for the options of any
/// other UCI engine.
///
/// The declared gains (c_end, r_end) suit a test framework with millions of games. For a run on one machine, let `spsa
/// plan` choose them.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner spsa init --group null_move > run.toml
  nullarbor-tuner spsa init --group razoring,futility --parameter lmp_base --iterations 5000 > run.toml
  nullarbor-tuner spsa init --engine cmd=./other,option.Hash=16 > run.toml
  nullarbor-tuner spsa plan run.toml --write planned.toml")]
pub struct InitArgs {
    /// Another engine, described as in `match --engine`, without a limit: all of its spin options, and check options as
    /// 0 and 1, except those for the machine and the protocol. Ranges more than 20 times as wide as the default are
    /// narrowed to twice the default, which you are told; edit them
    #[arg(long, value_name = "SPEC", conflicts_with = "groups")]
    engine: Option<String>,
    /// Groups of parameters (`nullarbor params` lists them)
    #[arg(long = "group", value_delimiter = ',')]
    groups: Vec<String>,
    /// Parameters, or options of the other engine, by name
    #[arg(long = "parameter", value_delimiter = ',')]
    parameters: Vec<String>,
    /// Iterations
    #[arg(long, default_value_t = 2500, value_parser = clap::value_parser!(u64).range(1..))]
    iterations: u64,
    /// Pairs of games in each iteration
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: u64,
    /// Nodes per move
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Nodes per move in the last iteration, if they are to grow: what helps at few nodes need not help at many
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes_end: Option<u64>,
    /// Seed of the perturbations and of the order of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Opening book
    #[arg(long, default_value = "unbalanced")]
    book: String,
    /// Start each parameter away from its default, as a recovery experiment: PERCENT of the way to the farther bound of
    /// its range
    #[arg(long, value_name = "PERCENT", default_value_t = 0, conflicts_with = "engine",
        value_parser = clap::value_parser!(u8).range(0..=100))]
    start_off: u8,
}

impl InitArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let parameters = match &self.engine {
            Some(engine) => self.of_engine(engine, stop)?,
            None => RunFile::of(&select(&self.groups, &self.parameters)?),
        };
        let mut run = RunFile {
            iterations: self.iterations,
            pairs_per_iteration: self.pairs,
            nodes: Some(self.nodes),
            nodes_end: self.nodes_end,
            seed: self.seed,
            book: self.book.clone(),
            ..parameters
        };
        run.start_off(self.start_off.into());
        terminal::print(&run.to_commented_toml());
        Ok(())
    }

    fn of_engine(&self, engine: &str, stop: &Arc<Stop>) -> Result<RunFile, nullarbor_spsa::Error> {
        let engine = with_absolute_paths(engine);
        let named = RunFile { engine: Some(engine.clone()), ..RunFile::of(&[]) };
        let command = named.command()?.unwrap_or_default();
        let declared = tunables(&command, &self.parameters, stop)?;
        narrowed(&declared).for_each(terminal::message);
        Ok(RunFile::of_engine(&engine, &declared))
    }
}
