//! What a number of games can be expected to buy, before any of them is played.
//!
//! The model is that of M. Van den Bergh (fishtest, 2020): Elo fall off as a parabola along each parameter, gains stay, and
//! every game adds noise to every parameter. Then the loss at the end is `L0 exp(-2 G k r) + n r C (1 - d) / 8` with
//! `k = 16 s^2 e / C`, and there is a best `r`.

/// `800 / ln 10`: Elo for a small difference of one in the score of a game, from -1 to 1.
pub const ELO_PER_NET: f64 = 347.435_585_522_601_46;
/// How far a parameter is moved, as a share of its range: less is felt less, and more leaves the parabola.
pub const SHARE: f64 = 1.0 / 6.0;
/// The mean of the last half of the path forgives a gain that is larger than the best one, and then covers more ground.
const BOLDNESS: f64 = 2.0;

/// Games to be spent, and on what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Games.
    pub games: f64,
    /// Parameters.
    pub parameters: usize,
    /// Elo that a parameter loses by half of its range.
    pub steepness: f64,
    /// Elo between the start and the best values.
    pub start_loss: f64,
    /// The share of drawn games that would give the same noise in games that do not depend on each other.
    pub virtual_draws: f64,
}

impl Budget {
    /// By how much the logarithm of the distance falls, for a game and a gain of one.
    fn pull(&self) -> f64 {
        16.0 * SHARE * SHARE * self.steepness / ELO_PER_NET
    }

    /// Elo that noise costs, for a gain of one.
    fn noise(&self) -> f64 {
        self.parameters as f64 * ELO_PER_NET * (1.0 - self.virtual_draws) / 8.0
    }

    /// Elo below the best at the end, with a constant gain.
    pub fn final_loss(&self, r: f64) -> f64 {
        self.start_loss * (-2.0 * self.games * self.pull() * r).exp() + r * self.noise()
    }

    /// The constant gain with the least loss at the end; `None` where any gain loses more by noise than it finds.
    pub fn best_gain(&self) -> Option<f64> {
        let reach = 2.0 * self.games * self.pull();
        let r = (reach * self.start_loss / self.noise()).ln() / reach;
        (r > 0.0).then_some(r)
    }

    /// The gain for a run whose result is the mean of the last half of its path.
    pub fn gain_of_a_mean(&self) -> Option<f64> {
        self.best_gain().map(|r| BOLDNESS * r)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_gain_loses_what_theory_says() {
        // Cases worked out by hand from the closed form.
        for (parameters, steepness, start_loss, games, lost) in [
            (12, 3.0, 6.0, 100_000.0, 1.09),
            (12, 10.0, 20.0, 50_000.0, 0.93),
            (4, 3.0, 4.0, 50_000.0, 0.73),
            (30, 3.0, 12.0, 200_000.0, 1.52),
        ] {
            let budget = Budget { games, parameters, steepness, start_loss, virtual_draws: 0.61 };
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
            steepness: 3.0,
            start_loss: 6.0,
            virtual_draws: 0.61,
        };
        assert_eq!(budget.best_gain(), None);
        assert_eq!(budget.gain_of_a_mean(), None);
    }
}
