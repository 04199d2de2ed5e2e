//! The measurements before a run: probe games, and the sensitivity of the search.

use std::fmt::Write;
use std::sync::Arc;

use nullarbor_report::table::{Table, grouped};
use nullarbor_runs::Stop;

use super::estimates::Estimates;
use super::probe::Probes;
use super::search::Gains;
use super::sensitivity::sensitivity;
use crate::error::ConfigError;
use crate::error::Error;
use crate::parameter::Parameter;
use crate::run_file::RunFile;

/// The sensitivity of the search to the perturbations of a plan.
pub struct Measurements {
    parameters: Vec<Parameter>,
    /// The planned perturbation of each parameter.
    planned: Vec<f64>,
    /// Share of positions whose search changes, by the declared and by the planned perturbation of each parameter.
    sensitivity: [Vec<f64>; 2],
}

/// A perturbation that changes no more than this share of the searches has no measurable effect.
const INSENSITIVE: f64 = 0.05;

impl Measurements {
    /// Searches positions; `done` is called after each of them.
    ///
    /// # Errors
    /// If the run is impossible, memory is short or the work is interrupted.
    pub fn take(
        run: &RunFile,
        gains: &Gains,
        workers: usize,
        stop: &Arc<Stop>,
        done: impl FnMut(),
    ) -> Result<Self, Error> {
        let parameters = run.tuned_parameters()?;
        let declared: Vec<f64> = parameters.iter().map(|parameter| parameter.c_end).collect();
        let planned: Vec<f64> = parameters.iter().map(|of| gains.c_end(of.range)).collect();
        let lists: [&[f64]; 2] = [&declared, &planned];
        let sensitivity = sensitivity(run, &parameters, lists, workers, stop, done)?;
        Ok(Self { parameters, planned, sensitivity })
    }

    /// Returns a table of the parameters, with the sensitivity to their perturbations and the cost of half a range where that
    /// is more than noise.
    ///
    /// # Errors
    /// If the run is impossible.
    pub fn table(&self, probes: &Probes) -> Result<Table, ConfigError> {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let costs = probes.shrunk();
        let row = |(index, parameter): (usize, &Parameter)| {
            let mut row = vec![
                parameter.name.clone(),
                parameter.start.to_string(),
                format!("{:.2}", parameter.c_end),
                percent(self.sensitivity[0][index]),
                format!("{:.2}", self.planned[index]),
                percent(self.sensitivity[1][index]),
            ];
            row.extend(costs.iter().map(|costs| format!("{:+.0}", costs[index])));
            row
        };
        let mut head =
            vec!["parameter", "start", "c_end", "sensitivity", "planned c_end", "sensitivity"];
        head.extend(costs.iter().map(|_| "Elo lost by half a range, drawn to the mean"));
        let title = "Sensitivity: positions in which a search ends with another move or score when a parameter goes from one c_end below its start to one above";
        Ok(Table::new(title, head, self.parameters.iter().enumerate().map(row)))
    }

    /// Returns what may keep games from finding the best values.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for (index, parameter) in self.parameters.iter().enumerate() {
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
            if room < self.planned[index] / 2.0 {
                warnings.push(format!(
                    "{name}: it starts at its bound, which cuts off its perturbations"
                ));
            }
        }
        warnings
    }
}

/// Returns speed, draw ratio and what the estimates are based on, in lines.
pub fn text(probes: &Probes, estimates: &Estimates) -> String {
    let (counts, mean) = (&probes.counts, probes.mean);
    let games = counts.games();
    let mut text = format!(
        "{} games in {:.0} s ({}/h). {:.0} % drawn; pair noise equals that of independent games with {:.0} % draws.\n\
         Half of a range costs {} Elo on average over the parameters.\n",
        grouped(games),
        probes.elapsed.as_secs_f64(),
        grouped(probes.games_per_hour() as u64),
        100.0 * counts.draws() as f64 / games.max(1) as f64,
        100.0 * probes.virtual_draws,
        mean,
    );
    // Writing to a string cannot fail.
    if estimates.is_noise {
        let _ = writeln!(
            text,
            "This is within noise, so {:.1} Elo (one standard error) are assumed; more --probes make it more precise.",
            estimates.curvature()
        );
    }
    let reason = if estimates.is_given {
        "as given"
    } else {
        "as if each value were a sixth of its range off"
    };
    let loss = estimates.start_loss();
    let _ = writeln!(text, "The start is assumed {loss:.1} Elo below the best values, {reason}.\n");
    text
}
