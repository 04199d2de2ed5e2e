//! The random perturbation of all parameters in one iteration, determined by the seed.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::error::ConfigError;
use super::gains::Gain;
use super::parameter::{Parameter, Range};
use serde::{Deserialize, Serialize};

/// The two settings of an iteration, `theta + c delta` and `theta - c delta` in integers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Perturbation {
    /// The values of the first setting.
    pub plus: Vec<i32>,
    /// The values of the second setting.
    pub minus: Vec<i32>,
}

impl Perturbation {
    /// Checks settings that came as data.
    ///
    /// # Errors
    /// If they are not values of these parameters.
    pub fn check(&self, parameters: &[Parameter]) -> Result<(), ConfigError> {
        for values in [&self.plus, &self.minus] {
            let fit = |(value, parameter): (&i32, &Parameter)| {
                (parameter.range.min..=parameter.range.max).contains(value)
            };
            if values.len() != parameters.len() || !values.iter().zip(parameters).all(fit) {
                return Err(ConfigError::Settings);
            }
        }
        Ok(())
    }

    /// Draws the perturbation of an iteration: each parameter goes up or down by its `c` with equal probability
    /// (Rademacher distribution). Values are rounded stochastically, both settings by the same random number as in
    /// OpenBench, so that the mean is right and as little as possible of the difference is lost. Depends only on the
    /// arguments.
    ///
    /// ```
    /// use nullarbor_spsa::gains::Gain;
    /// use nullarbor_spsa::parameter::Range;
    /// use nullarbor_spsa::perturbation::Perturbation;
    ///
    /// let range = Range { min: 0, max: 100 };
    /// let drawn = Perturbation::of(1, 7, &[50.0], &[Gain { c: 4.0, r: 0.002 }], &[range]);
    /// assert_eq!(drawn.plus[0] + drawn.minus[0], 100);
    /// assert_eq!(drawn.deltas().next().map(f64::abs), Some(4.0));
    /// ```
    pub fn of(seed: u64, iteration: u64, theta: &[f64], gains: &[Gain], ranges: &[Range]) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(iteration);
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        for ((&value, gain), range) in theta.iter().zip(gains).zip(ranges) {
            let delta = if rng.random::<bool>() { gain.c } else { -gain.c };
            let chance: f64 = rng.random();
            let rounded = |value: f64| {
                let integer = (value + chance).floor();
                integer.clamp(f64::from(range.min), f64::from(range.max)) as i32
            };
            plus.push(rounded(value + delta));
            minus.push(rounded(value - delta));
        }
        Self { plus, minus }
    }

    /// Returns the effective perturbation of each parameter, half of the difference between the settings: rounding and the
    /// range may have reduced it.
    pub fn deltas(&self) -> impl Iterator<Item = f64> + '_ {
        let settings = self.plus.iter().zip(&self.minus);
        settings.map(|(&plus, &minus)| (f64::from(plus) - f64::from(minus)) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: Range = Range { min: -1000, max: 1000 };

    fn perturbed(c: f64, value: f64, range: Range, iteration: u64) -> Perturbation {
        Perturbation::of(7, iteration, &[value], &[Gain { c, r: 0.0 }], &[range])
    }

    #[test]
    fn the_same_iteration_is_perturbed_the_same_way() {
        let gains = [Gain { c: 3.3, r: 0.1 }; 20];
        let of =
            |seed, iteration| Perturbation::of(seed, iteration, &[0.5; 20], &gains, &[WIDE; 20]);
        assert_eq!(of(1, 5), of(1, 5));
        assert_ne!(of(1, 5), of(1, 6));
        assert_ne!(of(1, 5), of(2, 5));
        let ups = of(1, 5).deltas().filter(|&delta| delta > 0.0).count();
        assert!((3..=17).contains(&ups), "{ups} of 20 go up");
    }

    #[test]
    fn stochastic_rounding_has_the_right_mean() {
        let all: Vec<Perturbation> = (0..4000).map(|k| perturbed(2.0, 10.3, WIDE, k)).collect();
        let middle = |it: &Perturbation| f64::from(it.plus[0] + it.minus[0]) / 2.0;
        let mean = all.iter().map(middle).sum::<f64>() / all.len() as f64;
        assert!((mean - 10.3).abs() < 0.05, "{mean}");
        assert!(all.iter().all(|it| it.deltas().all(|delta| delta.abs() == 2.0)));
    }

    #[test]
    fn what_the_range_cuts_off_does_not_count() {
        let narrow = Range { min: 0, max: 10 };
        for k in 0..50 {
            let it = perturbed(4.0, 9.0, narrow, k);
            assert_eq!(it.plus[0].max(it.minus[0]), 10);
            assert_eq!(it.deltas().next().map(f64::abs), Some(2.5));
        }
        let whole = perturbed(2e9, 0.0, Range { min: i32::MIN, max: i32::MAX }, 1);
        assert_eq!(whole.deltas().next().map(f64::abs), Some(2e9));
        let stuck = perturbed(4.0, 5.0, Range { min: 5, max: 5 }, 1);
        assert_eq!(stuck.deltas().next(), Some(0.0), "no perturbation, no step");
    }
}
