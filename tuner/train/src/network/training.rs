//! Epoch by epoch.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::acceptance::Acceptance;
use super::adam::Step;
use super::checkpoint::{Checkpoint, Mark};
use super::examples::Examples;
use super::gradient::Target;
use super::passes::Passes;
use super::settings::Settings;
use nullarbor_games::work::Stop;

/// A training under way.
pub struct Training<'a> {
    settings: &'a Settings,
    examples: &'a Examples,
    acceptance: Acceptance,
    target: Target,
    /// What was learnt so far.
    pub state: Checkpoint,
    threads: ThreadPool,
    passes: Passes,
}

/// Positions that are evaluated at once.
const VALIDATED: usize = 4096;

/// Sees a training go on.
pub trait Watch {
    /// A batch of so many examples was learnt from, with this mean loss.
    fn learnt(&mut self, examples: usize, loss: f64);
}

impl<'a> Training<'a> {
    /// A new one, or one that is gone on with, by at least one thread.
    ///
    /// # Errors
    /// Where there is no room for so many threads.
    pub fn new(
        settings: &'a Settings,
        examples: &'a Examples,
        target: Target,
        threads: usize,
        state: Checkpoint,
    ) -> Result<Self, ThreadPoolBuildError> {
        let passes = Passes::new(settings.shape, threads);
        let acceptance = examples.acceptance(settings.accept);
        let threads = ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { settings, examples, acceptance, target, state, threads, passes })
    }

    /// How many positions an epoch takes.
    pub fn positions(&self) -> usize {
        self.acceptance.positions()
    }

    /// Whether all epochs are done.
    pub fn is_done(&self) -> bool {
        self.state.epochs >= self.settings.epochs
    }

    /// Makes an epoch; says whether it was not stopped. One that was stopped was not made: take the last checkpoint.
    pub fn epoch(&mut self, stop: &Stop, watch: &mut (impl Watch + Send)) -> bool {
        let order = self.examples.order(&self.acceptance, self.settings.seed, self.state.epochs);
        let Some(loss) = self.learn(&order, stop, watch) else { return false };
        self.state.epochs += 1;
        let mark = Mark {
            examples: self.state.epochs * order.len() as u64,
            training: loss / order.len().max(1) as f64,
            validation: self.validate(),
        };
        self.state.marks.push(mark);
        true
    }

    /// Learns from the examples in this order; the sum of their losses, unless it was stopped.
    fn learn(
        &mut self,
        order: &[u32],
        stop: &Stop,
        watch: &mut (impl Watch + Send),
    ) -> Option<f64> {
        let Self { settings, examples, target, state, threads, passes, .. } = self;
        let schedule = settings.schedule(order.len());
        let first = state.epochs * settings.batches(order.len());
        let Checkpoint { model, adam, .. } = state;
        let mut loss = 0.0;
        // All on a thread of the pool, so that it keeps its tiles from batch to batch.
        threads.install(|| {
            for (number, batch) in (first..).zip(order.chunks(settings.batch(order.len()))) {
                if stop.is_finishing() {
                    return None;
                }
                let step = Step { rate: schedule.at(number), decay: settings.decay };
                let example = |index: usize| examples.training.get(batch[index] as usize);
                let batch_loss = passes.learn(model, adam, step, target, batch.len(), example);
                loss += batch_loss;
                watch.learnt(batch.len(), batch_loss / batch.len() as f64);
            }
            Some(loss)
        })
    }

    /// The mean loss on the examples that nothing is learnt from.
    fn validate(&mut self) -> f64 {
        let Self { examples, target, state, threads, passes, .. } = self;
        let examples = &examples.validation;
        let sum: f64 = threads.install(|| {
            let part = |from: usize| {
                let positions = VALIDATED.min(examples.len() - from);
                passes.loss(&state.model, target, positions, |index| examples.get(from + index))
            };
            (0..examples.len()).step_by(VALIDATED).map(part).sum()
        });
        sum / examples.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::filter::Filter;
    use crate::network::example::Example;
    use crate::network::model::{Model, Shape};
    use crate::network::store::Store;
    use nullarbor::board::Position;
    use nullarbor::types::Score;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    struct Blind;

    impl Watch for Blind {
        fn learnt(&mut self, _: usize, _: f64) {}
    }

    /// Positions by chance, worth what the material says.
    fn examples(count: usize) -> Store {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut found = Store::default();
        while found.len() < count {
            let mut position = Position::start();
            for _ in 0..rng.random_range(10..80) {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    break;
                }
                position = position.make(legal[rng.random_range(0..legal.len())]);
            }
            let us = position.side_to_move();
            let worth = |colour| {
                let values = [100, 300, 300, 500, 900];
                position
                    .piece_counts(colour)
                    .iter()
                    .zip(values)
                    .map(|(n, value)| *n as i32 * value)
                    .sum::<i32>()
            };
            let score = worth(us) - worth(!us);
            let points = match score {
                1.. => 1.0,
                0 => 0.5,
                _ => 0.0,
            };
            found.push(Example::of(&position, Score(score), points));
        }
        found
    }

    fn settings(epochs: u64) -> Settings {
        Settings {
            games: Vec::new(),
            shape: Shape { hidden: 32, king_buckets: 1, output_buckets: 1 },
            from: None,
            epochs,
            batch: Some(100),
            accept: 1.0,
            rate: 0.01,
            end: 0.05,
            decay: 0.01,
            lambda: 0.0,
            scale: None,
            filter: Filter::default(),
            seed: 3,
        }
    }

    const TARGET: Target = Target { lambda: 0.0, scale: 300.0 };

    #[test]
    fn it_learns_what_material_is_worth() {
        let settings = settings(60);
        let examples = Examples { training: examples(1000), validation: examples(100) };
        let begin = Checkpoint::begin(Model::random(settings.shape, settings.seed));
        let mut training = Training::new(&settings, &examples, TARGET, 2, begin).expect("threads");
        while !training.is_done() {
            assert!(training.epoch(&Stop::new(), &mut Blind));
        }
        let marks = &training.state.marks;
        assert_eq!((marks.len(), marks[59].examples), (60, 60_000));
        assert!(marks[59].training < 1e-4, "a thousand positions are learnt by heart: {marks:?}");
        assert!(marks[59].validation < marks[0].validation / 5.0);
    }

    #[test]
    fn what_is_gone_on_with_ends_as_if_it_had_never_been_stopped() {
        let settings = settings(4);
        let examples = Examples { training: examples(500), validation: examples(50) };
        let train = |training: &mut Training<'_>, epochs: u64| {
            (0..epochs).for_each(|_| assert!(training.epoch(&Stop::new(), &mut Blind)));
        };
        let begin = || Checkpoint::begin(Model::random(settings.shape, settings.seed));
        let mut whole = Training::new(&settings, &examples, TARGET, 2, begin()).expect("threads");
        train(&mut whole, 4);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("checkpoint");
        assert!(Checkpoint::read(&path, &settings).expect("nothing there").is_none());
        let mut first = Training::new(&settings, &examples, TARGET, 2, begin()).expect("threads");
        train(&mut first, 2);
        first.state.write(&path, &settings).expect("room");
        let stop = Stop::new();
        stop.ask();
        assert!(!first.epoch(&stop, &mut Blind), "stopped");
        let state = Checkpoint::read(&path, &settings).expect("whole").expect("it is there");
        let mut second = Training::new(&settings, &examples, TARGET, 2, state).expect("threads");
        train(&mut second, 2);
        assert!(second.is_done());
        assert_eq!(second.state, whole.state);
        let other = Settings { seed: 4, ..settings.clone() };
        let error = Checkpoint::read(&path, &other).expect_err("another training");
        assert!(error.to_string().contains("other settings"), "{error}");
        let bytes = std::fs::read(&path).expect("bytes");
        for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..cut]).expect("room");
            let error = Checkpoint::read(&path, &settings).expect_err("damaged");
            assert!(error.to_string().contains("damaged"), "{error}");
        }
    }
}
