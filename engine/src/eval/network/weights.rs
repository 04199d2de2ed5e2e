//! What was learnt, as the engine computes with it.

use std::sync::{Arc, OnceLock};

use super::architecture::{EMBEDDED, HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS, SQUARE};
use super::features::INPUTS;

/// One number for each neuron of a perspective.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Row(pub [i16; HIDDEN]);

/// A network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// For each input, what it adds to each neuron.
    pub(super) inputs: Box<[Row]>,
    /// What each neuron begins with.
    pub(super) biases: Row,
    /// What the neurons of both perspectives, the side to move first, add to the output.
    pub(super) outputs: Box<[[Row; 2]]>,
    /// What the output begins with.
    pub(super) output_biases: [i32; OUTPUT_BUCKETS],
    /// Centipawns that an output of one stands for.
    pub(super) scale: i32,
    /// Where it comes from, for people.
    pub(super) facts: String,
    pub(super) crc32: u32,
}

/// Input weights, then biases, then output weights: all of them as `i16`, and then the output biases as `i32`.
pub(super) const NUMBERS: usize =
    (KING_BUCKETS * INPUTS + 1) * HIDDEN + OUTPUT_BUCKETS * 2 * HIDDEN;
pub(super) const BYTES: usize = 2 * NUMBERS + 4 * OUTPUT_BUCKETS;

impl Network {
    /// From numbers in the order of a file; there are as many as it takes.
    pub(super) fn of(
        numbers: &[i16],
        output_biases: [i32; OUTPUT_BUCKETS],
        scale: i32,
        facts: String,
        crc32: u32,
    ) -> Self {
        let row = |row: &[i16]| Row(std::array::from_fn(|index| row[index]));
        let rows: Vec<Row> = numbers.chunks_exact(HIDDEN).map(row).collect();
        let (inputs, rest) = rows.split_at(KING_BUCKETS * INPUTS);
        let outputs = rest[1..].chunks_exact(2).map(|pair| [pair[0].clone(), pair[1].clone()]);
        Self {
            inputs: inputs.into(),
            biases: rest[0].clone(),
            outputs: outputs.collect(),
            output_biases,
            scale,
            facts,
            crc32,
        }
    }

    /// Whether no sum can be too large, whatever stands on the board: of the first layer for 16 bits, of the output for 32.
    pub(super) fn fits(&self) -> bool {
        let buckets = || self.inputs.chunks_exact(INPUTS);
        let neuron = |neuron: usize| {
            let bias = i32::from(self.biases.0[neuron]).abs();
            // One man at most stands on a square, and 32 at most on the board.
            buckets().all(|rows| {
                let on = |square: usize| {
                    let kinds = rows.iter().skip(square).step_by(64);
                    kinds.map(|row| i32::from(row.0[neuron]).abs()).max().unwrap_or_default()
                };
                let mut most: Vec<i32> = (0..64).map(on).collect();
                most.sort_unstable_by(|one, other| other.cmp(one));
                bias + most[..32].iter().sum::<i32>() <= i32::from(i16::MAX)
            })
        };
        let output = |row: &Row| {
            let sum: i64 = row.0.iter().map(|&weight| i64::from(weight).abs()).sum();
            sum * i64::from(SQUARE) <= i64::from(i32::MAX)
        };
        (0..HIDDEN).all(neuron) && self.outputs.iter().flatten().all(output)
    }

    /// The one that is part of the binary.
    pub fn embedded() -> &'static Arc<Self> {
        static OWN: OnceLock<Arc<Network>> = OnceLock::new();
        OWN.get_or_init(|| {
            // The build script has held it against its checksum, and tests run with it.
            let network = Self::parse(EMBEDDED);
            Arc::new(network.unwrap_or_else(|error| unreachable!("the built-in network: {error}")))
        })
    }

    /// Where it comes from, for people.
    pub fn facts(&self) -> &str {
        &self.facts
    }

    /// What tells it from others.
    pub fn name(&self) -> String {
        format!("{:08x}", self.crc32)
    }
}
