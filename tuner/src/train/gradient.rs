//! How a model should change to do better on some examples.

use super::example::{Example, Inputs};
use super::model::Model;
use nullarbor::eval::network::format::TILE;

/// What a model is asked to say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The share of the game's result; the rest is the search's.
    pub lambda: f32,
    /// Centipawns that make an output of one.
    pub scale: f32,
}

impl Target {
    /// The chance to score, from 0 to 1.
    pub fn of(&self, example: &Example) -> f32 {
        let searched = sigmoid(example.score() / self.scale);
        self.lambda * example.points() + (1.0 - self.lambda) * searched
    }
}

/// The chance to score that belongs to an output.
pub fn sigmoid(output: f32) -> f32 {
    1.0 / (1.0 + (-output).exp())
}

/// What some examples say.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// By how much the loss grows with each number.
    pub sum: Model,
    /// The loss: squared errors of the chance to score, summed up.
    pub loss: f64,
    neurons: [Vec<f32>; 2],
}

impl Gradient {
    /// Nothing yet, for models of this shape.
    pub fn new(model: &Model) -> Self {
        let neurons = || vec![0.0; model.shape.hidden];
        Self { sum: Model::zero(model.shape), loss: 0.0, neurons: [neurons(), neurons()] }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.sum.numbers.fill(0.0);
        self.loss = 0.0;
    }

    /// Takes an example in.
    pub fn add(&mut self, model: &Model, example: &Example, target: &Target) {
        let inputs = example.inputs(model.shape);
        let output = output(model, &inputs, &mut self.neurons);
        let (said, wanted) = (sigmoid(output), target.of(example));
        let error = said - wanted;
        self.loss += f64::from(error * error);
        let slope = 2.0 * error * said * (1.0 - said);
        self.back(model, &inputs, slope);
    }

    fn back(&mut self, model: &Model, inputs: &Inputs, slope: f32) {
        let shape = model.shape;
        let hidden = shape.hidden;
        let weights = model.parts().outputs;
        let (input_sums, rest) = self.sum.numbers.split_at_mut(shape.inputs());
        let (bias_sums, rest) = rest.split_at_mut(hidden);
        let (output_sums, output_bias_sums) = rest.split_at_mut(2 * shape.output_buckets * hidden);
        output_bias_sums[inputs.bucket] += slope;
        for perspective in 0..2 {
            let from = (2 * inputs.bucket + perspective) * hidden;
            let weights = weights[from..].as_chunks::<TILE>().0;
            let output_sums = output_sums[from..].as_chunks_mut::<TILE>().0;
            let bias_sums = bias_sums.as_chunks_mut::<TILE>().0;
            for (tile, neurons) in
                self.neurons[perspective].as_chunks::<TILE>().0.iter().enumerate()
            {
                let slopes = slopes(neurons, &weights[tile], slope, &mut output_sums[tile]);
                add(&mut bias_sums[tile], &slopes);
                for &input in inputs.of(perspective) {
                    let tiles = input_sums[usize::from(input) * hidden..].as_chunks_mut().0;
                    add(&mut tiles[tile], &slopes);
                }
            }
        }
    }
}

/// How the loss grows with each neuron of a tile, given how it grows with the output; the output weights learn from it too.
fn slopes(
    neurons: &[f32; TILE],
    weights: &[f32; TILE],
    slope: f32,
    output_sums: &mut [f32; TILE],
) -> [f32; TILE] {
    let mut slopes = [0.0; TILE];
    for index in 0..TILE {
        let active = neurons[index].clamp(0.0, 1.0);
        let inside = neurons[index] > 0.0 && neurons[index] < 1.0;
        output_sums[index] += slope * active * active;
        slopes[index] = if inside { 2.0 * slope * weights[index] * active } else { 0.0 };
    }
    slopes
}

