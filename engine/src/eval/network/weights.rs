//! What was learnt, as the engine computes with it.

use std::sync::{Arc, OnceLock};

use super::architecture::{EMBEDDED, HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS};
use super::format::{Content, INPUTS};

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

impl Network {
    /// From what a file of this shape holds.
    pub(super) fn of(content: Content, crc32: u32) -> Self {
        let row = |row: &[i16]| Row(std::array::from_fn(|index| row[index]));
        let rows: Vec<Row> = content.numbers.chunks_exact(HIDDEN).map(row).collect();
        let (inputs, rest) = rows.split_at(KING_BUCKETS * INPUTS);
        let outputs = rest[1..].chunks_exact(2).map(|pair| [pair[0].clone(), pair[1].clone()]);
        Self {
            inputs: inputs.into(),
            biases: rest[0].clone(),
            outputs: outputs.collect(),
            output_biases: std::array::from_fn(|bucket| content.output_biases[bucket]),
            scale: content.scale as i32,
            facts: content.facts,
            crc32,
        }
    }

    /// The one that is part of the binary.
    pub fn embedded() -> &'static Arc<Self> {
        static OWN: OnceLock<Arc<Network>> = OnceLock::new();
        OWN.get_or_init(|| {
            // The build script has read it as this does, and has its shape from it.
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
