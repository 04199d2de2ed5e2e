//! The planner: estimates before a run, the gains that follow from them, and a simulation of the run with these gains.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use nullarbor_games::work::Stop;
use nullarbor_report::plot;
use nullarbor_report::table::{Table, grouped};

use super::budget::{Budget, SHARE};
use super::probe::Probes;
use super::sensitivity::sensitivity;
use super::simulate::{MEAN_DISTANCE, Simulation};
use crate::error::{Error, write};
use crate::gains::{MIN_PERTURBATION, Mode};
use crate::run_file::{ConfigError, RunFile, Tuning};
use crate::theta::Parameter;

/// What is known about the surface before a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimates {
    /// Without a number of games.
    budget: Budget,
    /// Whether the curvature is but the error of its measurement.
    is_noise: bool,
    /// Whether the loss of the start was given, not estimated.
    is_given: bool,
}

/// Assumed distance of each start from the best value, in halves of its range: a sixth of the range.
const ASSUMED_DISTANCE: f64 = 1.0 / 3.0;

impl Estimates {
    /// Assumes the loss of the start in Elo and the draw ratio.
    pub fn assumed(elo: f64, parameters: usize, draws: f64) -> Self {
        let curvature = elo / parameters as f64 / (2.0 * MEAN_DISTANCE).powi(2);
        let budget =
            Budget { games: 0.0, parameters, curvature, start_loss: elo, virtual_draws: draws };
        Self { budget, is_noise: false, is_given: true }
    }

    /// Takes the curvature from probe games. Without a given `elo`, the loss of the start follows from the curvature and an
    /// assumed distance to the best values.
    pub fn measured(probes: &Probes, elo: Option<f64>) -> Self {
        let (value, error) = (probes.mean.value, probes.mean.standard_error());
        let (curvature, parameters) = (value.max(error), probes.each.len());
        let assumed = parameters as f64 * curvature * ASSUMED_DISTANCE * ASSUMED_DISTANCE;
        let (start_loss, virtual_draws) = (elo.unwrap_or(assumed), probes.virtual_draws);
        let budget = Budget { games: 0.0, parameters, curvature, start_loss, virtual_draws };
        Self { budget, is_noise: value < error, is_given: elo.is_some() }
    }

    /// Returns the budget of a run with this many games.
    pub fn budget(&self, games: u64) -> Budget {
        Budget { games: games as f64, ..self.budget }
    }
}

/// The measurements before a run: probe games, and the sensitivity of the search.
pub struct Measurements {
    /// The probe games.
    pub probes: Probes,
    /// Share of positions whose search changes, by the declared and by the planned perturbation of each parameter.
    sensitivity: [Vec<f64>; 2],
}

/// A perturbation that changes no more than this share of the searches has no measurable effect.
const INSENSITIVE: f64 = 0.05;

impl Measurements {
    /// Plays probe games and searches positions; `pair_done` and `position_done` are called after each of them.
    ///
    /// # Errors
    /// If the run is impossible, memory is short or the work is interrupted.
    pub fn take(
        run: &RunFile,
        pairs: u64,
        workers: usize,
        stop: &Arc<Stop>,
        pair_done: impl FnMut(),
        position_done: impl FnMut(),
    ) -> Result<Self, Error> {
        let parameters = run.tuned_parameters()?;
        let probes = Probes::play(run, &parameters, pairs, workers, stop, pair_done)?;
        let declared: Vec<f64> = parameters.iter().map(|parameter| parameter.c_end).collect();
        let planned: Vec<f64> = parameters.iter().map(planned_c).collect();
        let lists: [&[f64]; 2] = [&declared, &planned];
        let shares = sensitivity(run, &parameters, lists, workers, stop, position_done)?;
        Ok(Self { probes, sensitivity: shares })
    }

    /// Returns a table of the parameters, with the sensitivity to their perturbations and the cost of half a range.
    ///
    /// # Errors
    /// If the run is impossible.
    pub fn table(&self, run: &RunFile) -> Result<Table, ConfigError> {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let row = |(index, parameter): (usize, &Parameter)| {
            let loss = self.probes.each[index];
            vec![
                parameter.name.clone(),
                parameter.start.to_string(),
                format!("{:.2}", parameter.c_end),
                percent(self.sensitivity[0][index]),
                format!("{:.2}", planned_c(parameter)),
                percent(self.sensitivity[1][index]),
                format!("{:+.0} ± {:.0}", loss.value, loss.error),
            ]
        };
        let head = [
            "parameter",
            "start",
            "c_end",
            "sensitivity",
            "planned c_end",
            "sensitivity",
            "Elo lost by half a range",
        ];
        let title = "Sensitivity: positions in which a search ends with another move or score when a parameter goes from one c_end below its start to one above";
        Ok(Table::new(title, head, run.tuned_parameters()?.iter().enumerate().map(row)))
    }

