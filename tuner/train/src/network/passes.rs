//! Batches on all threads: each takes care of some tiles, forward, backward and in the step of the optimiser.
//!
//! Threads share the positions and divide the neurons. So the gradient of a tile is complete where it was computed, and is used
//! there at once; the weights and moments of a tile stay in the cache of one core; and the result does not depend on how many
//! threads there are.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use super::adam::{Adam, Step};
use super::batch::Batch;
use super::example::Example;
use super::gradient::{Target, backward, forward, sigmoid};
use super::model::{Model, Row, Shape};

/// The buffers of a batch.
#[derive(Clone, Debug)]
pub struct Passes {
    shape: Shape,
    /// Tiles of each worker; the last one may have fewer.
    tiles: usize,
    batch: Batch,
    workers: Vec<Worker>,
    /// The output for each position, then how the loss grows with it.
    outputs: Vec<f32>,
}

/// What one thread works with.
#[derive(Clone, Debug)]
struct Worker {
    /// By tile and position, two rows: those of the side to move and of its opponent.
    neurons: Vec<Row>,
    /// By tile and position.
    outputs: Vec<f32>,
    /// Of one tile.
    gradient: Vec<Row>,
}

impl Passes {
    /// Buffers for models of a shape and so many threads, at least one.
    pub fn new(shape: Shape, threads: usize) -> Self {
        let tiles = shape.tiles().div_ceil(threads);
        let gradient = vec![Row::ZERO; shape.tile_rows()];
        let worker = Worker { neurons: Vec::new(), outputs: Vec::new(), gradient };
        let workers = vec![worker; shape.tiles().div_ceil(tiles)];
        Self { shape, tiles, batch: Batch::default(), workers, outputs: Vec::new() }
    }

    /// Learns from `positions` examples; the sum of their losses before the step.
    pub fn learn(
        &mut self,
        model: &mut Model,
        adam: &mut Adam,
        step: Step,
        target: &Target,
        positions: usize,
        example: impl Fn(usize) -> Example + Sync,
    ) -> f64 {
        self.forward(model, target, positions, example);
        let (loss, output_biases) = self.errors();
        let step = adam.begin(step, positions);
        step.output_biases(adam, model, &output_biases);
        let Self { shape, tiles, batch, workers, outputs } = self;
        let moments = adam.tiles.par_chunks_mut(*tiles);
        let parts = model.tiles.par_chunks_mut(*tiles).zip(moments);
        workers.par_iter_mut().zip(parts).for_each(|(worker, (tiles, moments))| {
            let neurons = worker.neurons.chunks_exact_mut(2 * positions);
            for ((tile, moments), neurons) in tiles.iter_mut().zip(moments).zip(neurons) {
                backward(*shape, tile, batch, outputs, neurons, &mut worker.gradient);
                step.tile(*shape, tile, moments, &worker.gradient);
            }
        });
        loss
    }

    /// The sum of the losses of `positions` examples.
    pub fn loss(
        &mut self,
        model: &Model,
        target: &Target,
        positions: usize,
        example: impl Fn(usize) -> Example + Sync,
    ) -> f64 {
        self.forward(model, target, positions, example);
        self.errors().0
    }

    /// The forward pass up to the outputs.
    fn forward(
        &mut self,
        model: &Model,
        target: &Target,
        positions: usize,
        example: impl Fn(usize) -> Example + Sync,
    ) {
        let Self { shape, tiles, batch, workers, outputs } = self;
        batch.fill(*shape, target, positions, example);
        workers.par_iter_mut().zip(model.tiles.par_chunks(*tiles)).for_each(|(worker, tiles)| {
            worker.forward(*shape, tiles, batch);
        });
        let bias = |bucket: usize| model.output_biases.0[bucket];
        let inputs = batch.blocks().iter().flat_map(|block| &block.inputs);
        outputs.clear();
        outputs.extend(inputs.map(|inputs| bias(inputs.bucket)));
        // Tile by tile, for sums of floats depend on the order.
        for part in workers.iter().flat_map(|worker| worker.outputs.chunks_exact(positions.max(1)))
        {
            outputs.iter_mut().zip(part).for_each(|(output, part)| *output += part);
        }
    }

    /// The sum of the losses, and of their slopes by bucket; the slopes replace the outputs.
    fn errors(&mut self) -> (f64, Row) {
        let (mut loss, mut biases) = (0.0, Row::ZERO);
        let blocks = self.batch.blocks().iter();
        let known = blocks.flat_map(|block| block.inputs.iter().zip(&block.targets));
        for ((inputs, target), output) in known.zip(&mut self.outputs) {
            let said = sigmoid(*output);
            let error = said - target;
            loss += f64::from(error * error);
            *output = 2.0 * error * said * (1.0 - said);
            biases.0[inputs.bucket] += *output;
        }
        (loss, biases)
    }
}

impl Worker {
    /// Takes a batch forward through some tiles.
    fn forward(&mut self, shape: Shape, tiles: &[Vec<Row>], batch: &Batch) {
        let positions = batch.positions();
        self.neurons.resize(2 * tiles.len() * positions, Row::ZERO);
        self.outputs.resize(tiles.len() * positions, 0.0);
        for (number, tile) in tiles.iter().enumerate() {
            let mut from = number * positions;
            for block in batch.blocks() {
                let to = from + block.inputs.len();
                let neurons = &mut self.neurons[2 * from..2 * to];
                forward(shape, tile, block, neurons, &mut self.outputs[from..to]);
                from = to;
            }
        }
    }
}

