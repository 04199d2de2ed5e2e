//! Quantises a model to the integers of a network file, and back.

use nullarbor::eval::nnue::format::{FormatError, NetworkFile, QA, QA_SQUARED, QB, TILE};
use nullarbor::eval::nnue::{centipawns, screlu};
use nullarbor::types::Score;
use nullarbor_openings::{Opening, builtin};
use serde::{Deserialize, Serialize};

use super::backprop::output;
use super::example::{ActiveFeatures, Example};
use super::model::{Model, Shape};

/// A quantised network of any shape.
pub struct Quantised(pub NetworkFile);

/// The difference between a quantised network and its model, in centipawns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuantisationError {
    /// The mean absolute error.
    pub mean: f64,
    /// The largest absolute error.
    pub max: f64,
}

impl Quantised {
    /// Quantises a model, with `scale` centipawns per unit of output.
    pub fn new(model: &Model, scale: u32) -> Self {
        let shape = model.shape;
        let quantise = |unit: i32| move |weight: f32| (weight * unit as f32).round() as i16;
        let row = |row: usize| {
            let unit = if row <= shape.bias_row() { QA } else { QB };
            model.across_tiles(row).map(quantise(unit))
        };
        let bias = |bias: &f32| (bias * (QA_SQUARED * QB) as f32).round() as i32;
        let Shape { hidden, king_buckets, output_buckets } = shape;
        Self(NetworkFile {
            hidden,
            king_buckets,
            output_buckets,
            scale,
            metadata: String::new(),
            parameters: (0..shape.tile_rows()).flat_map(row).collect(),
            output_biases: model.output_biases.0[..output_buckets].iter().map(bias).collect(),
        })
    }

    /// Returns the bytes of a network file.
    ///
    /// # Errors
    /// If the weights could overflow in the engine.
    pub fn to_bytes(&self, metadata: &str) -> Result<Vec<u8>, FormatError> {
        NetworkFile { metadata: metadata.to_owned(), ..self.0.clone() }.to_bytes()
    }

    /// Returns the shape.
    pub fn shape(&self) -> Shape {
        let NetworkFile { hidden, king_buckets, output_buckets, .. } = self.0;
        Shape { hidden, king_buckets, output_buckets }
    }

    /// Returns a model with these parameters, rescaled to `scale` centipawns per unit of output.
    pub fn dequantise(&self, scale: f32) -> Model {
        let (file, shape) = (&self.0, self.shape());
        let mut model = Model::zero(shape);
        let rescale = file.scale as f32 / scale;
        for (row, weights) in file.parameters.chunks(shape.hidden).enumerate() {
            let is_output = row > shape.bias_row();
            let unit = if is_output { rescale / QB as f32 } else { 1.0 / QA as f32 };
            for (neuron, &weight) in weights.iter().enumerate() {
                model.tiles[neuron / TILE][row].0[neuron % TILE] = f32::from(weight) * unit;
            }
        }
        let biases = model.output_biases.0.iter_mut();
        for (bias, &quantised) in biases.zip(&file.output_biases) {
            *bias = quantised as f32 * rescale / (QA_SQUARED * QB) as f32;
        }
        model
    }

    /// Evaluates a position as the engine does, in centipawns.
    pub fn evaluate(&self, features: &ActiveFeatures) -> f64 {
        centipawns(self.sum(features), self.0.scale as i32).into()
    }

    /// Evaluates a position in centipawns that are not rounded to whole ones: siblings often differ by less.
    pub fn evaluate_finely(&self, features: &ActiveFeatures) -> f64 {
        let one = f64::from(QA_SQUARED) * f64::from(QB);
        self.sum(features) as f64 * f64::from(self.0.scale) / one
    }

