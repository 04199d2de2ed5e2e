//! The trend of estimates: the straight line through them.

use super::{ChiSquare, Estimate};

/// The line of least squares, each estimate being weighted by its inverse variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// By how much estimates grow with each unit of their place. The variances are taken as known, so that the interval does
    /// not grow where the estimates scatter more about the line than they should.
    pub slope: Estimate,
    /// How much they scatter about it.
    pub misfit: ChiSquare,
}

impl Line {
    /// Returns the line through estimates and their places; `None` if fewer than two places have an estimate with bounds.
    ///
    /// ```
    /// use nullarbor_stats::{Estimate, Line};
    ///
    /// let matches = [(0.0, 20.0, 8.0), (1.0, 14.0, 8.0), (2.0, 11.0, 12.0)];
    /// let matches = matches.map(|(doublings, value, error)| (doublings, Estimate { value, error }));
    /// let slope = Line::through(&matches).map(|it| format!("{:+}", it.slope));
    /// assert_eq!(slope.as_deref(), Some("-4.8 ± 7.0"));
    /// ```
    pub fn through(estimates: &[(f64, Estimate)]) -> Option<Self> {
        let weighted = |&(x, y): &(f64, Estimate)| {
            let weight = y.standard_error().powi(-2);
            (y.value.is_finite() && weight.is_normal()).then_some((x, y.value, weight))
        };
        let points: Vec<(f64, f64, f64)> = estimates.iter().filter_map(weighted).collect();
        if points.iter().all(|(x, ..)| *x == points[0].0) {
            return None;
        }
        let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
            points.iter().map(|&(x, y, weight)| weight * term(x, y)).sum()
        };
        let weight = sum(&|_, _| 1.0);
        let (x_mean, y_mean) = (sum(&|x, _| x) / weight, sum(&|_, y| y) / weight);
        let spread = sum(&|x, _| (x - x_mean).powi(2));
        let common = sum(&|x, y| (x - x_mean) * (y - y_mean));
        let slope = common / spread;
        let misfit = sum(&|x, y| (y - y_mean - slope * (x - x_mean)).powi(2));
        Some(Self {
            slope: Estimate::from_standard_error(slope, spread.sqrt().recip()),
            misfit: ChiSquare { value: misfit, degrees: points.len() - 2 },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64, standard_error: f64) -> (f64, Estimate) {
        (x, Estimate::from_standard_error(y, standard_error))
    }

    #[test]
    fn slopes_are_those_computed_by_hand() {
        let root = std::f64::consts::SQRT_2;
        for (points, value, standard_error) in [
            // Spread 2 about x = 1; common -1 * -1 + 1 * 0.
            ([at(0.0, 1.0, 1.0), at(1.0, 3.0, 1.0), at(2.0, 2.0, 1.0)], 0.5, 1.0 / root),
            // Weights 1, 4, 1: the middle moves the mean of y to 11/6, and not the slope.
            ([at(0.0, 0.0, 1.0), at(1.0, 2.0, 0.5), at(2.0, 3.0, 1.0)], 1.5, 1.0 / root),
            // Weights 1, 1, 2: means 9/4 and 5/4, spread 12.75, common 5.75.
            (
                [at(0.0, 0.0, 1.0), at(1.0, 1.0, 1.0), at(4.0, 2.0, 1.0 / root)],
                23.0 / 51.0,
                0.280_056,
            ),
        ] {
            let found = Line::through(&points).expect("three places").slope;
            assert!((found.value - value).abs() < 1e-9, "{found}");
            assert!((found.standard_error() - standard_error).abs() < 1e-6, "{found}");
        }
    }

    #[test]
    fn two_estimates_have_their_difference() {
        let line = Line::through(&[at(3.0, 5.0, 3.0), at(5.0, 1.0, 4.0)]).expect("two places");
        let found = line.slope;
        assert!((found.value + 2.0).abs() < 1e-9 && (found.standard_error() - 2.5).abs() < 1e-9);
        assert!(line.misfit.value < 1e-9 && line.misfit.degrees == 0, "{line:?}");
    }

    #[test]
    fn the_misfit_is_that_computed_by_hand() {
        // The line is 1.5, 2, 2.5: off by -1/2, 1 and -1/2.
        let line = Line::through(&[at(0.0, 1.0, 1.0), at(1.0, 3.0, 1.0), at(2.0, 2.0, 1.0)]);
        let ChiSquare { value, degrees } = line.expect("three places").misfit;
        assert!((value - 1.5).abs() < 1e-9 && degrees == 1, "{value}");
    }

    #[test]
    fn one_place_has_no_slope() {
        assert_eq!(Line::through(&[]), None);
        assert_eq!(Line::through(&[at(2.1, 5.0, 1.0), at(2.1, 7.0, 1.0), at(2.1, 6.0, 2.0)]), None);
        // One side won every game, or there was none.
        for unbounded in [at(3.0, f64::INFINITY, f64::NAN), at(3.0, 0.0, 0.0)] {
            assert_eq!(Line::through(&[at(2.0, 5.0, 1.0), unbounded]), None);
        }
    }
}
