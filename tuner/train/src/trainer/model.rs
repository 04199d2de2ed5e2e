//! The parameters of a network during training, tile by tile.

use nullarbor::eval::nnue::format::{
    INPUTS, KING_BUCKET_COUNTS, MAX_HIDDEN, MAX_OUTPUT_BUCKETS, TILE,
};
use nullarbor::eval::nnue::{HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

/// The shape of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Args, Serialize, Deserialize)]
pub struct Shape {
    /// Neurons of each perspective, a multiple of 32
    #[arg(long, default_value_t = HIDDEN)]
    pub hidden: usize,
    /// King buckets: sets of input weights by the square of the own king, 1 or 4
    #[arg(long, default_value_t = KING_BUCKETS)]
    pub king_buckets: usize,
    /// Output buckets: sets of output weights by the number of pieces, 1 to 8
    #[arg(long, default_value_t = OUTPUT_BUCKETS)]
    pub output_buckets: usize,
}

impl Shape {
    /// The shape of the networks that this build can load.
    pub const BUILT: Self =
        Self { hidden: HIDDEN, king_buckets: KING_BUCKETS, output_buckets: OUTPUT_BUCKETS };

    /// Checks that networks of this shape exist.
    ///
    /// # Errors
    /// A description of what is wrong.
    pub fn check(self) -> Result<(), String> {
        if self.hidden == 0 || !self.hidden.is_multiple_of(TILE) || self.hidden > MAX_HIDDEN {
            return Err(format!(
                "{} neurons: the number must be a multiple of {TILE} up to {MAX_HIDDEN}",
                self.hidden
            ));
        }
        if !KING_BUCKET_COUNTS.contains(&self.king_buckets) {
            return Err(format!("{} king buckets: the number must be 1 or 4", self.king_buckets));
        }
        if !(1..=MAX_OUTPUT_BUCKETS).contains(&self.output_buckets) {
            return Err(format!(
                "{} output buckets: the number must be 1 to {MAX_OUTPUT_BUCKETS}",
                self.output_buckets
            ));
        }
        Ok(())
    }

    /// Returns whether networks of this shape can grow into another one: [`Model::grown`].
    pub fn grows_into(self, larger: Self) -> bool {
        self.hidden <= larger.hidden
            && (self.king_buckets == larger.king_buckets || self.king_buckets == 1)
            && larger.output_buckets.is_multiple_of(self.output_buckets)
    }

    /// Returns the number of features of a perspective: the rows of input weights in a tile.
    pub fn features(self) -> usize {
        self.king_buckets * INPUTS
    }

    /// Returns the number of tiles of a perspective.
    pub fn tiles(self) -> usize {
        self.hidden / TILE
    }

    /// Returns the number of rows in a tile.
    pub fn tile_rows(self) -> usize {
        self.output_row(self.output_buckets, 0)
    }

    /// Returns the row of a tile with the biases of its neurons.
    pub fn bias_row(self) -> usize {
        self.features()
    }

    /// Returns the row of a tile with the output weights of a bucket and a perspective: 0 is the side to move, 1 the opponent.
    pub fn output_row(self, bucket: usize, perspective: usize) -> usize {
        self.bias_row() + 1 + 2 * bucket + perspective
    }
}

/// A number for each neuron of a tile, aligned to cache lines.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Row(pub [f32; TILE]);

impl Row {
    /// All zeros.
    pub const ZERO: Self = Self([0.0; TILE]);

    /// Returns the sum of two rows.
    #[inline(always)]
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane] + other.0[lane]))
    }

    /// Returns the sum of its numbers, by halves: a sum in order would be a chain of dependent additions.
    #[inline(always)]
    pub fn sum(&self) -> f32 {
        let mut sums = self.0;
        let mut half = TILE / 2;
        while half > 0 {
            for lane in 0..half {
                sums[lane] += sums[lane + half];
            }
            half /= 2;
        }
        sums[0]
    }
}

/// All parameters of a network, or a gradient with a number for each of them.
///
/// A tile has [`Shape::tile_rows`] rows: input weights by feature, biases, output weights by bucket and perspective. So all
/// parameters of one tile of neurons are contiguous and fit into a level 2 cache (98 kB with one king bucket), which the forward
/// and backward passes make use of.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The shape.
    pub shape: Shape,
    /// The rows of each tile.
    pub tiles: Vec<Vec<Row>>,
    /// Output biases by bucket; the rest of the row is zero.
    pub output_biases: Row,
}

impl Model {
    /// Creates a model with all parameters zero.
    pub fn zero(shape: Shape) -> Self {
        let tiles = vec![vec![Row::ZERO; shape.tile_rows()]; shape.tiles()];
        Self { shape, tiles, output_biases: Row::ZERO }
    }

    /// Returns the parameters between these and others of the same shape, of which `share` is taken.
    ///
    /// # Panics
    /// If the shapes differ.
    #[must_use]
    pub fn blended(&self, other: &Self, share: f32) -> Self {
        assert_eq!(self.shape, other.shape);
        let row = |(one, other): (&Row, &Row)| {
            Row(std::array::from_fn(|lane| one.0[lane] + share * (other.0[lane] - one.0[lane])))
        };
        let tile = |(one, other): (&Vec<Row>, &Vec<Row>)| one.iter().zip(other).map(row).collect();
        Self {
            shape: self.shape,
            tiles: self.tiles.iter().zip(&other.tiles).map(tile).collect(),
            output_biases: row((&self.output_biases, &other.output_biases)),
        }
    }

