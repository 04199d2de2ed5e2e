//! All examples, and those of them that are kept apart to see what was learnt.

use std::collections::BTreeMap;

use crossbeam::channel::{self, Sender};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::acceptance::{Acceptance, COUNTS};
use super::example::Example;
use super::gradient::sigmoid;
use super::split::is_validation;
use super::store::Store;
use crate::data::filter::Filter;
use crate::data::folder::Folder;
use crate::data::record::Record;
use crate::data::shard::{Origin, Shard, ShardError};
use nullarbor_games::work::{Stop, crew};

/// Examples to learn from, and others to be held against.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    /// To learn from.
    pub training: Store,
    /// Of games that nothing is learnt from.
    pub validation: Store,
}

/// Shards for each thread that may be decoded before those in front of them.
const AHEAD: usize = 2;

/// What a filter keeps of a shard.
#[derive(Default)]
struct Part {
    training: Vec<Example>,
    validation: Vec<Example>,
}

impl Examples {
    /// Reads what a filter keeps of some folders, on so many threads; `done` is called after each file. `None` where it was
    /// stopped. Shards are taken over in order, and only a few are in memory beside what was taken over.
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
        // A shard is begun with a permit, which comes back when it was taken over.
        let (give, permits) = channel::unbounded();
        (0..AHEAD * threads.max(1)).for_each(|_| _ = give.send(()));
        let tasks = (0..shards.len()).take_while(|_| permits.recv().is_ok());
        let work = |_: &mut (), number: usize, sender: &Sender<_>| {
            let (folder, shard) = shards[number];
            // Merged folders of older versions do not say which games they hold.
            let unknown = Origin { seed: shard.crc32.into(), first: 0 };
            let origin = folder.origin(shard).unwrap_or(unknown);
            let part = shard.read(&folder.path).map(|games| Part::of(&games, filter, origin));
            // The receiver lives as long as the crew.
            let _ = sender.send((number, part));
        };
        let (mut all, mut waiting, mut next) = (Self::default(), BTreeMap::new(), 0);
        let mut failed = None;
        let take = |(number, part): (usize, Result<Part, ShardError>)| {
            waiting.insert(number, part);
            while let Some(part) = waiting.remove(&next) {
                match part {
                    Ok(part) => all.take(part),
                    Err(error) => _ = failed.get_or_insert(error),
                }
                next += 1;
                let _ = give.send(());
                done();
            }
        };
        crew::run(threads, tasks, stop, || (), work, take);
        match failed {
            Some(error) => Err(error),
            None => Ok((next == shards.len()).then_some(all)),
        }
    }

    fn take(&mut self, part: Part) {
        self.training.extend(part.training);
        self.validation.extend(part.validation);
    }

    /// How many training examples of each piece count an epoch takes, if it takes `share` of all.
    pub fn acceptance(&self, share: f32) -> Acceptance {
        let mut histogram = [0; COUNTS];
        self.training.iter().for_each(|example| histogram[example.pieces()] += 1);
        Acceptance::new(histogram, share.into())
    }

    /// The training examples that an epoch takes, in the order in which they are seen.
    pub fn order(&self, acceptance: &Acceptance, seed: u64, epoch: u64) -> Vec<u32> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(epoch);
        let mut order = acceptance.draw(self.training.iter().map(Example::pieces), &mut rng);
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
        least(50.0, 1000.0, 0.5, error).round()
    }
}

impl Part {
    fn of(games: &[Record], filter: &Filter, origin: Origin) -> Self {
        let mut part = Self::default();
        let Origin { seed, first } = origin;
        for (number, game) in (first..).zip(games) {
            let list =
                if is_validation(seed, number) { &mut part.validation } else { &mut part.training };
            for (ply, (position, mv, score)) in game.positions().enumerate() {
                if filter.keeps(ply, &position, mv, score) {
                    let points = game.outcome.points(position.side_to_move());
                    list.push(Example::of(&position, score, points));
                }
            }
        }
        part
    }
}

/// Where a function with one valley is least, within a tolerance (golden-section search: J. Kiefer 1953).
pub fn least(mut low: f32, mut high: f32, tolerance: f32, of: impl Fn(f32) -> f64) -> f32 {
    const GOLDEN: f32 = 0.618_034;
    while high - low > tolerance {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if of(left) < of(right) { high = right } else { low = left }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::Outcome;
    use nullarbor::board::Position;
    use nullarbor::types::Score;
    use rand::RngExt;

    #[test]
    fn the_scale_is_what_the_results_say() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let start = Position::start();
        let example = |_| {
            let score = rng.random_range(-800..=800);
            let wins = rng.random::<f32>() < sigmoid(score as f32 / 230.0);
            Example::of(&start, Score(score), if wins { 1.0 } else { 0.0 })
        };
        let training = (0..100_000).map(example).collect();
        let scale = Examples { training, ..Examples::default() }.scale();
        assert!((scale - 230.0).abs() < 6.0, "{scale}");
    }

    #[test]
    fn each_epoch_has_an_order_of_its_own() {
        let example = Example::of(&Position::start(), Score(0), 0.5);
        let training = (0..1000).map(|_| example).collect();
        let examples = Examples { training, ..Examples::default() };
        let (all, half) = (examples.acceptance(1.0), examples.acceptance(0.5));
        let order = examples.order(&all, 1, 0);
        assert_eq!(order, examples.order(&all, 1, 0));
        assert_ne!(order, examples.order(&all, 1, 1));
        assert_ne!(order, examples.order(&all, 2, 0));
        assert_eq!(examples.order(&half, 1, 0).len(), 500);
        let mut sorted = order;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..1000));
    }

    #[test]
    fn the_split_of_a_game_does_not_depend_on_the_shard_it_stands_in() {
        let start = Position::start();
        let filter = Filter { early: 0, ..Filter::default() };
        let mv = start.parse_uci("g1f3").expect("legal");
        let game = |number: i32| Record {
            start: start.clone(),
            moves: vec![(mv, Score(number))],
            outcome: Outcome::Draw,
        };
        let games: Vec<Record> = (0..1000).map(game).collect();
        let of = |games, first| Part::of(games, &filter, Origin { seed: 7, first });
        let whole = of(&games, 2000);
        let (left, right) = games.split_at(300);
        let (left, right) = (of(left, 2000), of(right, 2300));
        assert_eq!(whole.training, [left.training, right.training].concat());
        assert_eq!(whole.validation, [left.validation, right.validation].concat());
        assert_eq!(whole.training.len() + whole.validation.len(), 1000);
        assert!((15..50).contains(&whole.validation.len()), "{}", whole.validation.len());
    }
}
