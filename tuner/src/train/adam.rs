//! Adam with decoupled weight decay (I. Loshchilov and F. Hutter 2019).

use super::model::Model;

const MOMENTUM: f32 = 0.9;
const VELOCITY: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// Of larger weights the engine could not add 32 in 16 bits.
pub const MOST: f32 = 0.98;

/// What is remembered of the gradients so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// Their running mean.
    pub momentum: Vec<f32>,
    /// The running mean of their squares.
    pub velocity: Vec<f32>,
    /// Steps so far.
    pub steps: u64,
}

impl Adam {
    /// Nothing is remembered.
    pub fn new(numbers: usize) -> Self {
        Self { momentum: vec![0.0; numbers], velocity: vec![0.0; numbers], steps: 0 }
    }

    /// Changes a model by the mean of the gradients over `examples` examples.
    pub fn step(
        &mut self,
        model: &mut Model,
        sums: &[&[f32]],
        examples: f32,
        rate: f32,
        decay: f32,
    ) {
        self.steps += 1;
        let steps = self.steps.min(i32::MAX as u64) as i32;
        let (first, second) = (1.0 - MOMENTUM.powi(steps), 1.0 - VELOCITY.powi(steps));
        let keep = 1.0 - rate * decay;
        for (index, number) in model.numbers.iter_mut().enumerate() {
            let slope = sums.iter().map(|sum| sum[index]).sum::<f32>() / examples;
            let momentum = &mut self.momentum[index];
            let velocity = &mut self.velocity[index];
            *momentum = MOMENTUM * *momentum + (1.0 - MOMENTUM) * slope;
            *velocity = VELOCITY * *velocity + (1.0 - VELOCITY) * slope * slope;
            let change = rate * (*momentum / first) / ((*velocity / second).sqrt() + EPSILON);
            *number = (*number * keep - change).clamp(-MOST, MOST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::model::Shape;

    #[test]
    fn it_finds_the_bottom_of_a_bowl_and_stays_in_bounds() {
        let shape = Shape { hidden: 32, king_buckets: 1, output_buckets: 1 };
        let mut model = Model::zero(shape);
        let mut adam = Adam::new(shape.numbers());
        for _ in 0..2000 {
            let mut slopes: Vec<f32> = model.numbers.iter().map(|number| number - 0.5).collect();
            slopes[1] = -1.0;
            adam.step(&mut model, &[&slopes], 1.0, 0.01, 0.0);
        }
        assert!((model.numbers[0] - 0.5).abs() < 0.01, "{}", model.numbers[0]);
        assert_eq!(model.numbers[1], MOST);
    }

    #[test]
    fn weights_decay_without_a_slope() {
        let shape = Shape { hidden: 32, king_buckets: 1, output_buckets: 1 };
        let mut model = Model::random(shape, 1);
        let before = model.numbers[5];
        let slopes = vec![0.0; shape.numbers()];
        Adam::new(shape.numbers()).step(&mut model, &[&slopes], 1.0, 0.1, 0.1);
        assert!((model.numbers[5] - 0.99 * before).abs() < 1e-6);
    }
}
