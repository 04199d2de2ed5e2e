//! Trains on a batch with all threads: each thread computes the passes and the optimiser step of its tiles.
//!
//! All threads take all positions, and divide the neurons. So the gradient of a tile is complete where it is computed and is
//! used at once, the weights and moments of a tile stay in the cache of one core, and the result does not depend on the
//! number of threads.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use super::adamw::{AdamW, Step};
use super::backprop::{backward, forward};
use super::batch::Batch;
use super::example::Example;
use super::model::{Model, Row, Shape};
use super::target::{Target, squared_error};

/// The buffers of the forward and backward passes.
#[derive(Clone, Debug)]
pub struct Passes {
    shape: Shape,
    /// Tiles of each worker; the last one may have fewer.
    tiles_per_worker: usize,
    batch: Batch,
    workers: Vec<Worker>,
    /// The output of each position, later its gradient.
    outputs: Vec<f32>,
}

/// The buffers of one thread.
#[derive(Clone, Debug)]
struct Worker {
    /// Accumulators by tile and position, two rows: the side to move and the opponent.
    accumulators: Vec<Row>,
    /// The contributions to the outputs, by tile and position.
    outputs: Vec<f32>,
    /// The gradient of one tile.
    gradient: Vec<Row>,
}

impl Passes {
    /// Creates buffers for models of a shape and at least one thread.
    pub fn new(shape: Shape, threads: usize) -> Self {
        let tiles_per_worker = shape.tiles().div_ceil(threads);
        let gradient = vec![Row::ZERO; shape.tile_rows()];
        let worker = Worker { accumulators: Vec::new(), outputs: Vec::new(), gradient };
        let workers = vec![worker; shape.tiles().div_ceil(tiles_per_worker)];
        let (batch, outputs) = (Batch::default(), Vec::new());
        Self { shape, tiles_per_worker, batch, workers, outputs }
    }

    /// Takes an optimiser step on `positions` examples. Returns the sum of their squared errors before the step.
    pub fn train(
        &mut self,
        model: &mut Model,
        adam: &mut AdamW,
        step: Step,
        target: &Target,
        positions: usize,
        example: impl Fn(usize) -> Example + Sync,
    ) -> f64 {
        self.forward(model, target, positions, example);
        let (loss, output_biases) = self.backward_loss(target);
        let step = adam.begin_step(step, positions);
        step.update_output_biases(adam, model, &output_biases);
        let Self { shape, tiles_per_worker, batch, workers, outputs } = self;
        let moments = adam.tiles.par_chunks_mut(*tiles_per_worker);
        let parts = model.tiles.par_chunks_mut(*tiles_per_worker).zip(moments);
        workers.par_iter_mut().zip(parts).for_each(|(worker, (tiles, moments))| {
            let accumulators = worker.accumulators.chunks_exact_mut(2 * positions);
            for ((tile, moments), accumulators) in tiles.iter_mut().zip(moments).zip(accumulators) {
                backward(*shape, tile, batch, outputs, accumulators, &mut worker.gradient);
                step.update_tile(*shape, tile, moments, &mut worker.gradient);
            }
        });
        loss
    }

    /// Returns the squared errors of `positions` examples.
    pub fn errors(
        &mut self,
        model: &Model,
        target: &Target,
        positions: usize,
        example: impl Fn(usize) -> Example + Sync,
    ) -> impl Iterator<Item = f64> {
        self.forward(model, target, positions, example);
        let wanted = self.batch.blocks.iter().flat_map(|block| &block.targets);
        let predicted = self.outputs.iter().map(move |&output| target.predicted(output));
        predicted.zip(wanted).map(|(predicted, &wanted)| squared_error(predicted, wanted))
    }