    /// Returns the output before it is scaled.
    fn sum(&self, features: &ActiveFeatures) -> i64 {
        let shape = self.shape();
        let mut sum = i64::from(self.0.output_biases[features.bucket]);
        for perspective in 0..2 {
            let weights = self.row(shape.output_row(features.bucket, perspective));
            for (&value, &weight) in self.accumulator(features, perspective).iter().zip(weights) {
                sum += i64::from(screlu(value)) * i64::from(weight);
            }
        }
        sum
    }

    /// Returns the neurons of a perspective before their activation.
    pub fn accumulator(&self, features: &ActiveFeatures, perspective: usize) -> Vec<i16> {
        self.0.accumulator(features.of(perspective))
    }

    fn row(&self, row: usize) -> &[i16] {
        &self.0.parameters[row * self.0.hidden..][..self.0.hidden]
    }

    /// Measures the quantisation error on some examples.
    pub fn error(&self, model: &Model, examples: &[Example]) -> QuantisationError {
        let (mut sum, mut max) = (0.0, 0.0_f64);
        for example in examples {
            let features = example.features(self.shape());
            let exact = f64::from(output(model, &features)) * f64::from(self.0.scale);
            let error = (exact - self.evaluate(&features)).abs();
            sum += error;
            max = max.max(error);
        }
        QuantisationError { mean: sum / examples.len().max(1) as f64, max }
    }
}

/// The books of the calibration set.
pub(super) const CALIBRATION_BOOKS: [&str; 2] = ["unbalanced", "endgames"];

/// The calibration set: positions with the scores, in centipawns, that they had when the search parameters were tuned.
pub struct Calibration(Vec<(Opening, i32)>);

impl Calibration {
    /// Returns the positions of built-in books with the scores recorded there.
    pub fn builtin() -> Self {
        Self(CALIBRATION_BOOKS.into_iter().flat_map(builtin::scored).collect())
    }

