//! `spsa init`.

use clap::Args;
use nullarbor::params::{SPECS, Spec};

use super::SpsaError;
use nullarbor_report::terminal;
use nullarbor_spsa::run_file::{Mistake, RunFile, groups};

/// Print a run file for parameters by group or by name, with ranges and gains as they are declared.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner spsa init --group null_move > run.toml
  nullarbor-tuner spsa init --group razoring,futility --parameter lmp_base --iterations 5000 > run.toml")]
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
    /// Nodes for each move
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Decides the moves of the parameters and the order of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the games begin
    #[arg(long, default_value = "unbalanced")]
    book: String,
}

const HEAD: &str = "\
# A tuning run: nullarbor-tuner spsa run THIS_FILE --dir DIR
# nodes may be replaced by depth = 8 or tc = \"1+0.01\"; mode = \"constant\" keeps the gains and averages the last half.
# Of each parameter: where it begins, its range, how far it is moved in the last iteration (c_end), and what a net win by a
# move of one adds to it then (r_end).

";

impl InitArgs {
    pub fn run(&self) -> Result<(), SpsaError> {
        let known = groups();
        if let Some(name) = self.groups.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(Mistake::Group(name.clone(), known.join(", ")).into());
        }
        if let Some(name) = self.parameters.iter().find(|name| Spec::find(name).is_none()) {
            return Err(Mistake::Parameter(name.clone()).into());
        }
        let is_wanted = |spec: &&Spec| {
            self.groups.iter().any(|group| group == spec.group)
                || self.parameters.iter().any(|name| name == spec.name)
        };
        let specs: Vec<&Spec> = SPECS.iter().filter(is_wanted).collect();
        let run = RunFile {
            iterations: self.iterations,
            pairs_per_iteration: self.pairs,
            nodes: Some(self.nodes),
            seed: self.seed,
            book: self.book.clone(),
            ..RunFile::of(&specs)
        };
        // Numbers and names have a form in TOML.
        let text = toml::to_string(&run).unwrap_or_default();
        terminal::print(&format!("{HEAD}{text}"));
        Ok(())
    }
}
