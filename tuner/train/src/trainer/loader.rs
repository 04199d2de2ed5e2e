//! Loads the examples of datasets, split into those trained on and those of the validation set.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::example::Example;
use super::golden_section::minimise;
use super::labels::Labelling;
use super::sampling::{COUNTS, PieceCountSampler};
use super::split::is_validation;
use super::store::ExampleStore;
use super::target::sigmoid;
use crate::data::dataset::{Dataset, DatasetError, read_games};
use crate::data::game_record::GameRecord;
use crate::data::shard::{GameId, Shard};
use nullarbor_runs::Stop;

/// The examples of training games and of validation games.
#[derive(Clone, Debug, Default)]
pub struct TrainingData {
    /// Examples that are trained on.
    pub training: ExampleStore,
    /// Examples of the validation set.
    pub validation: ExampleStore,
    /// The number of these from each game, in their order.
    pub validation_games: Vec<usize>,
}

/// The number of examples to which the scale is fitted.
const SCALE_SAMPLE: usize = 200_000;

impl TrainingData {
    /// Loads the examples of all games on this number of threads, on which their order does not depend.
    ///
    /// # Errors
    /// If a shard is damaged, or the user interrupts it.
    pub fn load(
        datasets: &[Dataset],
        labelling: Labelling<'_>,
        threads: usize,
        quiet: bool,
        stop: &Stop,
    ) -> Result<Self, DatasetError> {
        let mut data = Self::default();
        let examples = |dataset: &Dataset, shard: &Shard, games: Vec<GameRecord>| {
            split(&games, labelling, dataset.identity(shard))
        };
        read_games(datasets, threads, quiet, stop, examples, |[training, validation]| {
            data.training.extend(training.into_iter().flatten());
            data.validation_games.extend(validation.iter().map(Vec::len));
            data.validation.extend(validation.into_iter().flatten());
        })?;
        Ok(data)
    }

    /// Returns a sampler that draws `share` of the training examples in each epoch.
    pub fn sampler(&self, share: f32) -> PieceCountSampler {
        let mut histogram = [0; COUNTS];
        self.training.iter().for_each(|example| histogram[example.piece_count()] += 1);
        PieceCountSampler::new(histogram, share.into())
    }

    /// Returns the indices of the training examples of an epoch, in random order.
    pub fn order(&self, sampler: &PieceCountSampler, seed: u64, epoch: u64) -> Vec<u32> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(epoch);
        let mut order = sampler.draw(self.training.iter().map(Example::piece_count), &mut rng);
        order.shuffle(&mut rng);
        order
    }

    /// Returns the scale in centipawns at which the scores of the searches predict the results of the games best.
    pub fn fitted_scale(&self) -> f32 {
        let step = self.training.len() / SCALE_SAMPLE + 1;
        let sample: Vec<&Example> = self.training.iter().step_by(step).collect();
        let error = |scale: f32| {
            let squared = |example: &&Example| {
                f64::from(sigmoid(example.score() / scale) - example.result()).powi(2)
            };
            sample.iter().map(squared).sum::<f64>()
        };
        minimise(50.0, 1000.0, 0.5, error).round()
    }
}

/// Returns the examples of a shard game by game: those of the games to train on, and those of the validation set.
fn split(games: &[GameRecord], labelling: Labelling<'_>, first: GameId) -> [Vec<Vec<Example>>; 2] {
    let mut parts = [Vec::new(), Vec::new()];
    for (number, game) in (first.number..).zip(games) {
        let part = usize::from(is_validation(GameId { number, ..first }));
        parts[part].push(labelling.examples(game));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::filter::Filter;
    use crate::data::game_record::Outcome;
    use nullarbor::board::Position;
    use nullarbor::types::Score;
    use rand::RngExt;

    #[test]
    fn the_scale_is_fitted_to_the_results() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let start = Position::start();
        let example = |_| {
            let score = rng.random_range(-800..=800);
            let wins = rng.random::<f32>() < sigmoid(score as f32 / 230.0);
            Example::new(&start, Score(score), if wins { 1.0 } else { 0.0 })
        };
        let training = (0..100_000).map(example).collect();
        let scale = TrainingData { training, ..TrainingData::default() }.fitted_scale();
        assert!((scale - 230.0).abs() < 6.0, "{scale}");
    }

    #[test]
    fn each_epoch_has_an_order_of_its_own() {
        let example = Example::new(&Position::start(), Score(0), 0.5);
        let training = (0..1000).map(|_| example).collect();
        let data = TrainingData { training, ..TrainingData::default() };
        let (all, half) = (data.sampler(1.0), data.sampler(0.5));
        let order = data.order(&all, 1, 0);
        assert_eq!(order, data.order(&all, 1, 0));
        assert_ne!(order, data.order(&all, 1, 1));
        assert_ne!(order, data.order(&all, 2, 0));
        assert_eq!(data.order(&half, 1, 0).len(), 500);
        let mut sorted = order;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..1000));
    }

    #[test]
    fn the_split_of_a_game_does_not_depend_on_its_shard() {
        let start = Position::start();
        let filter = Filter { skip_plies: 0, ..Filter::default() };
        let labelling = Labelling::scores(&filter);
        let mv = start.parse_uci("g1f3").expect("legal");
        let game = |number: i32| GameRecord {
            start: start.clone(),
            moves: vec![(mv, Score(number))],
            outcome: Outcome::Draw,
        };
        let games: Vec<GameRecord> = (0..1000).map(game).collect();
        let of = |games, number| split(games, labelling, GameId { seed: 7, number });
        let [training, validation] = of(&games, 2000);
        let (left, right) = games.split_at(300);
        let (left, right) = (of(left, 2000), of(right, 2300));
        assert_eq!(training.len() + validation.len(), 1000);
        assert!((15..50).contains(&validation.len()), "{}", validation.len());
        for (part, whole) in [training, validation].into_iter().enumerate() {
            assert_eq!(whole, [left[part].clone(), right[part].clone()].concat());
        }
    }
}
