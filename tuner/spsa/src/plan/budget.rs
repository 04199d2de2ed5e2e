//! The expected loss of a run with constant gains, and the gain that minimises it.
//!
//! The model is that of M. Van den Bergh (fishtest, 2020): Elo falls off as a parabola along each parameter, gains are
//! constant, and every game adds noise to every parameter. The loss at the end is `L0 exp(-2 G k r) + n r C (1 - d) / 8`
//! with `k = 16 s² e / C`: `L0` Elo lost at the start, `G` games, `n` parameters, `d` draw ratio, `s` the perturbation as a share
//! of the range, `e` the curvature, `C` = 347.4 Elo.

use nullarbor_stats::NORMALISED_ELO;

/// The perturbation as a share of the range: less has less effect on the games, and more leaves the parabola.
pub const SHARE: f64 = 1.0 / 6.0;

/// The number of games, and what they have to overcome.
///
/// ```
/// use nullarbor_spsa::plan::budget::Budget;
///
/// let budget = Budget {
///     games: 20_000.0,
///     parameters: 8,
///     curvature: 20.0,
///     start_loss: 30.0,
///     virtual_draws: 0.5,
/// };
/// let r = budget.best_gain().unwrap();
/// assert!(budget.final_loss(r) < 3.0);
/// assert!(budget.final_loss(r) < budget.final_loss(2.0 * r));
/// // A hundred games lose more by noise than they find.
/// assert_eq!(Budget { games: 100.0, ..budget }.best_gain(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Number of games.
    pub games: f64,
    /// Number of parameters.
    pub parameters: usize,
    /// Elo lost by half of the range of a parameter.
    pub curvature: f64,
    /// Elo between the start and the best values.
    pub start_loss: f64,
    /// The draw ratio of independent games with the same noise.
    pub virtual_draws: f64,
}

impl Budget {
    /// Returns the rate at which the distance to the best values decays, per game and unit of gain.
    fn convergence_rate(&self) -> f64 {
        16.0 * SHARE * SHARE * self.curvature / NORMALISED_ELO
    }

    /// Returns the Elo that noise costs per unit of gain.
    fn noise(&self) -> f64 {
        self.parameters as f64 * NORMALISED_ELO * (1.0 - self.virtual_draws) / 8.0
    }

    /// Returns the expected Elo below the best values after the run with a constant gain.
    pub fn final_loss(&self, r: f64) -> f64 {
        let decay = (-2.0 * self.games * self.convergence_rate() * r).exp();
        self.start_loss * decay + r * self.noise()
    }

    /// Returns the constant gain with the least final loss; `None` where any gain loses more by noise than it finds.
    pub fn best_gain(&self) -> Option<f64> {
        let reach = 2.0 * self.games * self.convergence_rate();
        let r = (reach * self.start_loss / self.noise()).ln() / reach;
        (r > 0.0).then_some(r)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_gain_loses_what_theory_says() {
        // Cases worked out by hand from the closed form.
        for (parameters, curvature, start_loss, games, lost) in [
            (12, 3.0, 6.0, 100_000.0, 1.09),
            (12, 10.0, 20.0, 50_000.0, 0.93),
            (4, 3.0, 4.0, 50_000.0, 0.73),
            (30, 3.0, 12.0, 200_000.0, 1.52),
        ] {
            let budget = Budget { games, parameters, curvature, start_loss, virtual_draws: 0.61 };
            let r = budget.best_gain().expect("a gain");
            assert!((budget.final_loss(r) - lost).abs() < 0.01, "{}", budget.final_loss(r));
            for other in [0.8 * r, 1.25 * r] {
                assert!(budget.final_loss(other) > budget.final_loss(r));
            }
        }
    }

    #[test]
    fn a_handful_of_games_gains_nothing() {
        let budget = Budget {
            games: 100.0,
            parameters: 12,
            curvature: 3.0,
            start_loss: 6.0,
            virtual_draws: 0.61,
        };
        assert_eq!(budget.best_gain(), None);
    }
}
