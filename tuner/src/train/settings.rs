//! How a network is trained.

use serde::{Deserialize, Serialize};

use super::model::Shape;
use super::schedule::Schedule;
use crate::data::filter::Filter;
use crate::data::folder::{Folder, Source};

/// The games of a folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Games {
    /// How many were there.
    pub count: u64,
    /// CRC-32 of the checksums of its files.
    pub crc32: u32,
    /// Where they come from.
    pub source: Source,
}

impl Games {
    /// Those that are in a folder now.
    pub fn of(folder: &Folder) -> Self {
        let checksums: Vec<u8> =
            folder.shards.iter().flat_map(|shard| shard.crc32.to_le_bytes()).collect();
        Self {
            count: folder.counts().games,
            crc32: crc32fast::hash(&checksums),
            source: folder.source.clone(),
        }
    }
}

/// Everything that decides a training, but for the number of threads: that changes the order of sums, and so the last digits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Where the examples come from.
    pub games: Vec<Games>,
    /// The shape of the network.
    pub shape: Shape,
    /// How often each example is seen.
    pub epochs: u64,
    /// Examples of a batch.
    pub batch: usize,
    /// The highest rate of learning.
    pub rate: f32,
    /// What is left of it at the end, as a share.
    pub end: f32,
    /// Weight decay.
    pub decay: f32,
    /// The share of the game's result in what is learnt.
    pub lambda: f32,
    /// Centipawns that make an output of one; without it as the results of the games say.
    #[serde(default)]
    pub scale: Option<u32>,
    /// Positions that are left out.
    pub filter: Filter,
    /// Decides the first weights and the order of the examples.
    pub seed: u64,
}

impl Settings {
    /// Batches of an epoch with so many examples; the last one may be smaller.
    pub fn batches(&self, examples: usize) -> u64 {
        examples.div_ceil(self.batch) as u64
    }

    /// How fast it learns from so many examples.
    pub fn schedule(&self, examples: usize) -> Schedule {
        let batches = self.epochs * self.batches(examples);
        Schedule { rate: self.rate, end: self.end, batches }
    }
}