#[cfg(test)]
impl Passes {
    /// The loss of some examples and its gradient.
    pub fn gradient(
        &mut self,
        model: &Model,
        target: &Target,
        examples: &[Example],
    ) -> (f64, Model) {
        self.forward(model, target, examples.len(), |index| examples[index]);
        let (loss, output_biases) = self.errors();
        let mut gradient = Model { output_biases, ..Model::zero(self.shape) };
        let tiles = model.tiles.iter().zip(&mut gradient.tiles);
        let workers = self.workers.iter_mut();
        let neurons = workers.flat_map(|it| it.neurons.chunks_exact_mut(2 * examples.len()));
        for ((tile, gradient), neurons) in tiles.zip(neurons) {
            backward(self.shape, tile, &self.batch, &self.outputs, neurons, gradient);
        }
        (loss, gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::board::Position;
    use nullarbor::types::Score;

    const SHAPE: Shape = Shape { hidden: 64, king_buckets: 4, output_buckets: 2 };
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

    /// The loss of one example as the formula says, in double precision; `number` is a parameter by row and neuron.
    fn loss(example: &Example, number: impl Fn(usize, usize) -> f64, output_biases: &[f64]) -> f64 {
        let inputs = example.inputs(SHAPE);
        let mut output = output_biases[inputs.bucket];
        for perspective in 0..2 {
            for neuron in 0..SHAPE.hidden {
                let weight = |&input: &u16| number(input.into(), neuron);
                let sum = number(SHAPE.bias_row(), neuron)
                    + inputs.of(perspective).iter().map(weight).sum::<f64>();
                let row = SHAPE.output_row(inputs.bucket, perspective);
                output += sum.clamp(0.0, 1.0).powi(2) * number(row, neuron);
            }
        }
        (1.0 / (1.0 + (-output).exp()) - f64::from(TARGET.of(example))).powi(2)
    }

    /// The loss of all examples, and what it grows by with each parameter, in the order of [`Model::rows`].
    fn numeric(model: &Model, examples: &[Example], chosen: &[usize]) -> (f64, Vec<f64>) {
        const STEP: f64 = 1e-5;
        let mut numbers: Vec<f64> = model.rows().flat_map(|row| row.0).map(f64::from).collect();
        let lanes = Row::ZERO.0.len();
        let all = |numbers: &[f64]| -> f64 {
            let number = |row: usize, neuron: usize| {
                let tile = neuron / lanes * SHAPE.tile_rows();
                numbers[(tile + row) * lanes + neuron % lanes]
            };
            let biases = &numbers[numbers.len() - lanes..];
            examples.iter().map(|example| loss(example, number, biases)).sum()
        };
        let slope = |&index: &usize| {
            let kept = numbers[index];
            numbers[index] = kept + STEP;
            let above = all(&numbers);
            numbers[index] = kept - STEP;
            let below = all(&numbers);
            numbers[index] = kept;
            (above - below) / (2.0 * STEP)
        };
        let slopes = chosen.iter().map(slope).collect();
        (all(&numbers), slopes)
    }

    #[test]
    fn slopes_are_those_of_finite_differences() {
        let model = Model::random(SHAPE, 4);
        let examples = examples();
        let (found, gradient) = Passes::new(SHAPE, 2).gradient(&model, &TARGET, &examples);
        let analytic: Vec<f64> = gradient.rows().flat_map(|row| row.0).map(f64::from).collect();
        // Most inputs are not there; of those some are looked at.
        let chosen: Vec<usize> = (0..analytic.len())
            .filter(|&index| analytic[index] != 0.0 || index % 97 == 0)
            .collect();
        let (expected, slopes) = numeric(&model, &examples, &chosen);
        assert!((found - expected).abs() < 1e-5);
        assert!(chosen.len() > 2000, "{}", chosen.len());
        for (&index, numeric) in chosen.iter().zip(slopes) {
            let analytic = analytic[index];
            assert!((analytic - numeric).abs() < 1e-5, "{index}: {analytic} and {numeric}");
        }
    }

    #[test]
    fn the_gradient_of_many_blocks_is_the_sum_of_those_of_single_positions() {
        use super::super::batch::BLOCK;
        let model = Model::random(SHAPE, 4);
        let few = examples();
        let times = BLOCK;
        let many: Vec<Example> = few.iter().copied().cycle().take(times * few.len()).collect();
        assert!(many.len() > 2 * BLOCK);
        let (one, small) = Passes::new(SHAPE, 1).gradient(&model, &TARGET, &few);
        let (all, large) = Passes::new(SHAPE, 3).gradient(&model, &TARGET, &many);
        assert!((all / times as f64 - one).abs() < 1e-6, "{all} and {one}");
        for (small, large) in small.rows().zip(large.rows()) {
            for (small, large) in small.0.iter().zip(large.0) {
                let mean = large / times as f32;
                assert!((mean - small).abs() < 1e-5 + 1e-3 * small.abs(), "{mean} and {small}");
            }
        }
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let examples: Vec<Example> = examples().into_iter().cycle().take(700).collect();
        let train = |threads| {
            let mut model = Model::random(SHAPE, 4);
            let (mut adam, mut passes) = (Adam::new(SHAPE), Passes::new(SHAPE, threads));
            let step = Step { rate: 0.01, decay: 0.01 };
            for _ in 0..5 {
                let example = |index: usize| examples[index];
                passes.learn(&mut model, &mut adam, step, &TARGET, examples.len(), example);
            }
            (model, adam)
        };
        assert_eq!(train(1), train(2));
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
