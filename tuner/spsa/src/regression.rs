//! Regression over all games of a run: slope, curvature and optimum of the Elo along each parameter.
//!
//! Along a parameter `x`, in halves of its range from its start, the Elo lost is taken as `e (x - o)²`. Two settings `2 d` apart
//! around `m` then differ by `4 e d (o - m)` Elo: a straight line in `m`, since the run wanders. All other parameters are noise,
//! since their perturbations have random signs.
//!
//! The run itself moves by these results, so the slope over all games is a martingale and its error normal, but the error of
//! the curvature is not: a parameter without effect walks at random, and regression on a random walk finds curvature. Its
//! 5 % quantile is that of D. Dickey and W. Fuller (1979), not that of the normal distribution.
//!
//! A parameter that has arrived hardly has a slope over all games, but it returns when it has moved away. So the sums towards
//! the mean of its past are a second martingale (B. So and D. Shin 1999), and an effect is what shows in either.

use nullarbor_stats::{ChiSquare, Estimate, NORMALISED_ELO, PairCounts, normal_distribution};

use super::parameter::Parameter;
use super::perturbation::Perturbation;

/// Below this many standard errors a curvature is one: the 5 % quantile of Dickey and Fuller's t, with a constant.
const CURVED: f64 = -2.86;
/// The share of false ones among the parameters that are said to have an effect.
const FALSE_DISCOVERIES: f64 = 0.05;

/// Sums over the iterations of a run.
#[derive(Clone, Debug)]
pub struct Regression {
    axes: Vec<Axis>,
    iterations: u64,
    /// Squares of the Elo differences that the iterations show.
    squares: f64,
}

/// Sums for a parameter: `d` is the perturbation, `m` the middle of the two settings, `y` the Elo difference.
#[derive(Clone, Debug)]
struct Axis {
    start: f64,
    /// Half of the range.
    half: f64,
    /// The range, in halves from the start.
    bounds: [f64; 2],
    dd: f64,
    ddm: f64,
    ddmm: f64,
    dy: f64,
    dmy: f64,
    /// The sum of `d y` towards the mean of the middles before.
    returned: f64,
    middles: f64,
}

/// The effect of a parameter, by the games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// The slope over all games, in standard errors.
    pub z: f64,
    /// The probability of such a slope, or of such a return to where it was, by chance.
    pub p: f64,
    /// True if it is more than chance, with regard to the number of parameters.
    pub has_effect: bool,
    /// Elo gained by a step of one unit at the result.
    pub slope: Estimate,
    /// Elo lost by half of the range.
    pub curvature: Estimate,
    /// True if there is a curvature.
    pub is_curved: bool,
    /// The best value; `None` where there is no curvature.
    pub optimum: Option<Estimate>,
}

impl Regression {
    /// Begins with no games.
    pub fn new(parameters: &[Parameter]) -> Self {
        let axis = |of: &Parameter| {
            let (start, half) = (of.start, of.range.span() / 2.0);
            let bounds = [of.range.min, of.range.max].map(|it| (f64::from(it) - start) / half);
            let (dd, ddm, ddmm, dy, dmy, returned, middles) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
            Axis { start, half, bounds, dd, ddm, ddmm, dy, dmy, returned, middles }
        };
        Self { axes: parameters.iter().map(axis).collect(), iterations: 0, squares: 0.0 }
    }

