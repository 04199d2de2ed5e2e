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

/// Everything that decides a training, whatever the number of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Where the examples come from.
    pub games: Vec<Games>,
    /// The shape of the network.
    pub shape: Shape,
    /// The checksum of the network that training begins with; without one the first parameters are random.
    #[serde(default)]
    pub from: Option<u32>,
    /// How often each example is seen.
    pub epochs: u64,
    /// The share of the examples that an epoch takes: see [`super::acceptance`].
    pub accept: f32,
    /// Examples of a batch; without it so many that the steps are about [`STEPS`].
    pub batch: Option<usize>,
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

/// Steps that a training should have in all, whatever its size.
pub const STEPS: f64 = 8e5;
/// The smallest batch that is chosen.
pub const LEAST_BATCH: usize = 512;
/// The largest one.
pub const MOST_BATCH: usize = 16_384;

impl Settings {
    /// Examples of a batch where an epoch takes so many: as was asked, or else the power of two that makes about [`STEPS`] steps,
    /// from [`LEAST_BATCH`] to [`MOST_BATCH`].
    pub fn batch(&self, examples: usize) -> usize {
        self.batch.unwrap_or_else(|| {
            let exact = examples as f64 * self.epochs as f64 / STEPS;
            let power = exact.max(1.0).log2().round().min(f64::from(MOST_BATCH.ilog2()));
            (1 << power as u32).max(LEAST_BATCH)
        })
    }

    /// Batches of an epoch that takes so many examples; the last one may be smaller.
    pub fn batches(&self, examples: usize) -> u64 {
        examples.div_ceil(self.batch(examples)) as u64
    }

    /// How fast it learns where an epoch takes so many examples.
    pub fn schedule(&self, examples: usize) -> Schedule {
        let batches = self.epochs * self.batches(examples);
        Schedule { rate: self.rate, end: self.end, batches }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_grow_with_the_positions() {
        let settings = Settings {
            games: Vec::new(),
            shape: Shape { hidden: 32, king_buckets: 1, output_buckets: 1 },
            from: None,
            epochs: 8,
            accept: 0.75,
            batch: None,
            rate: 0.002,
            end: 0.01,
            decay: 0.01,
            lambda: 0.0,
            scale: None,
            filter: Filter::default(),
            seed: 1,
        };
        let cases = [
            (0, 512),
            (4_000_000, 512),
            (60_000_000, 512),
            (80_000_000, 1024),
            (200_000_000, 2048),
            (100_000_000_000, 16_384),
        ];
        for (positions, batch) in cases {
            assert_eq!(settings.batch(positions), batch, "{positions}");
        }
        let asked = Settings { batch: Some(100), ..settings };
        assert_eq!((asked.batch(1_000_000), asked.batches(1001)), (100, 11));
    }
}
