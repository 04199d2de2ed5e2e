//! The optimiser: Adam (D. Kingma and J. Ba 2015) with decoupled weight decay (AdamW: I. Loshchilov and F. Hutter 2019).

use std::ops::Range;

use nullarbor::eval::nnue::format::INPUTS;

use super::model::{Model, Row, Shape};

/// The decay of the running mean of the gradients.
const BETA1: f32 = 0.9;
/// The decay of the running mean of their squares.
const BETA2: f32 = 0.999;
/// The usual [`Step::epsilon`].
pub const EPSILON: f32 = 1e-8;
/// Input weights and biases are clipped to this: the engine adds 32 weights and a bias in 16 bits.
pub const INPUT_WEIGHT_CLIP: f32 = 0.97;
/// Output weights and biases are clipped to this. The engine's 32-bit sums have room for 256 output weights of one for each
/// bucket and perspective; whether the actual weights fit is checked when the network is written.
pub const OUTPUT_WEIGHT_CLIP: f32 = 1.9;
/// Factorised weights learn and decay by these multiples of the rates of other weights: a king bucket departs from the shared
/// weights only where its own positions keep asking for it.
const OFFSET_LEARNING_RATE: f32 = 0.3;
const OFFSET_WEIGHT_DECAY: f32 = 5.0;
/// Squares of a piece: its input weights.
const SQUARES: usize = 64;

/// The state of the optimiser.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    /// The moments of each tile.
    pub tiles: Vec<Moments>,
    /// The moments of the output biases: one row.
    pub output_biases: Moments,
    /// Steps so far.
    pub steps: u64,
}

/// The moments of some rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// Moments of each row of a tile.
    pub own: Vec<Moment>,
    /// The factoriser, by input, if there is more than one king bucket.
    pub factoriser: Vec<SharedWeights>,
}

/// Virtual input weights that all king buckets share, so that they learn from all positions (as in the trainers of Stockfish's
/// networks). The weights of a bucket are the sum of these and of an offset of their own, which is not stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedWeights {
    /// The weights.
    pub weights: Row,
    /// Their moments.
    pub moment: Moment,
}

/// Running means of the gradients of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Mean of the gradients.
    pub first: Row,
    /// Mean of their squares.
    pub second: Row,
}

/// The hyperparameters of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The learning rate.
    pub learning_rate: f32,
    /// The weight decay; a step decays weights by this times the learning rate.
    pub weight_decay: f32,
    /// Constant that is added to the root of the mean square of a gradient. Parameters with gradients far below it hardly move.
    pub epsilon: f32,
    /// The share of an input weight's gradient that is taken from its piece on all squares.
    pub factoriser: f32,
}

/// The constants of one step.
#[derive(Clone, Copy, Debug)]
pub struct StepFactors {
    learning_rate: f32,
    /// Share of a weight that weight decay keeps.
    keep: f32,
    /// Share of the offset of a king bucket that weight decay keeps.
    keep_offset: f32,
    /// Converts a gradient summed over examples to the mean.
    mean: f32,
    /// The bias corrections of the first moment and of the root of the second.
    bias_correction: [f32; 2],
    epsilon: f32,
    factoriser: f32,
}

impl Moment {
    /// All zeros.
    pub const ZERO: Self = Self { first: Row::ZERO, second: Row::ZERO };

    /// Adds a gradient and returns the update in units of the learning rate.
    #[inline(always)]
    fn update(&mut self, gradient: &Row, factors: &StepFactors) -> Row {
        let [first, second] = factors.bias_correction;
        Row(std::array::from_fn(|lane| {
            let gradient = gradient.0[lane] * factors.mean;
            let (mean, square) = (&mut self.first.0[lane], &mut self.second.0[lane]);
            *mean = BETA1 * *mean + (1.0 - BETA1) * gradient;
            *square = BETA2 * *square + (1.0 - BETA2) * gradient * gradient;
            (*mean * first) / (square.sqrt() * second + factors.epsilon)
        }))
    }
}

impl SharedWeights {
    /// Returns those of a tile: the means over the king buckets.
    fn of(shape: Shape, tile: &[Row]) -> Vec<Self> {
        let inputs = if shape.king_buckets > 1 { INPUTS } else { 0 };
        let buckets = shape.king_buckets as f32;
        let mean = |input: usize| {
            let rows = (input..shape.features()).step_by(INPUTS);
            let sum = rows.fold(Row::ZERO, |sum, row| sum.plus(&tile[row]));
            Self { weights: Row(sum.0.map(|weight| weight / buckets)), moment: Moment::ZERO }
        };
        (0..inputs).map(mean).collect()
    }
}