    /// Adds the games of an iteration.
    pub fn add(&mut self, settings: &Perturbation, pairs: &PairCounts) {
        let net_wins = pairs.wins() as f64 - pairs.losses() as f64;
        let elo = NORMALISED_ELO * net_wins / pairs.games().max(1) as f64;
        let before = self.iterations.max(1) as f64;
        self.iterations += 1;
        self.squares += elo * elo;
        let values = settings.plus.iter().zip(&settings.minus);
        for (axis, (&plus, &minus)) in self.axes.iter_mut().zip(values) {
            let [plus, minus] = [plus, minus].map(|it| (f64::from(it) - axis.start) / axis.half);
            let (d, m) = ((plus - minus) / 2.0, (plus + minus) / 2.0);
            axis.dd += d * d;
            axis.ddm += d * d * m;
            axis.ddmm += d * d * m * m;
            axis.dy += d * elo;
            axis.dmy += d * m * elo;
            let is_above = m > axis.middles / before;
            axis.returned += if is_above { -d * elo } else { d * elo };
            axis.middles += m;
        }
    }

    /// The variance of the Elo difference of an iteration.
    fn variance(&self) -> f64 {
        (self.squares / self.iterations.max(1) as f64).max(f64::MIN_POSITIVE)
    }

    /// Returns what the games say about each parameter, the result of the run being `result`.
    pub fn findings(&self, result: &[f64]) -> Vec<Finding> {
        let variance = self.variance();
        let found =
            self.axes.iter().zip(result).map(|(axis, value)| axis.finding(variance, *value));
        let mut found: Vec<Finding> = found.collect();
        let chances: Vec<f64> = found.iter().map(|it| it.p).collect();
        let limit = discovery_limit(&chances);
        found.iter_mut().for_each(|finding| finding.has_effect = finding.p <= limit);
        found
    }

    /// Tests whether any parameter has an effect, by the sum of `-2 ln p` (R. Fisher 1925): two degrees of freedom for each.
    pub fn overall(findings: &[Finding]) -> ChiSquare {
        let value = findings.iter().map(|it| -2.0 * it.p.max(f64::MIN_POSITIVE).ln()).sum();
        ChiSquare { value, degrees: 2 * findings.len() }
    }

    /// Returns the Elo that these values lose against the best ones: mean and deviation of the posterior distribution, if
    /// nothing was known of the parameters but that half of a range costs some Elo.
    pub fn remaining(&self, values: &[f64]) -> Estimate {
        let variance = self.variance();
        let each = self.axes.iter().zip(values).map(|(axis, value)| axis.loss(variance, *value));
        let (mean, square) = each.fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        Estimate::from_standard_error(mean, square.sqrt())
    }
}

/// Returns the greatest chance at which an effect counts as one (Y. Benjamini and Y. Hochberg 1995); negative if none does.
fn discovery_limit(chances: &[f64]) -> f64 {
    let mut sorted = chances.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = |index: usize| FALSE_DISCOVERIES * (index + 1) as f64 / sorted.len() as f64;
    let last = (0..sorted.len()).rev().find(|&index| sorted[index] <= rank(index));
    last.map_or(-1.0, |index| sorted[index])
}

/// Elo lost by half of a range, before anything is known: the median, and the deviation of its logarithm.
const USUAL_CURVATURE: f64 = 4.0;
const SPREAD: f64 = 1.3;
/// Curvatures are tried in steps of this many deviations, so many to each side.
const CURVATURE_STEP: f64 = 0.35;
const CURVATURES: i32 = 7;
/// Optima that are tried, over the whole range.
const OPTIMA: u32 = 41;

