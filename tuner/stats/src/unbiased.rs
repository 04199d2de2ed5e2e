//! The strength after a sequential test. A test stops when the score looks good or bad, so the score at its end exaggerates.
//!
//! The estimate here is median-unbiased: it is too high as often as too low. It is the strength with which half of all such
//! tests would end lower than this one did: at the lower limit earlier, or not yet at the upper limit (the stage-wise order;
//! D. Siegmund, "Estimation following sequential tests", Biometrika 65, 1978). The log-likelihood ratio is taken as a Brownian
//! motion, as on fishtest.

use std::f64::consts::{PI, SQRT_2};

use super::elo::{elo, expected_score};
use super::normal::distribution;
use super::{Model, NORMALISED_ELO, PairCounts, Sprt};

/// The strength of the first player in Elo: the median-unbiased estimate, and a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Unbiased {
    /// The estimate.
    pub elo: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// Fewer pairs say nothing about their variance.
const ENOUGH: u64 = 10;
/// Terms of the series of waves, which is asked only where they shrink fast.
const TERMS: u32 = 40;
/// Images of the start to each side; each is at least as far as the limits are from each other.
const IMAGES: i32 = 8;
/// Below this the normal distribution is taken from its continued fraction, so deep.
const FAR: f64 = -5.0;
const FRACTIONS: u32 = 60;
/// Halvings of the interval around the score in which the strength is sought, and half of its width, in standard deviations of a
/// pair.
const HALVINGS: u32 = 60;
const WIDEST: f64 = 5.0;

impl Sprt {
    /// Returns the strength after the test, whether it is decided or not; `None` if too little was played.
    pub fn unbiased(&self, counts: &PairCounts) -> Option<Unbiased> {
        let deviation = counts.variance().sqrt();
        if counts.pairs() < ENOUGH || deviation.is_nan() || deviation <= 0.0 {
            return None;
        }
        // Differences as standard deviations of a pair.
        let [low, high] = [self.elo0, self.elo1].map(|bound| match self.model {
            Model::Normalized => SQRT_2 * bound / NORMALISED_ELO,
            Model::Logistic => (expected_score(bound) - 0.5) / deviation,
        });
        let (sigma, middle) = (high - low, (low + high) / 2.0);
        let (lower, upper) = self.limits();
        let (pairs, end) = (counts.pairs() as f64, self.llr(counts).clamp(lower, upper));
        // Far from the bounds the ratio grows less than a Brownian motion would, and it oversteps a limit: all is scaled to what
        // it has reached.
        let seen = (counts.score() - 0.5) / deviation;
        let straight = sigma * pairs * (seen - middle);
        let scale = if straight.abs() > 1.0 { (end / straight).clamp(0.01, 2.0) } else { 1.0 };
        let sigma = scale * sigma;
        let path = Path { lower, upper, sigma, time: pairs, end };
        let strength = |share: f64| {
            let (mut weak, mut strong) = (seen - WIDEST, seen + WIDEST);
            for _ in 0..HALVINGS {
                let half = (weak + strong) / 2.0;
                let ends_lower = path.chance_of_less(sigma * (half - middle));
                *if ends_lower > share { &mut weak } else { &mut strong } = half;
            }
            elo(0.5 + deviation * (weak + strong) / 2.0)
        };
        Some(Unbiased { elo: strength(0.5), low: strength(0.975), high: strength(0.025) })
    }
}

/// The path of a test: a Brownian motion from 0 between two limits.
#[derive(Clone, Copy, Debug)]
struct Path {
    lower: f64,
    upper: f64,
    /// Standard deviation in a unit of time.
    sigma: f64,
    time: f64,
    /// Position now, or where the path was stopped.
    end: f64,
}

impl Path {
    /// Returns the probability that a motion with this drift ends lower: at the lower limit before this time, or within the
    /// limits below this end.
    fn chance_of_less(&self, drift: f64) -> f64 {
        if self.end >= self.upper {
            // Seen from above the upper limit is the lower one.
            return 1.0 - self.mirrored().reaches_lower(-drift);
        }
        let below = if self.end > self.lower { self.stays_below(drift) } else { 0.0 };
        (self.reaches_lower(drift) + below).clamp(0.0, 1.0)
    }

    fn mirrored(&self) -> Self {
        Self { lower: -self.upper, upper: -self.lower, end: -self.end, ..*self }
    }

    /// Returns the distance between the limits, and the start above the lower one.
    fn width_and_start(&self) -> (f64, f64) {
        (self.upper - self.lower, -self.lower)
    }

    /// Returns whether the motion has spread so little that images of its start converge faster than waves between the limits.
    fn is_early(&self) -> bool {
        let (width, _) = self.width_and_start();
        self.sigma * self.sigma * self.time < width * width / 2.0
    }

    /// Returns the starts of the motion and of its mirror images behind the limits, on the side of the start.
    fn images(&self) -> impl Iterator<Item = f64> {
        let (width, start) = self.width_and_start();
        (-IMAGES..=IMAGES).map(move |n| start + 2.0 * width * f64::from(n))
    }

