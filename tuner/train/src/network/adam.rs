//! Adam with decoupled weight decay (I. Loshchilov and F. Hutter 2019).

use std::ops::Range;

use nullarbor::eval::nnue::format::INPUTS;

use super::model::{Model, Row, Shape};

/// What the mean of the gradients keeps in a step.
const BETA_1: f32 = 0.9;
/// What the mean of their squares keeps in a step.
const BETA_2: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// Input weights and biases are clipped here: of larger ones the engine could not add 32 and a bias in 16 bits.
pub const INPUT_CLIP: f32 = 0.97;
/// Output weights and biases are clipped here. The engine's sums of 32 bits have room for 256 output weights of one in each
/// bucket and perspective; whether all of them fit is seen when the network is written.
pub const OUTPUT_CLIP: f32 = 1.9;

/// What is remembered of the gradients so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// Of each tile.
    pub tiles: Vec<Moments>,
    /// Of the output biases: one row.
    pub output_biases: Moments,
    /// Steps so far.
    pub steps: u64,
}

/// Running means of gradients and of their squares, by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// Of each row of a tile.
    pub own: Vec<Moment>,
    /// Of what the sets of input weights have in common, where there is more than one: each learns from all positions then, and
    /// by itself just in what it differs (a factoriser, as the trainers of Stockfish's networks have it). The common part is
    /// not kept apart, only how it moves.
    pub common: Vec<Moment>,
}

/// Running means of the gradients of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Of the gradients.
    pub first: Row,
    /// Of their squares.
    pub second: Row,
}

/// How fast a step goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The rate of learning.
    pub rate: f32,
    /// Weight decay, of which a step takes the rate's share.
    pub decay: f32,
}

/// The factors of one step.
#[derive(Clone, Copy, Debug)]
pub struct Factors {
    rate: f32,
    keep: f32,
    /// Makes a mean of a sum over examples.
    mean: f32,
    /// Corrections of the bias of the moments, that begin at zero; of the second its root.
    unbias: [f32; 2],
}

impl Moment {
    /// Nothing yet.
    pub const ZERO: Self = Self { first: Row::ZERO, second: Row::ZERO };

    /// Takes a gradient in; how the numbers should change, in units of the rate.
    #[inline(always)]
    fn change(&mut self, gradient: &Row, factors: &Factors) -> Row {
        let [first, second] = factors.unbias;
        Row(std::array::from_fn(|lane| {
            let slope = gradient.0[lane] * factors.mean;
            let (mean, square) = (&mut self.first.0[lane], &mut self.second.0[lane]);
            *mean = BETA_1 * *mean + (1.0 - BETA_1) * slope;
            *square = BETA_2 * *square + (1.0 - BETA_2) * slope * slope;
            (*mean * first) / (square.sqrt() * second + EPSILON)
        }))
    }
}

impl Adam {
    /// Nothing is remembered.
    pub fn new(shape: Shape) -> Self {
        let common = if shape.king_buckets > 1 { INPUTS } else { 0 };
        let moments = |own, common| Moments {
            own: vec![Moment::ZERO; own],
            common: vec![Moment::ZERO; common],
        };
        let tiles = vec![moments(shape.tile_rows(), common); shape.tiles()];
        Self { tiles, output_biases: moments(1, 0), steps: 0 }
    }

    /// All moments: tile by tile, those of the output biases last.
    pub fn moments(&self) -> impl Iterator<Item = &Moment> {
        let all = self.tiles.iter().chain([&self.output_biases]);
        all.flat_map(|it| it.own.iter().chain(&it.common))
    }

    /// The same, to be changed.
    pub fn moments_mut(&mut self) -> impl Iterator<Item = &mut Moment> {
        let all = self.tiles.iter_mut().chain([&mut self.output_biases]);
        all.flat_map(|it| it.own.iter_mut().chain(&mut it.common))
    }

    /// Begins a step by the gradients of so many examples: the tiles and the output biases must follow, each once.
    pub fn begin(&mut self, step: Step, examples: usize) -> Factors {
        self.steps += 1;
        let steps = self.steps.min(i32::MAX as u64) as i32;
        let [first, second] = [BETA_1, BETA_2].map(|beta| 1.0 / (1.0 - beta.powi(steps)));
        Factors {
            rate: step.rate,
            keep: 1.0 - step.rate * step.decay,
            mean: 1.0 / examples as f32,
            unbias: [first, second.sqrt()],
        }
    }
}

impl Factors {
    /// Changes a tile by the sums of its gradients.
    pub fn tile(&self, shape: Shape, tile: &mut [Row], moments: &mut Moments, gradient: &[Row]) {
        let outputs = shape.output_row(0, 0);
        let inputs = if moments.common.is_empty() { 0 } else { shape.inputs() };
        self.rows(inputs..outputs, tile, moments, gradient, INPUT_CLIP);
        self.rows(outputs..tile.len(), tile, moments, gradient, OUTPUT_CLIP);
        for (input, common) in moments.common.iter_mut().enumerate() {
            let rows = || (input..shape.inputs()).step_by(INPUTS);
            let sum = rows().fold(Row::ZERO, |sum, row| sum.plus(&gradient[row]));
            let common = common.change(&sum, self);
            for row in rows() {
                let own = moments.own[row].change(&gradient[row], self);
                self.change(&mut tile[row], &own.plus(&common), INPUT_CLIP);
            }
        }
    }

