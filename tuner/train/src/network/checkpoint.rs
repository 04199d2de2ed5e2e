//! A training in a file, to be gone on with.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::adam::Adam;
use super::model::{Model, Row};
use super::settings::Settings;
use nullarbor_games::files::replace;

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
    /// The beginning of a training.
    pub fn begin(model: Model) -> Self {
        let adam = Adam::new(model.shape);
        Self { epochs: 0, marks: Vec::new(), model, adam }
    }

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
        let (mut model, mut adam) = (Model::zero(settings.shape), Adam::new(settings.shape));
        adam.steps = head.steps;
        let moments = adam.moments_mut().flat_map(|it| [&mut it.first, &mut it.second]);
        let mut numbers = body.as_chunks::<4>().0.iter().map(|&number| f32::from_le_bytes(number));
        let mut read = |row: &mut Row| -> Option<()> {
            row.0.iter_mut().try_for_each(|number| numbers.next().map(|it| *number = it))
        };
        model.rows_mut().chain(moments).try_for_each(&mut read).ok_or_else(damaged)?;
        if numbers.next().is_some() || crc32fast::hash(body) != head.crc32 {
            return Err(damaged());
        }
        Ok(Some(Self { epochs: head.epochs, marks: head.marks, model, adam }))
    }

    /// Writes it in the place of an older one, which stays if this fails.
    ///
    /// # Errors
    /// Where the disk does not take it.
    pub fn write(&self, path: &Path, settings: &Settings) -> Result<(), CheckpointError> {
        let moments = self.adam.moments().flat_map(|it| [&it.first, &it.second]);
        let numbers = self.model.rows().chain(moments).flat_map(|row| row.0);
        let body: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
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
