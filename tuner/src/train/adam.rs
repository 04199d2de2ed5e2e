//! Adam with decoupled weight decay (I. Loshchilov and F. Hutter 2019).

use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use super::model::{Model, Shape};

const MOMENTUM: f32 = 0.9;
const VELOCITY: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// Rows of weights that are worth a thread.
const ROWS: usize = 128;
/// Of larger weights the engine could not add 32 and a bias in 16 bits.
pub const MOST: f32 = 0.97;

/// What is remembered of the gradients so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// Of each number of the model.
    pub own: Moments,
    /// Of what the sets of input weights have in common, where there is more than one: each learns from all positions then, and
    /// by itself just in what it differs (a factoriser, as the trainers of Stockfish's networks have it). The common part is
    /// not kept apart, only how it moves.
    pub common: Moments,
    /// Steps so far.
    pub steps: u64,
}

/// Running means of gradients and of their squares.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// Of the gradients.
    pub momentum: Vec<f32>,
    /// Of their squares.
    pub velocity: Vec<f32>,
}

impl Moments {
    fn new(numbers: usize) -> Self {
        Self { momentum: vec![0.0; numbers], velocity: vec![0.0; numbers] }
    }

    /// Rows of so many numbers, to be looked after by all threads.
    fn rows(&mut self, length: usize) -> impl IndexedParallelIterator<Item = Row<'_>> {
        let velocity = self.velocity.par_chunks_mut(length);
        let pairs = self.momentum.par_chunks_mut(length).zip(velocity);
        pairs.map(|(momentum, velocity)| Row { momentum, velocity })
    }
}

/// A stretch of the moments.
struct Row<'a> {
    momentum: &'a mut [f32],
    velocity: &'a mut [f32],
}

impl Row<'_> {
    /// Takes slopes in and puts in their place how the numbers should change, in units of the rate.
    fn changes(self, slopes: &mut [f32], unbias: [f32; 2]) {
        let moments = self.momentum.iter_mut().zip(self.velocity);
        for (slope, (momentum, velocity)) in slopes.iter_mut().zip(moments) {
            *momentum = MOMENTUM * *momentum + (1.0 - MOMENTUM) * *slope;
            *velocity = VELOCITY * *velocity + (1.0 - VELOCITY) * *slope * *slope;
            *slope = (*momentum * unbias[0]) / ((*velocity * unbias[1]).sqrt() + EPSILON);
        }
    }
}

impl Adam {
    /// Nothing is remembered.
    pub fn new(shape: Shape) -> Self {
        let common = Self::common_numbers(shape);
        Self { own: Moments::new(shape.numbers()), common: Moments::new(common), steps: 0 }
    }

    /// How many numbers the sets of input weights have in common.
    pub fn common_numbers(shape: Shape) -> usize {
        if shape.king_buckets > 1 { shape.inputs() / shape.king_buckets } else { 0 }
    }

    /// Changes a model by the mean of the gradients over `examples` examples; how many threads help does not matter to the result.
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
        let unbias = [MOMENTUM, VELOCITY].map(|share| 1.0 / (1.0 - share.powi(steps)));
        let Shape { hidden, king_buckets, .. } = model.shape;
        let count = self.common.momentum.len();
        let mut common = vec![0.0; count];
        let rows = self.common.rows(hidden).zip(common.par_chunks_mut(hidden)).enumerate();
        rows.with_min_len(ROWS).for_each_init(
            || vec![0.0; hidden],
            |slopes, (row, (moments, common))| {
                for set in 0..king_buckets {
                    mean(slopes, sums, set * count + row * hidden, examples);
                    add(common, slopes);
                }
                moments.changes(common, unbias);
            },
        );
        let keep = 1.0 - rate * decay;
        let rows = self.own.rows(hidden).zip(model.numbers.par_chunks_mut(hidden)).enumerate();
        rows.with_min_len(ROWS).for_each_init(
            || vec![0.0; hidden],
            |slopes, (row, (moments, numbers))| {
                let (first, slopes) = (row * hidden, &mut slopes[..numbers.len()]);
                mean(slopes, sums, first, examples);
                moments.changes(slopes, unbias);
                if first < king_buckets * count {
                    add(slopes, &common[first % count..]);
                }
                for (number, change) in numbers.iter_mut().zip(slopes) {
                    *number = (*number * keep - rate * *change).clamp(-MOST, MOST);
                }
            },
        );
    }
}

/// The mean slopes of the numbers from `first` on.
fn mean(slopes: &mut [f32], sums: &[&[f32]], first: usize, examples: f32) {
    slopes.fill(0.0);
    sums.iter().for_each(|sums| add(slopes, &sums[first..]));
    slopes.iter_mut().for_each(|slope| *slope /= examples);
}

fn add(sums: &mut [f32], others: &[f32]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_the_bottom_of_a_bowl_and_stays_in_bounds() {
        let shape = Shape { hidden: 32, king_buckets: 1, output_buckets: 1 };
        let mut model = Model::zero(shape);
        let mut adam = Adam::new(shape);
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
        Adam::new(shape).step(&mut model, &[&slopes], 1.0, 0.1, 0.1);
        assert!((model.numbers[5] - 0.99 * before).abs() < 1e-6);
    }

    #[test]
    fn what_one_set_of_weights_learns_the_others_learn_too() {
        let shape = Shape { hidden: 32, king_buckets: 4, output_buckets: 1 };
        let mut model = Model::zero(shape);
        let mut adam = Adam::new(shape);
        let set = shape.inputs() / 4;
        let mut slopes = vec![0.0; shape.numbers()];
        slopes[2 * set + 7] = 1.0;
        adam.step(&mut model, &[&slopes], 1.0, 0.01, 0.0);
        let learnt = |bucket: usize| model.numbers[bucket * set + 7];
        assert!((learnt(2) + 0.02).abs() < 1e-6, "its own step and the common one: {}", learnt(2));
        for other in [0, 1, 3] {
            assert!((learnt(other) + 0.01).abs() < 1e-6, "the common step: {}", learnt(other));
        }
        assert!(model.numbers.iter().filter(|&&number| number != 0.0).count() == 4);
    }
}
