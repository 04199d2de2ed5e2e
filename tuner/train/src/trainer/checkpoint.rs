//! Checkpoints: the state of training in a file, from which it is resumed.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::adamw::AdamW;
use super::judge::{Figures, INTERVAL};
use super::model::{Model, Row};
use super::settings::TrainSettings;
use nullarbor_runs::files::{FileError, read, replace};

/// No checkpoint is longer, whatever the shape of its network, in bytes.
const LONGEST_CHECKPOINT: u64 = 8 << 30;

/// Why a checkpoint cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum CheckpointError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{path} is not a checkpoint or is damaged; remove it to start again", path = path.display())]
    Damaged { path: PathBuf },
    #[error("{path} is a checkpoint of other settings or other games; remove it, or choose another --out", path = path.display())]
    OtherSettings { path: PathBuf },
}

/// The losses of an epoch: mean squared errors of the win probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochMetrics {
    /// Examples seen since the first epoch.
    pub examples: u64,
    /// The training loss: the mean over the batches of this epoch.
    #[serde(rename = "training")]
    pub training_loss: f64,
    /// The validation loss at the end of this epoch.
    #[serde(rename = "validation")]
    pub validation_loss: f64,
    /// The standard error of the difference of the two, which are of different games; older files do not tell it.
    #[serde(rename = "error", default, skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
}

/// The noise of evaluations near 0 in centipawns: overfitting to single games, by which the validation loss is above the training
/// loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// The estimate.
    pub estimate: f64,
    /// The ends of its interval of 95 %; the estimate where the standard error is not known.
    pub interval: [f64; 2],
}

impl EpochMetrics {
    /// Returns the noise, with `scale` centipawns per unit of output.
    pub fn noise(&self, scale: f32) -> Noise {
        let excess = self.validation_loss - self.training_loss;
        let margin = INTERVAL * self.standard_error.unwrap_or_default();
        // The slope of the win probability at 0 is a quarter.
        let noise = |excess: f64| excess.max(0.0).sqrt() * 4.0 * f64::from(scale);
        Noise { estimate: noise(excess), interval: [excess - margin, excess + margin].map(noise) }
    }
}

/// The state of training between two batches.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Completed epochs.
    pub epochs: u64,
    /// The metrics of each epoch.
    pub metrics: Vec<EpochMetrics>,
    /// The figures of the networks of those epochs after which one was judged, by the number of the epoch from 1.
    pub judged: BTreeMap<u64, Figures>,
    /// Completed batches of the epoch under way.
    pub batches: u64,
    /// The sum of the losses of these batches.
    pub loss: f64,
    /// The parameters.
    pub model: Model,
    /// The state of the optimiser.
    pub adam: AdamW,
}

/// The first line of a file; the parameters and the state of the optimiser follow.
#[derive(Serialize, Deserialize)]
struct Header {
    settings: TrainSettings,
    epochs: u64,
    #[serde(rename = "marks")]
    metrics: Vec<EpochMetrics>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    judged: BTreeMap<u64, Figures>,
    // Older files were written between two epochs.
    #[serde(default)]
    batches: u64,
    #[serde(default)]
    loss: f64,
    steps: u64,
    crc32: u32,
}

impl Checkpoint {
    /// Creates the state before the first epoch.
    pub fn begin(model: Model) -> Self {
        let adam = AdamW::new(&model);
        let (metrics, judged) = (Vec::new(), BTreeMap::new());
        Self { epochs: 0, metrics, judged, batches: 0, loss: 0.0, model, adam }
    }

    /// Reads a checkpoint; `None` if the file does not exist.
    ///
    /// # Errors
    /// If the file is damaged or has other settings.
    pub fn read(path: &Path, settings: &TrainSettings) -> Result<Option<Self>, CheckpointError> {
        if !path.exists() {
            return Ok(None);
        }
        let bytes = read(path, LONGEST_CHECKPOINT)?;
        let damaged = || CheckpointError::Damaged { path: path.to_owned() };
        let line = bytes.iter().position(|&byte| byte == b'\n').ok_or_else(damaged)?;
        let header: Header = serde_json::from_slice(&bytes[..line]).map_err(|_| damaged())?;
        if header.settings != *settings {
            return Err(CheckpointError::OtherSettings { path: path.to_owned() });
        }
        let body = &bytes[line + 1..];
        let mut model = Model::zero(settings.shape);
        let mut adam = AdamW::new(&model);
        adam.steps = header.steps;
        let mut values = body.as_chunks::<4>().0.iter().map(|&value| f32::from_le_bytes(value));
        let mut read = |row: &mut Row| -> Option<()> {
            row.0.iter_mut().try_for_each(|value| values.next().map(|it| *value = it))
        };
        model.rows_mut().chain(adam.rows_mut()).try_for_each(&mut read).ok_or_else(damaged)?;
        if values.next().is_some() || crc32fast::hash(body) != header.crc32 {
            return Err(damaged());
        }
        let Header { epochs, metrics, judged, batches, loss, .. } = header;
        Ok(Some(Self { epochs, metrics, judged, batches, loss, model, adam }))
    }

    /// Reads the losses so far of a training under way, without its parameters; `None` if there is no checkpoint.
    pub fn metrics_of(path: &Path) -> Option<Vec<EpochMetrics>> {
        let mut line = Vec::new();
        BufReader::new(fs::File::open(path).ok()?).read_until(b'\n', &mut line).ok()?;
        let header: Header = serde_json::from_slice(&line).ok()?;
        Some(header.metrics)
    }

    /// Writes a checkpoint in place of an older one, which stays if this fails.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path, settings: &TrainSettings) -> Result<(), CheckpointError> {
        let values = self.model.rows().chain(self.adam.rows()).flat_map(|row| row.0);
        let body: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
        let header = Header {
            settings: settings.clone(),
            epochs: self.epochs,
            metrics: self.metrics.clone(),
            judged: self.judged.clone(),
            batches: self.batches,
            loss: self.loss,
            steps: self.adam.steps,
            crc32: crc32fast::hash(&body),
        };
        let written = replace(path, |file| {
            file.write_all(&serde_json::to_vec(&header)?)?;
            file.write_all(b"\n")?;
            file.write_all(&body)
        });
        Ok(written?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_an_interval() {
        let line = r#"{"examples":9,"training":0.04,"validation":0.0425}"#;
        let old: EpochMetrics = serde_json::from_str(line).expect("of an older file");
        let exact = old.noise(100.0);
        assert!((exact.estimate - 20.0).abs() < 1e-9, "{exact:?}");
        assert_eq!(exact.interval, [exact.estimate; 2]);
        let of_few = EpochMetrics { standard_error: Some(0.002), ..old }.noise(100.0);
        let [low, high] = of_few.interval;
        assert!(low == 0.0 && (high - 32.05).abs() < 0.01, "{of_few:?}");
    }
}