    /// Returns the probability of reaching the lower limit before this time, and not the upper one before.
    fn reaches_lower(&self, drift: f64) -> f64 {
        let chance = if self.is_early() {
            self.reaches_lower_early(drift)
        } else {
            self.reaches_lower_late(drift)
        };
        chance.clamp(0.0, 1.0)
    }

    /// Each image passes the limit at a time of inverse Gaussian distribution.
    fn reaches_lower_early(&self, drift: f64) -> f64 {
        let (_, start) = self.width_and_start();
        let variance = self.sigma * self.sigma;
        let (spread, speed) = (self.sigma * self.time.sqrt(), drift.abs());
        let passes = self.images().map(|image| {
            let by = |sign: f64| {
                let exponent = (sign * speed * image.abs() - drift * start) / variance;
                weighted(exponent, (-sign * speed * self.time - image.abs()) / spread)
            };
            image.signum() * (by(-1.0) + by(1.0))
        });
        passes.sum()
    }

    fn reaches_lower_late(&self, drift: f64) -> f64 {
        let (width, start) = self.width_and_start();
        let variance = self.sigma * self.sigma;
        let ever = {
            let rate = -2.0 * drift / variance;
            if rate.abs() * width < 1e-9 {
                1.0 - start / width
            } else if rate > 0.0 {
                // Divided by the greatest term.
                let [all, rest] = [-rate * width, -rate * (width - start)].map(f64::exp);
                (1.0 - rest) / (1.0 - all)
            } else {
                ((rate * start).exp() - (rate * width).exp()) / (1.0 - (rate * width).exp())
            }
        };
        let later = (1..=TERMS).map(|n| {
            let wave = f64::from(n) * PI / width;
            let decay = (drift * drift / variance + wave * wave * variance) / 2.0;
            let shrunk = (-drift * start / variance - decay * self.time).exp();
            wave * variance / width * (wave * start).sin() * shrunk / decay
        });
        ever - later.sum::<f64>()
    }

    /// Returns the probability of being within the limits at this time, below this end.
    fn stays_below(&self, drift: f64) -> f64 {
        let chance = if self.is_early() {
            self.stays_below_early(drift)
        } else {
            self.stays_below_late(drift)
        };
        chance.clamp(0.0, 1.0)
    }

    /// Those that have passed a limit are the images from behind it.
    fn stays_below_early(&self, drift: f64) -> f64 {
        let (_, start) = self.width_and_start();
        let variance = self.sigma * self.sigma;
        let (spread, end) = (self.sigma * self.time.sqrt(), self.end - self.lower);
        let within = |image: f64| {
            let exponent = drift * (image - start) / variance;
            let at = |z: f64| (z - image - drift * self.time) / spread;
            // The tail that is small, so that no digits are lost.
            if at(0.0) > 0.0 {
                weighted(exponent, -at(0.0)) - weighted(exponent, -at(end))
            } else {
                weighted(exponent, at(end)) - weighted(exponent, at(0.0))
            }
        };
        self.images().map(|image| within(image) - within(-image)).sum()
    }

    fn stays_below_late(&self, drift: f64) -> f64 {
        let (width, start) = self.width_and_start();
        let (variance, end) = (self.sigma * self.sigma, self.end - self.lower);
        let slope = drift / variance;
        let terms = (1..=TERMS).map(|n| {
            let wave = f64::from(n) * PI / width;
            let decay = (drift * drift / variance + wave * wave * variance) / 2.0;
            // The integral of exp(slope z) sin(wave z) from 0 to the end, divided by exp(slope start).
            let at = |z: f64| {
                let (sin, cos) = (wave * z).sin_cos();
                (slope * (z - start) - decay * self.time).exp() * (slope * sin - wave * cos)
            };
            2.0 / width * (wave * start).sin() * (at(end) - at(0.0)) / (slope * slope + wave * wave)
        });
        terms.sum()
    }
}

