//! Elo, normalised Elo and the likelihood of superiority, from counts of pairs.

use std::fmt;

use serde::Serialize;

use super::normal::{Z_95, distribution};
use super::{NORMALISED_ELO, PairCounts};

/// An estimate and half the width of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The value; infinite if all points went to one side.
    pub value: f64,
    /// Half the width of the interval; infinite or not a number if it has no bounds.
    pub error: f64,
}

impl Estimate {
    /// Creates an estimate with a normally distributed error.
    pub fn from_standard_error(value: f64, standard_error: f64) -> Self {
        Self { value, error: Z_95 * standard_error }
    }

    /// Returns the standard error of the value.
    pub fn standard_error(&self) -> f64 {
        self.error / Z_95
    }

    /// Returns the p-value: how probable it is, two-sided, that chance alone is at least as far from 0.
    pub fn p(&self) -> f64 {
        2.0 * distribution(-(self.value / self.standard_error()).abs())
    }

    /// Returns by how much another, independent estimate is greater.
    pub fn until(&self, later: &Self) -> Self {
        let error = self.error.hypot(later.error);
        Self { value: later.value - self.value, error }
    }

    /// Returns whether the interval excludes 0.
    pub fn is_significant(&self) -> bool {
        self.value.abs() > self.error
    }
}

/// Writes value and error, `15.5 ± 12.0`; with the flag `+` and a precision as those of a number, else with one decimal. What
/// has no bound is `∞`, and an infinite value has no error.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (digits, Self { value, error }) = (f.precision().unwrap_or(1), *self);
        let part = |number: f64| {
            if number.is_finite() { format!("{:.digits$}", number.abs()) } else { "∞".to_owned() }
        };
        let sign = match value {
            ..0.0 => "-",
            _ if f.sign_plus() => "+",
            _ => "",
        };
        match value {
            _ if value.is_nan() => write!(f, "-"),
            _ if value.is_infinite() => write!(f, "{sign}∞"),
            _ => write!(f, "{sign}{} ± {}", part(value), part(error)),
        }
    }
}

/// The strength of the first player, estimated from counts of pairs.
///
/// ```
/// use nullarbor_stats::{PairCounts, Strength};
///
/// let counts = PairCounts { ll: 10, ld: 120, dd: 100, wl: 160, wd: 150, ww: 20 };
/// let Strength { elo, normalised, superiority } = Strength::of(&counts);
/// assert_eq!(format!("{elo:+} Elo"), "+15.5 ± 12.0 Elo");
/// assert_eq!(format!("{:.1} nElo", normalised.value), "26.4 nElo");
/// assert!(superiority > 0.99);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// The difference in logistic Elo.
    pub elo: Estimate,
    /// The difference in standard deviations of a game, times 800 / ln 10 (M. Van den Bergh 2020). Unlike Elo it
    /// hardly depends on the share of draws.
    pub normalised: Estimate,
    /// The likelihood that the first player is stronger, 0 to 1.
    pub superiority: f64,
}

impl Strength {
    /// Estimates the strength from the mean and the variance over pairs.
    pub fn of(counts: &PairCounts) -> Self {
        let pairs = counts.pairs() as f64;
        let mean = counts.score();
        let variance = counts.variance();
        let deviation = (variance / pairs).sqrt();
        let lead = (mean - 0.5) / deviation;
        // A pair is the mean of two games: its variance is half of theirs.
        let normalised = |score: f64| NORMALISED_ELO * (score - 0.5) / (2.0 * variance).sqrt();
        Self {
            elo: estimate(mean, deviation, elo),
            normalised: estimate(mean, deviation, normalised),
            // Without a spread the sign of the lead decides; without a lead nothing is known.
            superiority: if lead.is_nan() { 0.5 } else { distribution(lead) },
        }
    }
}

fn estimate(mean: f64, deviation: f64, scale: impl Fn(f64) -> f64) -> Estimate {
    let (upper, lower) = (scale(mean + Z_95 * deviation), scale(mean - Z_95 * deviation));
    Estimate { value: scale(mean), error: (upper - lower) / 2.0 }
}

/// Returns the Elo difference of an expected score.
pub(super) fn elo(score: f64) -> f64 {
    // Not -400 times the inverse: an even score would give -0.
    400.0 * (score.clamp(0.0, 1.0) / (1.0 - score).max(0.0)).log10()
}