fn add(sums: &mut [f32; TILE], others: &[f32; TILE]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

/// The output of a model; `neurons` get the sums of the first layer, before they are clipped.
pub fn output(model: &Model, inputs: &Inputs, neurons: &mut [Vec<f32>; 2]) -> f32 {
    let hidden = model.shape.hidden;
    let parts = model.parts();
    let mut output = parts.output_biases[inputs.bucket];
    for (perspective, neurons) in neurons.iter_mut().enumerate() {
        let biases = parts.biases.as_chunks::<TILE>().0;
        for (tile, neurons) in neurons.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
            let mut sums = biases[tile];
            for &input in inputs.of(perspective) {
                let tiles = parts.inputs[usize::from(input) * hidden..].as_chunks().0;
                add(&mut sums, &tiles[tile]);
            }
            *neurons = sums;
        }
        let from = (2 * inputs.bucket + perspective) * hidden;
        let weights = &parts.outputs[from..from + hidden];
        let mut sums = [0.0; TILE];
        let tiles = neurons.as_chunks::<TILE>().0.iter().zip(weights.as_chunks::<TILE>().0);
        for (neurons, weights) in tiles {
            for index in 0..TILE {
                let active = neurons[index].clamp(0.0, 1.0);
                sums[index] += active * active * weights[index];
            }
        }
        output += sums.iter().sum::<f32>();
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::model::Shape;
    use nullarbor::board::Position;
    use nullarbor::types::Score;

    const SHAPE: Shape = Shape { hidden: 32, king_buckets: 4, output_buckets: 2 };
    const TARGET: Target = Target { lambda: 0.3, scale: 200.0 };

    fn examples() -> Vec<Example> {
        let example = |(fen, score, points): &(&str, i32, f32)| {
            Example::of(&Position::from_fen(fen).expect(fen), Score(*score), *points)
        };
        [
            ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", -30, 0.5),
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 150, 1.0),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", -80, 0.0),
        ]
        .iter()
        .map(example)
        .collect()
    }

    /// The loss as the formula says, in double precision.
    fn loss(model: &Model, numbers: &[f64]) -> f64 {
        let shape = model.shape;
        let hidden = shape.hidden;
        let one = |example: &Example| {
            let inputs = example.inputs(shape);
            let outputs = shape.inputs() + hidden;
            let mut output = numbers[outputs + 2 * shape.output_buckets * hidden + inputs.bucket];
            for perspective in 0..2 {
                for neuron in 0..hidden {
                    let mut sum = numbers[shape.inputs() + neuron];
                    for &input in inputs.of(perspective) {
                        sum += numbers[usize::from(input) * hidden + neuron];
                    }
                    let weight = (2 * inputs.bucket + perspective) * hidden + neuron;
                    output += sum.clamp(0.0, 1.0).powi(2) * numbers[outputs + weight];
                }
            }
            (1.0 / (1.0 + (-output).exp()) - f64::from(TARGET.of(example))).powi(2)
        };
        examples().iter().map(one).sum()
    }

    #[test]
    fn slopes_are_those_of_finite_differences() {
        let model = Model::random(SHAPE, 4);
        let mut gradient = Gradient::new(&model);
        examples().iter().for_each(|example| gradient.add(&model, example, &TARGET));
        let mut numbers: Vec<f64> = model.numbers.iter().copied().map(f64::from).collect();
        assert!((gradient.loss - loss(&model, &numbers)).abs() < 1e-5);
        let mut checked = 0;
        for index in 0..numbers.len() {
            let analytic = f64::from(gradient.sum.numbers[index]);
            // Most inputs are not there; of those some are looked at.
            if analytic == 0.0 && index % 97 != 0 {
                continue;
            }
            const STEP: f64 = 1e-5;
            let kept = numbers[index];
            let mut at = |value: f64| {
                numbers[index] = value;
                loss(&model, &numbers)
            };
            let numeric = (at(kept + STEP) - at(kept - STEP)) / (2.0 * STEP);
            numbers[index] = kept;
            assert!((analytic - numeric).abs() < 1e-5, "{index}: {analytic} and {numeric}");
            checked += 1;
        }
        assert!(checked > 1000, "{checked}");
    }

    #[test]
    fn a_target_lies_between_the_search_and_the_result() {
        let example = examples()[1];
        let (search, result) = (sigmoid(150.0 / 200.0), 1.0);
        let target = TARGET.of(&example);
        assert!(search < target && target < result);
        assert_eq!(Target { lambda: 1.0, ..TARGET }.of(&example), 1.0);
        assert_eq!(Target { lambda: 0.0, ..TARGET }.of(&example), search);
    }
}