impl Axis {
    fn finding(&self, variance: f64, result: f64) -> Finding {
        let at = (result - self.start) / self.half;
        let per_root = self.dy / (variance * self.dd).sqrt();
        let z = if per_root.is_finite() { per_root } else { 0.0 };
        let returned = self.returned / (variance * self.dd).sqrt();
        let returned = if returned.is_finite() { returned } else { 0.0 };
        // Least squares of y = d (a + b m).
        let determinant = self.dd * self.ddmm - self.ddm * self.ddm;
        let is_line = determinant > 1e-9 * self.dd * self.dd;
        let chance = 2.0 * normal_distribution(-z.abs());
        // The smaller one of two, of which the second has one side; a value that stays cannot return.
        let p = if is_line { 2.0 * chance.min(normal_distribution(-returned)) } else { chance };
        let determinant = if is_line { determinant } else { f64::NAN };
        let a = (self.ddmm * self.dy - self.ddm * self.dmy) / determinant;
        let b = (self.dd * self.dmy - self.ddm * self.dy) / determinant;
        let [aa, ab, bb] = [self.ddmm, -self.ddm, self.dd].map(|it| variance * it / determinant);
        let variance_at = |m: f64| aa + 2.0 * m * ab + m * m * bb;
        let is_curved = is_line && b / bb.sqrt() < CURVED;
        let best = -a / b;
        let optimum = is_curved.then(|| {
            let error = variance_at(best).sqrt() / b.abs() * self.half;
            Estimate::from_standard_error(self.start + self.half * best, error)
        });
        // The derivative is half of what two settings one unit from their middle differ by.
        let scale = 0.5 / self.half;
        let slope = if is_line {
            ((a + b * at) * scale, variance_at(at).sqrt() * scale)
        } else {
            let dd = self.dd.max(f64::MIN_POSITIVE);
            (self.dy / dd * scale, (variance / dd).sqrt() * scale)
        };
        Finding {
            z,
            p: p.min(1.0),
            has_effect: false,
            slope: Estimate::from_standard_error(slope.0, slope.1),
            curvature: Estimate::from_standard_error(-b / 4.0, bb.sqrt() / 4.0),
            is_curved,
            optimum,
        }
    }

