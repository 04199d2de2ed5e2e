//! `spsa plan`.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::WorkArgs;
use crate::commands::CommandResult;
use nullarbor_report::terminal;
use nullarbor_runs::Stop;
use nullarbor_runs::paths::{Named, check_outputs};
use nullarbor_spsa::plan::measurements::text;
use nullarbor_spsa::plan::probe::Probes;
use nullarbor_spsa::plan::{Estimates, Measurements, Plan, sensitivity};
use nullarbor_spsa::run_file::RunFile;

/// Estimate the cost and the gain of a run, and choose its gains (c_end and r_end).
///
/// First come probe games, between the start and settings with half of the parameters moved by half of their range.
/// They measure the draw ratio, the speed and the Elo lost by half of a range. Then whole runs are simulated on random
/// surfaces with the same curvature, to choose the gains: their schedule, c_end as a share of each range, and r_end.
/// There are three kinds of surfaces: equal parabolas, unequal parabolas, and asymmetric surfaces that are flat far
/// from the optimum. Gains must do well on all. Finally, searches of some positions measure the sensitivity to each
/// perturbation.
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
    /// Elo from the start to the best values [default: 30 with --simulate, otherwise as in the probe games if each
    /// value is a sixth of its range off]
    #[arg(long, value_parser = |text: &str| number(text, 0.01..10_000.0))]
    elo: Option<f64>,
    /// Draw ratio between equals
    #[arg(long, default_value_t = 0.45, value_parser = |text: &str| number(text, 0.0..1.0), requires = "simulate")]
    draws: f64,
    /// Number of simulated surfaces of each kind
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: u64,
    /// Draw the Elo over the games of the simulated runs
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Pairs of probe games; they count as games of the run, which gets fewer iterations [default: a tenth of the run, 400 at most]
    #[arg(long, value_parser = clap::value_parser!(u64).range(10..=1_000_000), conflicts_with = "simulate")]
    probes: Option<u64>,
    /// Write the run file with the chosen gains
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
/// About so many, for the progress bar.
const GAINS_TRIED: u64 = 60;
/// Pairs of probe games.
const LEAST_PROBES: u64 = 10;
const MOST_PROBES: u64 = 400;

impl PlanArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let outputs = [("--svg", &self.svg), ("--write", &self.write)];
        let outputs = outputs.map(|(name, path)| Named::optional(name, path.as_deref()));
        let outputs: Vec<Named> = outputs.into_iter().flatten().collect();
        check_outputs(&outputs, &[Named::new("the run file", &self.file)])?;
        let run = RunFile::read(&self.file)?;
        run.notices()?.iter().for_each(terminal::message);
        let (run, estimates, probes) = if self.simulate {
            let elo = self.elo.unwrap_or(SIMULATED_LOSS);
            let parameters = run.tuned_parameters()?.len();
            (run, Estimates::assumed(elo, parameters, self.draws), None)
        } else {
            let (probes, left) = self.probe(&run, stop)?;
            (left, Estimates::measured(&probes, self.elo), Some(probes))
        };
        let bar = terminal::bar(GAINS_TRIED, "gains tried by simulation", self.work.quiet);
        let plan = Plan::choose(&run, &estimates, self.seeds, stop, || bar.inc(1));
        bar.finish_and_clear();
        let plan = plan?;
        if let Some(probes) = &probes {
            self.measure(&run, &plan, probes, &estimates, stop)?;
        }
        let speed = probes.as_ref().map(Probes::games_per_hour);
        terminal::table(&plan.outlook(&estimates, speed, stop)?);
        terminal::table(&plan.table());
        plan.warning().iter().for_each(|warning| terminal::line(warning));
        if let Some(path) = &self.svg {
            plan.draw(path)?;
        }
        if let Some(path) = &self.write {
            plan.write(path)?;
            terminal::line(&format!("Written: {}", path.display()));
        }
        Ok(())
    }

    /// Plays probe games, and returns what is left of the run after them.
    fn probe(
        &self,
        run: &RunFile,
        stop: &Arc<Stop>,
    ) -> Result<(Probes, RunFile), nullarbor_spsa::Error> {
        let all = run.iterations * run.pairs_per_iteration;
        let pairs = self.probes.unwrap_or((all / 10).clamp(LEAST_PROBES, MOST_PROBES));
        let left = (all.saturating_sub(pairs) / run.pairs_per_iteration).max(1);
        let bar = terminal::bar(pairs, "pairs of games", self.work.quiet);
        let (parameters, workers) = (run.tuned_parameters()?, run.workers(self.work.concurrency));
        let played = Probes::play(run, &parameters, pairs, workers, stop, || bar.inc(1));
        bar.finish_and_clear();
        Ok((played?, RunFile { iterations: left, ..run.clone() }))
    }

    fn measure(
        &self,
        run: &RunFile,
        plan: &Plan,
        probes: &Probes,
        estimates: &Estimates,
        stop: &Arc<Stop>,
    ) -> CommandResult {
        let positions = terminal::bar(sensitivity::POSITIONS, "positions", self.work.quiet);
        let workers = run.workers(self.work.concurrency);
        let measured = Measurements::take(run, plan.gains(), workers, stop, || positions.inc(1));
        positions.finish_and_clear();
        let measured = measured?;
        terminal::table(&measured.table(probes)?);
        terminal::print(&text(probes, estimates));
        measured.warnings().iter().for_each(|warning| terminal::line(warning));
        Ok(())
    }
}
