//! From what was learnt to a network of the engine.

use nullarbor::eval::nnue::format::{FormatError, NetworkFile, QA, QA_SQUARED, QB, TILE};
use nullarbor::eval::nnue::{centipawns, screlu};
use nullarbor::types::Score;
use nullarbor_openings::Opening;

use super::example::{Example, Inputs};
use super::gradient::output;
use super::model::{Model, Shape};

/// A model in whole numbers, as the engine computes with it.
pub struct Whole {
    shape: Shape,
    /// Row by row as those of a tile, each over all neurons.
    numbers: Vec<i16>,
    output_biases: Vec<i32>,
    scale: u32,
}

impl Whole {
    /// Rounds a model; an output of one stands for `scale` centipawns.
    pub fn of(model: &Model, scale: u32) -> Self {
        let shape = model.shape;
        let whole = |unit: i32| move |number: f32| (number * unit as f32).round() as i16;
        let row = |row: usize| {
            let unit = if row <= shape.bias_row() { QA } else { QB };
            model.neurons(row).map(whole(unit))
        };
        let numbers = (0..shape.tile_rows()).flat_map(row).collect();
        let bias = |bias: &f32| (bias * (QA_SQUARED * QB) as f32).round() as i32;
        let output_biases = &model.output_biases.0[..shape.output_buckets];
        let output_biases = output_biases.iter().map(bias).collect();
        Self { shape, numbers, output_biases, scale }
    }

    /// The bytes of a network file.
    ///
    /// # Errors
    /// Where the engine could not compute with such weights.
    pub fn bytes(&self, facts: &str) -> Result<Vec<u8>, FormatError> {
        let Shape { hidden, king_buckets, output_buckets } = self.shape;
        let (numbers, output_biases) = (self.numbers.clone(), self.output_biases.clone());
        let (scale, metadata) = (self.scale, facts.to_owned());
        let parameters = numbers;
        NetworkFile {
            hidden,
            king_buckets,
            output_buckets,
            scale,
            metadata,
            parameters,
            output_biases,
        }
        .to_bytes()
    }

    /// The shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The model that it was rounded from, but for the rounding; an output of one stands for `scale` centipawns.
    pub fn model(&self, scale: f32) -> Model {
        let Shape { hidden, output_buckets, .. } = self.shape;
        let mut model = Model::zero(self.shape);
        let rescale = self.scale as f32 / scale;
        for (row, numbers) in self.numbers.chunks(hidden).enumerate() {
            let is_output = row > self.shape.bias_row();
            let unit = if is_output { rescale / QB as f32 } else { 1.0 / QA as f32 };
            for (neuron, &number) in numbers.iter().enumerate() {
                model.tiles[neuron / TILE][row].0[neuron % TILE] = f32::from(number) * unit;
            }
        }
        let biases = model.output_biases.0[..output_buckets].iter_mut();
        for (bias, &number) in biases.zip(&self.output_biases) {
            *bias = number as f32 * rescale / (QA_SQUARED * QB) as f32;
        }
        model
    }

    /// What it says of a position, in centipawns, as the engine computes it.
    pub fn value(&self, inputs: &Inputs) -> f64 {
        let hidden = self.shape.hidden;
        let row = |row: usize| &self.numbers[row * hidden..][..hidden];
        let mut sums = i64::from(self.output_biases[inputs.bucket]);
        for perspective in 0..2 {
            let mut neurons = row(self.shape.bias_row()).to_vec();
            for &input in inputs.of(perspective) {
                neurons.iter_mut().zip(row(input.into())).for_each(|(sum, weight)| *sum += weight);
            }
            let weights = row(self.shape.output_row(inputs.bucket, perspective));
            for (&neuron, &weight) in neurons.iter().zip(weights) {
                sums += i64::from(screlu(neuron)) * i64::from(weight);
            }
        }
        centipawns(sums, self.scale as i32).into()
    }

