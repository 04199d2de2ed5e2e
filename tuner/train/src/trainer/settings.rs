//! The settings of training.

use clap::builder::RangedU64ValueParser;
use serde::{Deserialize, Serialize};

use super::adamw::EPSILON;
use super::model::Shape;
use super::schedule::Schedule;
use super::target::Loss;
use crate::data::dataset::{Dataset, Provenance};
use crate::data::filter::Filter;

/// The identity of a dataset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetId {
    /// The number of its games.
    #[serde(rename = "count")]
    pub games: u64,
    /// CRC-32 of the checksums of its shards.
    pub crc32: u32,
    /// Origin of the games.
    #[serde(rename = "source")]
    pub provenance: Provenance,
}

impl DatasetId {
    /// Returns the identity of a dataset with the shards that it has now.
    pub fn of(dataset: &Dataset) -> Self {
        let checksums: Vec<u8> =
            dataset.shards.iter().flat_map(|shard| shard.crc32.to_le_bytes()).collect();
        Self {
            games: dataset.counts().games,
            crc32: crc32fast::hash(&checksums),
            provenance: dataset.provenance.clone(),
        }
    }

    /// Describes the dataset in one line.
    pub fn describe(&self) -> String {
        let Self { games, crc32, provenance } = self;
        format!("{games} games, checksum {crc32:08x}: {}", provenance.describe())
    }
}

/// Everything that decides the network, whatever the number of threads. A checkpoint records it.
#[derive(Clone, Debug, PartialEq, clap::Args, Serialize, Deserialize)]
pub struct TrainSettings {
    /// The datasets.
    #[arg(skip)]
    #[serde(rename = "games")]
    pub datasets: Vec<DatasetId>,
    /// The shape of the network.
    #[command(flatten)]
    pub shape: Shape,
    /// The fingerprint of the network that training starts from; `None` for random parameters.
    #[arg(skip)]
    #[serde(default)]
    pub from: Option<u32>,
    /// The fingerprint of the network that `keep` mixes with; `None` for the one that training starts from.
    #[arg(skip)]
    #[serde(default)]
    pub keep_of: Option<u32>,
    /// Passes over the data
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub epochs: u64,
    /// The share of the positions in each epoch, drawn anew each time: below 1, common piece counts are reduced, which
    /// flattens their histogram
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = positive)]
    pub accept: f32,
    /// Batch size [default: the power of two from 512 to 16384 that gives about 0.8 million steps]
    #[arg(long, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1 << 16))]
    pub batch: Option<usize>,
    /// Peak learning rate
    #[arg(long = "lr", alias = "rate", value_name = "RATE", default_value_t = 0.002, value_parser = positive)]
    #[serde(rename = "rate")]
    pub learning_rate: f32,
    /// Final learning rate as a share of --lr: cosine decay
    #[arg(long = "lr-final", alias = "end", value_name = "SHARE", default_value_t = 0.01, value_parser = share)]
    #[serde(rename = "end")]
    pub final_share: f32,
    /// The weight decay of AdamW
    #[arg(long, alias = "decay", default_value_t = 0.01, value_parser = share)]
    #[serde(rename = "decay")]
    pub weight_decay: f32,
    /// The epsilon of AdamW: parameters whose gradients are far below it hardly move. For fine-tuning, 3e-5 with a
    /// higher --lr keeps more of what rare positions have taught
    #[arg(long, default_value_t = EPSILON, value_parser = positive)]
    #[serde(default = "usual_epsilon")]
    pub epsilon: f32,
    /// The share of an input weight's gradient that is taken from the same piece on all squares: what few games can teach.
    /// For fine-tuning; 0.9 learns most from some 100,000 games
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    #[serde(default)]
    pub factoriser: f32,
    /// TD(lambda): the weight of the next position's label in the label of a position; the rest is its own score.
    /// Positions without a score are passed over. After the last position comes the result. 0 trains on the scores alone
    #[arg(long, value_name = "LAMBDA", default_value_t = 0.0, value_parser = below_one)]
    #[serde(default)]
    pub td: f32,
    /// The same in positions of at most nine pieces, where results tell more [default: that of --td]
    #[arg(long, value_name = "LAMBDA", value_parser = below_one)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub td_endgame: Option<f32>,
    /// Also train on this many siblings of each position: positions after other quiet moves, labelled by the evaluation
    /// of --from plus the correction that the position itself gets
    #[arg(long, value_name = "N", default_value_t = 0, requires = "from", value_parser = RangedU64ValueParser::<usize>::new().range(0..=16))]
    #[serde(default)]
    pub siblings: usize,
    /// How far siblings move away from the position after the move played, which the search preferred to them: with 1 those
    /// that --from thinks better fall behind it by a fifth of their lead, and the others move on by 15 % of their distance
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, requires = "from", value_parser = share)]
    #[serde(default)]
    pub preference: f32,
    /// Mix the trained network with --from, parameter by parameter; this is the share of --from (or of --keep-of). It
    /// forgets less than stopping early or a lower --lr (M. Wortsman et al. 2022, WiSE-FT)
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, requires = "from", value_parser = below_one)]
    #[serde(default)]
    pub keep: f32,
    /// The weight of the game's result in the target (the WDL proportion in bullet); the rest is the label. With few games
    /// the network overfits to it
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    pub lambda: f32,
    /// Centipawns at which loss, --td and --siblings take the win probability to be 73 % (the scale of the sigmoid); 0
    /// fits them to the results of the games
    #[arg(long, value_name = "CENTIPAWNS", default_value = "135", value_parser = scale)]
    #[serde(default)]
    pub scale: Option<u32>,
    /// The loss
    #[arg(long, value_name = "LOSS", default_value_t, value_enum)]
    #[serde(default = "Loss::of_old")]
    pub loss: Loss,
    /// The filter of positions.
    #[command(flatten)]
    pub filter: Filter,
    /// Seed of the initial parameters and of the order of positions
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

