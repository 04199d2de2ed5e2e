//! The forward and backward pass of a batch through one tile of neurons.
//!
//! The network is (768 x king buckets -> H) x 2 -> 1 x output buckets with squared clipped ReLU (SCReLU). A pass takes all
//! positions of a batch through one tile before the next tile, so that the weights of the tile stay in the cache. The backward
//! pass does not scatter to the rows of the gradient but gathers: for each feature it adds up the gradients of the positions
//! where the feature occurs, so each row is written once per block.

use super::batch::{Batch, Block};
use super::example::ActiveFeatures;
use super::model::{Model, Row, Shape};

/// Takes a block forward through a tile. `accumulators` receive the first layer before its activation, two rows for each position
/// (the side to move first), and `outputs` the contribution of the tile to the output of each position.
pub fn forward(
    shape: Shape,
    tile: &[Row],
    block: &Block,
    accumulators: &mut [Row],
    outputs: &mut [f32],
) {
    let accumulators = accumulators.as_chunks_mut::<2>().0;
    for ((features, pair), output) in block.features.iter().zip(accumulators).zip(outputs) {
        *pair = accumulate(shape, tile, features);
        *output = partial_output(shape, tile, features.bucket, pair);
    }
}

/// Returns the accumulators of both perspectives of a position.
#[inline(always)]
fn accumulate(shape: Shape, tile: &[Row], features: &ActiveFeatures) -> [Row; 2] {
    let biases = tile[shape.bias_row()];
    let (mut own, mut other) = (biases, biases);
    for (&one, &two) in features.of(0).iter().zip(features.of(1)) {
        own = own.plus(&tile[usize::from(one)]);
        other = other.plus(&tile[usize::from(two)]);
    }
    [own, other]
}

/// Returns the contribution of a tile to the output.
#[inline(always)]
fn partial_output(shape: Shape, tile: &[Row], bucket: usize, accumulators: &[Row; 2]) -> f32 {
    let mut sums = Row::ZERO;
    for (perspective, accumulator) in accumulators.iter().enumerate() {
        let weights = &tile[shape.output_row(bucket, perspective)];
        for ((sum, value), weight) in sums.0.iter_mut().zip(&accumulator.0).zip(&weights.0) {
            let clipped = value.clamp(0.0, 1.0);
            *sum += clipped * clipped * weight;
        }
    }
    sums.sum()
}

/// Takes a batch backward through a tile. `output_grads` are the gradients of the loss with respect to the outputs;
/// `accumulators` are those of the forward pass and are replaced by their gradients; `gradient` receives the sum over all
/// positions for each row.
pub fn backward(
    shape: Shape,
    tile: &[Row],
    batch: &Batch,
    output_grads: &[f32],
    accumulators: &mut [Row],
    gradient: &mut [Row],
) {
    let (inputs, rest) = gradient.split_at_mut(shape.bias_row());
    rest.fill(Row::ZERO);
    let mut from = 0;
    for (number, block) in batch.blocks.iter().enumerate() {
        let to = from + block.features.len();
        let accumulators = &mut accumulators[2 * from..2 * to];
        backward_output(shape, tile, block, &output_grads[from..to], accumulators, rest);
        for (sum, occurrences) in inputs.iter_mut().zip(block.occurrences()) {
            let begin = if number == 0 { Row::ZERO } else { *sum };
            let add = |sum: Row, &source: &u16| sum.plus(&accumulators[usize::from(source)]);
            *sum = occurrences.iter().fold(begin, add);
        }
        from = to;
    }
}

/// Replaces accumulators by their gradients; `gradient` has the rows from that of the biases on.
fn backward_output(
    shape: Shape,
    tile: &[Row],
    block: &Block,
    output_grads: &[f32],
    accumulators: &mut [Row],
    gradient: &mut [Row],
) {
    let mut biases = Row::ZERO;
    let accumulators = accumulators.as_chunks_mut::<2>().0;
    for ((features, &output_grad), pair) in
        block.features.iter().zip(output_grads).zip(accumulators)
    {
        for (perspective, accumulator) in pair.iter_mut().enumerate() {
            let row = shape.output_row(features.bucket, perspective);
            let weight_grads = &mut gradient[row - shape.bias_row()];
            *accumulator = backward_screlu(accumulator, &tile[row], output_grad, weight_grads);
            biases = biases.plus(accumulator);
        }
    }
    gradient[0] = gradient[0].plus(&biases);
}

/// Returns the gradient of an accumulator, given that of the output, and adds to the gradient of the output weights.
#[inline(always)]
fn backward_screlu(
    accumulator: &Row,
    weights: &Row,
    output_grad: f32,
    weight_grads: &mut Row,
) -> Row {
    Row(std::array::from_fn(|lane| {
        let value = accumulator.0[lane];
        let clipped = value.clamp(0.0, 1.0);
        weight_grads.0[lane] += output_grad * clipped * clipped;
        let inside = value > 0.0 && value < 1.0;
        if inside { 2.0 * output_grad * weights.0[lane] * clipped } else { 0.0 }
    }))
}

/// Returns the output of a model for one position.
pub fn output(model: &Model, features: &ActiveFeatures) -> f32 {
    let tile = |tile: &Vec<Row>| {
        let accumulators = accumulate(model.shape, tile, features);
        partial_output(model.shape, tile, features.bucket, &accumulators)
    };
    model.output_biases.0[features.bucket] + model.tiles.iter().map(tile).sum::<f32>()
}
