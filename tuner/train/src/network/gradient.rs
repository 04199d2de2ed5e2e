//! The forward and the backward pass of a batch through one tile of neurons.
//!
//! A pass takes all positions of a batch through one tile before the next tile has its turn: so the weights of the tile stay
//! in the cache. The backward pass does not scatter to the rows of the gradient but gathers: for each input it adds up the
//! slopes of the positions where it occurs, so a row of the gradient is written once for each block.

use super::batch::{Batch, Block};
use super::example::{Example, Inputs};
use super::model::{Model, Row, Shape};

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

/// Takes a block forward through a tile: `neurons` get the sums of the first layer before they are clipped, two rows for each
/// position (the side to move first), and `outputs` what the tile adds to the output of each position.
pub fn forward(
    shape: Shape,
    tile: &[Row],
    block: &Block,
    neurons: &mut [Row],
    outputs: &mut [f32],
) {
    let neurons = neurons.as_chunks_mut::<2>().0;
    for ((inputs, neurons), output) in block.inputs.iter().zip(neurons).zip(outputs) {
        *neurons = first_layer(shape, tile, inputs);
        *output = contribution(shape, tile, inputs.bucket, neurons);
    }
}

/// Sums of both perspectives of a position.
#[inline(always)]
fn first_layer(shape: Shape, tile: &[Row], inputs: &Inputs) -> [Row; 2] {
    let biases = tile[shape.bias_row()];
    let (mut own, mut other) = (biases, biases);
    for (&one, &two) in inputs.of(0).iter().zip(inputs.of(1)) {
        own = own.plus(&tile[usize::from(one)]);
        other = other.plus(&tile[usize::from(two)]);
    }
    [own, other]
}

/// What the neurons of a tile add to the output.
#[inline(always)]
fn contribution(shape: Shape, tile: &[Row], bucket: usize, neurons: &[Row; 2]) -> f32 {
    let mut sums = Row::ZERO;
    for (perspective, neurons) in neurons.iter().enumerate() {
        let weights = &tile[shape.output_row(bucket, perspective)];
        for ((sum, neuron), weight) in sums.0.iter_mut().zip(&neurons.0).zip(&weights.0) {
            let active = neuron.clamp(0.0, 1.0);
            *sum += active * active * weight;
        }
    }
    sums.sum()
}

/// Takes a batch backward through a tile. `slopes` say how the loss grows with the output of each position, `neurons` are those
/// of the forward pass, which the slopes of the neurons replace; `gradient` gets the sum over all positions for each row.
pub fn backward(
    shape: Shape,
    tile: &[Row],
    batch: &Batch,
    slopes: &[f32],
    neurons: &mut [Row],
    gradient: &mut [Row],
) {
    let (inputs, rest) = gradient.split_at_mut(shape.bias_row());
    rest.fill(Row::ZERO);
    let mut from = 0;
    for (number, block) in batch.blocks().iter().enumerate() {
        let to = from + block.inputs.len();
        let neurons = &mut neurons[2 * from..2 * to];
        output_layer(shape, tile, block, &slopes[from..to], neurons, rest);
        for (sum, occurrences) in inputs.iter_mut().zip(block.occurrences()) {
            let begin = if number == 0 { Row::ZERO } else { *sum };
            let add = |sum: Row, &source: &u16| sum.plus(&neurons[usize::from(source)]);
            *sum = occurrences.iter().fold(begin, add);
        }
        from = to;
    }
}

/// Puts the slopes of the neurons in the place of the neurons; `gradient` are the rows from that of the biases on.
fn output_layer(
    shape: Shape,
    tile: &[Row],
    block: &Block,
    slopes: &[f32],
    neurons: &mut [Row],
    gradient: &mut [Row],
) {
    let mut biases = Row::ZERO;
    let neurons = neurons.as_chunks_mut::<2>().0;
    for ((inputs, &slope), neurons) in block.inputs.iter().zip(slopes).zip(neurons) {
        for (perspective, neurons) in neurons.iter_mut().enumerate() {
            let row = shape.output_row(inputs.bucket, perspective);
            let outputs = &mut gradient[row - shape.bias_row()];
            *neurons = neuron_slopes(neurons, &tile[row], slope, outputs);
            biases = biases.plus(neurons);
        }
    }
    gradient[0] = gradient[0].plus(&biases);
}

/// How the loss grows with each neuron, given how it grows with the output; `gradient` is that of the output weights.
#[inline(always)]
fn neuron_slopes(neurons: &Row, weights: &Row, slope: f32, gradient: &mut Row) -> Row {
    Row(std::array::from_fn(|lane| {
        let neuron = neurons.0[lane];
        let active = neuron.clamp(0.0, 1.0);
        gradient.0[lane] += slope * active * active;
        let inside = neuron > 0.0 && neuron < 1.0;
        if inside { 2.0 * slope * weights.0[lane] * active } else { 0.0 }
    }))
}

/// The output of a model for one position.
pub fn output(model: &Model, inputs: &Inputs) -> f32 {
    let tile = |tile: &Vec<Row>| {
        let neurons = first_layer(model.shape, tile, inputs);
        contribution(model.shape, tile, inputs.bucket, &neurons)
    };
    model.output_biases.0[inputs.bucket] + model.tiles.iter().map(tile).sum::<f32>()
}
