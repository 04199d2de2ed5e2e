//! A training in a file, to be gone on with.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::adam::{Adam, Moments};
use super::model::Model;
use super::settings::Settings;
use crate::files::replace;

/// Why a checkpoint cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum CheckpointError {
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{path} is no checkpoint of a training, or is damaged; without it the training begins anew", path = path.display())]
    Damaged { path: PathBuf },
    #[error("{path} belongs to a training with other settings or other games; remove it, or choose another --out", path = path.display())]
    Different { path: PathBuf },
}

/// What was learnt so far, and how well.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// Examples seen so far.
    pub examples: u64,
    /// The mean loss of those since the mark before.
    pub training: f64,
    /// The mean loss of those that nothing is learnt from.
    pub validation: f64,
}

/// A training between two epochs.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Epochs that are done.
    pub epochs: u64,
    /// How it went.
    pub marks: Vec<Mark>,
    /// What was learnt.
    pub model: Model,
    /// What is remembered of the gradients.
    pub adam: Adam,
}

/// What stands before the numbers.
#[derive(Serialize, Deserialize)]
struct Head {
    settings: Settings,
    epochs: u64,
    marks: Vec<Mark>,
    steps: u64,
    crc32: u32,
}

impl Checkpoint {
    /// Reads one; `None` where there is none.
    ///
    /// # Errors
    /// Where it is damaged or belongs to another training.
    pub fn read(path: &Path, settings: &Settings) -> Result<Option<Self>, CheckpointError> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(CheckpointError::File { path: path.to_owned(), source }),
        };
        let damaged = || CheckpointError::Damaged { path: path.to_owned() };
        let line = bytes.iter().position(|&byte| byte == b'\n').ok_or_else(damaged)?;
        let head: Head = serde_json::from_slice(&bytes[..line]).map_err(|_| damaged())?;
        if head.settings != *settings {
            return Err(CheckpointError::Different { path: path.to_owned() });
        }
        let body = &bytes[line + 1..];
        let (count, common) = (settings.shape.numbers(), Adam::common_numbers(settings.shape));
        if body.len() != 4 * (3 * count + 2 * common) || crc32fast::hash(body) != head.crc32 {
            return Err(damaged());
        }
        let mut numbers = body.as_chunks::<4>().0.iter().map(|&number| f32::from_le_bytes(number));
        let mut part = |count: usize| -> Vec<f32> { numbers.by_ref().take(count).collect() };
        let model = Model { shape: settings.shape, numbers: part(count) };
        let mut moments = |count| Moments { momentum: part(count), velocity: part(count) };
        Ok(Some(Self {
            epochs: head.epochs,
            marks: head.marks,
            model,
            adam: Adam { own: moments(count), common: moments(common), steps: head.steps },
        }))
    }

    /// Writes it in the place of an older one, which stays if this fails.
    ///
    /// # Errors
    /// Where the disk does not take it.
    pub fn write(&self, path: &Path, settings: &Settings) -> Result<(), CheckpointError> {
        let Adam { own, common, .. } = &self.adam;
        let moments = [&own.momentum, &own.velocity, &common.momentum, &common.velocity];
        let all = [&self.model.numbers].into_iter().chain(moments);
        let body: Vec<u8> = all.flatten().flat_map(|it| it.to_le_bytes()).collect();
        let head = Head {
            settings: settings.clone(),
            epochs: self.epochs,
            marks: self.marks.clone(),
            steps: self.adam.steps,
            crc32: crc32fast::hash(&body),
        };
        let written = serde_json::to_string(&head).map_err(io::Error::from).and_then(|head| {
            replace(path, |file| {
                file.write_all(head.as_bytes())?;
                file.write_all(b"\n")?;
                file.write_all(&body)
            })
        });
        written.map_err(|source| CheckpointError::File { path: path.to_owned(), source })
    }
}
