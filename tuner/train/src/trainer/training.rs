//! Training epoch by epoch.

use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::adamw::Step;
use super::checkpoint::{Checkpoint, EpochMetrics};
use super::game_mean::game_mean;
use super::loader::TrainingData;
use super::passes::Passes;
use super::sampling::PieceCountSampler;
use super::settings::TrainSettings;
use super::target::Target;
use nullarbor_runs::{Interrupted, Stop};

/// The state of training and what it works with.
pub struct Training<'a> {
    settings: &'a TrainSettings,
    data: &'a TrainingData,
    sampler: PieceCountSampler,
    target: Target,
    /// The state after the last batch.
    pub state: Checkpoint,
    threads: ThreadPool,
    passes: Passes,
}

/// Between two saved states within an epoch.
const SAVE_INTERVAL: Duration = Duration::from_secs(20);
/// Positions of a batch of validation.
const VALIDATION_BATCH: usize = 4096;

impl<'a> Training<'a> {
    /// Begins or resumes training with this number of threads, at least one.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(
        settings: &'a TrainSettings,
        data: &'a TrainingData,
        target: Target,
        threads: usize,
        state: Checkpoint,
    ) -> Result<Self, ThreadPoolBuildError> {
        let passes = Passes::new(settings.shape, threads);
        let sampler = data.sampler(settings.accept);
        let threads = ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { settings, data, sampler, target, state, threads, passes })
    }

    /// Returns the number of positions in an epoch.
    pub fn positions(&self) -> usize {
        self.sampler.positions()
    }

    /// Returns whether all epochs are completed.
    pub fn is_done(&self) -> bool {
        self.state.epochs >= self.settings.epochs
    }

    /// Trains for one epoch, or what is left of it, and returns its metrics. Calls `batch_done` with the size and the mean loss of
    /// each batch, and `save` now and then and when the user interrupts it.
    ///
    /// # Errors
    /// If the user interrupts it, or the state cannot be saved.
    pub fn epoch<E: From<Interrupted> + Send>(
        &mut self,
        stop: &Stop,
        batch_done: impl FnMut(usize, f64) + Send,
        save: impl FnMut(&Checkpoint) -> Result<(), E> + Send,
    ) -> Result<EpochMetrics, E> {
        let order = self.data.order(&self.sampler, self.settings.seed, self.state.epochs);
        self.train(&order, stop, batch_done, save)?;
        let (validation_loss, error) = self.validate();
        // Games of training are as different from one another as these.
        let share = self.data.validation.len() as f64 / self.data.training.len().max(1) as f64;
        let state = &mut self.state;
        state.epochs += 1;
        state.batches = 0;
        let metrics = EpochMetrics {
            examples: state.epochs * order.len() as u64,
            training_loss: std::mem::take(&mut state.loss) / order.len().max(1) as f64,
            validation_loss,
            standard_error: error.map(|error| error * (1.0 + share).sqrt()),
        };
        state.metrics.push(metrics);
        Ok(metrics)
    }

    /// Trains on the examples in this order, without those of completed batches.
    fn train<E: From<Interrupted> + Send>(
        &mut self,
        order: &[u32],
        stop: &Stop,
        mut batch_done: impl FnMut(usize, f64) + Send,
        mut save: impl FnMut(&Checkpoint) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        let Self { settings, data, target, state, threads, passes, .. } = self;
        let schedule = settings.schedule(order.len());
        let first = state.epochs * settings.batches(order.len());
        let batches = (first..).zip(order.chunks(settings.batch(order.len())));
        let left = batches.skip(state.batches as usize);
        let mut saved = Instant::now();
        // One job for the whole epoch, so that each thread keeps its tiles from batch to batch.
        threads.install(|| {
            for (number, batch) in left {
                let stopped = stop.check();
                let is_due = stopped.is_err() || saved.elapsed() >= SAVE_INTERVAL;
                if is_due && state.batches > 0 {
                    save(state)?;
                    saved = Instant::now();
                }
                stopped?;
                let learning_rate = schedule.learning_rate(number);
                let step = Step {
                    learning_rate,
                    weight_decay: settings.weight_decay,
                    epsilon: settings.epsilon,
                    factoriser: settings.factoriser,
                };
                let example = |index: usize| data.training.get(batch[index] as usize);
                let Checkpoint { model, adam, .. } = state;
                let loss = passes.train(model, adam, step, target, batch.len(), example);
                state.batches += 1;
                state.loss += loss;
                batch_done(batch.len(), loss / batch.len() as f64);
            }
            Ok(())
        })
    }

    /// Returns the mean loss on the validation set and its standard error.
    fn validate(&mut self) -> (f64, Option<f64>) {
        let Self { data, target, state, threads, passes, .. } = self;
        let examples = &data.validation;
        let mut errors = Vec::with_capacity(examples.len());
        threads.install(|| {
            for from in (0..examples.len()).step_by(VALIDATION_BATCH) {
                let positions = VALIDATION_BATCH.min(examples.len() - from);
                let example = |index: usize| examples.get(from + index);
                errors.extend(passes.errors(&state.model, target, positions, example));
            }
        });
        game_mean(&errors, &data.validation_games)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::filter::Filter;
    use crate::trainer::model::{Model, Shape};
    use crate::trainer::store::ExampleStore;
    use crate::trainer::target::{Loss, UNIT};
    use crate::trainer::testing::{material_example, random_positions};

    fn examples(count: usize) -> ExampleStore {
        random_positions(count, 5).iter().map(material_example).collect()
    }

    fn data(training: usize, validation: usize) -> TrainingData {
        TrainingData {
            training: examples(training),
            validation: examples(validation),
            validation_games: vec![5; validation / 5],
        }
    }

    fn ignore(_: usize, _: f64) {}

    fn not_saved(_: &Checkpoint) -> Result<(), Interrupted> {
        Ok(())
    }

    fn settings(epochs: u64) -> TrainSettings {
        TrainSettings {
            datasets: Vec::new(),
            shape: Shape { hidden: 32, king_buckets: 1, output_buckets: 1 },
            from: None,
            keep_of: None,
            epochs,
            batch: Some(100),
            accept: 1.0,
            learning_rate: 0.01,
            final_share: 0.05,
            weight_decay: 0.01,
            td: 0.0,
            td_endgame: None,
            siblings: 0,
            preference: 0.0,
            epsilon: 1e-8,
            factoriser: 0.0,
            keep: 0.0,
            lambda: 0.0,
            scale: None,
            loss: Loss::Mse,
            filter: Filter::default(),
            seed: 3,
        }
    }

    const TARGET: Target = Target { loss: Loss::Mse, scale: UNIT };

    #[test]
    fn it_learns_the_value_of_material() {
        let settings = settings(60);
        let data = data(1000, 100);
        let begin = Checkpoint::begin(Model::random(settings.shape, settings.seed));
        let mut training = Training::new(&settings, &data, TARGET, 2, begin).expect("threads");
        while !training.is_done() {
            training.epoch(&Stop::new(), ignore, not_saved).expect("not interrupted");
        }
        let metrics = &training.state.metrics;
        assert_eq!((metrics.len(), metrics[59].examples), (60, 60_000));
        assert!(
            metrics[59].training_loss < 1e-4,
            "a thousand positions can be overfitted: {metrics:?}"
        );
        assert!(metrics[59].validation_loss < metrics[0].validation_loss / 5.0);
        let relative = |epoch: &EpochMetrics| {
            epoch.standard_error.expect("twenty games") / epoch.validation_loss
        };
        assert!(metrics.iter().map(relative).all(|error| (0.01..1.0).contains(&error)));
    }

    #[test]
    fn resumed_training_gives_the_same_result() {
        // Four king buckets, so that the checkpoint has a factoriser.
        let shape = Shape { hidden: 32, king_buckets: 4, output_buckets: 1 };
        let settings = TrainSettings { shape, ..settings(4) };
        let data = data(500, 50);
        let train = |training: &mut Training<'_>, epochs: u64| {
            for _ in 0..epochs {
                training.epoch(&Stop::new(), ignore, not_saved).expect("not interrupted");
            }
        };
        let begin = || Checkpoint::begin(Model::random(settings.shape, settings.seed));
        let mut whole = Training::new(&settings, &data, TARGET, 2, begin()).expect("threads");
        train(&mut whole, 4);
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("checkpoint");
        assert!(Checkpoint::read(&path, &settings).expect("nothing there").is_none());
        let mut first = Training::new(&settings, &data, TARGET, 2, begin()).expect("threads");
        train(&mut first, 2);
        // Interrupted after two of the five batches of the third epoch.
        let (stop, mut batches) = (Stop::new(), 0);
        let count = |_, _| {
            batches += 1;
            if batches == 2 {
                stop.request_stop();
            }
        };
        let write = |state: &Checkpoint| {
            state.write(&path, &settings).expect("room");
            Ok(())
        };
        assert_eq!(first.epoch(&stop, count, write), Err(Interrupted));
        let state = Checkpoint::read(&path, &settings).expect("whole").expect("it is there");
        assert_eq!((state.epochs, state.batches), (2, 2));
        let mut second = Training::new(&settings, &data, TARGET, 2, state).expect("threads");
        train(&mut second, 2);
        assert!(second.is_done());
        assert_eq!(second.state, whole.state);
        let other = TrainSettings { seed: 4, ..settings.clone() };
        let error = Checkpoint::read(&path, &other).expect_err("other settings");
        assert!(error.to_string().contains("other settings"), "{error}");
        let bytes = std::fs::read(&path).expect("bytes");
        for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..cut]).expect("room");
            let error = Checkpoint::read(&path, &settings).expect_err("damaged");
            assert!(error.to_string().contains("damaged"), "{error}");
        }
    }
}