    /// How far it is from the model, in centipawns, in the mean of some examples and at most.
    pub fn error(&self, model: &Model, examples: &[Example]) -> [f64; 2] {
        let one = |example: &Example| {
            let inputs = example.inputs(self.shape);
            let exact = f64::from(output(model, &inputs)) * f64::from(self.scale);
            (exact - self.value(&inputs)).abs()
        };
        let (mut sum, mut most) = (0.0, 0.0_f64);
        for example in examples {
            let error = one(example);
            sum += error;
            most = most.max(error);
        }
        [sum / examples.len().max(1) as f64, most]
    }
}

impl From<&NetworkFile> for Whole {
    /// Of a network of any shape.
    fn from(content: &NetworkFile) -> Self {
        let &NetworkFile { hidden, king_buckets, output_buckets, scale, .. } = content;
        let shape = Shape { hidden, king_buckets, output_buckets };
        let (numbers, output_biases) = (content.parameters.clone(), content.output_biases.clone());
        Self { shape, numbers, output_biases, scale }
    }
}

/// Centipawns that an output of one must stand for, so that on the mean positions are worth as much as they always were: the
/// margins of the search are in these units. `known` are positions and what they are worth, in centipawns.
pub fn scale(model: &Model, known: &[(Opening, i32)]) -> u32 {
    let (mut outputs, mut values) = (0.0, 0.0);
    for (opening, value) in known {
        let game = opening.game();
        let example = Example::of(game.position(), Score(0), 0.5);
        outputs += f64::from(output(model, &example.inputs(model.shape)).abs());
        values += f64::from(value.abs());
    }
    (values / outputs.max(f64::MIN_POSITIVE)).round().clamp(1.0, 10_000.0) as u32
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::network::adam::{Adam, OUTPUT_CLIP, Step};
    use crate::network::gradient::Target;
    use crate::network::passes::Passes;
    use nullarbor::board::Position;
    use nullarbor::eval::nnue::format::TILE;
    use nullarbor::eval::nnue::{Evaluator, HIDDEN, KING_BUCKETS, Network, OUTPUT_BUCKETS};
    use nullarbor_openings::builtin;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// Positions of games of moves by chance.
    fn positions(count: usize) -> Vec<Position> {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let mut found = Vec::new();
        while found.len() < count {
            let mut position = Position::start();
            // Later one side is a queen ahead, or two, and nobody asks for centipawns.
            for _ in 0..40 {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    break;
                }
                position = position.make(legal[rng.random_range(0..legal.len())]);
                found.push(position.clone());
            }
        }
        found.truncate(count);
        found
    }

    /// A model of the engine's shape that has learnt what men are worth.
    fn learnt(positions: &[Position]) -> Model {
        let shape =
            Shape { hidden: HIDDEN, king_buckets: KING_BUCKETS, output_buckets: OUTPUT_BUCKETS };
        let mut model = Model::random(shape, 2);
        let (mut adam, mut passes) = (Adam::new(shape), Passes::new(shape, 1));
        let step = Step { rate: 0.001, decay: 0.01 };
        let target = Target { lambda: 0.0, scale: 300.0 };
        let example = |position: &Position| {
            let us = position.side_to_move();
            let worth = |colour| -> i32 {
                let values = [100, 300, 300, 500, 900];
                position
                    .piece_counts(colour)
                    .iter()
                    .zip(values)
                    .map(|(n, value)| *n as i32 * value)
                    .sum()
            };
            Example::of(position, Score(worth(us) - worth(!us)), 0.5)
        };
        let examples: Vec<Example> = positions.iter().map(example).collect();
        for batch in examples.chunks(100).cycle().take(1500) {
            let example = |index: usize| batch[index];
            passes.learn(&mut model, &mut adam, step, &target, batch.len(), example);
        }
        model
    }

    #[test]
    fn whole_numbers_say_what_fractions_say() {
        let positions = positions(10_000);
        let model = learnt(&positions);
        let scale = 300;
        let whole = Whole::of(&model, scale);
        let network = Network::parse(&whole.bytes("a test").expect("sound")).expect("a network");
        let mut evaluator = Evaluator::new(Arc::new(network));
        let mut examples = Vec::new();
        let mut size = 0.0;
        for position in &positions {
            let example = Example::of(position, Score(0), 0.5);
            let value = f64::from(evaluator.evaluate(position, 0));
            assert_eq!(value, whole.value(&example.inputs(model.shape)), "{position}");
            size += value.abs() / positions.len() as f64;
            examples.push(example);
        }
        assert!(size > 20.0, "the network says nothing: {size}");
        let [mean, most] = whole.error(&model, &examples);
        assert!(mean < 2.0 && most < 20.0, "{mean} in the mean, {most} at most, of {size}");
    }

    /// A model of the engine's shape of whose neurons so many are always active, with the greatest output weights there are.
    fn extreme(active: usize) -> Model {
        let shape =
            Shape { hidden: HIDDEN, king_buckets: KING_BUCKETS, output_buckets: OUTPUT_BUCKETS };
        let mut model = Model::zero(shape);
        for tile in 0..shape.tiles() {
            for lane in 0..TILE.min(active.saturating_sub(TILE * tile)) {
                let rows = &mut model.tiles[tile];
                rows[shape.bias_row()].0[lane] = 1.0;
                for row in &mut rows[shape.output_row(0, 0)..] {
                    row.0[lane] = OUTPUT_CLIP;
                }
            }
        }
        model
    }

    #[test]
    fn the_greatest_output_weights_do_not_overflow_in_the_engine() {
        const MOST: i32 = i32::MAX / QA_SQUARED / (OUTPUT_CLIP * QB as f32).round() as i32;
        let most = MOST as usize;
        let position = Position::start();
        let inputs = Example::of(&position, Score(0), 0.5).inputs(extreme(0).shape);
        let whole = Whole::of(&extreme(most.min(HIDDEN)), 10);
        let network = Network::parse(&whole.bytes("a test").expect("it fits")).expect("a network");
        let value = f64::from(Evaluator::new(Arc::new(network)).evaluate(&position, 0));
        assert_eq!(value, whole.value(&inputs));
        assert!(value > 10.0 * most.min(HIDDEN) as f64, "{value}");
        if HIDDEN > most {
            let whole = Whole::of(&extreme(most + 1), 10);
            assert_eq!(whole.bytes("a test"), Err(FormatError::Weights));
        }
    }

    #[test]
    fn a_network_is_a_model_again() {
        let shape = Shape { hidden: 64, king_buckets: 4, output_buckets: 3 };
        let mut model = Model::random(shape, 3);
        model.output_biases.0[..3].copy_from_slice(&[0.1, -0.2, 0.3]);
        let again = Whole::of(&model, 300).model(300.0);
        let rows = || model.rows().zip(again.rows()).flat_map(|(a, b)| a.0.into_iter().zip(b.0));
        assert!(rows().all(|(a, b)| (a - b).abs() <= 0.5 / QB as f32 + 1e-6));
        let stretched = Whole::of(&model, 300).model(600.0);
        assert_eq!(stretched.output_biases.0[1], again.output_biases.0[1] / 2.0);
        assert_eq!(stretched.tiles[0][0], again.tiles[0][0]);
    }

    #[test]
    fn the_scale_is_that_of_the_yardstick() {
        let model = Model::random(Shape { hidden: 32, king_buckets: 1, output_buckets: 1 }, 1);
        let yardstick: Vec<(Opening, i32)> = builtin::scored("endgames").take(100).collect();
        let twice: Vec<(Opening, i32)> =
            yardstick.iter().map(|(opening, value)| (opening.clone(), 2 * value)).collect();
        let (one, two) = (f64::from(scale(&model, &yardstick)), f64::from(scale(&model, &twice)));
        assert!((two / one - 2.0).abs() < 0.02, "{one} and {two}");
    }
}