    /// Returns mean and variance of the Elo that a value loses, by the posterior distribution of curvature and optimum.
    fn loss(&self, variance: f64, value: f64) -> (f64, f64) {
        let at = (value - self.start) / self.half;
        let mut points = Vec::new();
        for step in -CURVATURES..=CURVATURES {
            let deviations = f64::from(step) * CURVATURE_STEP;
            let e = USUAL_CURVATURE * (SPREAD * deviations).exp();
            for index in 0..OPTIMA {
                let share = f64::from(index) / f64::from(OPTIMA - 1);
                let o = self.bounds[0] + share * (self.bounds[1] - self.bounds[0]);
                let squares = self.ddmm - 2.0 * o * self.ddm + o * o * self.dd;
                let fit = 8.0 * e * (o * self.dy - self.dmy) - 16.0 * e * e * squares;
                let weight = fit / (2.0 * variance) - deviations * deviations / 2.0;
                points.push((weight, e * (at - o) * (at - o)));
            }
        }
        let most = points.iter().map(|point| point.0).fold(f64::NEG_INFINITY, f64::max);
        let mut sums = [0.0; 3];
        for (weight, loss) in points {
            let weight = (weight - most).exp();
            sums[0] += weight;
            sums[1] += weight * loss;
            sums[2] += weight * loss * loss;
        }
        let mean = sums[1] / sums[0];
        (mean, (sums[2] / sums[0] - mean * mean).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::gains::{Mode, Schedule};
    use crate::parameter::Range;
    use crate::pipeline::Pipeline;
    use crate::theta::Theta;

    const COUNT: usize = 20;

    /// Plays a run in which the first parameter loses 60 Elo by half of its range and is best at 400, the second is best where
    /// it starts, and the others have no effect.
    fn played(iterations: u64, seed: u64, curvature: f64) -> (Regression, Vec<f64>) {
        let schedule = Schedule {
            mode: Mode::Constant,
            alpha: 0.0,
            gamma: 0.0,
            a_ratio: 0.0,
            length: iterations.into(),
        };
        let range = Range { min: 0, max: 600 };
        let parameter =
            Parameter { name: String::new(), start: 300.0, range, c_end: 100.0, r_end: 0.02 };
        let parameters = vec![parameter; COUNT];
        let mut regression = Regression::new(&parameters);
        let mut pipeline = Pipeline::new(Theta::new(schedule, 0.5, parameters), seed, 0);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        while !pipeline.is_done() {
            let settings = pipeline.begin().expect("not done").1.clone();
            let loss = |values: &[i32]| {
                let square = |value: i32, best: f64| ((f64::from(value) - best) / 300.0).powi(2);
                curvature * (square(values[0], 400.0) + square(values[1], 300.0))
            };
            let score =
                nullarbor_stats::expected_score(loss(&settings.minus) - loss(&settings.plus));
            let mut pairs = PairCounts::default();
            for _ in 0..4 {
                let wins = [(); 2].map(|()| rng.random::<f64>() < score);
                match wins {
                    [true, true] => pairs.ww += 1,
                    [false, false] => pairs.ll += 1,
                    _ => pairs.wl += 1,
                }
            }
            pipeline.apply(pairs.wins() as i64 - pairs.losses() as i64);
            regression.add(&settings, &pairs);
        }
        (regression, pipeline.theta().estimate())
    }

    #[test]
    fn arrived_and_without_effect_differ() {
        let (regression, result) = played(6000, 1, 60.0);
        let found = regression.findings(&result);
        let optimum = found[0].optimum.expect("curved");
        assert!(
            found[0].has_effect && (optimum.value - 400.0).abs() < 1.5 * optimum.error,
            "{optimum:?}"
        );
        assert!(!found[0].slope.is_significant(), "arrived: {:?}", found[0]);
        assert!((found[0].curvature.value - 60.0).abs() < 1.5 * found[0].curvature.error);
        let optimum = found[1].optimum.expect("curved");
        assert!((optimum.value - 300.0).abs() < 1.5 * optimum.error, "{optimum:?}");
        let idle = &found[2..];
        assert!(idle.iter().filter(|it| it.has_effect || it.is_curved).count() <= 2, "{idle:?}");
        let test = Regression::overall(&found);
        assert!(test.p() < 1e-3 && test.degrees == 2 * COUNT, "{test:?}");
    }

    #[test]
    fn where_nothing_has_an_effect_nothing_is_found() {
        let (mut curved, mut effects, mut significant) = (0, 0, 0);
        for seed in 0..20 {
            let (regression, result) = played(400, seed, 0.0);
            let found = regression.findings(&result);
            curved += found.iter().filter(|it| it.is_curved).count();
            effects += usize::from(found.iter().any(|it| it.has_effect));
            significant += usize::from(Regression::overall(&found).p() < 0.05);
        }
        // Of 400 parameters, 20 runs and 20 runs 5 % each; by the normal quantile a quarter would be curved.
        assert!(curved <= 36, "{curved}");
        assert!(effects <= 4 && significant <= 4, "{effects} {significant}");
    }

    #[test]
    fn what_remains_falls_as_the_run_arrives() {
        let loss = |values: &[f64]| {
            60.0 * ((values[0] - 400.0).powi(2) + (values[1] - 300.0).powi(2)) / 300.0_f64.powi(2)
        };
        let mut before = f64::INFINITY;
        for iterations in [50, 1000, 6000] {
            let (regression, result) = played(iterations, 3, 60.0);
            let remaining = regression.remaining(&result);
            assert!(remaining.value < before, "{remaining:?} after {iterations}");
            assert!(remaining.value + remaining.error > loss(&result), "{remaining:?}");
            before = remaining.value;
        }
    }

    #[test]
    fn a_share_of_discoveries_is_false() {
        assert_eq!(discovery_limit(&[0.9, 0.001, 0.02, 0.5]), 0.02);
        assert_eq!(discovery_limit(&[0.9, 0.03, 0.2, 0.5]), -1.0);
    }

    #[test]
    fn no_games_say_nothing() {
        let (regression, result) = played(0, 1, 60.0);
        let found = regression.findings(&result);
        assert!(found.iter().all(|it| it.z == 0.0 && !it.is_curved && !it.has_effect));
        assert!(regression.remaining(&result).value > 10.0);
    }
}
