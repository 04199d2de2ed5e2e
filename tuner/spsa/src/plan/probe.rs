//! Short probes before a run: how drawish its games are, how fast, and how much each parameter matters.
//!
//! Games are played between the start and settings in which each parameter, by a coin, stays or goes half of its range away.
//! So every game says something of every parameter, and all of them together what half a range costs.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nullarbor_openings::Book;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::budget::ELO_PER_NET;
use crate::pair::{self, Duel, Seating};
use crate::perturbation::Perturbation;
use crate::run::RunError;
use crate::run_file::RunFile;
use crate::theta::Axis;
use nullarbor_games::stats::{GameResult, PairCounts};
use nullarbor_games::work::{Stop, crew};

/// A number that games tell, with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
}

/// What the games told.
#[derive(Clone, Debug)]
pub struct Probed {
    /// All of them, for the start.
    pub counts: PairCounts,
    /// The share of drawn games that would give the same noise in games that do not depend on each other.
    pub virtual_draws: f64,
    /// How long they took.
    pub elapsed: Duration,
    /// Elo that half of a range costs, in the mean of all parameters.
    pub mean: Estimate,
    /// Elo that half of a range costs, for each parameter.
    pub each: Vec<Estimate>,
}

/// Plays `pairs` pairs of games; `done` is called after each. `None` where it was stopped.
///
/// # Errors
/// Where the book cannot be read, or memory is short.
pub fn games(
    run: &RunFile,
    axes: &[Axis],
    pairs: u64,
    workers: usize,
    stop: &Arc<Stop>,
    mut done: impl FnMut(),
) -> Result<Option<Probed>, RunError> {
    let (book, limit) = (book(run)?, run.limit()?);
    let rules = pair::rules(book.needs_chess960());
    let seating = Seating { limit: &limit, rules: &rules, stop };
    let duels = (0..workers).map(|_| Duel::new(run.hash, stop)).collect::<Result<Vec<_>, _>>()?;
    let begin = taken_from(duels);
    let begun = Instant::now();
    let mut played = Vec::new();
    let work = |duel: &mut Option<Duel>, number: u64, sender: &Sender<Pair>| {
        let settings = displaced(axes, run.seed, number);
        let opening = &book.openings[(number % book.openings.len() as u64) as usize];
        let results = duel.as_mut().and_then(|duel| duel.play(axes, &settings, opening, &seating));
        if let Some(results) = results {
            // The receiver lives as long as the crew.
            let _ = sender.send(Pair { number, reach: reach(axes, &settings), results });
        }
    };
    crew::run(workers, 0..pairs, stop, begin, work, |pair| {
        played.push(pair);
        done();
    });
    if played.len() as u64 != pairs {
        return Ok(None);
    }
    // What is added up must not depend on who was the first.
    played.sort_by_key(|pair| pair.number);
    Ok(Some(told(&played, axes.len(), begun.elapsed())))
}

pub(super) type Sender<T> = crossbeam::channel::Sender<T>;

pub(super) fn book(run: &RunFile) -> Result<Book, RunError> {
    let mut book = Book::open(&run.book, None)?;
    book.shuffle(run.seed);
    Ok(book)
}