impl AdamW {
    /// Creates the state before the first step on a model.
    pub fn new(model: &Model) -> Self {
        let shape = model.shape;
        let tiles = model.tiles.iter().map(|tile| Moments {
            own: vec![Moment::ZERO; shape.tile_rows()],
            factoriser: SharedWeights::of(shape, tile),
        });
        let output_biases = Moments { own: vec![Moment::ZERO], factoriser: Vec::new() };
        Self { tiles: tiles.collect(), output_biases, steps: 0 }
    }

    /// Returns all numbers of the state: tile by tile, those of the output biases last.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.tiles.iter().chain([&self.output_biases]).flat_map(|it| {
            let own = it.own.iter().flat_map(|it| [&it.first, &it.second]);
            let shared = it.factoriser.iter();
            own.chain(shared.flat_map(|it| [&it.weights, &it.moment.first, &it.moment.second]))
        })
    }

    /// Returns all numbers of the state, mutable, in the order of [`Self::rows`].
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.tiles.iter_mut().chain([&mut self.output_biases]).flat_map(|it| {
            let own = it.own.iter_mut().flat_map(|it| [&mut it.first, &mut it.second]);
            let shared = it.factoriser.iter_mut();
            own.chain(shared.flat_map(|SharedWeights { weights, moment }| {
                [weights, &mut moment.first, &mut moment.second]
            }))
        })
    }

    /// Begins a step with gradients summed over this number of examples. Each tile and the output biases must then be updated once.
    pub fn begin_step(&mut self, step: Step, examples: usize) -> StepFactors {
        self.steps += 1;
        let steps = self.steps.min(i32::MAX as u64) as i32;
        let [first, second] = [BETA1, BETA2].map(|beta| 1.0 / (1.0 - beta.powi(steps)));
        StepFactors {
            learning_rate: step.learning_rate,
            keep: 1.0 - step.learning_rate * step.weight_decay,
            keep_offset: 1.0 - step.learning_rate * step.weight_decay * OFFSET_WEIGHT_DECAY,
            mean: 1.0 / examples as f32,
            bias_correction: [first, second.sqrt()],
            epsilon: step.epsilon,
            factoriser: step.factoriser,
        }
    }
}

impl StepFactors {
    /// Updates a tile by its summed gradients, which are factorised in place.
    pub fn update_tile(
        &self,
        shape: Shape,
        tile: &mut [Row],
        moments: &mut Moments,
        gradient: &mut [Row],
    ) {
        if self.factoriser > 0.0 {
            gradient[..shape.features()]
                .chunks_exact_mut(SQUARES)
                .for_each(|piece| factorise(piece, self.factoriser));
        }
        let outputs = shape.output_row(0, 0);
        let inputs = if moments.factoriser.is_empty() { 0 } else { shape.features() };
        self.update_rows(inputs..outputs, tile, moments, gradient, INPUT_WEIGHT_CLIP);
        self.update_rows(outputs..tile.len(), tile, moments, gradient, OUTPUT_WEIGHT_CLIP);
        for (input, shared) in moments.factoriser.iter_mut().enumerate() {
            let rows = || (input..shape.features()).step_by(INPUTS);
            let sum = rows().fold(Row::ZERO, |sum, row| sum.plus(&gradient[row]));
            let before = shared.weights;
            let update = shared.moment.update(&sum, self);
            self.apply(&mut shared.weights, &update, INPUT_WEIGHT_CLIP);
            for row in rows() {
                let update = moments.own[row].update(&gradient[row], self);
                self.apply_offset(&mut tile[row], &before, &shared.weights, &update);
            }
        }
    }

    /// Updates factorised weights: their offset from the shared weights, which have just changed.
    #[inline(always)]
    fn apply_offset(&self, row: &mut Row, before: &Row, shared: &Row, update: &Row) {
        let learning_rate = self.learning_rate * OFFSET_LEARNING_RATE;
        for (lane, weight) in row.0.iter_mut().enumerate() {
            let offset = *weight - before.0[lane];
            let offset = offset * self.keep_offset - learning_rate * update.0[lane];
            *weight = (shared.0[lane] + offset).clamp(-INPUT_WEIGHT_CLIP, INPUT_WEIGHT_CLIP);
        }
    }

