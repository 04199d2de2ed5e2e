//! The sequential probability ratio test (A. Wald 1945) over pairs of games.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::elo::expected_score;
use super::likelihood::Distribution;
use super::{NORMALISED_ELO, PairCounts};

/// The unit of the bounds of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Normalised Elo.
    #[default]
    Normalized,
    /// Logistic Elo.
    Logistic,
}

/// Why a test is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[allow(missing_docs)]
pub enum SprtError {
    #[error("the bounds {0} and {1} are in the wrong order: the first must be the lower one")]
    Order(f64, f64),
    #[error("{name} is {value}; it must lie between 0 and 0.5")]
    Risk { name: &'static str, value: f64 },
    #[error("the bound {0} is not an Elo difference between -2000 and 2000")]
    Bound(f64),
}

/// The decision of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The lower bound is accepted.
    H0,
    /// The upper bound is accepted.
    H1,
}

/// A test of the hypothesis H1, the difference is `elo1`, against H0, it is `elo0`.
///
/// ```
/// use nullarbor_stats::{Model, PairCounts, Sprt, Verdict};
///
/// let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05, Model::Normalized)?;
/// let mut counts = PairCounts { ll: 1, ld: 20, dd: 30, wl: 20, wd: 24, ww: 2 };
/// assert_eq!(sprt.verdict(&counts), None);
/// counts.wd += 100;
/// assert!(sprt.llr(&counts) > 2.94);
/// assert_eq!(sprt.verdict(&counts), Some(Verdict::H1));
/// # Ok::<(), nullarbor_stats::SprtError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The lower bound.
    pub elo0: f64,
    /// The upper bound.
    pub elo1: f64,
    /// Probability of accepting H1 if H0 is true.
    pub alpha: f64,
    /// Probability of accepting H0 if H1 is true.
    pub beta: f64,
    /// The unit of the bounds.
    pub model: Model,
}

impl Sprt {
    /// Creates a test.
    ///
    /// # Errors
    /// If the bounds or the error probabilities are invalid.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: Model,
    ) -> Result<Self, SprtError> {
        let sane = |bound: &&f64| (-2000.0..=2000.0).contains(*bound);
        if let Some(&bound) = [elo0, elo1].iter().find(|bound| !sane(bound)) {
            return Err(SprtError::Bound(bound));
        }
        if elo0 >= elo1 {
            return Err(SprtError::Order(elo0, elo1));
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::Risk { name, value });
            }
        }
        Ok(Self { elo0, elo1, alpha, beta, model })
    }

    /// Returns the log-likelihood ratios at which H0 and H1 are accepted.
    pub fn limits(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// Returns the log-likelihood ratio of the counts.
    pub fn llr(&self, counts: &PairCounts) -> f64 {
        if counts.pairs() == 0 {
            return 0.0;
        }
        let (distribution, observations) = Distribution::of_counts(&counts.pentanomial());
        observations * self.ratio(&distribution)
    }

    /// Returns the mean contribution of a pair to the log-likelihood ratio.
    fn ratio(&self, distribution: &Distribution) -> f64 {
        match self.model {
            Model::Logistic => {
                distribution.logistic_ratio(expected_score(self.elo0), expected_score(self.elo1))
            }
            Model::Normalized => {
                // The bounds are for games; the deviation of a pair's mean is smaller by the root of two.
                let per_pair = |elo: f64| std::f64::consts::SQRT_2 * elo / NORMALISED_ELO;
                distribution.normalised_ratio(per_pair(self.elo0), per_pair(self.elo1))
            }
        }
    }

    /// Returns the decision, if the counts reach a limit.
    pub fn verdict(&self, counts: &PairCounts) -> Option<Verdict> {
        let (lower, upper) = self.limits();
        match self.llr(counts) {
            llr if llr >= upper => Some(Verdict::H1),
            llr if llr <= lower => Some(Verdict::H0),
            _ => None,
        }
    }

    /// Returns how far the test has come, in percent of the way to the nearer limit; negative towards H0.
    pub fn progress(&self, llr: f64) -> f64 {
        let (lower, upper) = self.limits();
        100.0 * if llr < 0.0 { -llr / lower } else { llr / upper }
    }

    /// Returns the expected number of further games if the strength is as estimated: the time in which a Brownian motion
    /// with the drift so far reaches a limit. `None` if too little is known.
    pub fn games_to_go(&self, counts: &PairCounts) -> Option<f64> {
        const ENOUGH: u64 = 20;
        if counts.pairs() < ENOUGH {
            return None;
        }
        let (lower, upper) = self.limits();
        let llr = self.llr(counts);
        let drift = llr / counts.pairs() as f64;
        let variance = self.variance_of_a_step(counts);
        let (down, up) = (llr - lower, upper - llr);
        if down <= 0.0 || up <= 0.0 || variance <= 0.0 {
            return Some(0.0);
        }
        let exponent = -2.0 * drift / variance;
        let pairs = if (exponent * (down + up)).abs() < 1e-6 {
            down * up / variance
        } else {
            let reaches_upper = (exponent * down).exp_m1() / (exponent * (down + up)).exp_m1();
            (reaches_upper * (down + up) - down) / drift
        };
        pairs.is_finite().then_some(2.0 * pairs)
    }

    /// Returns the variance of the ratio's change by one pair: the squared distance of the hypotheses in standard
    /// deviations of a pair.
    fn variance_of_a_step(&self, counts: &PairCounts) -> f64 {
        let distance = match self.model {
            Model::Normalized => {
                std::f64::consts::SQRT_2 * (self.elo1 - self.elo0) / NORMALISED_ELO
            }
            Model::Logistic => {
                let deviation = counts.variance().sqrt();
                (expected_score(self.elo1) - expected_score(self.elo0)) / deviation
            }
        };
        distance * distance
    }
}