/// Returns `exp(exponent)` times the probability that a standard normal variable is below `x`, though one may be beyond the range of
/// numbers.
fn weighted(exponent: f64, x: f64) -> f64 {
    if x > FAR {
        return exponent.exp() * distribution(x);
    }
    // The continued fraction of Mills's ratio (P. S. Laplace 1805).
    let ratio = (1..=FRACTIONS).rev().fold(-x, |below, n| -x + f64::from(n) / below);
    (exponent - x * x / 2.0).exp() / (ratio * (2.0 * PI).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GameResult, Strength, Verdict};

    /// Numbers that look random (G. Marsaglia 2003).
    struct Xorshift(u64);

    impl Xorshift {
        fn next(&mut self) -> f64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Plays a test between players `strength` Elo apart, of whose games 40 % are drawn.
    fn played(test: &Sprt, strength: f64, most: u64, rng: &mut Xorshift) -> PairCounts {
        let score = expected_score(strength);
        let mut counts = PairCounts::default();
        while counts.pairs() < most && test.verdict(&counts).is_none() {
            for _ in 0..16 {
                let mut game = || match rng.next() {
                    chance if chance < score - 0.2 => GameResult::Win,
                    chance if chance < score + 0.2 => GameResult::Draw,
                    _ => GameResult::Loss,
                };
                let pair = [game(), game()];
                counts.add(pair[0], pair[1]);
            }
        }
        counts
    }

    #[test]
    fn the_estimate_is_too_high_as_often_as_too_low() {
        let test = Sprt::new(0.0, 10.0, 0.05, 0.05, Model::Normalized).expect("a test");
        let mut rng = Xorshift(47);
        for (strength, most) in [(8.0, 20_000), (-3.0, 20_000), (5.0, 1000)] {
            let (mut above, mut naive, mut covered) = (0, 0, 0);
            for _ in 0..100 {
                let counts = played(&test, strength, most, &mut rng);
                let found = test.unbiased(&counts).expect("enough pairs");
                above += usize::from(found.elo > strength);
                naive += usize::from(Strength::of(&counts).elo.value > strength);
                covered += usize::from(found.low < strength && strength < found.high);
            }
            // Of 100, 50 with a standard deviation of 5, and 95 with one of 2.
            assert!(above.abs_diff(50_usize) < 15, "{strength}: {above}, by the score {naive}");
            assert!(covered >= 88, "{strength}: {covered}");
            if strength == 8.0 {
                assert!(naive > above + 7, "the score at the end exaggerates: {naive}, {above}");
            }
        }
    }

    #[test]
    fn a_decided_test_is_worth_less_than_its_score() {
        let test = Sprt::new(0.0, 10.0, 0.05, 0.05, Model::Normalized).expect("a test");
        let counts = PairCounts { ll: 4, ld: 40, dd: 50, wl: 60, wd: 110, ww: 24 };
        assert_eq!(test.verdict(&counts), Some(Verdict::H1));
        let (found, naive) = (test.unbiased(&counts).expect("enough"), Strength::of(&counts).elo);
        assert!(found.elo < naive.value && found.low > 0.0, "{found:?} {naive:?}");
        let mirror = Sprt::new(-10.0, 0.0, 0.05, 0.05, Model::Normalized).expect("a test");
        let reversed = mirror.unbiased(&counts.reversed()).expect("enough");
        assert!(
            (reversed.elo + found.elo).abs() < 1e-6 && (reversed.low + found.high).abs() < 1e-6
        );
    }

    #[test]
    fn images_and_waves_tell_the_same() {
        // The spread is a share of the width, for which both series converge.
        for (time, end) in [(60.0, 1.0), (90.0, -2.0), (140.0, 2.5)] {
            let path = Path { lower: -2.9, upper: 3.1, sigma: 0.45, time, end };
            for drift in [-0.15, -0.02, 0.0, 0.03, 0.2] {
                let reached = path.reaches_lower_early(drift) - path.reaches_lower_late(drift);
                let stayed = path.stays_below_early(drift) - path.stays_below_late(drift);
                assert!(reached.abs() < 1e-9 && stayed.abs() < 1e-9, "{path:?} {drift}");
            }
        }
        let tail = (-20.0_f64, libm::erfc(20.0 / SQRT_2) / 2.0);
        assert!((weighted(0.0, tail.0) / tail.1 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn few_pairs_and_great_differences_have_an_estimate_near_their_score() {
        let test = Sprt::new(0.0, 10.0, 0.05, 0.05, Model::Normalized).expect("a test");
        for counts in [
            PairCounts { ll: 2, ld: 2, dd: 3, wl: 1, wd: 4, ww: 3 },
            PairCounts { ll: 4, ld: 5, dd: 6, wl: 2, wd: 8, ww: 5 },
            PairCounts { ld: 2, dd: 12, wd: 22, ww: 20, ..PairCounts::default() },
            PairCounts { dd: 1, wd: 8, ww: 91, ..PairCounts::default() },
        ] {
            let (found, naive) = (test.unbiased(&counts).expect("enough"), Strength::of(&counts));
            let (value, error) = (naive.elo.value, naive.elo.error);
            assert!(found.low < found.elo && found.elo < found.high, "{found:?}");
            assert!((found.elo - value).abs() < error, "{found:?} {naive:?}");
            let width = (found.high - found.low) / 2.0;
            assert!(0.7 < width / error && width / error < 1.6, "{found:?} {naive:?}");
        }
    }

    #[test]
    fn without_a_stop_it_is_the_usual_estimate() {
        let wide = Sprt::new(-300.0, 300.0, 1e-9, 1e-9, Model::Logistic).expect("a test");
        let counts = PairCounts { ll: 10, ld: 120, dd: 260, wl: 0, wd: 150, ww: 20 };
        // The limits are far away in time, not in the ratio, so the ends are compared alone.
        let path = Path { lower: -50.0, upper: 50.0, sigma: 0.1, time: 100.0, end: 0.5 };
        let normal = crate::normal_distribution((0.5 - 0.2) / (0.1 * 10.0));
        assert!((path.chance_of_less(0.002) - normal).abs() < 1e-9);
        assert!(wide.unbiased(&counts).is_some());
        assert_eq!(wide.unbiased(&PairCounts { ww: 9, ..PairCounts::default() }), None);
    }
}
