//! A whole run of training: from datasets to a network file, with a checkpoint and a page after each epoch.

use std::borrow::Cow;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use indicatif::HumanCount;
use nullarbor::eval::nnue::format::{FormatError, MAX_FILE, NetworkFile, checksum};
use thiserror::Error;

use super::checkpoint::{Checkpoint, CheckpointError};
use super::evaluate::{Evaluation, evaluate, held_out};
use super::example::Example;
use super::judge::{Figures, JudgeSet};
use super::labels::{Labelling, Td};
use super::loader::TrainingData;
use super::model::{Model, Shape};
use super::page::page;
use super::progress::Progress;
use super::quantise::{Calibration, Quantised};
use super::report::{Trained, metadata};
use super::settings::TrainSettings;
use super::siblings::Siblings;
use super::target::{Target, UNIT};
use super::training::Training;
use crate::data::dataset::{Dataset, DatasetError};
use nullarbor_report::html::Head;
use nullarbor_runs::files::{FileError, check_writable, read, replace};
use nullarbor_runs::paths::{Named, OutputError, OutputLock, check_outputs};
use nullarbor_runs::{Interrupted, Stop};

/// Examples on which the quantisation error is measured.
const ERROR_SAMPLE: usize = 10_000;

/// Why training failed.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum TrainError {
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error("{0}")]
    Shape(String),
    #[error("the {games} games give no training or no validation positions: play more games")]
    FewGames { games: u64 },
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(
        "the model cannot be quantised: {0}; a lower --lr or a higher --weight-decay keeps weights small"
    )]
    Quantise(#[from] FormatError),
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("interrupted; re-run the same command to resume from the last checkpoint")]
    Interrupted(#[from] Interrupted),
}

/// Reads a network file of any shape. Returns its fingerprint and the network.
///
/// # Errors
/// If the file cannot be read or is not a network.
pub fn read_network(path: &Path) -> Result<(u32, Quantised), TrainError> {
    let bytes = read(path, MAX_FILE)?;
    let network = NetworkFile::parse(&bytes).map_err(FileError::at(path))?;
    Ok((checksum(&bytes), Quantised(network)))
}

/// A run of training: settings, datasets and output.
pub struct TrainJob {
    /// The settings.
    pub settings: TrainSettings,
    /// The datasets that the settings identify.
    pub datasets: Vec<Dataset>,
    /// The network that training starts from; `None` for random parameters.
    pub from: Option<Quantised>,
    /// The network that `keep` mixes with; `None` for the one that training starts from.
    pub keep_of: Option<Quantised>,
    /// The set that the network is judged by after each epoch.
    pub judge: Option<JudgeSet>,
    /// The network file. The checkpoint and the page are written beside it.
    pub out: PathBuf,
    /// The number of threads.
    pub threads: usize,
    /// True if no progress is shown.
    pub quiet: bool,
}

impl TrainJob {
    /// Trains, or resumes from a checkpoint, and writes the network.
    ///
    /// # Errors
    /// If a dataset or a file cannot be used, or the user interrupts it. The checkpoint of the last epoch stays.
    pub fn run(&self, stop: &Stop) -> Result<Trained, TrainError> {
        let settings = &self.settings;
        let checkpoint = self.sibling("checkpoint");
        self.check_outputs(&checkpoint)?;
        let _lock = OutputLock::of_file(&self.out)?;
        let state = Checkpoint::read(&checkpoint, settings)?;
        // An unusable path is reported now, not after an epoch.
        check_writable(&self.out)?;
        let scale = self.scale(stop)?;
        let data = self.load(scale, stop)?;
        let target = Target { loss: settings.loss, scale };
        let begin = || Ok::<_, TrainError>(Checkpoint::begin(self.initial_model()?));
        let state = state.map_or_else(begin, Ok)?;
        let mut training = Training::new(settings, &data, target, self.threads, state)?;
        let kept = match &self.keep_of {
            _ if settings.keep == 0.0 => None,
            None => Some(self.initial_model()?),
            Some(network) => Some(self.grown(network, "--keep-of")?),
        };
        let exporter = Exporter {
            calibration: Calibration::builtin(),
            held_out: held_out(),
            kept: kept.map(|kept| (kept, settings.keep)),
        };
        let positions = training.positions();
        let done = training.state.epochs;
        let first_step = done * settings.batches(positions) + training.state.batches;
        let mut progress =
            Progress::new(settings.schedule(positions).steps, first_step, self.quiet);
        progress.say(&self.describe(&data, positions, scale));
        if first_step > 0 {
            let batches = training.state.batches;
            progress.say(&format!(
                "resumed after {done} of {} epochs and {batches} batches",
                settings.epochs
            ));
        }
        let mut exported = None;
        while !training.is_done() {
            let metrics = training.epoch(
                stop,
                |positions, loss| progress.batch_done(positions, loss),
                |state| Ok::<_, TrainError>(state.write(&checkpoint, settings)?),
            )?;
            let network = exporter.network(&training.state);
            self.judge(&network, &mut training.state);
            training.state.write(&checkpoint, settings)?;
            progress.epoch_done(training.state.epochs, settings.epochs, &metrics, scale);
            let figures = training.state.judged.get(&training.state.epochs);
            figures.iter().for_each(|figures| progress.say(&figures.line()));
            exported = Some(self.export(network, &exporter, &training, &data)?);
        }
        // All epochs were in the checkpoint.
        let export = || {
            let network = exporter.network(&training.state);
            self.judge(&network, &mut training.state);
            self.export(network, &exporter, &training, &data)
        };
        let (network, evaluation) = exported.map_or_else(export, Ok)?;
        let state = &training.state;
        let sample: Vec<Example> = data.validation.iter().copied().take(ERROR_SAMPLE).collect();
        Ok(Trained {
            metrics: state.metrics.clone(),
            evaluation,
            judged: state.judged.get(&state.epochs).cloned(),
            quantisation: network.error(&exporter.model(state), &sample),
            speed: progress.speed(),
        })
    }