/// The two bounds of a test, written `0,10`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds(pub f64, pub f64);

impl Bounds {
    /// Returns the test with these bounds in normalised Elo and error rates of 5 %.
    ///
    /// # Errors
    /// If the first bound is not below the second.
    pub fn normalised_test(self) -> Result<Sprt, SprtError> {
        Sprt::new(self.0, self.1, 0.05, 0.05, Model::Normalized)
    }
}

impl FromStr for Bounds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts =
            text.split_once(',').map(|(low, high)| (low.trim().parse(), high.trim().parse()));
        match parts {
            Some((Ok(low), Ok(high))) => Ok(Self(low, high)),
            _ => Err(format!(
                "`{text}` is not of the form ELO0,ELO1: two numbers with a comma between them, such as 0,10"
            )),
        }
    }
}

/// A test on the command line.
#[derive(Debug, clap::Args)]
pub struct SprtArgs {
    /// Stop when an SPRT accepts H1 (the first engine gains at least ELO1) or H0 (at most ELO0), in the unit of
    /// --sprt-model: 0,10 tests a gain, -10,0 a simplification. A test that is undecided after all --games says so
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Bounds>,
    /// Unit of the bounds
    #[arg(long, value_enum, default_value_t = Model::Normalized, requires = "sprt")]
    sprt_model: Model,
    /// Probability of accepting H1 if H0 is true
    #[arg(long, default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// Probability of accepting H0 if H1 is true
    #[arg(long, default_value_t = 0.05, requires = "sprt")]
    beta: f64,
}

impl SprtArgs {
    /// Returns the test, if one is asked for.
    ///
    /// # Errors
    /// If the bounds or the error probabilities are invalid.
    pub fn test(&self) -> Result<Option<Sprt>, SprtError> {
        let Self { sprt, sprt_model, alpha, beta } = *self;
        sprt.map(|Bounds(elo0, elo1)| Sprt::new(elo0, elo1, alpha, beta, sprt_model)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Vector = ([u64; 5], (f64, f64), f64, f64);

    /// Published or independently computed: counts, bounds, LLR by the normalised and by the logistic model.
    const VECTORS: [Vector; 6] = [
        ([365, 16618, 36229, 16974, 390], (0.0, 2.0), 2.2504, -0.0059),
        ([39, 2226, 31451, 2412, 40], (0.764, 3.439), 2.1629, -27.8652),
        ([39, 8843, 26675, 9240, 44], (0.5, 2.5), 2.9417, 0.5555),
        ([35, 466, 1464, 546, 58], (0.0, 5.0), 2.9673, 4.7752),
        ([10, 120, 260, 150, 20], (0.0, 5.0), 1.1069, 1.7453),
        ([0, 3, 10, 6, 1], (0.0, 10.0), 0.2507, 0.4387),
    ];

    fn counts([ll, ld, dd, wd, ww]: [u64; 5]) -> PairCounts {
        PairCounts { ll, ld, dd, wl: 0, wd, ww }
    }

    fn test(elo0: f64, elo1: f64, model: Model) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05, model).expect("a test")
    }