/// Hands each worker what was made for it.
pub(super) fn taken_from<T: Send>(made: Vec<T>) -> impl Fn() -> Option<T> + Sync {
    let made = Mutex::new(made);
    move || made.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

/// A pair of games between the start and a setting far from it.
struct Pair {
    number: u64,
    /// How far each parameter was away, in halves of its range, squared.
    reach: Vec<f64>,
    /// For the start.
    results: [GameResult; 2],
}

impl Pair {
    /// What the start scored, from 0 to 1.
    fn score(&self) -> f64 {
        let worth = |result: &GameResult| match result {
            GameResult::Win => 0.5,
            GameResult::Draw => 0.25,
            GameResult::Loss => 0.0,
        };
        self.results.iter().map(worth).sum()
    }

    /// What the other setting lost, in Elo.
    fn lost(&self) -> f64 {
        2.0 * ELO_PER_NET * (self.score() - 0.5)
    }
}

/// The start, and a setting in which each parameter stays or goes half of its range away, as far as the range lets it.
fn displaced(axes: &[Axis], seed: u64, number: u64) -> Perturbation {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    let first = start(axes);
    let second = axes.iter().zip(&first).map(|(axis, &value)| {
        let half = (axis.range.max - axis.range.min) / 2;
        let away = [0, 0, half, -half][rng.random_range(0..4)];
        (value + away).clamp(axis.range.min, axis.range.max)
    });
    Perturbation { second: second.collect(), first }
}

pub(super) fn start(axes: &[Axis]) -> Vec<i32> {
    axes.iter().map(|axis| axis.start.round() as i32).collect()
}

fn reach(axes: &[Axis], settings: &Perturbation) -> Vec<f64> {
    let halves = |(axis, moved): (&Axis, f64)| 4.0 * moved / axis.span();
    axes.iter().zip(settings.moved()).map(halves).map(|halves| halves * halves).collect()
}

fn told(pairs: &[Pair], parameters: usize, elapsed: Duration) -> Probed {
    let mut counts = PairCounts::default();
    pairs.iter().for_each(|pair| counts.add(pair.results[0], pair.results[1]));
    let number = pairs.len() as f64;
    let scores = pairs.iter().map(Pair::score);
    let mean_score = scores.clone().sum::<f64>() / number;
    let variance = scores.map(|score| (score - mean_score).powi(2)).sum::<f64>() / number;
    let deviation = 2.0 * ELO_PER_NET * variance.sqrt();
    let mean = common(pairs, deviation);
    let each = (0..parameters).map(|index| single(pairs, index, mean.value, deviation)).collect();
    // A game's variance is twice that of the mean of two.
    let virtual_draws = (1.0 - 8.0 * variance).clamp(0.0, 0.99);
    Probed { counts, virtual_draws, elapsed, mean, each }
}

/// One steepness for all: a line through the origin, of what was lost over how far all were away.
fn common(pairs: &[Pair], deviation: f64) -> Estimate {
    let away = |pair: &Pair| pair.reach.iter().sum::<f64>();
    let squares: f64 = pairs.iter().map(|pair| away(pair).powi(2)).sum();
    let products: f64 = pairs.iter().map(|pair| away(pair) * pair.lost()).sum();
    let squares = squares.max(f64::MIN_POSITIVE);
    Estimate { value: products / squares, error: deviation / squares.sqrt() }
}

/// What is left to one parameter, as the common steepness does not explain it: pairs in which it was away against all others.
fn single(pairs: &[Pair], index: usize, common: f64, deviation: f64) -> Estimate {
    let rest = |pair: &Pair| {
        let others: f64 = pair.reach.iter().sum::<f64>() - pair.reach[index];
        pair.lost() - common * others
    };
    let (away, stayed): (Vec<&Pair>, Vec<&Pair>) =
        pairs.iter().partition(|pair| pair.reach[index] > 0.0);
    let mean = |list: &[&Pair], of: &dyn Fn(&Pair) -> f64| {
        list.iter().map(|pair| of(pair)).sum::<f64>() / list.len().max(1) as f64
    };
    let reach = mean(&away, &|pair| pair.reach[index]).max(f64::MIN_POSITIVE);
    let value = (mean(&away, &rest) - mean(&stayed, &rest)) / reach;
    let variance = 1.0 / away.len().max(1) as f64 + 1.0 / stayed.len().max(1) as f64;
    Estimate { value, error: deviation * variance.sqrt() / reach }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perturbation::Range;

    fn axes(count: usize) -> Vec<Axis> {
        let range = Range { min: 0, max: 100 };
        let axis = |_| Axis { name: String::new(), start: 50.0, range, c_end: 5.0, r_end: 0.002 };
        (0..count).map(axis).collect()
    }

    #[test]
    fn a_coin_decides_who_goes_away_and_how_far_is_known() {
        let axes = axes(8);
        let mut away = 0;
        for number in 0..500 {
            let settings = displaced(&axes, 1, number);
            assert_eq!(settings.first, vec![50; 8]);
            let reach = reach(&axes, &settings);
            assert!(reach.iter().all(|&reach| reach == 0.0 || reach == 1.0), "{reach:?}");
            away += reach.iter().filter(|&&reach| reach > 0.0).count();
        }
        assert!((1900..2100).contains(&away), "{away} of 4000");
        assert_eq!(displaced(&axes, 1, 7), displaced(&axes, 1, 7));
    }

    #[test]
    fn games_tell_what_matters_from_what_does_not() {
        // The first parameter loses 40 Elo by half of its range, the others nothing.
        let axes = axes(4);
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let pair = |number: u64| {
            let reach = reach(&axes, &displaced(&axes, 1, number));
            let score = nullarbor_games::stats::expected_score(40.0 * reach[0]);
            let result = |chance: f64| {
                if chance < score { GameResult::Win } else { GameResult::Loss }
            };
            let results = [result(rng.random()), result(rng.random())];
            Pair { number, reach, results }
        };
        let pairs: Vec<Pair> = (0..20_000).map(pair).collect();
        let probed = told(&pairs, 4, Duration::ZERO);
        let near = |estimate: Estimate, truth: f64| {
            assert!((estimate.value - truth).abs() < 3.0 * estimate.error, "{estimate:?}");
        };
        near(probed.each[0], 40.0);
        probed.each[1..].iter().for_each(|&estimate| near(estimate, 0.0));
        near(probed.mean, 10.0);
        assert!(probed.each[0].error < 6.0 && probed.mean.error < 2.0);
        assert!(probed.virtual_draws < 0.05, "no game was drawn: {}", probed.virtual_draws);
    }
}
