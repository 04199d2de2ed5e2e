//! The changes from one network to another, against the errors of the first. Networks of one family differ little, so that
//! their errors differ by less than the intervals of these; the changes themselves show more.

use serde::{Deserialize, Serialize};

use super::figures::{Estimate, INTERVAL, Point, SCALES, fitted_scale, mean, points};
use super::set::Labelled;
use crate::trainer::quantise::Quantised;

/// The changes of win probabilities on the positions of one file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    /// Their correlation with the changes that would correct the first network. The square is the share of the variance of
    /// its error that some part of the changes removes.
    pub correlation: Estimate,
    /// The part of the changes that removes most: below 1, they go too far.
    pub part: f64,
}

impl Changes {
    /// Returns the changes from `base` to a network; `None` where it has no meaning, as without positions.
    pub fn of(base: &Quantised, network: &Quantised, positions: &[Labelled]) -> Option<Self> {
        let (before, after) = (points(base, positions), points(network, positions));
        let scales = [&before, &after].map(|points| fitted_scale(points, &SCALES));
        let [Some(scale_before), Some(scale_after)] = scales else { return None };
        let prediction = |point: &Point<'_>| point.prediction(scale_before);
        let needed = before.iter().map(|it| it.target - prediction(it)).collect();
        let pairs = before.iter().zip(&after);
        let made = pairs.map(|(one, other)| other.prediction(scale_after) - prediction(one));
        Self::from_values(centred(made.collect()), centred(needed))
    }

    fn from_values(made: Vec<f64>, needed: Vec<f64>) -> Option<Self> {
        let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let both = product(&made, &needed);
        let value = both / (product(&made, &made) * product(&needed, &needed)).sqrt();
        let error = INTERVAL * (1.0 - value * value) / (made.len() as f64).sqrt();
        let part = both / product(&made, &made);
        value.is_finite().then_some(Self { correlation: Estimate { value, error }, part })
    }
}

fn centred(mut values: Vec<f64>) -> Vec<f64> {
    let mean = mean(&values);
    values.iter_mut().for_each(|value| *value -= mean);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_compared_with_what_is_needed() {
        let needed = centred(vec![0.1, -0.2, 0.3, 0.0, -0.4]);
        let times = |factor: f64| needed.iter().map(|it| it * factor).collect::<Vec<f64>>();
        for (factor, sign) in [(0.5, 1.0), (2.0, 1.0), (-1.0, -1.0)] {
            let changes = Changes::from_values(times(factor), needed.clone()).expect("a change");
            assert!((changes.correlation.value - sign).abs() < 1e-12, "{changes:?}");
            assert!((changes.part - 1.0 / factor).abs() < 1e-12, "{changes:?}");
        }
        // Orthogonal to what is needed: no part of it helps.
        let changes = Changes::from_values(vec![1.0, -1.0, 0.0], vec![1.0, 1.0, -2.0]);
        assert!(changes.is_some_and(|it| it.correlation.value.abs() < 1e-12 && it.part == 0.0));
        assert_eq!(
            Changes::from_values(vec![0.0; 3], vec![1.0, -1.0, 0.0]),
            None,
            "nothing changed"
        );
    }
}
