//! The bootstrap: an interval of what was measured on some cases, by measuring it on cases that are drawn from them (B. Efron,
//! "Bootstrap methods: another look at the jackknife", The Annals of Statistics 7, 1979).

use std::fmt;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The same cases have the same interval.
const SEED: u64 = 1;
const RESAMPLES: usize = 10_000;

/// A value and its 95 % interval, which need not be symmetric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The value.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Returns the ratio of two sums over some cases, which hold their parts of both. The cases should be independent: where
    /// several observations share a game, the game is the case. `None` if fewer than two cases have a positive denominator: one
    /// case does not show how cases differ.
    ///
    /// ```
    /// use nullarbor_stats::Interval;
    ///
    /// // Of two games with ten observations each, the first has one that is wrong, the second three.
    /// let wrong = Interval::of_ratio(&[(1.0, 10.0), (3.0, 10.0)]).map(|it| format!("{it:.1}"));
    /// assert_eq!(wrong.as_deref(), Some("0.2 (0.1 to 0.3)"));
    /// ```
    pub fn of_ratio(cases: &[(f64, f64)]) -> Option<Self> {
        if cases.iter().filter(|(_, below)| *below > 0.0).count() < 2 {
            return None;
        }
        let ratio = |(above, below): (f64, f64)| Some(above / below).filter(|it| it.is_finite());
        let sum = |cases: &mut dyn Iterator<Item = (f64, f64)>| {
            ratio(cases.fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1)))
        };
        let value = sum(&mut cases.iter().copied())?;
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let mut resample = || {
            let mut drawn = cases.iter().map(|_| cases[rng.random_range(0..cases.len())]);
            sum(&mut drawn)
        };
        // Resamples in which nothing is counted have no ratio.
        let mut ratios: Vec<f64> = (0..RESAMPLES).filter_map(|_| resample()).collect();
        ratios.sort_by(f64::total_cmp);
        let quantile = |share: f64| ratios.get((share * ratios.len() as f64) as usize).copied();
        Some(Self { value, low: quantile(0.025)?, high: quantile(0.975)? })
    }

    /// Returns the geometric mean of ratios; `None` if there are fewer than two, or one is not positive.
    pub fn of_geometric_mean(ratios: impl IntoIterator<Item = f64>) -> Option<Self> {
        let logarithms: Vec<(f64, f64)> = ratios.into_iter().map(|it| (it.ln(), 1.0)).collect();
        let Self { value, low, high } = Self::of_ratio(&logarithms)?;
        Some(Self { value: value.exp(), low: low.exp(), high: high.exp() })
    }
}

/// Writes value and ends with the precision given, else with one decimal: `11.7 (10.2 to 13.3)`.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(1);
        let Self { value, low, high } = self;
        write!(f, "{value:.digits$} ({low:.digits$} to {high:.digits$})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(cases: &[(f64, f64)]) -> Option<String> {
        Interval::of_ratio(cases).map(|it| format!("{it:.2}"))
    }

    #[test]
    fn few_cases_have_the_interval_computed_by_hand() {
        let cases = |values: &[f64]| values.iter().map(|&it| (it, 1.0)).collect::<Vec<_>>();
        for (values, expected) in [
            // Means of 0, 1/2 and 1 with probabilities 1/4, 1/2 and 1/4.
            (&[0.0, 1.0][..], "0.50 (0.00 to 1.00)"),
            // All three are the 1 in 1 of 27 resamples, which is more than 2.5 %.
            (&[0.0, 0.0, 1.0], "0.33 (0.00 to 1.00)"),
            // All four are in 1 of 256, three or four in 13 of 256.
            (&[0.0, 0.0, 0.0, 1.0], "0.25 (0.00 to 0.75)"),
            (&[7.0, 7.0], "7.00 (7.00 to 7.00)"),
        ] {
            assert_eq!(text(&cases(values)).as_deref(), Some(expected));
        }
    }

    #[test]
    fn many_cases_have_nearly_the_normal_interval() {
        // The mean of 400 even chances: standard error 1/40.
        let cases: Vec<(f64, f64)> = (0..400).map(|it| (f64::from(it % 2), 1.0)).collect();
        let Interval { value, low, high } = Interval::of_ratio(&cases).expect("cases");
        assert_eq!(value, 0.5);
        assert!((low - 0.451).abs() < 0.004 && (high - 0.549).abs() < 0.004, "{low} {high}");
        assert_eq!(Interval::of_ratio(&cases), Interval::of_ratio(&cases));
    }

    #[test]
    fn clusters_widen_the_interval() {
        let width = |cases: &[(f64, f64)]| {
            let found = Interval::of_ratio(cases).expect("cases");
            found.high - found.low
        };
        let alone: Vec<(f64, f64)> = (0..400).map(|it| (f64::from(it % 2), 1.0)).collect();
        // The same observations, but all four of a game are alike.
        let games: Vec<(f64, f64)> = (0..100).map(|it| (f64::from(it % 2 * 4), 4.0)).collect();
        let factor = width(&games) / width(&alone);
        assert!((factor - 2.0).abs() < 0.2, "{factor}");
    }

    #[test]
    fn the_geometric_mean_takes_twice_and_half_as_one() {
        let mean = |ratios: &[f64]| Interval::of_geometric_mean(ratios.iter().copied());
        let found = mean(&[0.5, 2.0]).map(|it| format!("{it:.2}"));
        assert_eq!(found.as_deref(), Some("1.00 (0.50 to 2.00)"));
        assert_eq!((mean(&[]), mean(&[2.0])), (None, None));
        assert_eq!(mean(&[1.0, 0.0]), None);
    }

    #[test]
    fn what_was_never_counted_has_no_ratio() {
        assert_eq!(text(&[]), None);
        assert_eq!(text(&[(0.0, 0.0), (0.0, 0.0)]), None);
        // One of 27 resamples counts nothing.
        let cases = [(0.0, 0.0), (1.0, 2.0), (1.0, 2.0)];
        assert_eq!(text(&cases).as_deref(), Some("0.50 (0.50 to 0.50)"));
    }

    #[test]
    fn one_case_has_no_interval() {
        assert_eq!(text(&[(7.0, 1.0)]), None);
        assert_eq!(text(&[(0.0, 0.0), (1.0, 2.0)]), None);
    }
}
