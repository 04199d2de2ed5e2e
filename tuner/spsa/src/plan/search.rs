//! The choice of the gains: a line search over simulated runs.

use std::thread;

use nullarbor_runs::Stop;

use super::estimates::Estimates;
use super::simulate::{Kind, Simulation, Surfaces};
use crate::error::ConfigError;
use crate::error::Error;
use crate::gains::{MIN_PERTURBATION, Mode};
use crate::parameter::Parameter;
use crate::parameter::Range;
use crate::run_file::{RunFile, Tuning};

/// The course of gains over a run, and the share of its iterates that makes the result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Name in tables.
    pub name: &'static str,
    mode: Mode,
    alpha: f64,
    gamma: f64,
    a_ratio: f64,
    /// The share of the iterates whose average is the result.
    average: f64,
}

const fn decaying(name: &'static str, alpha: f64, gamma: f64, a_ratio: f64, average: f64) -> Shape {
    Shape { name, mode: Mode::Classic, alpha, gamma, a_ratio, average }
}

/// The gains that were planned before there was a search: twice the optimum of the closed form, a sixth of each range.
const CLOSED_FORM: Gains = Gains { shape: SHAPES[0], share: 1.0 / 6.0, r: 0.0 };
const CLOSED_FORM_FACTOR: f64 = 2.0;

/// The shapes that are tried.
const SHAPES: [Shape; 5] = [
    Shape { mode: Mode::Constant, ..decaying("constant and averaged", 0.0, 0.0, 0.0, 0.5) },
    decaying("falling", 1.0, 0.0, 0.3, 0.0),
    decaying("classic", 0.602, 0.101, 0.1, 0.0),
    decaying("steep", 1.0, 0.3, 0.3, 0.0),
    decaying("steep and averaged", 1.0, 0.3, 0.3, 0.25),
];
/// Perturbations that are tried, as shares of the range.
const SHARES: [f64; 4] = [1.0 / 6.0, 1.0 / 5.0, 1.0 / 4.0, 1.0 / 3.0];
/// The share with which shapes are compared first.
const FIRST_SHARE: usize = 1;
/// Number of shapes that are tried with all shares.
const SHAPES_KEPT: usize = 2;
/// The factor between step sizes that are tried.
const STEP: f64 = std::f64::consts::SQRT_2;
/// The maximum number of steps in one direction.
const MOST_STEPS: usize = 10;
/// Step size at which the search begins if the closed form has no optimum.
const FIRST_R: f64 = 0.004;
/// Longer runs are simulated with more pairs in fewer iterations: gains are per game, so little changes but the time.
const MOST_ITERATIONS: u64 = 1500;
/// Surfaces of each kind: about so many parameters on all of them together.
const AXES: u64 = 480;
const FEWEST: u64 = 8;
const MOST: u64 = 48;
/// Weight of the kind of surface on which least is recovered, where the mean of all kinds counts 1.
const WORST: f64 = 4.0;
/// Weight of recovering less than the closed form on a kind of surface.
const SHORTFALL: f64 = 5.0;

/// The gains of a run: the same `r` for all parameters, and the same perturbation in units of their ranges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Course of the gains.
    pub shape: Shape,
    /// The perturbation in the last iteration as a share of the range.
    pub share: f64,
    /// The step size in the last iteration.
    pub r: f64,
}

impl Gains {
    /// Returns the perturbation of a parameter in the last iteration.
    pub fn c_end(&self, range: Range) -> f64 {
        significant((self.share * range.span()).max(MIN_PERTURBATION))
    }

    /// Returns a run with these gains.
    ///
    /// # Errors
    /// If the run is impossible.
    pub fn of_run(&self, run: &RunFile) -> Result<RunFile, ConfigError> {
        let tuning = |of: &Parameter| Tuning {
            c_end: Some(self.c_end(of.range)),
            r_end: Some(significant(self.r)),
            ..Tuning::of(of)
        };
        let parameters = run.tuned_parameters()?;
        let parameters = parameters.iter().map(|of| (of.name.clone(), tuning(of))).collect();
        let Shape { mode, alpha, gamma, a_ratio, average, .. } = self.shape;
        let average = (average != mode.average()).then_some(average);
        let groups = Vec::new();
        Ok(RunFile { mode, alpha, gamma, a_ratio, average, groups, parameters, ..run.clone() })
    }
}

/// A search for the gains of a run.
pub struct Search<'a, F> {
    /// The run, shortened.
    run: RunFile,
    estimates: &'a Estimates,
    stop: &'a Stop,
    /// Called after each gains that were tried.
    tried: F,
    /// Share that the closed form recovers on each kind.
    known: [f64; 3],
}