fn usual_epsilon() -> f32 {
    EPSILON
}

fn below_one(text: &str) -> Result<f32, String> {
    let number = share(text).ok().filter(|&number| number < 1.0);
    number.ok_or_else(|| format!("`{text}` is not a number from 0 to below 1"))
}

fn positive(text: &str) -> Result<f32, String> {
    let number = share(text).ok().filter(|&number| number > 0.0);
    number.ok_or_else(|| format!("`{text}` is not a number above 0 and up to 1"))
}

fn scale(text: &str) -> Result<u32, String> {
    let scale = text.parse().ok().filter(|scale| matches!(scale, 0 | 10..=5000));
    scale.ok_or_else(|| format!("`{text}` is neither 0 nor a number from 10 to 5000"))
}

fn share(text: &str) -> Result<f32, String> {
    let share = text.parse().ok().filter(|share: &f32| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("`{text}` is not a number from 0 to 1"))
}

/// The number of optimiser steps that the default batch size aims at.
pub const STEPS: f64 = 8e5;
/// The smallest default batch size.
pub const MIN_BATCH: usize = 512;
/// The largest default batch size.
pub const MAX_BATCH: usize = 16_384;

impl TrainSettings {
    /// Returns the batch size for epochs of this many examples: as set, or the power of two from [`MIN_BATCH`] to [`MAX_BATCH`]
    /// that gives about [`STEPS`] steps.
    pub fn batch(&self, examples: usize) -> usize {
        self.batch.unwrap_or_else(|| {
            let exact = examples as f64 * self.epochs as f64 / STEPS;
            let power = exact.max(1.0).log2().round().min(f64::from(MAX_BATCH.ilog2()));
            (1 << power as u32).max(MIN_BATCH)
        })
    }

    /// Returns the number of batches in an epoch of this many examples; the last one may be smaller.
    pub fn batches(&self, examples: usize) -> u64 {
        examples.div_ceil(self.batch(examples)) as u64
    }

    /// Returns the learning rate schedule for epochs of this many examples.
    pub fn schedule(&self, examples: usize) -> Schedule {
        let steps = self.epochs * self.batches(examples);
        Schedule { peak: self.learning_rate, final_share: self.final_share, steps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_batch_grows_with_the_positions() {
        let settings = TrainSettings {
            datasets: Vec::new(),
            shape: Shape { hidden: 32, king_buckets: 1, output_buckets: 1 },
            from: None,
            keep_of: None,
            epochs: 8,
            accept: 0.75,
            batch: None,
            learning_rate: 0.002,
            final_share: 0.01,
            weight_decay: 0.01,
            td: 0.0,
            td_endgame: None,
            siblings: 0,
            preference: 0.0,
            epsilon: EPSILON,
            factoriser: 0.0,
            keep: 0.0,
            lambda: 0.0,
            scale: None,
            loss: Loss::default(),
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
        let asked = TrainSettings { batch: Some(100), ..settings };
        assert_eq!((asked.batch(1_000_000), asked.batches(1001)), (100, 11));
    }
}
