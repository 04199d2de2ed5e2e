//! `spsa init`.

use clap::Args;

use crate::commands::CommandResult;
use nullarbor_report::terminal;
use nullarbor_spsa::run_file::{RunFile, select};

/// Print a run file for parameters by group or by name, with ranges and gains as they are declared.
///
/// The declared gains (c_end, r_end) are those of a test framework, for millions of games: a run on one machine needs those
/// that `spsa plan` chooses.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner spsa init --group null_move > run.toml
  nullarbor-tuner spsa init --group razoring,futility --parameter lmp_base --iterations 5000 > run.toml
  nullarbor-tuner spsa plan run.toml --write planned.toml")]
pub struct InitArgs {
    /// Groups of parameters (`nullarbor params` lists them)
    #[arg(long = "group", value_delimiter = ',', required_unless_present = "parameters")]
    groups: Vec<String>,
    /// Parameters by name
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
    /// Seed of the perturbations and of the order of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Opening book
    #[arg(long, default_value = "unbalanced")]
    book: String,
    /// Start each parameter this far from its default, as a recovery experiment: PERCENT of the way to the farther bound of
    /// its range
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    start_off: u8,
}

impl InitArgs {
    pub fn run(&self) -> CommandResult {
        let mut run = RunFile {
            iterations: self.iterations,
            pairs_per_iteration: self.pairs,
            nodes: Some(self.nodes),
            seed: self.seed,
            book: self.book.clone(),
            ..RunFile::of(&select(&self.groups, &self.parameters)?)
        };
        run.start_off(self.start_off.into());
        terminal::print(&run.to_commented_toml());
        Ok(())
    }
}
