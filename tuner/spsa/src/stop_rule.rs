//! The rule that ends a run early: when little remains to be gained.

use nullarbor_stats::{Estimate, PairCounts};

use super::parameter::Parameter;
use super::perturbation::Perturbation;
use super::regression::Regression;
use super::theta::Theta;

/// Iterations between two looks at what remains.
const INTERVAL: u64 = 25;
/// Iterations that must have ended uneven before the first look: without them the games have no spread, and seem certain.
const UNEVEN: u64 = 5;

/// Ends a run when the Elo that remain to be gained are expected to be less than a number.
pub(super) struct StopRule {
    below: f64,
    regression: Regression,
    uneven: u64,
}

impl StopRule {
    /// Creates the rule before the first iteration.
    pub fn new(below: f64, parameters: &[Parameter]) -> Self {
        Self { below, regression: Regression::new(parameters), uneven: 0 }
    }

    /// Adds the games of an iteration.
    pub fn add(&mut self, settings: &Perturbation, pairs: &PairCounts) {
        self.uneven += u64::from(pairs.wins() != pairs.losses());
        self.regression.add(settings, pairs);
    }

    /// Returns the Elo that remain to be gained, if they are few enough.
    pub fn verdict(&self, theta: &Theta) -> Option<Estimate> {
        if !theta.iteration().is_multiple_of(INTERVAL) || self.uneven < UNEVEN {
            return None;
        }
        let remaining = self.regression.remaining(&theta.estimate());
        (remaining.value < self.below).then_some(remaining)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gains::{Mode, Schedule};
    use crate::parameter::Range;

    #[test]
    fn games_that_all_end_even_stop_nothing() {
        let schedule = Schedule {
            mode: Mode::Constant,
            alpha: 0.0,
            gamma: 0.0,
            a_ratio: 0.0,
            length: 100.into(),
        };
        let range = Range { min: 0, max: 600 };
        let parameter =
            Parameter { name: String::new(), start: 300.0, range, c_end: 100.0, r_end: 0.02 };
        let stops = |pairs: PairCounts| {
            let mut theta = Theta::new(schedule.clone(), 0.5, vec![parameter.clone()]);
            let mut rule = StopRule::new(900.0, std::slice::from_ref(&parameter));
            for k in 0..INTERVAL {
                let settings = theta.perturb(1, k);
                rule.add(&settings, &pairs);
                theta.update(&settings, 0);
            }
            rule.verdict(&theta).is_some()
        };
        assert!(!stops(PairCounts { dd: 1, ..PairCounts::default() }));
        assert!(stops(PairCounts { wd: 1, ..PairCounts::default() }));
    }
}
