//! Which way parameters are moved: by chance, but the same chance each time.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::gains::Gain;

/// The range of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Its least value.
    pub min: i32,
    /// Its greatest value.
    pub max: i32,
}

/// Two settings around a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Perturbation {
    /// The values of the first one.
    pub first: Vec<i32>,
    /// The values of the second one.
    pub second: Vec<i32>,
}

impl Perturbation {
    /// The settings of an iteration: each parameter is moved by its `c`, one way for the first setting and the other way for
    /// the second, and rounded to a whole number by chance, so that its mean is what it should be. Both settings are rounded by
    /// the same chance (as OpenBench does): so that no more of the move is lost than must be. Nothing but the seed and the
    /// number of the iteration decides.
    pub fn of(seed: u64, iteration: u64, point: &[f64], gains: &[Gain], ranges: &[Range]) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(iteration);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for ((&value, gain), range) in point.iter().zip(gains).zip(ranges) {
            let flip = if rng.random::<bool>() { gain.c } else { -gain.c };
            let chance: f64 = rng.random();
            let rounded = |value: f64| {
                let whole = (value + chance).floor();
                whole.clamp(f64::from(range.min), f64::from(range.max)) as i32
            };
            first.push(rounded(value + flip));
            second.push(rounded(value - flip));
        }
        Self { first, second }
    }

    /// How far the first setting really is from the middle, parameter by parameter: rounding and the range may have changed it.
    pub fn moved(&self) -> impl Iterator<Item = f64> + '_ {
        self.first.iter().zip(&self.second).map(|(&one, &other)| f64::from(one - other) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: Range = Range { min: -1000, max: 1000 };

    fn moved_by(c: f64, value: f64, range: Range, iteration: u64) -> Perturbation {
        Perturbation::of(7, iteration, &[value], &[Gain { c, r: 0.0 }], &[range])
    }

    #[test]
    fn the_same_iteration_is_moved_the_same_way() {
        let gains = [Gain { c: 3.3, r: 0.1 }; 20];
        let of =
            |seed, iteration| Perturbation::of(seed, iteration, &[0.5; 20], &gains, &[WIDE; 20]);
        assert_eq!(of(1, 5), of(1, 5));
        assert_ne!(of(1, 5), of(1, 6));
        assert_ne!(of(1, 5), of(2, 5));
        let ups = of(1, 5).moved().filter(|&moved| moved > 0.0).count();
        assert!((3..=17).contains(&ups), "{ups} of 20 go up");
    }

    #[test]
    fn chance_rounds_to_the_right_mean() {
        let all: Vec<Perturbation> = (0..4000).map(|k| moved_by(2.0, 10.3, WIDE, k)).collect();
        let middle = |it: &Perturbation| f64::from(it.first[0] + it.second[0]) / 2.0;
        let mean = all.iter().map(middle).sum::<f64>() / all.len() as f64;
        assert!((mean - 10.3).abs() < 0.05, "{mean}");
        assert!(all.iter().all(|it| it.moved().all(|moved| moved.abs() == 2.0)));
    }

    #[test]
    fn what_the_range_takes_off_does_not_count() {
        let narrow = Range { min: 0, max: 10 };
        for k in 0..50 {
            let it = moved_by(4.0, 9.0, narrow, k);
            assert_eq!(it.first[0].max(it.second[0]), 10);
            assert_eq!(it.moved().next().map(f64::abs), Some(2.5));
        }
        let stuck = moved_by(4.0, 5.0, Range { min: 5, max: 5 }, 1);
        assert_eq!(stuck.moved().next(), Some(0.0), "no move, no step");
    }
}
