//! `spsa plan`.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::WorkArgs;
use crate::commands::CommandResult;
use nullarbor_games::paths::{Named, check_outputs};
use nullarbor_games::work::Stop;
use nullarbor_report::terminal;
use nullarbor_spsa::plan::{Estimates, Measurements, Plan, sensitivity};
use nullarbor_spsa::run_file::RunFile;

/// Estimate the cost and the gain of a run, and choose its gains (c_end and r_end).
///
/// Probe games come first: between the start and settings in which half of the parameters are displaced by half of their range.
/// They measure the draw ratio, the speed and the Elo lost by half of a range. Searches of some positions measure the
/// sensitivity to each perturbation. From these and the number of games follow the gains, by the closed form for constant
/// gains (M. Van den Bergh 2020). Then the whole run is simulated on random surfaces with the same curvature.
///
/// With --simulate no games are played: you give the loss of the start and the draw ratio.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner spsa plan run.toml --write planned.toml
  nullarbor-tuner spsa plan run.toml --simulate --elo 30 --svg plan.svg")]
pub struct PlanArgs {
    /// The run file
    file: PathBuf,
    /// Play no games; take --elo and --draws instead
    #[arg(long)]
    simulate: bool,
    /// Elo from the start to the best values [default: 30 with --simulate, else what the probe games show if each value is a
    /// sixth of its range off]
    #[arg(long, value_parser = |text: &str| number(text, 0.01..10_000.0))]
    elo: Option<f64>,
    /// Draw ratio between equals
    #[arg(long, default_value_t = 0.45, value_parser = |text: &str| number(text, 0.0..1.0), requires = "simulate")]
    draws: f64,
    /// Number of simulated surfaces
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: u64,
    /// Draw the Elo over the games of the simulated run
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Pairs of probe games
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u64).range(10..=1_000_000), conflicts_with = "simulate")]
    probes: u64,
    /// Write the run with the chosen gains
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    #[command(flatten)]
    work: WorkArgs,
}

fn number(text: &str, range: Range<f64>) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("`{text}` is not a number from {} to {}", range.start, range.end))
}

const SIMULATED_LOSS: f64 = 30.0;

impl PlanArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let outputs = [("--svg", &self.svg), ("--write", &self.write)];
        let outputs = outputs.map(|(name, path)| Named::optional(name, path.as_deref()));
        let outputs: Vec<Named> = outputs.into_iter().flatten().collect();
        check_outputs(&outputs, &[Named::new("the run file", &self.file)])?;
        let run = RunFile::read(&self.file)?;
        let estimates = if self.simulate {
            let elo = self.elo.unwrap_or(SIMULATED_LOSS);
            Estimates::assumed(elo, run.tuned_parameters()?.len(), self.draws)
        } else {
            self.measure(&run, stop)?
        };
        let bar = terminal::bar(2 * self.seeds, "surfaces", self.work.quiet);
        let plan = Plan::choose(&run, &estimates, self.seeds, stop, || bar.inc(1));
        bar.finish_and_clear();
        let plan = plan?;
        terminal::table(&plan.table());
        if let Some(path) = &self.svg {
            plan.draw(path)?;
        }
        if let Some(path) = &self.write {
            plan.write(path)?;
            terminal::line(&format!("Written: {}", path.display()));
        }
        Ok(())
    }

    fn measure(&self, run: &RunFile, stop: &Arc<Stop>) -> Result<Estimates, nullarbor_spsa::Error> {
        let pairs = terminal::bar(self.probes, "pairs of games", self.work.quiet);
        let positions = terminal::bar(sensitivity::POSITIONS, "positions", self.work.quiet);
        let workers = run.workers(self.work.concurrency);
        let measured = Measurements::take(
            run,
            self.probes,
            workers,
            stop,
            || pairs.inc(1),
            || positions.inc(1),
        );
        pairs.finish_and_clear();
        positions.finish_and_clear();
        let measured = measured?;
        let estimates = Estimates::measured(&measured.probes, self.elo);
        terminal::table(&measured.table(run)?);
        terminal::print(&measured.text(&estimates));
        terminal::table(&measured.budgets(run, &estimates));
        measured.warnings(run)?.iter().for_each(|warning| terminal::line(warning));
        Ok(estimates)
    }
}
