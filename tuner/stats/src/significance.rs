//! Significance: the probability of a result as far off by chance, of one comparison, of one among several, and of several
//! together.

/// A sum of squares that has the chi-square distribution if there is nothing but chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquare {
    /// The sum.
    pub value: f64,
    /// Degrees of freedom.
    pub degrees: usize,
}

impl ChiSquare {
    /// Returns the p-value: how probable it is that chance alone gives at least this sum.
    ///
    /// ```
    /// use nullarbor_stats::ChiSquare;
    ///
    /// assert_eq!(format!("{:.4}", ChiSquare { value: 13.7, degrees: 3 }.p()), "0.0033");
    /// ```
    pub fn p(&self) -> f64 {
        let half = self.value / 2.0;
        // From two degrees to the next two by the recurrence of the incomplete gamma function.
        let term = |degrees: usize| {
            let shape = degrees as f64 / 2.0;
            (shape * half.ln() - half - libm::lgamma(shape + 1.0)).exp()
        };
        let terms = |first: usize| (first..self.degrees).step_by(2).map(term).sum::<f64>();
        let p = match self.degrees {
            0 => 1.0,
            odd if odd % 2 == 1 => libm::erfc(half.sqrt()) + terms(1),
            _ => (-half).exp() + terms(2),
        };
        p.min(1.0)
    }
}

/// Returns the p-value of the sign test: how probable it is, two-sided, that counts of even chance are at least as far apart.
/// By the binomial distribution, not by its normal approximation, which is too generous for small counts. For cases that only
/// one of two methods gets right this is the exact test of Q. McNemar (Psychometrika 12, 1947).
///
/// ```
/// use nullarbor_stats::sign_test;
///
/// assert_eq!(format!("{:.4}", sign_test(5, 0)), "0.0625");
/// assert_eq!(format!("{:.4}", sign_test(2, 9)), "0.0654");
/// ```
pub fn sign_test(one: u64, other: u64) -> f64 {
    let all = one + other;
    let log_factorial = |count: u64| libm::lgamma(count as f64 + 1.0);
    let probability = |count: u64| {
        let ways = log_factorial(all) - log_factorial(count) - log_factorial(all - count);
        (ways - all as f64 * std::f64::consts::LN_2).exp()
    };
    let tail: f64 = (one.max(other)..=all).map(probability).sum();
    (2.0 * tail).min(1.0)
}

/// Returns the p-values of a family of comparisons, corrected so that a true difference of none of them is found with the
/// probability of one test (S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
/// Statistics 6, 1979).
///
/// ```
/// let corrected = nullarbor_stats::holm(&[0.01, 0.04, 0.03]);
/// assert_eq!(corrected, [0.03, 0.06, 0.06]);
/// ```
pub fn holm(family: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..family.len()).collect();
    order.sort_by(|&one, &other| family[one].total_cmp(&family[other]));
    let mut corrected = vec![1.0; family.len()];
    let mut least = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        let others = (family.len() - rank) as f64;
        least = least.max(others * family[index]).min(1.0);
        corrected[index] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_counts_have_their_exact_probability() {
        for (one, other, expected) in [
            (4, 0, 0.125),
            (5, 0, 0.0625),
            (7, 1, 0.0703),
            (9, 2, 0.0654),
            (12, 4, 0.0768),
            (15, 6, 0.0784),
            (0, 0, 1.0),
            (6, 6, 1.0),
        ] {
            for found in [sign_test(one, other), sign_test(other, one)] {
                assert!((found - expected).abs() < 5e-5, "{one}, {other}: {found}");
            }
        }
    }

    #[test]
    fn great_counts_approach_the_normal_distribution() {
        let (one, other) = (50_500_u64, 49_500);
        // A count is off by half.
        let deviations = ((one - other) as f64 - 1.0) / ((one + other) as f64).sqrt();
        let normal = 2.0 * (1.0 - crate::normal_distribution(deviations));
        assert!((sign_test(one, other) / normal - 1.0).abs() < 0.001);
    }

    #[test]
    fn sums_of_squares_have_the_probabilities_of_the_tables() {
        for (value, degrees, expected) in [
            (3.841_459, 1, 0.05),
            (5.991_465, 2, 0.05),
            (7.814_728, 3, 0.05),
            (13.276_704, 4, 0.01),
            (18.307_038, 10, 0.05),
            (49.802, 29, 0.0095),
            (124.342, 100, 0.05),
        ] {
            let found = ChiSquare { value, degrees }.p();
            assert!((found - expected).abs() < 1e-4, "{value}, {degrees}: {found}");
        }
        for degrees in 0..6 {
            assert_eq!(ChiSquare { value: 0.0, degrees }.p(), 1.0);
        }
    }

    #[test]
    fn the_correction_keeps_the_order_and_stays_a_probability() {
        // The five triggers of the study of null moves.
        let corrected = holm(&[0.256, 0.0087, 0.038, 1e-5, 0.216]);
        let expected = [0.432, 0.0348, 0.114, 5e-5, 0.432];
        let close = corrected.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-9);
        assert!(close, "{corrected:?}");
        assert_eq!(holm(&[0.7, 0.9]), [1.0, 1.0]);
        assert_eq!(holm(&[0.04]), [0.04]);
        assert!(holm(&[]).is_empty());
    }
}
