//! The iterate theta: the current values of the parameters, and the average of the last iterates.

use super::average::Average;
use super::gains::{Gain, Schedule};
use super::parameter::{Parameter, Range};
use super::perturbation::Perturbation;

/// The values of the parameters during a run.
///
/// ```
/// use nullarbor_spsa::gains::{Mode, Schedule};
/// use nullarbor_spsa::parameter::Range;
/// use nullarbor_spsa::perturbation::Perturbation;
/// use nullarbor_spsa::theta::Theta;
/// use nullarbor_spsa::parameter::Parameter;
///
/// let schedule =
///     Schedule { mode: Mode::Constant, alpha: 0.0, gamma: 0.0, a_ratio: 0.0, length: 100.into() };
/// let margin = Parameter {
///     name: "margin".to_owned(),
///     start: 100.0,
///     range: Range { min: 0, max: 200 },
///     c_end: 10.0,
///     r_end: 0.01,
/// };
/// let mut theta = Theta::new(schedule, Mode::Constant.average(), vec![margin]);
/// // 110 won three games more than it lost against 90: a step of r * 10 * 3 towards it.
/// theta.update(&Perturbation { plus: vec![110], minus: vec![90] }, 3);
/// assert_eq!(theta.values(), [100.3]);
/// ```
#[derive(Clone, Debug)]
pub struct Theta {
    schedule: Schedule,
    parameters: Vec<Parameter>,
    values: Vec<f64>,
    /// Iterations applied.
    iteration: u64,
    /// The share of the iterates, the last ones, whose average is the estimate.
    averaged: f64,
    average: Average,
}

impl Theta {
    /// Creates the iterate before the first iteration. The estimate is the average of the last iterates, this share of them;
    /// with 0 it is the last one.
    pub fn new(schedule: Schedule, averaged: f64, parameters: Vec<Parameter>) -> Self {
        let values: Vec<f64> = parameters.iter().map(|parameter| parameter.start).collect();
        let average = Average::new(values.len());
        Self { schedule, averaged, average, parameters, values, iteration: 0 }
    }

    /// Returns the number of iterations of the run.
    pub fn iterations(&self) -> u64 {
        self.schedule.length.all()
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Returns the current values.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns how many iterations were applied.
    pub fn iteration(&self) -> u64 {
        self.iteration
    }

    /// Returns the gains of all parameters in iteration `k`, from 1.
    pub fn gains(&self, k: u64) -> Vec<Gain> {
        let gain = |of: &Parameter| self.schedule.gain(of.c_end, of.r_end, k);
        self.parameters.iter().map(gain).collect()
    }

    /// Returns the two settings of iteration `k`, from 1, around the current values.
    pub fn perturb(&self, seed: u64, k: u64) -> Perturbation {
        let ranges: Vec<Range> = self.parameters.iter().map(|parameter| parameter.range).collect();
        Perturbation::of(seed, k, &self.values, &self.gains(k), &ranges)
    }

    /// Applies the next iteration: `theta_i += r_i delta_i (wins - losses)`, within the range. `net_wins` is wins minus
    /// losses of the setting `plus`.
    pub fn update(&mut self, perturbation: &Perturbation, net_wins: i64) {
        self.iteration += 1;
        let gains = self.gains(self.iteration);
        let steps = gains.iter().zip(perturbation.deltas());
        for ((value, of), (gain, delta)) in self.values.iter_mut().zip(&self.parameters).zip(steps)
        {
            let stepped = *value + gain.r * delta * net_wins as f64;
            *value = stepped.clamp(f64::from(of.range.min), f64::from(of.range.max));
        }
        self.average.add(&self.values);
    }

    /// Returns the estimate of the best values so far. It does not depend on the number of iterations that are still to come,
    /// so a run that is stopped has one as good as a run that was planned so.
    pub fn estimate(&self) -> Vec<f64> {
        self.average.of_last(self.averaged).unwrap_or_else(|| self.values.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gains::Mode;

    fn parameter(start: f64, max: i32) -> Parameter {
        let range = Range { min: 0, max };
        Parameter { name: "x".to_owned(), start, range, c_end: 10.0, r_end: 0.01 }
    }

    fn schedule(mode: Mode) -> Schedule {
        Schedule { mode, alpha: 0.602, gamma: 0.101, a_ratio: 0.1, length: 4.into() }
    }

    fn theta(mode: Mode, parameter: Parameter) -> Theta {
        Theta::new(schedule(mode), mode.average(), vec![parameter])
    }

    fn pair(plus: i32, minus: i32) -> Perturbation {
        Perturbation { plus: vec![plus], minus: vec![minus] }
    }

    #[test]
    fn a_win_steps_towards_the_winner_as_far_as_in_openbench() {
        let mut theta = theta(Mode::Classic, parameter(100.0, 200));
        let gain = theta.gains(1)[0];
        theta.update(&pair(112, 88), 3);
        // r_k c_k (wins - losses) flip, with the perturbation that was really played for c_k.
        assert!((theta.values()[0] - (100.0 + gain.r * 12.0 * 3.0)).abs() < 1e-12);
        let before = theta.values()[0];
        theta.update(&pair(88, 112), 2);
        assert!(theta.values()[0] < before, "the second setting was the higher one, and lost");
        let before = theta.values()[0];
        theta.update(&pair(100, 100), 5);
        assert_eq!(theta.values()[0], before, "equal settings have no gradient");
    }

    #[test]
    fn values_stay_in_their_range() {
        let mut theta = theta(Mode::Classic, parameter(100.0, 101));
        theta.update(&pair(101, 60), 1000);
        assert_eq!(theta.values(), [101.0]);
    }

    #[test]
    fn constant_gains_end_at_the_average_of_the_second_half() {
        let mut theta = theta(Mode::Constant, parameter(100.0, 200));
        for net_wins in [1, 1, 1, -3] {
            theta.update(&pair(110, 90), net_wins);
        }
        // 100.1, 100.2, 100.3, 100.0
        assert!((theta.estimate()[0] - 100.15).abs() < 1e-9, "{:?}", theta.estimate());
        assert!((theta.values()[0] - 100.0).abs() < 1e-9);
    }

    #[test]
    fn a_stopped_run_ends_at_the_average_of_the_last_half_of_what_was_done() {
        let longer = Schedule { length: 1000.into(), ..schedule(Mode::Constant) };
        let mut theta = Theta::new(longer, 0.5, vec![parameter(100.0, 200)]);
        for net_wins in [1, 1, 1, -3] {
            theta.update(&pair(110, 90), net_wins);
        }
        assert!((theta.estimate()[0] - 100.15).abs() < 1e-9, "{:?}", theta.estimate());
    }
}