    /// Returns speed, draw ratio and what the estimates are based on, in lines.
    pub fn text(&self, estimates: &Estimates) -> String {
        let (counts, mean) = (&self.probes.counts, self.probes.mean);
        let games = counts.games();
        let mut text = format!(
            "{} games in {:.0} s, {:.0} an hour; {:.0} % drawn, with the noise of independent games of which {:.0} % are drawn.\n\
             Half of a range costs {:.1} ± {:.1} Elo on average over the parameters.\n",
            grouped(games),
            self.probes.elapsed.as_secs_f64(),
            self.probes.games_per_hour(),
            100.0 * counts.draws() as f64 / games.max(1) as f64,
            100.0 * self.probes.virtual_draws,
            mean.value,
            mean.error,
        );
        // Writing to a string cannot fail.
        if estimates.is_noise {
            let _ = writeln!(
                text,
                "This is within noise, so {:.1} Elo (one standard error) are assumed; more --probes make it more precise.",
                estimates.budget.curvature
            );
        }
        let reason = if estimates.is_given {
            "as given"
        } else {
            "as if each value were a sixth of its range off"
        };
        let loss = estimates.budget.start_loss;
        let _ =
            writeln!(text, "The start is assumed {loss:.1} Elo below the best values, {reason}.\n");
        text
    }

    /// Returns the loss to expect with other numbers of games.
    pub fn budgets(&self, run: &RunFile, estimates: &Estimates) -> Table {
        let row = |factor: f64| {
            let games = (run.games() as f64 * factor).round() as u64;
            let budget = estimates.budget(games);
            let (r, left) = match budget.best_gain() {
                Some(r) => (format!("{r:.4}"), format!("{:.1}", budget.final_loss(r))),
                None => ("-".to_owned(), format!("{:.1}", estimates.budget.start_loss)),
            };
            let hours = format!("{:.2}", games as f64 / self.probes.games_per_hour());
            vec![grouped(games), hours, r, left]
        };
        let head = ["games", "hours", "best constant r", "Elo left at the end"];
        let title =
            format!("Expected precision, with {:.1} Elo to gain", estimates.budget.start_loss);
        Table::new(&title, head, [0.25, 1.0, 4.0, 16.0].map(row))
    }

    /// Returns what may keep games from finding the best values.
    ///
    /// # Errors
    /// If the run is impossible.
    pub fn warnings(&self, run: &RunFile) -> Result<Vec<String>, ConfigError> {
        let mut warnings = Vec::new();
        for (index, parameter) in run.tuned_parameters()?.iter().enumerate() {
            let Parameter { name, start, range, c_end, .. } = parameter;
            let [declared, planned] = [0, 1].map(|list: usize| self.sensitivity[list][index]);
            if planned <= INSENSITIVE {
                warnings.push(format!(
                    "{name}: the search hardly depends on it, even with the planned c_end; games will not find its best value"
                ));
            } else if declared <= INSENSITIVE {
                warnings.push(format!("{name}: the search hardly depends on c_end = {c_end}"));
            }
            let room = (start - f64::from(range.min)).min(f64::from(range.max) - start);
            if room < planned_c(parameter) / 2.0 {
                warnings.push(format!(
                    "{name}: it starts at its bound, which cuts off its perturbations"
                ));
            }
        }
        Ok(warnings)
    }
}

/// A run with planned gains, and simulations of it.
#[derive(Debug)]
pub struct Plan {
    /// The run with constant gains: the same `r` for all parameters, perturbations of a sixth of each range.
    run: RunFile,
    /// The simulation of the run as it was written.
    before: Simulation,
    /// The simulation of the planned run.
    after: Simulation,
    r: f64,
    title: String,
}

