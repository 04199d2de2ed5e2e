//! The rule that ends a run early: when little remains to be gained.

use nullarbor_stats::{Estimate, PairCounts};

use super::parameter::Parameter;
use super::perturbation::Perturbation;
use super::regression::Regression;
use super::theta::Theta;

/// Iterations between two looks at what remains.
const INTERVAL: u64 = 25;

/// Ends a run when the Elo that remain to be gained are expected to be less than a number.
pub(super) struct StopRule {
    below: f64,
    regression: Regression,
}

impl StopRule {
    /// Creates the rule before the first iteration.
    pub fn new(below: f64, parameters: &[Parameter]) -> Self {
        Self { below, regression: Regression::new(parameters) }
    }

    /// Adds the games of an iteration.
    pub fn add(&mut self, settings: &Perturbation, pairs: &PairCounts) {
        self.regression.add(settings, pairs);
    }

    /// Returns the Elo that remain to be gained, if they are few enough.
    pub fn verdict(&self, theta: &Theta) -> Option<Estimate> {
        if !theta.iteration().is_multiple_of(INTERVAL) {
            return None;
        }
        let remaining = self.regression.remaining(&theta.estimate());
        (remaining.value < self.below).then_some(remaining)
    }
}