    /// Computes the outputs.
    fn forward(
        &mut self,
        model: &Model,
        target: &Target,
        positions: usize,
        example: impl Fn(usize) -> Example + Sync,
    ) {
        let Self { shape, tiles_per_worker, batch, workers, outputs } = self;
        batch.fill(*shape, target, positions, example);
        let tiles = model.tiles.par_chunks(*tiles_per_worker);
        workers.par_iter_mut().zip(tiles).for_each(|(worker, tiles)| {
            worker.forward(*shape, tiles, batch);
        });
        let bias = |bucket: usize| model.output_biases.0[bucket];
        let features = batch.blocks.iter().flat_map(|block| &block.features);
        outputs.clear();
        outputs.extend(features.map(|features| bias(features.bucket)));
        // Tile by tile, since the sum of floats depends on their order.
        for part in workers.iter().flat_map(|worker| worker.outputs.chunks_exact(positions.max(1)))
        {
            outputs.iter_mut().zip(part).for_each(|(output, part)| *output += part);
        }
    }

    /// Returns the sum of the squared errors and the gradient of the output biases; the gradients of the outputs replace the outputs.
    fn backward_loss(&mut self, target: &Target) -> (f64, Row) {
        let (mut loss, mut biases) = (0.0, Row::ZERO);
        let blocks = self.batch.blocks.iter();
        let targets = blocks.flat_map(|block| block.features.iter().zip(&block.targets));
        for ((features, &wanted), output) in targets.zip(&mut self.outputs) {
            let predicted = target.predicted(*output);
            loss += squared_error(predicted, wanted);
            *output = target.derivative(predicted, wanted);
            biases.0[features.bucket] += *output;
        }
        (loss, biases)
    }
}

impl Worker {
    /// Takes a batch forward through some tiles.
    fn forward(&mut self, shape: Shape, tiles: &[Vec<Row>], batch: &Batch) {
        let positions = batch.positions;
        self.accumulators.resize(2 * tiles.len() * positions, Row::ZERO);
        self.outputs.resize(tiles.len() * positions, 0.0);
        for (number, tile) in tiles.iter().enumerate() {
            let mut from = number * positions;
            for block in &batch.blocks {
                let to = from + block.features.len();
                let accumulators = &mut self.accumulators[2 * from..2 * to];
                forward(shape, tile, block, accumulators, &mut self.outputs[from..to]);
                from = to;
            }
        }
    }
}