    /// Creates a model with uniform random parameters, small enough that neurons are within the range of their activation. All
    /// king buckets begin with the same weights.
    pub fn random(shape: Shape, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut model = Self::zero(shape);
        let mut fill = |rows: &mut [Row], range: f32, mean: f32| {
            let parameters = rows.iter_mut().flat_map(|row| &mut row.0);
            parameters.for_each(|it| *it = mean + range * (2.0 * rng.random::<f32>() - 1.0));
        };
        for tile in &mut model.tiles {
            let (inputs, rest) = tile.split_at_mut(shape.bias_row());
            let (biases, outputs) = rest.split_at_mut(1);
            fill(&mut inputs[..INPUTS], 0.08, 0.0);
            (1..shape.king_buckets)
                .for_each(|bucket| inputs.copy_within(..INPUTS, bucket * INPUTS));
            fill(biases, 0.1, 0.1);
            fill(outputs, 1.0 / (2.0 * shape.hidden as f32).sqrt(), 0.0);
        }
        model
    }

    /// Returns a larger model with the same evaluations (Net2Net: T. Chen, I. Goodfellow and J. Shlens 2016): new buckets are
    /// copies, new neurons have random input weights and no output yet. `None` if the shape does not
    /// [grow](Shape::grows_into) into that one.
    pub fn grown(&self, shape: Shape, seed: u64) -> Option<Self> {
        if !self.shape.grows_into(shape) {
            return None;
        }
        let mut model = Self::random(shape, seed);
        let king_bucket = |bucket: usize| bucket * self.shape.king_buckets / shape.king_buckets;
        let output_bucket =
            |bucket: usize| bucket * self.shape.output_buckets / shape.output_buckets;
        for tile in &mut model.tiles {
            tile[shape.output_row(0, 0)..].fill(Row::ZERO);
        }
        for (tile, old) in model.tiles.iter_mut().zip(&self.tiles) {
            for bucket in 0..shape.king_buckets {
                tile[bucket * INPUTS..][..INPUTS]
                    .copy_from_slice(&old[king_bucket(bucket) * INPUTS..][..INPUTS]);
            }
            tile[shape.bias_row()] = old[self.shape.bias_row()];
            for (bucket, perspective) in (0..shape.output_buckets).flat_map(|it| [(it, 0), (it, 1)])
            {
                tile[shape.output_row(bucket, perspective)] =
                    old[self.shape.output_row(output_bucket(bucket), perspective)];
            }
        }
        for bucket in 0..shape.output_buckets {
            model.output_biases.0[bucket] = self.output_biases.0[output_bucket(bucket)];
        }
        Some(model)
    }

    /// Returns all rows: tile by tile, the output biases last.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.tiles.iter().flatten().chain([&self.output_biases])
    }

    /// Returns all rows, mutable: tile by tile, the output biases last.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.tiles.iter_mut().flatten().chain([&mut self.output_biases])
    }

    /// Returns a row of all tiles: a parameter for each neuron of a perspective.
    pub fn across_tiles(&self, row: usize) -> impl Iterator<Item = f32> {
        self.tiles.iter().flat_map(move |tile| tile[row].0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blend_lies_between() {
        let shape = Shape { hidden: 32, king_buckets: 1, output_buckets: 2 };
        let (one, other) = (Model::random(shape, 1), Model::random(shape, 2));
        assert_eq!(one.blended(&other, 0.0), one);
        let half = one.blended(&other, 0.5);
        let first = |model: &Model| model.tiles[0][3].0[7];
        assert!((first(&half) - 0.5 * (first(&one) + first(&other))).abs() < 1e-6);
        assert_ne!(first(&half), first(&one));
        assert_eq!(half.blended(&half, 0.3), half);
    }
    use crate::trainer::backprop::output;
    use crate::trainer::testing::{material_example, random_positions};

    const SMALL: Shape = Shape { hidden: 32, king_buckets: 1, output_buckets: 2 };

    #[test]
    fn a_model_that_grows_keeps_its_evaluations() {
        let mut small = Model::random(SMALL, 1);
        small.output_biases.0[..2].copy_from_slice(&[0.2, -0.1]);
        let shape = Shape { hidden: 96, king_buckets: 4, output_buckets: 8 };
        let large = small.grown(shape, 2).expect("a larger shape");
        for position in &random_positions(400, 3) {
            let example = material_example(position);
            let [before, after] =
                [&small, &large].map(|model| output(model, &example.features(model.shape)));
            assert!((before - after).abs() < 1e-5, "{position}: {before} and {after}");
        }
        let weights = |row: usize| large.across_tiles(row).skip(SMALL.hidden);
        assert!(weights(5).all(|weight| weight != 0.0), "new neurons can learn");
    }

    #[test]
    fn a_model_does_not_shrink() {
        let model = Model::zero(SMALL);
        for shape in [Shape { output_buckets: 1, ..SMALL }, Shape { output_buckets: 3, ..SMALL }] {
            assert!(model.grown(shape, 1).is_none());
        }
        let large = Shape { hidden: 64, king_buckets: 4, ..SMALL };
        assert!(Model::zero(large).grown(Shape { king_buckets: 1, ..large }, 1).is_none());
        assert!(Model::zero(large).grown(Shape { hidden: 32, ..large }, 1).is_none());
        assert_eq!(model.grown(SMALL, 1), Some(model));
    }
}
