//! An exponential moving average (EMA) of the parameters over the last steps.

use super::model::Model;

/// Which of the steps are averaged, and with which weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average {
    /// Steps of the whole training.
    steps: u64,
    /// Steps of the average, the last ones.
    window: u64,
}

impl Average {
    /// Over a share of all steps, from 0 to 1; 0 averages nothing.
    pub fn new(steps: u64, share: f32) -> Self {
        Self { steps, window: (steps as f64 * f64::from(share)).round() as u64 }
    }

    /// Takes in the parameters after a step, counted from 0. The weight of the newest ones is 2 / (window + 1), with which the mean
    /// age is that of a plain mean over half of the window; at first it is that of a plain mean.
    pub fn take(&self, average: &mut Option<Model>, model: &Model, step: u64) {
        let Some(number) = (step + self.window).checked_sub(self.steps) else { return };
        let Some(average) = average else {
            *average = Some(model.clone());
            return;
        };
        let weight = (1.0 / (number + 1) as f32).max(2.0 / (self.window + 1) as f32);
        for (mean, row) in average.rows_mut().zip(model.rows()) {
            for (mean, number) in mean.0.iter_mut().zip(&row.0) {
                *mean += weight * (number - *mean);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::model::Shape;

    #[test]
    fn only_the_last_steps_count_and_later_ones_more() {
        let shape = Shape { hidden: 32, king_buckets: 1, output_buckets: 1 };
        let mut model = Model::zero(shape);
        let mut found = None;
        let mut none = None;
        for step in 0..1000_u16 {
            model.output_biases.0[0] = f32::from(step);
            Average::new(1000, 0.1).take(&mut found, &model, step.into());
            Average::new(1000, 0.0).take(&mut none, &model, step.into());
            assert_eq!(found.is_some(), step >= 900);
        }
        let mean = found.map_or(0.0, |found| found.output_biases.0[0]);
        assert!((950.0..970.0).contains(&mean), "{mean}");
        assert!(none.is_none());
    }
}