#[cfg(test)]
impl Passes {
    /// Returns the squared error of some examples and the gradient of the loss.
    pub fn gradient(
        &mut self,
        model: &Model,
        target: &Target,
        examples: &[Example],
    ) -> (f64, Model) {
        self.forward(model, target, examples.len(), |index| examples[index]);
        let (loss, output_biases) = self.backward_loss(target);
        let mut gradient = Model { output_biases, ..Model::zero(self.shape) };
        let tiles = model.tiles.iter().zip(&mut gradient.tiles);
        let workers = self.workers.iter_mut();
        let accumulators =
            workers.flat_map(|it| it.accumulators.chunks_exact_mut(2 * examples.len()));
        for ((tile, gradient), accumulators) in tiles.zip(accumulators) {
            backward(self.shape, tile, &self.batch, &self.outputs, accumulators, gradient);
        }
        (loss, gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::super::target::{Loss, UNIT};
    use super::*;
    use nullarbor::board::Position;
    use nullarbor::types::Score;

    const SHAPE: Shape = Shape { hidden: 64, king_buckets: 4, output_buckets: 2 };
    const TARGET: Target = Target { loss: Loss::CrossEntropy, scale: 200.0 };

    fn examples() -> Vec<Example> {
        let example = |(fen, score, result): &(&str, i32, f32)| {
            Example::new(&Position::from_fen(fen).expect(fen), Score(*score), *result)
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

    /// Computes the loss of one example by the formula, in double precision; `parameter` returns one by row and neuron.
    fn loss(
        target: &Target,
        example: &Example,
        parameter: impl Fn(usize, usize) -> f64,
        output_biases: &[f64],
    ) -> f64 {
        let features = example.features(SHAPE);
        let mut output = output_biases[features.bucket];
        for perspective in 0..2 {
            for neuron in 0..SHAPE.hidden {
                let weight = |&feature: &u16| parameter(feature.into(), neuron);
                let sum = parameter(SHAPE.bias_row(), neuron)
                    + features.of(perspective).iter().map(weight).sum::<f64>();
                let row = SHAPE.output_row(features.bucket, perspective);
                output += sum.clamp(0.0, 1.0).powi(2) * parameter(row, neuron);
            }
        }
        let predicted = 1.0 / (1.0 + (-output * f64::from(UNIT / target.scale)).exp());
        let wanted = f64::from(target.of(example));
        match target.loss {
            Loss::Mse => (predicted - wanted).powi(2),
            Loss::CrossEntropy => {
                -wanted * predicted.ln() - (1.0 - wanted) * (1.0 - predicted).ln()
            }
        }
    }

    /// Computes the loss of all examples and its derivative by each chosen parameter, in the order of [`Model::rows`].
    fn numeric(
        target: &Target,
        model: &Model,
        examples: &[Example],
        chosen: &[usize],
    ) -> (f64, Vec<f64>) {
        const STEP: f64 = 1e-5;
        let mut parameters: Vec<f64> = model.rows().flat_map(|row| row.0).map(f64::from).collect();
        let lanes = Row::ZERO.0.len();
        let all = |parameters: &[f64]| -> f64 {
            let parameter = |row: usize, neuron: usize| {
                let tile = neuron / lanes * SHAPE.tile_rows();
                parameters[(tile + row) * lanes + neuron % lanes]
            };
            let biases = &parameters[parameters.len() - lanes..];
            examples.iter().map(|example| loss(target, example, parameter, biases)).sum()
        };
        let derivative = |&index: &usize| {
            let original = parameters[index];
            parameters[index] = original + STEP;
            let above = all(&parameters);
            parameters[index] = original - STEP;
            let below = all(&parameters);
            parameters[index] = original;
            (above - below) / (2.0 * STEP)
        };
        let derivatives = chosen.iter().map(derivative).collect();
        (all(&parameters), derivatives)
    }

    #[test]
    fn gradients_equal_finite_differences() {
        let model = Model::random(SHAPE, 4);
        let examples = examples();
        for loss in [Loss::CrossEntropy, Loss::Mse] {
            let target = Target { loss, ..TARGET };
            let (found, gradient) = Passes::new(SHAPE, 2).gradient(&model, &target, &examples);
            let analytic: Vec<f64> = gradient.rows().flat_map(|row| row.0).map(f64::from).collect();
            // Most features are inactive; a sample of their weights is checked.
            let chosen: Vec<usize> = (0..analytic.len())
                .filter(|&index| analytic[index] != 0.0 || index % 97 == 0)
                .collect();
            assert!(chosen.len() > 2000, "{}", chosen.len());
            let (expected, derivatives) = numeric(&target, &model, &examples, &chosen);
            // The figure that training reports is the squared error whatever the loss.
            assert!(loss != Loss::Mse || (found - expected).abs() < 1e-5);
            for (&index, numeric) in chosen.iter().zip(derivatives) {
                let analytic = analytic[index];
                assert!((analytic - numeric).abs() < 1e-5, "{index}: {analytic} and {numeric}");
            }
        }
    }

    #[test]
    fn the_gradient_of_many_blocks_is_the_sum_of_their_gradients() {
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
            let (mut adam, mut passes) = (AdamW::new(&model), Passes::new(SHAPE, threads));
            let step =
                Step { learning_rate: 0.01, weight_decay: 0.01, epsilon: 1e-8, factoriser: 0.5 };
            for _ in 0..5 {
                let example = |index: usize| examples[index];
                passes.train(&mut model, &mut adam, step, &TARGET, examples.len(), example);
            }
            (model, adam)
        };
        assert_eq!(train(1), train(2));
    }
}