    /// Changes rows that have nothing in common with others.
    fn rows(
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
            self.change(row, &moment.change(gradient, self), clip);
        }
    }

    /// Changes the output biases by the sums of their gradients.
    pub fn output_biases(&self, adam: &mut Adam, model: &mut Model, gradient: &Row) {
        for moment in &mut adam.output_biases.own {
            let change = moment.change(gradient, self);
            self.change(&mut model.output_biases, &change, OUTPUT_CLIP);
        }
    }

    #[inline(always)]
    fn change(&self, row: &mut Row, change: &Row, clip: f32) {
        for (number, change) in row.0.iter_mut().zip(&change.0) {
            *number = (*number * self.keep - self.rate * change).clamp(-clip, clip);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { hidden: 32, king_buckets: 1, output_buckets: 1 };

    fn step(adam: &mut Adam, model: &mut Model, gradient: &[Row], rate: f32, decay: f32) {
        let factors = adam.begin(Step { rate, decay }, 1);
        factors.tile(model.shape, &mut model.tiles[0], &mut adam.tiles[0], gradient);
    }

    #[test]
    fn it_finds_the_bottom_of_a_bowl_and_stays_in_bounds() {
        let (mut model, mut adam) = (Model::zero(SHAPE), Adam::new(SHAPE));
        for _ in 0..2000 {
            let slope = |row: &Row| Row(row.0.map(|number| number - 0.5));
            let mut gradient: Vec<Row> = model.tiles[0].iter().map(slope).collect();
            gradient[1].0[1] = -1.0;
            gradient[SHAPE.output_row(0, 1)].0[1] = 1.0;
            step(&mut adam, &mut model, &gradient, 0.01, 0.0);
        }
        let tile = &model.tiles[0];
        assert!((tile[0].0[0] - 0.5).abs() < 0.01, "{}", tile[0].0[0]);
        assert_eq!(tile[1].0[1], INPUT_CLIP);
        assert_eq!(tile[SHAPE.output_row(0, 1)].0[1], -OUTPUT_CLIP);
    }

    #[test]
    fn it_is_the_formula() {
        let (mut model, mut adam) = (Model::random(SHAPE, 1), Adam::new(SHAPE));
        let mut weight = f64::from(model.tiles[0][3].0[7]);
        let (mut first, mut second) = (0.0, 0.0);
        let mut gradient = vec![Row::ZERO; SHAPE.tile_rows()];
        for time in 1..=50 {
            // Some steps without a gradient, too.
            let slope = if time % 3 == 0 { 0.0 } else { 0.1 * f64::from(time).sin() };
            gradient[3].0[7] = slope as f32;
            step(&mut adam, &mut model, &gradient, 0.01, 0.1);
            first = 0.9 * first + 0.1 * slope;
            second = 0.999 * second + 0.001 * slope * slope;
            let unbiased =
                (first / (1.0 - 0.9_f64.powi(time)), second / (1.0 - 0.999_f64.powi(time)));
            weight -= 0.01 * (0.1 * weight + unbiased.0 / (unbiased.1.sqrt() + 1e-8));
            let found = f64::from(model.tiles[0][3].0[7]);
            assert!((found - weight).abs() < 1e-5, "{time}: {found} and {weight}");
        }
    }

    #[test]
    fn weights_decay_without_a_slope() {
        let mut model = Model::random(SHAPE, 1);
        let before = model.tiles[0][5].0[5];
        let gradient = vec![Row::ZERO; SHAPE.tile_rows()];
        step(&mut Adam::new(SHAPE), &mut model, &gradient, 0.1, 0.1);
        assert!((model.tiles[0][5].0[5] - 0.99 * before).abs() < 1e-6);
    }

    #[test]
    fn what_one_set_of_weights_learns_the_others_learn_too() {
        let shape = Shape { king_buckets: 4, ..SHAPE };
        let (mut model, mut adam) = (Model::zero(shape), Adam::new(shape));
        let mut gradient = vec![Row::ZERO; shape.tile_rows()];
        gradient[2 * INPUTS + 3].0[7] = 1.0;
        step(&mut adam, &mut model, &gradient, 0.01, 0.0);
        let learnt = |bucket: usize| model.tiles[0][bucket * INPUTS + 3].0[7];
        assert!((learnt(2) + 0.02).abs() < 1e-6, "its own step and the common one: {}", learnt(2));
        for other in [0, 1, 3] {
            assert!((learnt(other) + 0.01).abs() < 1e-6, "the common step: {}", learnt(other));
        }
        let numbers = model.rows().flat_map(|row| row.0);
        assert!(numbers.filter(|&number| number != 0.0).count() == 4);
    }
}