impl<'a, F: FnMut()> Search<'a, F> {
    /// Prepares the search.
    ///
    /// # Errors
    /// If the run is impossible or the work is interrupted.
    pub fn new(
        run: &RunFile,
        estimates: &'a Estimates,
        stop: &'a Stop,
        tried: F,
    ) -> Result<Self, Error> {
        let mut search = Self { run: shortened(run), estimates, stop, tried, known: [0.0; 3] };
        if let Some(r) = estimates.budget(run.games()).best_gain() {
            let gains = Gains { r: CLOSED_FORM_FACTOR * r, ..CLOSED_FORM };
            search.known = search.recovered(&gains)?;
        }
        Ok(search)
    }

    /// Returns the best gains.
    ///
    /// # Errors
    /// If the work is interrupted.
    pub fn best(&mut self) -> Result<Gains, Error> {
        let closed_form = self.estimates.budget(self.run.games()).best_gain();
        let first = closed_form.unwrap_or(FIRST_R).clamp(1e-5, 1.0);
        let mut found = Vec::new();
        for shape in SHAPES {
            found.push(self.climb(Gains { shape, share: SHARES[FIRST_SHARE], r: first })?);
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        for kept in 0..SHAPES_KEPT {
            let (from, _) = found[kept];
            for share in SHARES.into_iter().filter(|share| *share != from.share) {
                // The same steps per game in units of the range.
                let r = from.r * (from.share / share).powi(2);
                found.push(self.climb(Gains { share, r, ..from })?);
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        Ok(found[0].0)
    }

    /// Returns the best step size near the given one, and what it is worth.
    ///
    /// # Errors
    /// If the work is interrupted.
    pub fn climb(&mut self, from: Gains) -> Result<(Gains, f64), Error> {
        let mut best = (from, self.worth(&from)?);
        for factor in [STEP, 1.0 / STEP] {
            let begun = best.0.r;
            for _ in 0..MOST_STEPS {
                let next = Gains { r: best.0.r * factor, ..from };
                let worth = self.worth(&next)?;
                if worth <= best.1 {
                    break;
                }
                best = (next, worth);
            }
            if best.0.r != begun {
                break;
            }
        }
        Ok(best)
    }

    /// Returns the recovered share of the loss in the mean over all surfaces.
    ///
    /// # Errors
    /// If the work is interrupted.
    pub fn mean_recovered(&mut self, gains: &Gains) -> Result<f64, Error> {
        let found = self.recovered(gains)?;
        Ok(found.iter().sum::<f64>() / found.len() as f64)
    }

    fn worth(&mut self, gains: &Gains) -> Result<f64, Error> {
        let found = self.recovered(gains)?;
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        let worst = found.iter().copied().fold(f64::INFINITY, f64::min);
        let short = found.iter().zip(&self.known).map(|(found, known)| (known - found).max(0.0));
        Ok(mean + WORST * worst - SHORTFALL * short.sum::<f64>())
    }

    /// Returns the mean of the recovered share on each kind of surface.
    fn recovered(&mut self, gains: &Gains) -> Result<[f64; 3], Error> {
        let run = gains.of_run(&self.run)?;
        // Each parameter is a draw of its own.
        let surfaces = (AXES / self.estimates.parameters() as u64).clamp(FEWEST, MOST);
        let simulations = on_all_kinds(&run, self.estimates, 0..surfaces, self.stop)?;
        (self.tried)();
        Ok(simulations.each_ref().map(Simulation::mean))
    }
}

/// Simulates a run on surfaces of each kind.
///
/// # Errors
/// If the run is impossible or the work is interrupted.
pub fn on_all_kinds(
    run: &RunFile,
    estimates: &Estimates,
    seeds: std::ops::Range<u64>,
    stop: &Stop,
) -> Result<[Simulation; 3], Error> {
    let simulate = |kind| {
        let (elo, draws) = (estimates.start_loss(), estimates.draws());
        Simulation::of(run, &Surfaces { kind, elo, draws, seeds: seeds.clone() }, stop, || ())
    };
    let [one, two, three] = thread::scope(|scope| {
        let threads = Kind::ALL.map(|kind| scope.spawn(move || simulate(kind)));
        threads.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    Ok([one?, two?, three?])
}

fn shortened(run: &RunFile) -> RunFile {
    let factor = run.iterations.div_ceil(MOST_ITERATIONS);
    RunFile {
        iterations: (run.iterations / factor).max(1),
        pairs_per_iteration: run.pairs_per_iteration * factor,
        staleness: (run.staleness / factor).max(1),
        ..run.clone()
    }
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

    #[test]
    fn gains_have_few_digits() {
        let rounded = [853.333_333, 0.051_656_9, 23.333_333, 0.5, 123_456.0, 1.0, 9999.96];
        let texts = rounded.map(|value| significant(value).to_string());
        assert_eq!(texts, ["853.3", "0.05166", "23.33", "0.5", "123500", "1", "10000"]);
    }
}