impl Plan {
    /// Chooses the gains of a run and simulates it with the old and with the new ones; `done` is called after each surface.
    ///
    /// # Errors
    /// If the run is impossible, has too few games to gain anything, or the work is interrupted.
    pub fn choose(
        run: &RunFile,
        estimates: &Estimates,
        surfaces: u64,
        stop: &Stop,
        mut done: impl FnMut(),
    ) -> Result<Self, Error> {
        let (games, elo) = (run.games(), estimates.budget.start_loss);
        let best = estimates.budget(games).best_gain_with_averaging();
        let r = significant(best.ok_or(Error::TooFewGames { games, elo })?);
        let planned = planned(run, r)?;
        let mut simulate = |run: &RunFile| {
            Simulation::of(run, elo, estimates.budget.virtual_draws, surfaces, stop, &mut done)
        };
        let title = format!(
            "{} parameters, {} games, {elo:.1} Elo to gain, {surfaces} simulated surfaces",
            estimates.budget.parameters,
            grouped(games)
        );
        Ok(Self { before: simulate(run)?, after: simulate(&planned)?, run: planned, r, title })
    }

    /// Writes the planned run.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        write(path, &self.run.to_toml())
    }

    /// Writes a picture of the simulation of the planned run.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn draw(&self, path: &Path) -> Result<(), Error> {
        write(path, &plot::sheet(&[self.after.chart()]))
    }

    /// Returns the recovered shares of the loss, without and with the planned gains.
    pub fn table(&self) -> Table {
        let with = format!("with c_end a sixth of each range and r_end {}", self.r);
        let simulations = [("recovered %, as it is written", &self.before), (&with, &self.after)];
        let row = |(name, simulation): (&str, &Simulation)| {
            let shares = [0.0, 0.1, 0.5, 0.9, 1.0];
            let cells = shares.map(|share| format!("{:.0}", 100.0 * simulation.recovered(share)));
            std::iter::once(name.to_owned()).chain(cells)
        };
        let head = ["", "worst", "10th percentile", "median", "90th percentile", "best"];
        Table::new(&self.title, head, simulations.map(row))
    }
}

/// Returns the planned perturbation of a parameter: as large as the Elo loss is still a parabola.
fn planned_c(parameter: &Parameter) -> f64 {
    significant((SHARE * parameter.range.span()).max(MIN_PERTURBATION))
}

/// Returns a run with constant gains.
fn planned(run: &RunFile, r: f64) -> Result<RunFile, ConfigError> {
    let tuning = |parameter: &Parameter| Tuning {
        c_end: Some(planned_c(parameter)),
        r_end: Some(r),
        ..Tuning::of(parameter)
    };
    let parameters = run.tuned_parameters()?;
    let parameters = parameters.iter().map(|of| (of.name.clone(), tuning(of))).collect();
    Ok(RunFile { mode: Mode::Constant, groups: Vec::new(), parameters, ..run.clone() })
}

/// Rounds a positive number to four significant digits.
fn significant(value: f64) -> f64 {
    const DIGITS: i32 = 4;
    let unit = 10f64.powi(value.log10().floor() as i32 + 1 - DIGITS);
    // Divided by an integer, so that the shortest representation of the result has no more digits.
    if unit < 1.0 {
        (value / unit).round() / (1.0 / unit).round()
    } else {
        (value / unit).round() * unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_file::select;

    fn run(iterations: u64) -> RunFile {
        let specs = select(&["razoring".to_owned()], []).expect("declared");
        RunFile { iterations, ..RunFile::of(&specs) }
    }

    #[test]
    fn gains_have_few_digits() {
        let rounded = [853.333_333, 0.051_656_9, 23.333_333, 0.5, 123_456.0, 1.0, 9999.96];
        let texts = rounded.map(|value| significant(value).to_string());
        assert_eq!(texts, ["853.3", "0.05166", "23.33", "0.5", "123500", "1", "10000"]);
    }

    #[test]
    fn a_plan_recovers_more_than_the_declared_gains() {
        let estimates = Estimates::assumed(30.0, 3, 0.45);
        let mut done = 0;
        let plan = Plan::choose(&run(1000), &estimates, 10, &Stop::new(), || done += 1);
        let plan = plan.expect("enough games");
        assert_eq!((done, plan.run.mode), (20, Mode::Constant));
        assert!(plan.after.recovered(0.5) > plan.before.recovered(0.5) + 0.2, "{:?}", plan.table());
        let error = Plan::choose(&run(1), &estimates, 10, &Stop::new(), || ()).err();
        assert!(matches!(error, Some(Error::TooFewGames { games: 8, .. })), "{error:?}");
    }
}
