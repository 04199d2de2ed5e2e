//! Estimates of the surface before a run.

use super::budget::Budget;
use super::probe::Probes;

/// Estimates of the surface before a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimates {
    /// Without a number of games.
    budget: Budget,
    /// True if the curvature is but the error of its measurement.
    pub(super) is_noise: bool,
    /// True if the loss of the start was given, not estimated.
    pub(super) is_given: bool,
}

/// Assumed distance of each start from the best value, in halves of its range: a sixth of the range.
const ASSUMED_DISTANCE: f64 = 1.0 / 3.0;
/// Elo lost by half of the range of a parameter where nothing was measured.
const USUAL_CURVATURE: f64 = 6.0;
/// Draw ratio where nothing was measured.
const USUAL_DRAWS: f64 = 0.45;

impl Estimates {
    /// Assumes the loss of the start in Elo and the draw ratio.
    pub fn assumed(elo: f64, parameters: usize, draws: f64) -> Self {
        let curvature = elo / parameters as f64 / ASSUMED_DISTANCE.powi(2);
        let budget =
            Budget { games: 0.0, parameters, curvature, start_loss: elo, virtual_draws: draws };
        Self { budget, is_noise: false, is_given: true }
    }

    /// Assumes what is usual.
    pub fn usual(parameters: usize) -> Self {
        let elo = parameters as f64 * USUAL_CURVATURE * ASSUMED_DISTANCE.powi(2);
        Self::assumed(elo, parameters, USUAL_DRAWS)
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

    /// Returns the Elo between the start and the best values.
    pub fn start_loss(&self) -> f64 {
        self.budget.start_loss
    }

    /// Returns the draw ratio of independent games with the same noise.
    pub fn draws(&self) -> f64 {
        self.budget.virtual_draws
    }

    /// Returns the number of parameters.
    pub fn parameters(&self) -> usize {
        self.budget.parameters
    }

    /// Returns the Elo lost by half of the range of a parameter.
    pub(super) fn curvature(&self) -> f64 {
        self.budget.curvature
    }
}
