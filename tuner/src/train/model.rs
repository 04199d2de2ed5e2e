//! The numbers that are learnt.

use nullarbor::eval::network::format::{
    INPUTS, KING_MAPS, MOST_NEURONS, MOST_OUTPUT_BUCKETS, TILE,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

/// The shape of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Neurons of each perspective: a multiple of [`TILE`].
    pub hidden: usize,
    /// Sets of input weights.
    pub king_buckets: usize,
    /// Sets of output weights.
    pub output_buckets: usize,
}

impl Shape {
    /// Whether there is such a network; or else what is wrong.
    ///
    /// # Errors
    /// Where there is not.
    pub fn check(self) -> Result<(), String> {
        if self.hidden == 0 || !self.hidden.is_multiple_of(TILE) || self.hidden > MOST_NEURONS {
            return Err(format!(
                "{} neurons: it must be a multiple of {TILE} up to {MOST_NEURONS}",
                self.hidden
            ));
        }
        if !KING_MAPS.contains(&self.king_buckets) {
            return Err(format!("{} king buckets: there may be 1 or 4", self.king_buckets));
        }
        if !(1..=MOST_OUTPUT_BUCKETS).contains(&self.output_buckets) {
            return Err(format!(
                "{} output buckets: there may be 1 to {MOST_OUTPUT_BUCKETS}",
                self.output_buckets
            ));
        }
        Ok(())
    }

    /// How many input weights there are.
    pub fn inputs(self) -> usize {
        self.king_buckets * INPUTS * self.hidden
    }

    /// How many numbers there are in all.
    pub fn numbers(self) -> usize {
        self.inputs() + self.hidden + self.output_buckets * (2 * self.hidden + 1)
    }
}

/// All numbers of a network, or a change to each of them: input weights by input, then biases, then output weights by bucket
/// and perspective, then output biases.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The shape.
    pub shape: Shape,
    /// The numbers.
    pub numbers: Vec<f32>,
}

/// The parts of a model.
pub struct Parts<'a> {
    /// Input weights by input.
    pub inputs: &'a [f32],
    /// What each neuron begins with.
    pub biases: &'a [f32],
    /// Output weights by bucket and perspective.
    pub outputs: &'a [f32],
    /// What the output begins with.
    pub output_biases: &'a [f32],
}

impl Model {
    /// Nothing but zeros.
    pub fn zero(shape: Shape) -> Self {
        Self { shape, numbers: vec![0.0; shape.numbers()] }
    }

    /// A beginning by chance: small enough for a neuron not to be stuck.
    pub fn random(shape: Shape, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut model = Self::zero(shape);
        let hidden = shape.hidden as f32;
        let (inputs, rest) = model.numbers.split_at_mut(shape.inputs());
        let (biases, rest) = rest.split_at_mut(shape.hidden);
        let outputs = &mut rest[..2 * shape.output_buckets * shape.hidden];
        let mut fill = |numbers: &mut [f32], most: f32, middle: f32| {
            numbers
                .iter_mut()
                .for_each(|number| *number = middle + most * (2.0 * rng.random::<f32>() - 1.0));
        };
        fill(inputs, 0.08, 0.0);
        fill(biases, 0.1, 0.1);
        fill(outputs, 1.0 / (2.0 * hidden).sqrt(), 0.0);
        model
    }

    /// Its parts.
    pub fn parts(&self) -> Parts<'_> {
        let shape = self.shape;
        let (inputs, rest) = self.numbers.split_at(shape.inputs());
        let (biases, rest) = rest.split_at(shape.hidden);
        let (outputs, output_biases) = rest.split_at(2 * shape.output_buckets * shape.hidden);
        Parts { inputs, biases, outputs, output_biases }
    }
}
