//! The planner: the gains that suit a run, and a simulation of the run with these gains.

use std::path::Path;

use nullarbor_report::plot;
use nullarbor_report::table::{Table, grouped};
use nullarbor_runs::Stop;

use super::estimates::Estimates;
use super::search::{Gains, Search, on_all_kinds};
use super::simulate::{Kind, Simulation};
use crate::error::{Error, write};
use crate::run_file::RunFile;

/// The simulations of the table are on other surfaces than those on which the gains were chosen.
const FIRST_SEED: u64 = 1 << 32;
/// A plan that recovers less is called so.
const LITTLE: f64 = 0.2;
/// One that recovers less is refused.
const NOTHING: f64 = 0.02;

/// A run with planned gains, and simulations of it on each kind of surface.
#[derive(Debug)]
pub struct Plan {
    run: RunFile,
    gains: Gains,
    /// The simulation of the run as it was written.
    before: [Simulation; 3],
    /// The simulation of the planned run.
    after: [Simulation; 3],
    title: String,
}

impl Plan {
    /// Chooses the gains of a run by simulations, and simulates it with the old and with the new ones on `surfaces` surfaces
    /// of each kind; `tried` is called after each gains that were tried.
    ///
    /// # Errors
    /// If the run is impossible, has too few games to gain anything, or the work is interrupted.
    pub fn choose(
        run: &RunFile,
        estimates: &Estimates,
        surfaces: u64,
        stop: &Stop,
        mut tried: impl FnMut(),
    ) -> Result<Self, Error> {
        let gains = Search::new(run, estimates, stop, &mut tried)?.best()?;
        let planned = gains.of_run(run)?;
        let seeds = FIRST_SEED..FIRST_SEED + surfaces;
        let mut simulate = |run| {
            let simulations = on_all_kinds(run, estimates, seeds.clone(), stop);
            tried();
            simulations
        };
        let (games, elo) = (run.games(), estimates.start_loss());
        let title = format!(
            "{} parameters, {} games, {elo:.1} Elo to gain, {surfaces} simulated surfaces of each kind",
            estimates.parameters(),
            grouped(games)
        );
        let (before, after) = (simulate(run)?, simulate(&planned)?);
        let plan = Self { before, after, run: planned, gains, title };
        if plan.recovered() < NOTHING {
            return Err(Error::TooFewGames { games, elo });
        }
        Ok(plan)
    }

    /// Returns the planned run.
    pub fn run(&self) -> &RunFile {
        &self.run
    }

    /// Returns the planned gains.
    pub fn gains(&self) -> &Gains {
        &self.gains
    }

    /// Returns the recovered share of the loss in the mean over all surfaces.
    pub fn recovered(&self) -> f64 {
        mean(&self.after)
    }

    /// Returns the recovered share of the loss in the mean over the surfaces of each kind, with the gains as they were
    /// written, and with the planned ones.
    pub fn by_kind(&self) -> [[f64; 3]; 2] {
        [&self.before, &self.after].map(|simulations| simulations.each_ref().map(Simulation::mean))
    }

    /// Returns a warning where the run is hardly worth its games.
    pub fn warning(&self) -> Option<String> {
        let percent = 100.0 * self.recovered();
        (self.recovered() < LITTLE).then(|| format!(
            "warning: {} games recover only {percent:.0} % of what is to gain; play more games, tune fewer parameters or narrow their ranges",
            grouped(self.run.games())
        ))
    }