    /// Returns the centipawns per unit of output at which a model has the same mean absolute score as recorded: the margins of the
    /// search are in these units.
    pub fn scale(&self, model: &Model) -> u32 {
        let (mut outputs, mut scores) = (0.0, 0.0);
        for (opening, score) in &self.0 {
            let game = opening.game();
            let example = Example::new(game.position(), Score(0), 0.5);
            outputs += f64::from(output(model, &example.features(model.shape)).abs());
            scores += f64::from(score.abs());
        }
        (scores / outputs.max(f64::MIN_POSITIVE)).round().clamp(1.0, 10_000.0) as u32
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::trainer::adamw::{AdamW, EPSILON, OUTPUT_WEIGHT_CLIP, Step};
    use crate::trainer::passes::Passes;
    use crate::trainer::target::{Loss, Target, UNIT};
    use crate::trainer::testing::{material_example, random_positions};
    use nullarbor::board::Position;
    use nullarbor::eval::nnue::{Evaluator, HIDDEN, KING_BUCKETS, Network, OUTPUT_BUCKETS};

    /// A model of the engine's shape, trained on the material balance.
    fn trained(examples: &[Example]) -> Model {
        let shape =
            Shape { hidden: HIDDEN, king_buckets: KING_BUCKETS, output_buckets: OUTPUT_BUCKETS };
        let mut model = Model::random(shape, 2);
        let (mut adam, mut passes) = (AdamW::new(&model), Passes::new(shape, 1));
        let step =
            Step { learning_rate: 0.001, weight_decay: 0.01, epsilon: EPSILON, factoriser: 0.0 };
        let target = Target { loss: Loss::Mse, scale: UNIT };
        for batch in examples.chunks(100).cycle().take(400) {
            let example = |index: usize| batch[index];
            passes.train(&mut model, &mut adam, step, &target, batch.len(), example);
        }
        model
    }

    #[test]
    fn the_engine_evaluates_like_the_quantised_network_and_its_model() {
        let positions = random_positions(4_000, 8);
        let examples: Vec<Example> = positions.iter().map(material_example).collect();
        let model = trained(&examples);
        let quantised = Quantised::new(&model, 300);
        let bytes = quantised.to_bytes("a test").expect("no overflow");
        let mut evaluator = Evaluator::new(Arc::new(Network::parse(&bytes).expect("a network")));
        let mut size = 0.0;
        for (position, example) in positions.iter().zip(&examples) {
            let value = f64::from(evaluator.evaluate(position, 0));
            assert_eq!(value, quantised.evaluate(&example.features(model.shape)), "{position}");
            size += value.abs() / positions.len() as f64;
        }
        assert!(size > 20.0, "evaluations are too small for a test: {size}");
        let error = quantised.error(&model, &examples);
        assert!(error.mean < 2.0 && error.max < 20.0, "{error:?} of {size}");
    }

    /// A model of the engine's shape with this number of active neurons and the largest output weights.
    fn extreme(active: usize) -> Model {
        let shape =
            Shape { hidden: HIDDEN, king_buckets: KING_BUCKETS, output_buckets: OUTPUT_BUCKETS };
        let mut model = Model::zero(shape);
        for tile in 0..shape.tiles() {
            for lane in 0..TILE.min(active.saturating_sub(TILE * tile)) {
                let rows = &mut model.tiles[tile];
                rows[shape.bias_row()].0[lane] = 1.0;
                for row in &mut rows[shape.output_row(0, 0)..] {
                    row.0[lane] = OUTPUT_WEIGHT_CLIP;
                }
            }
        }
        model
    }

    #[test]
    fn the_largest_output_weights_do_not_overflow_in_the_engine() {
        const MAX: i32 = i32::MAX / QA_SQUARED / (OUTPUT_WEIGHT_CLIP * QB as f32).round() as i32;
        let max = MAX as usize;
        let position = Position::start();
        let features = Example::new(&position, Score(0), 0.5).features(extreme(0).shape);
        let quantised = Quantised::new(&extreme(max.min(HIDDEN)), 10);
        let network =
            Network::parse(&quantised.to_bytes("a test").expect("it fits")).expect("a network");
        let value = f64::from(Evaluator::new(Arc::new(network)).evaluate(&position, 0));
        assert_eq!(value, quantised.evaluate(&features));
        assert!(value > 10.0 * max.min(HIDDEN) as f64, "{value}");
        if HIDDEN > max {
            let quantised = Quantised::new(&extreme(max + 1), 10);
            assert_eq!(quantised.to_bytes("a test"), Err(FormatError::Weights));
        }
    }

    #[test]
    fn dequantised_parameters_are_close() {
        let shape = Shape { hidden: 64, king_buckets: 4, output_buckets: 3 };
        let mut model = Model::random(shape, 3);
        model.output_biases.0[..3].copy_from_slice(&[0.1, -0.2, 0.3]);
        let again = Quantised::new(&model, 300).dequantise(300.0);
        let rows = || model.rows().zip(again.rows()).flat_map(|(a, b)| a.0.into_iter().zip(b.0));
        assert!(rows().all(|(a, b)| (a - b).abs() <= 0.5 / QB as f32 + 1e-6));
        let rescaled = Quantised::new(&model, 300).dequantise(600.0);
        assert_eq!(rescaled.output_biases.0[1], again.output_biases.0[1] / 2.0);
        assert_eq!(rescaled.tiles[0][0], again.tiles[0][0]);
    }

    #[test]
    fn the_scale_is_that_of_the_calibration_set() {
        let model = Model::random(Shape { hidden: 32, king_buckets: 1, output_buckets: 1 }, 1);
        let calibration = Calibration(builtin::scored("endgames").take(100).collect());
        let doubled = calibration.0.iter().map(|(opening, score)| (opening.clone(), 2 * score));
        let doubled = Calibration(doubled.collect());
        let scales = [calibration.scale(&model), doubled.scale(&model)].map(f64::from);
        assert!((scales[1] / scales[0] - 2.0).abs() < 0.02, "{scales:?}");
    }
}
