//! Generalised log-likelihood ratios of two hypotheses about the strength, for a multinomial distribution of pair scores
//! (M. Van den Bergh, *The generalized maximum likelihood ratio for the expectation value of a distribution*, 2019, and
//! *Normalized Elo*, 2020).

/// A distribution of pair scores: values and their probabilities.
#[derive(Clone, Debug)]
pub struct Distribution {
    scores: Vec<f64>,
    probabilities: Vec<f64>,
}

/// Count of a score that never occurred: a likelihood needs positive probabilities.
const EMPTY_COUNT: f64 = 1e-3;
const MOST_BISECTIONS: usize = 200;
const MOST_REFINEMENTS: usize = 10;
const REFINED: f64 = 1e-9;

impl Distribution {
    /// Returns the distribution of counts at evenly spaced scores from 0 to 1, and the number of observations.
    pub fn of_counts(counts: &[u64]) -> (Self, f64) {
        let regular: Vec<f64> =
            counts.iter().map(|&count| (count as f64).max(EMPTY_COUNT)).collect();
        let total: f64 = regular.iter().sum();
        let last = (counts.len() - 1) as f64;
        let scores = (0..counts.len()).map(|index| index as f64 / last).collect();
        let probabilities = regular.iter().map(|count| count / total).collect();
        (Self { scores, probabilities }, total)
    }

    fn mean_and_deviation(&self, probabilities: &[f64]) -> (f64, f64) {
        let mean: f64 = self.scores.iter().zip(probabilities).map(|(a, p)| a * p).sum();
        let variance: f64 =
            self.scores.iter().zip(probabilities).map(|(a, p)| p * (a - mean) * (a - mean)).sum();
        (mean, variance.sqrt())
    }

    /// Returns the most likely distribution with the mean `score`.
    fn with_mean(&self, score: f64) -> Option<Vec<f64>> {
        let offsets: Vec<f64> = self.scores.iter().map(|a| a - score).collect();
        self.tilted(&offsets)
    }

    /// Returns the most likely distribution whose mean is `t` of its own standard deviations above one half. It has no
    /// closed form: each round solves it for the deviation of the previous one.
    fn with_normalised_mean(&self, t: f64) -> Option<Vec<f64>> {
        let mut found = vec![1.0 / self.scores.len() as f64; self.scores.len()];
        for _ in 0..MOST_REFINEMENTS {
            let (mean, deviation) = self.mean_and_deviation(&found);
            if deviation <= 0.0 {
                return None;
            }
            let offset = |a: f64| {
                let z = (a - mean) / deviation;
                a - 0.5 - 0.5 * t * deviation * (1.0 + z * z)
            };
            let offsets: Vec<f64> = self.scores.iter().map(|&a| offset(a)).collect();
            let next = self.tilted(&offsets)?;
            let change = found.iter().zip(&next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            found = next;
            if change < REFINED {
                break;
            }
        }
        Some(found)
    }

    /// Returns the most likely distribution in which the offsets have the mean 0: each probability divided by
    /// `1 + θ offset`, with the only θ that keeps all of them positive. `None` if all offsets lie on one side.
    fn tilted(&self, offsets: &[f64]) -> Option<Vec<f64>> {
        let (least, most) = offsets
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &x| (a.min(x), b.max(x)));
        if !(least < 0.0 && most > 0.0) {
            return None;
        }
        let excess = |theta: f64| -> f64 {
            let terms = self.probabilities.iter().zip(offsets);
            terms.map(|(p, offset)| p * offset / (1.0 + theta * offset)).sum()
        };
        // It falls from plus to minus infinity between the two poles, so bisection converges.
        let (mut low, mut high) = (-1.0 / most, -1.0 / least);
        for _ in 0..MOST_BISECTIONS {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break;
            }
            if excess(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let theta = low + (high - low) / 2.0;
        let tilted: Vec<f64> = self
            .probabilities
            .iter()
            .zip(offsets)
            .map(|(p, offset)| p / (1.0 + theta * offset))
            .collect();
        let total: f64 = tilted.iter().sum();
        let valid = total.is_finite() && tilted.iter().all(|&q| q > 0.0);
        valid.then(|| tilted.iter().map(|q| q / total).collect())
    }

    fn ratio(&self, zero: &[f64], one: &[f64]) -> f64 {
        let terms = self.probabilities.iter().zip(zero.iter().zip(one));
        terms.map(|(p, (q0, q1))| p * (q1.ln() - q0.ln())).sum()
    }

    /// Returns the log-likelihood ratio per observation of the mean `one` over the mean `zero`.
    pub fn logistic_ratio(&self, zero: f64, one: f64) -> f64 {
        let exact = self.with_mean(zero).zip(self.with_mean(one));
        let exact = exact.map(|(q0, q1)| self.ratio(&q0, &q1)).filter(|ratio| ratio.is_finite());
        exact.unwrap_or_else(|| {
            let (mean, deviation) = self.mean_and_deviation(&self.probabilities);
            (one - zero) * (2.0 * mean - zero - one) / (2.0 * deviation * deviation)
        })
    }

    /// Returns the same for means in standard deviations above one half. If the counts are so lopsided that the exact
    /// method fails, it uses the approximation for many observations.
    pub fn normalised_ratio(&self, zero: f64, one: f64) -> f64 {
        let exact = self.with_normalised_mean(zero).zip(self.with_normalised_mean(one));
        let exact = exact.map(|(q0, q1)| self.ratio(&q0, &q1)).filter(|ratio| ratio.is_finite());
        exact.unwrap_or_else(|| {
            let (mean, deviation) = self.mean_and_deviation(&self.probabilities);
            let t = (mean - 0.5) / deviation;
            0.5 * ((1.0 + (t - zero) * (t - zero)) / (1.0 + (t - one) * (t - one))).ln()
        })
    }
}