    /// Writes the planned run.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        write(path, &self.run.to_toml())
    }

    /// Writes a picture of the simulations of the planned run.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn draw(&self, path: &Path) -> Result<(), Error> {
        let charts = self.after.iter().zip(Kind::ALL).map(|(it, kind)| it.chart(kind));
        write(path, &plot::sheet(&charts.collect::<Vec<_>>()))
    }

    /// Returns the recovered shares of the loss, without and with the planned gains.
    pub fn table(&self) -> Table {
        let Gains { shape, share, r } = self.gains;
        let name = shape.name;
        let with = format!(
            "planned: {name} gains with c_end 1/{:.0} of each range and r_end {r:.5}",
            1.0 / share
        );
        let both = [("recovered % as it is written", &self.before), (&*with, &self.after)];
        let rows = both.into_iter().flat_map(|(name, simulations)| {
            simulations.iter().zip(Kind::ALL).map(move |(simulation, kind)| {
                let percent = |share: f64| format!("{:.0}", 100.0 * share);
                let quantiles =
                    [0.0, 0.1, 0.5, 0.9, 1.0].map(|it| percent(simulation.recovered(it)));
                [name.to_owned(), kind.name().to_owned(), percent(simulation.mean())]
                    .into_iter()
                    .chain(quantiles)
            })
        });
        let head = [
            "",
            "surfaces",
            "mean",
            "worst",
            "10th percentile",
            "median",
            "90th percentile",
            "best",
        ];
        Table::new(&self.title, head, rows)
    }

    /// Returns what other numbers of games would recover, each with the step size that suits it.
    ///
    /// # Errors
    /// If the work is interrupted.
    pub fn outlook(
        &self,
        estimates: &Estimates,
        games_per_hour: Option<f64>,
        stop: &Stop,
    ) -> Result<Table, Error> {
        let mut rows = Vec::new();
        for factor in [0.25, 1.0, 4.0, 16.0] {
            let iterations = (self.run.iterations as f64 * factor).round().max(1.0) as u64;
            let run = RunFile { iterations, ..self.run.clone() };
            let mut search = Search::new(&run, estimates, stop, || ())?;
            let r = self.gains.r / factor.sqrt();
            let (gains, _) = search.climb(Gains { r, ..self.gains })?;
            let recovered = search.mean_recovered(&gains)?;
            let hours = games_per_hour.map(|speed| format!("{:.2}", run.games() as f64 / speed));
            rows.push([
                grouped(run.games()),
                hours.unwrap_or_else(|| "-".to_owned()),
                format!("{:.5}", gains.r),
                format!("{:.0}", 100.0 * recovered),
                format!("{:.1}", estimates.start_loss() * (1.0 - recovered)),
            ]);
        }
        let head = ["games", "hours", "r_end", "recovered %", "Elo left at the end"];
        let title =
            format!("Other numbers of games, with {:.1} Elo to gain", estimates.start_loss());
        Ok(Table::new(&title, head, rows))
    }
}

fn mean(simulations: &[Simulation; 3]) -> f64 {
    simulations.iter().map(Simulation::mean).sum::<f64>() / 3.0
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
    fn a_plan_recovers_more_than_the_declared_gains() {
        let estimates = Estimates::assumed(30.0, 3, 0.45);
        let mut tried = 0;
        let plan = Plan::choose(&run(300), &estimates, 10, &Stop::new(), || tried += 1);
        let plan = plan.expect("enough games");
        let [before, after] = plan.by_kind();
        for (before, after) in before.iter().zip(after) {
            assert!(after > *before, "{:?}", plan.table());
        }
        assert!(tried > 10);
        assert_eq!(plan.warning(), None);
        let little = Estimates::assumed(0.1, 3, 0.45);
        let error = Plan::choose(&run(1), &little, 10, &Stop::new(), || ()).err();
        assert!(matches!(error, Some(Error::TooFewGames { games: 8, .. })), "{error:?}");
    }

    #[test]
    fn a_plan_that_recovers_little_says_so() {
        let estimates = Estimates::assumed(6.0, 3, 0.45);
        let plan = Plan::choose(&run(60), &estimates, 10, &Stop::new(), || ()).expect("a plan");
        assert!(plan.warning().is_some_and(|it| it.contains("480 games recover only")), "{plan:?}");
    }
}
