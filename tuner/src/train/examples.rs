//! All examples, and those of them that are kept apart to see what was learnt.

use crossbeam::channel::Sender;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::example::Example;
use super::gradient::sigmoid;
use crate::arena::{Stop, crew};
use crate::data::filter::Filter;
use crate::data::folder::Folder;
use crate::data::record::Record;
use crate::data::shard::{Shard, ShardError};

/// Examples to learn from, and others to be held against.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    /// To learn from.
    pub training: Vec<Example>,
    /// Of games that nothing is learnt from.
    pub validation: Vec<Example>,
}

/// One game of so many is kept apart.
const APART: u64 = 32;

impl Examples {
    /// Reads what a filter keeps of some folders, on so many threads; `done` is called after each file. `None` where it was
    /// stopped.
    ///
    /// # Errors
    /// Where a file is not what its manifest says.
    pub fn read(
        folders: &[Folder],
        filter: &Filter,
        threads: usize,
        stop: &Stop,
        mut done: impl FnMut(),
    ) -> Result<Option<Self>, ShardError> {
        let shards: Vec<(&Folder, &Shard)> = folders
            .iter()
            .flat_map(|folder| folder.shards.iter().map(move |shard| (folder, shard)))
            .collect();
        let mut found = vec![None; shards.len()];
        let mut failed = None;
        let work = |_: &mut (), number: usize, sender: &Sender<_>| {
            let (folder, shard) = shards[number];
            let games = shard.read(&folder.path);
            let examples = games.map(|games| Self::of(&games, filter, shard.crc32));
            // The receiver lives as long as the crew.
            let _ = sender.send((number, examples));
        };
        crew::run(
            threads,
            0..shards.len(),
            stop,
            || (),
            work,
            |(number, examples)| {
                match examples {
                    Ok(examples) => found[number] = Some(examples),
                    Err(error) => _ = failed.get_or_insert(error),
                }
                done();
            },
        );
        if let Some(error) = failed {
            return Err(error);
        }
        let Some(found) = found.into_iter().collect::<Option<Vec<Self>>>() else { return Ok(None) };
        let mut all = Self::default();
        for part in found {
            all.training.extend(part.training);
            all.validation.extend(part.validation);
        }
        Ok(Some(all))
    }

    fn of(games: &[Record], filter: &Filter, seed: u32) -> Self {
        let mut examples = Self::default();
        // Which games are kept apart must not depend on what else there is.
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        for game in games {
            let list = match rng.random_range(0..APART) {
                0 => &mut examples.validation,
                _ => &mut examples.training,
            };
            for (ply, (position, mv, score)) in game.positions().enumerate() {
                if filter.keeps(ply, &position, mv, score) {
                    let points = game.outcome.points(position.side_to_move());
                    list.push(Example::of(&position, score, points));
                }
            }
        }
        examples
    }

    /// The order in which the training examples are seen in an epoch.
    pub fn order(&self, seed: u64, epoch: u64) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.training.len() as u32).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(epoch);
        order.shuffle(&mut rng);
        order
    }

    /// Centipawns of which one makes an output of one: as the results of the games say what the scores of the searches are worth.
    pub fn scale(&self) -> f32 {
        let sample: Vec<&Example> =
            self.training.iter().step_by(self.training.len() / 200_000 + 1).collect();
        let error = |scale: f32| {
            let one = |example: &&Example| {
                f64::from(sigmoid(example.score() / scale) - example.points()).powi(2)
            };
            sample.iter().map(one).sum::<f64>()
        };
        least(50.0, 1000.0, error).round()
    }
}

/// Where a function with one valley is least (J. Kiefer 1953).
fn least(mut low: f32, mut high: f32, of: impl Fn(f32) -> f64) -> f32 {
    const GOLDEN: f32 = 0.618_034;
    while high - low > 0.5 {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if of(left) < of(right) { high = right } else { low = left }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::board::Position;
    use nullarbor::types::Score;

    #[test]
    fn the_scale_is_what_the_results_say() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let start = Position::start();
        let example = |_| {
            let score = rng.random_range(-800..=800);
            let wins = rng.random::<f32>() < sigmoid(score as f32 / 230.0);
            Example::of(&start, Score(score), if wins { 1.0 } else { 0.0 })
        };
        let training: Vec<Example> = (0..100_000).map(example).collect();
        let scale = Examples { training, validation: Vec::new() }.scale();
        assert!((scale - 230.0).abs() < 6.0, "{scale}");
    }

    #[test]
    fn each_epoch_has_an_order_of_its_own() {
        let example = Example::of(&Position::start(), Score(0), 0.5);
        let examples = Examples { training: vec![example; 1000], validation: Vec::new() };
        let order = examples.order(1, 0);
        assert_eq!(order, examples.order(1, 0));
        assert_ne!(order, examples.order(1, 1));
        assert_ne!(order, examples.order(2, 0));
        let mut sorted = order;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..1000));
    }
}