/// Returns the expected score of an Elo difference, 0 to 1.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Returns a number with some decimals, or `-` if it is infinite or undefined.
pub fn decimals(value: f64, digits: usize) -> String {
    if value.is_finite() { format!("{value:.digits$}") } else { "-".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Vector = ([u64; 5], (f64, f64), (f64, f64), f64);

    /// Published or independently computed: counts, Elo, nElo, superiority in percent.
    const VECTORS: [Vector; 6] = [
        ([365, 16618, 36229, 16974, 390], (1.00, 0.92), (1.96, 1.81), 98.31),
        ([39, 2226, 31451, 2412, 40], (0.90, 0.66), (3.45, 2.53), 99.62),
        ([39, 8843, 26675, 9240, 44], (1.58, 1.03), (3.48, 2.27), 99.86),
        ([35, 466, 1464, 546, 58], (8.52, 4.92), (16.45, 9.50), 99.97),
        ([10, 120, 260, 150, 20], (15.52, 11.97), (26.44, 20.35), 99.46),
        ([0, 3, 10, 6, 1], (43.66, 59.90), (80.13, 107.67), 92.77),
    ];

    fn counts([ll, ld, dd, wd, ww]: [u64; 5]) -> PairCounts {
        PairCounts { ll, ld, dd, wl: 0, wd, ww }
    }

    #[test]
    fn known_counts_give_the_known_strength() {
        let close = |found: f64, expected: f64| (found - expected).abs() < 0.005_001;
        for (pentanomial, elo, normalised, superiority) in VECTORS {
            let found = Strength::of(&counts(pentanomial));
            assert!(close(found.elo.value, elo.0) && close(found.elo.error, elo.1), "{found:?}");
            assert!(close(found.normalised.value, normalised.0), "{found:?}");
            assert!(close(found.normalised.error, normalised.1), "{found:?}");
            assert!(close(100.0 * found.superiority, superiority), "{found:?}");
        }
    }

    #[test]
    fn one_sided_counts_give_infinity_and_no_panic() {
        let all_won = Strength::of(&counts([0, 0, 0, 0, 9]));
        assert_eq!((all_won.elo.value, all_won.superiority), (f64::INFINITY, 1.0));
        assert_eq!(Strength::of(&counts([9, 0, 0, 0, 0])).elo.value, f64::NEG_INFINITY);
        assert_eq!(Strength::of(&counts([0, 0, 9, 0, 0])).superiority, 0.5);
        assert_eq!(Strength::of(&counts([0; 5])).elo.value, 0.0);
    }

    #[test]
    fn estimates_are_written_with_and_without_bounds() {
        let estimate = |value, error| Estimate { value, error };
        let written = |it: Estimate| (it.to_string(), format!("{it:+.2}"));
        for (it, plain, signed) in [
            (estimate(15.52, 11.97), "15.5 ± 12.0", "+15.52 ± 11.97"),
            (estimate(-3.0, 0.0), "-3.0 ± 0.0", "-3.00 ± 0.00"),
            (estimate(190.8, f64::INFINITY), "190.8 ± ∞", "+190.80 ± ∞"),
            (estimate(1.0, f64::NAN), "1.0 ± ∞", "+1.00 ± ∞"),
            (Strength::of(&counts([0, 0, 0, 0, 9])).elo, "∞", "+∞"),
            (Strength::of(&counts([9, 0, 0, 0, 0])).elo, "-∞", "-∞"),
            (estimate(f64::NAN, 1.0), "-", "-"),
        ] {
            assert_eq!(written(it), (plain.to_owned(), signed.to_owned()), "{it:?}");
        }
    }

    #[test]
    fn an_interval_that_ends_at_nothing_has_the_p_value_of_its_level() {
        for (value, error, expected) in
            [(12.0, 12.0, 0.05), (-3.0, 3.0, 0.05), (0.0, 1.0, 1.0), (1.0, Z_95, 0.317_310_507_863)]
        {
            let p = Estimate { value, error }.p();
            assert!((p - expected).abs() < 1e-9, "{value} ± {error}: {p}");
        }
    }

    #[test]
    fn elo_and_score_are_inverse() {
        for value in [-700.0, -3.5, 0.0, 0.5, 120.0] {
            assert!((elo(expected_score(value)) - value).abs() < 1e-9, "{value}");
        }
    }
}
