//! The parameters of a network as they are trained: tile by tile.

use nullarbor::eval::nnue::format::{
    INPUTS, KING_BUCKET_COUNTS, MAX_HIDDEN, MAX_OUTPUT_BUCKETS, TILE,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

/// The shape of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Neurons of each perspective: a multiple of [`TILE`].
    pub hidden: usize,
    /// Sets of input weights.
    pub king_buckets: usize,
    /// Sets of output weights.
    pub output_buckets: usize,
}

impl Shape {
    /// Whether there is such a network; or else what is wrong.
    ///
    /// # Errors
    /// Where there is not.
    pub fn check(self) -> Result<(), String> {
        if self.hidden == 0 || !self.hidden.is_multiple_of(TILE) || self.hidden > MAX_HIDDEN {
            return Err(format!(
                "{} neurons: it must be a multiple of {TILE} up to {MAX_HIDDEN}",
                self.hidden
            ));
        }
        if !KING_BUCKET_COUNTS.contains(&self.king_buckets) {
            return Err(format!("{} king buckets: there may be 1 or 4", self.king_buckets));
        }
        if !(1..=MAX_OUTPUT_BUCKETS).contains(&self.output_buckets) {
            return Err(format!(
                "{} output buckets: there may be 1 to {MAX_OUTPUT_BUCKETS}",
                self.output_buckets
            ));
        }
        Ok(())
    }

    /// How many inputs a perspective has: as many rows of input weights has a tile.
    pub fn inputs(self) -> usize {
        self.king_buckets * INPUTS
    }

    /// How many tiles the neurons of a perspective make.
    pub fn tiles(self) -> usize {
        self.hidden / TILE
    }

    /// How many rows a tile has.
    pub fn tile_rows(self) -> usize {
        self.output_row(self.output_buckets, 0)
    }

    /// Which row of a tile holds the biases of its neurons.
    pub fn bias_row(self) -> usize {
        self.inputs()
    }

    /// Which row of a tile holds the output weights of a bucket and a perspective: 0 is the side to move, 1 its opponent.
    pub fn output_row(self, bucket: usize, perspective: usize) -> usize {
        self.bias_row() + 1 + 2 * bucket + perspective
    }

    /// How many rows there are in all tiles, and one more of output biases.
    pub fn rows(self) -> usize {
        self.tiles() * self.tile_rows() + 1
    }
}

/// One number for each neuron of a tile: two cache lines, and so aligned.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Row(pub [f32; TILE]);

impl Row {
    /// All zeros.
    pub const ZERO: Self = Self([0.0; TILE]);

    /// The sum of both.
    #[inline(always)]
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane] + other.0[lane]))
    }

    /// The sum of its numbers, by halves: in their order each addition would wait for the one before.
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

/// All parameters of a network, or one number for each of them.
///
/// A tile has [`Shape::tile_rows`] rows: input weights by input, biases, output weights by bucket and perspective. So what
/// one tile of neurons needs lies in one piece and fits into a cache of the second level (98 kB with one king bucket), which
/// the passes of a batch make use of.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The shape.
    pub shape: Shape,
    /// The rows of each tile.
    pub tiles: Vec<Vec<Row>>,
    /// What the output begins with, by bucket; the rest of the row is zero.
    pub output_biases: Row,
}

impl Model {
    /// Nothing but zeros.
    pub fn zero(shape: Shape) -> Self {
        let tiles = vec![vec![Row::ZERO; shape.tile_rows()]; shape.tiles()];
        Self { shape, tiles, output_biases: Row::ZERO }
    }

    /// Random parameters to begin with: small enough for a neuron not to be stuck.
    pub fn random(shape: Shape, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut model = Self::zero(shape);
        let mut fill = |rows: &mut [Row], most: f32, middle: f32| {
            let numbers = rows.iter_mut().flat_map(|row| &mut row.0);
            numbers.for_each(|number| *number = middle + most * (2.0 * rng.random::<f32>() - 1.0));
        };
        for tile in &mut model.tiles {
            let (inputs, rest) = tile.split_at_mut(shape.bias_row());
            let (biases, outputs) = rest.split_at_mut(1);
            fill(inputs, 0.08, 0.0);
            fill(biases, 0.1, 0.1);
            fill(outputs, 1.0 / (2.0 * shape.hidden as f32).sqrt(), 0.0);
        }
        model
    }

    /// All rows: tile by tile, the output biases last.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.tiles.iter().flatten().chain([&self.output_biases])
    }

    /// The same, to be changed.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.tiles.iter_mut().flatten().chain([&mut self.output_biases])
    }

    /// One row of all tiles: a number for each neuron of a perspective.
    pub fn neurons(&self, row: usize) -> impl Iterator<Item = f32> {
        self.tiles.iter().flat_map(move |tile| tile[row].0)
    }
}