    /// Judges the network of the last epoch, where there is a set.
    fn judge(&self, network: &Quantised, state: &mut Checkpoint) {
        let figures = self.judge.as_ref().map(|set| Figures::of(network, set));
        state.judged.extend(figures.map(|figures| (state.epochs, figures)));
    }

    fn check_outputs(&self, checkpoint: &Path) -> Result<(), OutputError> {
        let outputs = [("--out", &self.out), ("the page", &self.page())];
        let outputs = outputs.map(|(name, path)| Named::new(name, path));
        let checkpoint = Named::new("the checkpoint", checkpoint);
        let dataset = |dataset: &Dataset| Named::new("a dataset", &dataset.path);
        let inputs: Vec<Named> = self.datasets.iter().map(dataset).collect();
        check_outputs(&[&outputs[..], &[checkpoint]].concat(), &inputs)
    }

    /// Returns the path of the page.
    pub fn page(&self) -> PathBuf {
        self.sibling("html")
    }

    fn sibling(&self, extension: &str) -> PathBuf {
        PathBuf::from(format!("{}.{extension}", self.out.display()))
    }

    /// Returns the scale that was chosen, or that at which the scores of the searches predict the results best.
    fn scale(&self, stop: &Stop) -> Result<f32, TrainError> {
        if let Some(scale) = self.settings.scale {
            return Ok(scale as f32);
        }
        let filter = &self.settings.filter;
        let scores = Labelling::scores(filter);
        Ok(self.examples(scores, stop)?.fitted_scale())
    }

    fn load(&self, scale: f32, stop: &Stop) -> Result<TrainingData, TrainError> {
        let TrainSettings { ref filter, td, td_endgame, lambda, seed, .. } = self.settings;
        let TrainSettings { siblings: count, preference, .. } = self.settings;
        let td = Td { weight: td, endgame: td_endgame.unwrap_or(td) };
        let network = self.from.as_ref().filter(|_| count > 0);
        let siblings = network.map(|network| Siblings { network, count, seed, preference, scale });
        self.examples(Labelling { filter, td, lambda, scale, siblings }, stop)
    }

    fn examples(&self, by: Labelling<'_>, stop: &Stop) -> Result<TrainingData, TrainError> {
        let data = TrainingData::load(&self.datasets, by, self.threads, self.quiet, stop)?;
        if data.training.is_empty() || data.validation.is_empty() {
            let games = self.datasets.iter().map(|dataset| dataset.counts().games).sum();
            return Err(TrainError::FewGames { games });
        }
        Ok(data)
    }

    /// Returns the parameters before the first step.
    fn initial_model(&self) -> Result<Model, TrainError> {
        let TrainSettings { shape, seed, .. } = self.settings;
        match &self.from {
            Some(network) => self.grown(network, "--from"),
            None => Ok(Model::random(shape, seed)),
        }
    }

    /// Returns the parameters of a network in the shape of this training.
    fn grown(&self, network: &Quantised, option: &str) -> Result<Model, TrainError> {
        let TrainSettings { shape, seed, .. } = self.settings;
        network.dequantise(UNIT).grown(shape, seed).ok_or_else(|| {
            let Shape { hidden, king_buckets, output_buckets } = network.shape();
            TrainError::Shape(format!(
                "the network of {option} cannot grow into this shape: it has --hidden {hidden} --king-buckets {king_buckets} --output-buckets {output_buckets}"
            ))
        })
    }

    fn describe(&self, data: &TrainingData, positions: usize, scale: f32) -> String {
        let [all, epoch, validation, batch] =
            [data.training.len(), positions, data.validation.len(), self.settings.batch(positions)]
                .map(|count| HumanCount(count as u64));
        format!(
            "{all} training positions ({epoch} per epoch), {validation} validation positions, batches of {batch}, scale {scale} cp"
        )
    }

    /// Writes the network and the page.
    fn export(
        &self,
        network: Quantised,
        exporter: &Exporter,
        training: &Training<'_>,
        data: &TrainingData,
    ) -> Result<(Quantised, Evaluation), TrainError> {
        let state = &training.state;
        let evaluation = evaluate(&network, &exporter.held_out);
        let mut facts = metadata(&self.settings, state, data.training.len(), training.positions());
        facts.push(evaluation.line());
        facts.extend(state.judged.get(&state.epochs).map(Figures::line));
        let bytes = network.to_bytes(&facts.join("\n"))?;
        replace(&self.out, |file| file.write_all(&bytes))?;
        let title = format!("Training of {}", self.out.display());
        let head = Head { title, facts, refresh: None };
        let path = self.page();
        let page = page(&head, &self.settings, training.positions(), state, &evaluation);
        fs::write(&path, page).map_err(FileError::at(&path))?;
        Ok((network, evaluation))
    }
}

/// State that every export of a run needs.
struct Exporter {
    calibration: Calibration,
    held_out: Vec<Example>,
    /// The parameters that are mixed in, and their share in the network.
    kept: Option<(Model, f32)>,
}

impl Exporter {
    /// Returns the parameters of the network of a state of training.
    fn model<'a>(&self, state: &'a Checkpoint) -> Cow<'a, Model> {
        match &self.kept {
            Some((kept, share)) => Cow::Owned(state.model.blended(kept, *share)),
            None => Cow::Borrowed(&state.model),
        }
    }

    /// Returns the network of a state of training.
    fn network(&self, state: &Checkpoint) -> Quantised {
        let model = self.model(state);
        Quantised::new(&model, self.calibration.scale(&model))
    }
}