    /// Updates rows without a factoriser.
    fn update_rows(
        &self,
        range: Range<usize>,
        tile: &mut [Row],
        moments: &mut Moments,
        gradient: &[Row],
        clip: f32,
    ) {
        let moments = &mut moments.own[range.clone()];
        let rows = tile[range.clone()].iter_mut().zip(moments).zip(&gradient[range]);
        for ((row, moment), gradient) in rows {
            self.apply(row, &moment.update(gradient, self), clip);
        }
    }

    /// Updates the output biases by their summed gradients.
    pub fn update_output_biases(&self, adam: &mut AdamW, model: &mut Model, gradient: &Row) {
        for moment in &mut adam.output_biases.own {
            let update = moment.update(gradient, self);
            self.apply(&mut model.output_biases, &update, OUTPUT_WEIGHT_CLIP);
        }
    }

    #[inline(always)]
    fn apply(&self, row: &mut Row, update: &Row, clip: f32) {
        for (weight, update) in row.0.iter_mut().zip(&update.0) {
            *weight = (*weight * self.keep - self.learning_rate * update).clamp(-clip, clip);
        }
    }
}

/// Replaces a share of the gradients of a piece on each square by their sum, divided by the root of its number of squares so that
/// independent noise keeps its size. What a piece does for a neuron on any square is learnt from all squares: few games teach
/// that, and leave the differences between squares to many.
fn factorise(squares: &mut [Row], share: f32) {
    let sum = squares.iter().fold(Row::ZERO, |sum, row| sum.plus(row));
    let factor = share / (squares.len() as f32).sqrt();
    for row in squares {
        for (own, sum) in row.0.iter_mut().zip(&sum.0) {
            *own = (1.0 - share) * *own + factor * sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { hidden: 32, king_buckets: 1, output_buckets: 1 };

    fn fresh(model: Model) -> (Model, AdamW) {
        let adam = AdamW::new(&model);
        (model, adam)
    }

    fn step(
        adam: &mut AdamW,
        model: &mut Model,
        gradient: &mut [Row],
        learning_rate: f32,
        weight_decay: f32,
    ) {
        let step = Step { learning_rate, weight_decay, epsilon: EPSILON, factoriser: 0.0 };
        let factors = adam.begin_step(step, 1);
        factors.update_tile(model.shape, &mut model.tiles[0], &mut adam.tiles[0], gradient);
    }

    #[test]
    fn it_minimises_a_quadratic_within_the_clips() {
        let (mut model, mut adam) = fresh(Model::zero(SHAPE));
        for _ in 0..2000 {
            let quadratic = |row: &Row| Row(row.0.map(|weight| weight - 0.5));
            let mut gradient: Vec<Row> = model.tiles[0].iter().map(quadratic).collect();
            gradient[1].0[1] = -1.0;
            gradient[SHAPE.output_row(0, 1)].0[1] = 1.0;
            step(&mut adam, &mut model, &mut gradient, 0.01, 0.0);
        }
        let tile = &model.tiles[0];
        assert!((tile[0].0[0] - 0.5).abs() < 0.01, "{}", tile[0].0[0]);
        assert_eq!(tile[1].0[1], INPUT_WEIGHT_CLIP);
        assert_eq!(tile[SHAPE.output_row(0, 1)].0[1], -OUTPUT_WEIGHT_CLIP);
    }

    fn assert_formula(epsilon: f32) {
        let (mut model, mut adam) = fresh(Model::random(SHAPE, 1));
        let mut weight = f64::from(model.tiles[0][3].0[7]);
        let (mut first, mut second) = (0.0, 0.0);
        let mut gradient = vec![Row::ZERO; SHAPE.tile_rows()];
        for time in 1..=50 {
            // Some steps without a gradient, too.
            let grad = if time % 3 == 0 { 0.0 } else { 0.1 * f64::from(time).sin() };
            gradient[3].0[7] = grad as f32;
            let step = Step { learning_rate: 0.01, weight_decay: 0.1, epsilon, factoriser: 0.0 };
            let factors = adam.begin_step(step, 1);
            factors.update_tile(SHAPE, &mut model.tiles[0], &mut adam.tiles[0], &mut gradient);
            first = 0.9 * first + 0.1 * grad;
            second = 0.999 * second + 0.001 * grad * grad;
            let unbiased =
                (first / (1.0 - 0.9_f64.powi(time)), second / (1.0 - 0.999_f64.powi(time)));
            weight -= 0.01 * (0.1 * weight + unbiased.0 / (unbiased.1.sqrt() + f64::from(epsilon)));
            let found = f64::from(model.tiles[0][3].0[7]);
            assert!((found - weight).abs() < 1e-5, "{time}: {found} and {weight}");
        }
    }

    #[test]
    fn it_computes_the_formula_of_the_paper() {
        assert_formula(EPSILON);
        assert_formula(0.05);
    }

    #[test]
    fn weights_decay_without_a_gradient() {
        let (mut model, mut adam) = fresh(Model::random(SHAPE, 1));
        let before = model.tiles[0][5].0[5];
        let mut gradient = vec![Row::ZERO; SHAPE.tile_rows()];
        step(&mut adam, &mut model, &mut gradient, 0.1, 0.1);
        assert!((model.tiles[0][5].0[5] - 0.99 * before).abs() < 1e-6);
    }

    #[test]
    fn a_piece_learns_on_all_squares_from_one() {
        let step = |factoriser| {
            let (mut model, mut adam) = fresh(Model::zero(SHAPE));
            let mut gradient = vec![Row::ZERO; SHAPE.tile_rows()];
            gradient[64 + 3].0[7] = 1.0;
            let step = Step { learning_rate: 0.01, weight_decay: 0.0, epsilon: 1.0, factoriser };
            let factors = adam.begin_step(step, 1);
            factors.update_tile(SHAPE, &mut model.tiles[0], &mut adam.tiles[0], &mut gradient);
            let weights: Vec<f32> = model.tiles[0].iter().map(|row| row.0[7]).collect();
            weights
        };
        // An update is gradient / (|gradient| + 1) here.
        let update = |gradient: f32| -0.01 * gradient / (gradient + 1.0);
        for (share, own, other) in [(0.0, 1.0, 0.0), (0.8, 0.3, 0.1), (1.0, 0.125, 0.125)] {
            for (row, weight) in step(share).into_iter().enumerate() {
                let gradient = match row {
                    67 => own,
                    64..128 => other,
                    _ => 0.0,
                };
                assert!((weight - update(gradient)).abs() < 1e-6, "{share}, row {row}: {weight}");
            }
        }
    }

    #[test]
    fn the_factoriser_updates_all_king_buckets() {
        let shape = Shape { king_buckets: 4, ..SHAPE };
        let (mut model, mut adam) = fresh(Model::zero(shape));
        let mut gradient = vec![Row::ZERO; shape.tile_rows()];
        gradient[2 * INPUTS + 3].0[7] = 1.0;
        step(&mut adam, &mut model, &mut gradient, 0.01, 0.0);
        let weight = |bucket: usize| model.tiles[0][bucket * INPUTS + 3].0[7];
        let own = 0.01 * OFFSET_LEARNING_RATE;
        assert!(
            (weight(2) + 0.01 + own).abs() < 1e-6,
            "the shared update and its own: {}",
            weight(2)
        );
        for other in [0, 1, 3] {
            assert!((weight(other) + 0.01).abs() < 1e-6, "the shared update: {}", weight(other));
        }
        let weights = model.rows().flat_map(|row| row.0);
        assert!(weights.filter(|&weight| weight != 0.0).count() == 4);
    }

    #[test]
    fn king_buckets_decay_to_the_shared_weights() {
        let shape = Shape { king_buckets: 4, ..SHAPE };
        let mut model = Model::zero(shape);
        for (bucket, weight) in [0.5, 0.5, 0.5, 0.1].into_iter().enumerate() {
            model.tiles[0][bucket * INPUTS + 3].0[7] = weight;
        }
        let (mut model, mut adam) = fresh(model);
        let mut gradient = vec![Row::ZERO; shape.tile_rows()];
        for _ in 0..1000 {
            step(&mut adam, &mut model, &mut gradient, 0.1, 0.01);
        }
        // The shared weight, 0.4, keeps 0.999^1000 of itself, the offsets 0.995^1000 of themselves.
        for (bucket, offset) in [0.1, 0.1, 0.1, -0.3].into_iter().enumerate() {
            let expected = 0.4 * 0.999_f32.powi(1000) + offset * 0.995_f32.powi(1000);
            let found = model.tiles[0][bucket * INPUTS + 3].0[7];
            assert!((found - expected).abs() < 1e-4, "bucket {bucket}: {found} and {expected}");
        }
    }
}