    #[test]
    fn known_counts_give_the_known_ratio() {
        for (pentanomial, (elo0, elo1), normalised, logistic) in VECTORS {
            for (model, expected) in [(Model::Normalized, normalised), (Model::Logistic, logistic)]
            {
                let found = test(elo0, elo1, model).llr(&counts(pentanomial));
                assert!((found - expected).abs() < 6e-5, "{pentanomial:?}: {found} not {expected}");
            }
        }
    }

    #[test]
    fn lopsided_counts_give_a_finite_ratio_of_the_right_sign() {
        let lopsided = [
            ([144, 3, 1, 0, 0], (-1500.0, -500.0)),
            ([144, 3, 1, 0, 0], (-10.0, 0.0)),
            ([500, 0, 0, 0, 0], (0.0, 10.0)),
            ([0, 0, 500, 0, 0], (0.0, 10.0)),
            ([1, 0, 0, 0, 0], (-2000.0, 2000.0)),
            ([0, 0, 0, 0, 0], (0.0, 5.0)),
        ];
        for (pentanomial, (elo0, elo1)) in lopsided {
            for model in [Model::Normalized, Model::Logistic] {
                let test = test(elo0, elo1, model);
                let llr = test.llr(&counts(pentanomial));
                assert!(llr.is_finite(), "{pentanomial:?} {model:?}: {llr}");
                assert!(pentanomial[0] < 500 || llr < 0.0, "{pentanomial:?} {model:?}: {llr}");
                let mut reversed = pentanomial;
                reversed.reverse();
                let mirror = Sprt { elo0: -elo1, elo1: -elo0, ..test }.llr(&counts(reversed));
                assert!((llr + mirror).abs() < 1e-6 * llr.abs().max(1.0), "{llr} and {mirror}");
            }
        }
    }

    #[test]
    fn limits_are_those_of_the_risks() {
        let (lower, upper) = test(0.0, 5.0, Model::Normalized).limits();
        assert!((upper - 2.944_438_979_166_44).abs() < 1e-12 && lower == -upper);
        let sharp = Sprt::new(0.0, 3.0, 0.05, 0.10, Model::Normalized).expect("a test").limits();
        assert!((sharp.0 + 2.2513).abs() < 1e-4 && (sharp.1 - 2.8904).abs() < 1e-4, "{sharp:?}");
    }

    #[test]
    fn a_test_ends_at_its_limits() {
        let test = test(0.0, 10.0, Model::Normalized);
        assert_eq!(test.verdict(&counts([0, 100, 1000, 300, 20])), Some(Verdict::H1));
        assert_eq!(test.verdict(&counts([20, 300, 1000, 100, 0])), Some(Verdict::H0));
        assert_eq!(test.verdict(&counts([1, 20, 50, 20, 1])), None);
    }

    #[test]
    fn wrong_bounds_and_risks_are_refused() {
        let new = |elo0, elo1, alpha| Sprt::new(elo0, elo1, alpha, 0.05, Model::Normalized);
        assert_eq!(new(5.0, 0.0, 0.05), Err(SprtError::Order(5.0, 0.0)));
        assert!(new(1.0, 1.0, 0.05).is_err() && new(f64::NAN, 1.0, 0.05).is_err());
        assert!(new(0.0, 1.0, 0.0).is_err() && new(0.0, 1.0, 0.7).is_err());
        assert_eq!("-10, 0".parse(), Ok(Bounds(-10.0, 0.0)));
        assert!("5".parse::<Bounds>().is_err());
    }

    #[test]
    fn games_to_go_fall_with_the_strength() {
        let test = test(0.0, 10.0, Model::Normalized);
        let even = test.games_to_go(&counts([5, 50, 100, 52, 5])).expect("enough pairs");
        let strong = test.games_to_go(&counts([0, 30, 100, 60, 22])).expect("enough pairs");
        // Of width 10 with risks of 5 % a test takes about 10,500 games at worst.
        assert!(even > 3000.0 && even < 11_000.0, "{even}");
        assert!(strong < even / 2.0, "{strong}");
        assert_eq!(test.games_to_go(&counts([0, 0, 3, 0, 0])), None);
    }
}
