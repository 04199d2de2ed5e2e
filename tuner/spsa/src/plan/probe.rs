//! Probe games before a run: draw ratio, speed, and the curvature of each parameter.
//!
//! They are played between the start and settings in which each parameter, at random, stays or is displaced by half of its
//! range. So every game carries information on every parameter, and all together on the cost of half a range.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nullarbor_runs::{Pool, Stop};
use nullarbor_stats::{Estimate, GameResult, NORMALISED_ELO, PairCounts};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::engine::Engine;
use crate::error::Error;
use crate::pair::{Conditions, EnginePair};
use crate::parameter::Parameter;
use crate::perturbation::Perturbation;
use crate::run_file::RunFile;

/// The results of probe games.
#[derive(Clone, Debug)]
pub struct Probes {
    /// Results of the start.
    pub counts: PairCounts,
    /// The draw ratio of independent games with the same noise: the two games of a pair are correlated.
    pub virtual_draws: f64,
    /// Time that the games took.
    pub elapsed: Duration,
    /// Elo lost by half of the range of a parameter, in the mean of all.
    pub mean: Estimate,
    /// Elo lost by half of the range, for each parameter.
    pub each: Vec<Estimate>,
}

impl Probes {
    /// Plays `pairs` pairs of games; `done` is called after each.
    ///
    /// # Errors
    /// If the book cannot be read, memory is short or the work is interrupted.
    pub fn play(
        run: &RunFile,
        parameters: &[Parameter],
        pairs: u64,
        workers: usize,
        stop: &Arc<Stop>,
        mut done: impl FnMut(),
    ) -> Result<Self, Error> {
        let (conditions, engine) = (Conditions::of(run)?, Engine::of(run, stop)?);
        let chess960 = conditions.rules.chess960;
        let mut pool = Pool::build(workers, || EnginePair::new(&engine, chess960, stop))?;
        let begun = Instant::now();
        let mut played = Vec::new();
        let work = |engines: &mut EnginePair, number: u64| -> Result<Pair, Error> {
            let settings = displaced(parameters, run.seed, number);
            let opening = conditions.opening(number);
            let (limit, rules) = (&conditions.limit, &conditions.rules);
            let played = engines.play(parameters, &settings, opening, limit, rules)?;
            let squares = squared_distances(parameters, &settings);
            Ok(Pair { squares, results: played.results })
        };
        pool.run(stop, 0..pairs, work, |_, pair| {
            played.push(pair);
            done();
            Ok(())
        })?;
        Ok(Self::of(&played, parameters.len(), begun.elapsed()))
    }

    fn of(pairs: &[Pair], parameters: usize, elapsed: Duration) -> Self {
        let mut counts = PairCounts::default();
        pairs.iter().for_each(|pair| counts.add(pair.results[0], pair.results[1]));
        let number = pairs.len() as f64;
        let scores = pairs.iter().map(Pair::score);
        let mean_score = scores.clone().sum::<f64>() / number;
        let variance = scores.map(|score| (score - mean_score).powi(2)).sum::<f64>() / number;
        let deviation = 2.0 * NORMALISED_ELO * variance.sqrt();
        let mean = common(pairs, deviation);
        let each =
            (0..parameters).map(|index| single(pairs, index, mean.value, deviation)).collect();
        // The variance of a game is twice that of the mean of two.
        let virtual_draws = (1.0 - 8.0 * variance).clamp(0.0, 0.99);
        Self { counts, virtual_draws, elapsed, mean, each }
    }

    /// Returns the Elo lost by half of the range of each parameter, drawn towards their mean as far as the differences between
    /// them are noise (C. Stein 1956); `None` if they are nothing else.
    pub fn shrunk(&self) -> Option<Vec<f64>> {
        let mean = self.mean.value;
        let square = |of: &Estimate| (of.value - mean).powi(2) - of.standard_error().powi(2);
        let spread = self.each.iter().map(square).sum::<f64>() / self.each.len().max(1) as f64;
        let shrunk = |of: &Estimate| {
            let share = spread / (spread + of.standard_error().powi(2));
            mean + share * (of.value - mean)
        };
        (spread > 0.0).then(|| self.each.iter().map(shrunk).collect())
    }

    /// Returns the speed of the games.
    pub fn games_per_hour(&self) -> f64 {
        3600.0 * self.counts.games() as f64 / self.elapsed.as_secs_f64().max(0.001)
    }
}

/// A pair of games between the start and a displaced setting.
struct Pair {
    /// Squared distance of each parameter in units of half its range.
    squares: Vec<f64>,
    /// Results of the start.
    results: [GameResult; 2],
}

impl Pair {
    /// Returns the score of the start, from 0 to 1.
    fn score(&self) -> f64 {
        let points = |result: &GameResult| match result {
            GameResult::Win => 0.5,
            GameResult::Draw => 0.25,
            GameResult::Loss => 0.0,
        };
        self.results.iter().map(points).sum()
    }

    /// Returns the loss of the displaced setting in Elo.
    fn loss(&self) -> f64 {
        2.0 * NORMALISED_ELO * (self.score() - 0.5)
    }

    fn sum_of_squares(&self) -> f64 {
        self.squares.iter().sum()
    }
}

/// Returns the start, and a setting in which each parameter stays or is displaced by half of its range, as far as the range
/// allows.
fn displaced(parameters: &[Parameter], seed: u64, number: u64) -> Perturbation {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    let plus = rounded_start(parameters);
    let minus = parameters.iter().zip(&plus).map(|(parameter, &value)| {
        let range = parameter.range;
        let half = ((i64::from(range.max) - i64::from(range.min)) / 2) as i32;
        let displacement = [0, 0, half, -half][rng.random_range(0..4)];
        value.saturating_add(displacement).clamp(range.min, range.max)
    });
    Perturbation { minus: minus.collect(), plus }
}

/// Returns the start of all parameters as integers.
pub(super) fn rounded_start(parameters: &[Parameter]) -> Vec<i32> {
    parameters.iter().map(|parameter| parameter.start.round() as i32).collect()
}

fn squared_distances(parameters: &[Parameter], settings: &Perturbation) -> Vec<f64> {
    let halves = |(of, delta): (&Parameter, f64)| (4.0 * delta / of.range.span()).powi(2);
    parameters.iter().zip(settings.deltas()).map(halves).collect()
}

/// Returns one curvature for all parameters: regression through the origin of the loss on the sum of squared distances.
fn common(pairs: &[Pair], deviation: f64) -> Estimate {
    let squares: f64 = pairs.iter().map(|pair| pair.sum_of_squares().powi(2)).sum();
    let products: f64 = pairs.iter().map(|pair| pair.sum_of_squares() * pair.loss()).sum();
    let squares = squares.max(f64::MIN_POSITIVE);
    Estimate::from_standard_error(products / squares, deviation / squares.sqrt())
}

/// Returns the curvature of one parameter, from pairs in which it was displaced against those in which it was not, after the
/// common curvature of the others is subtracted.
fn single(pairs: &[Pair], index: usize, common: f64, deviation: f64) -> Estimate {
    let residual =
        |pair: &Pair| pair.loss() - common * (pair.sum_of_squares() - pair.squares[index]);
    let (displaced, stayed): (Vec<&Pair>, Vec<&Pair>) =
        pairs.iter().partition(|pair| pair.squares[index] > 0.0);
    let mean = |list: &[&Pair], of: &dyn Fn(&Pair) -> f64| {
        list.iter().map(|pair| of(pair)).sum::<f64>() / list.len().max(1) as f64
    };
    let square = mean(&displaced, &|pair| pair.squares[index]).max(f64::MIN_POSITIVE);
    let value = (mean(&displaced, &residual) - mean(&stayed, &residual)) / square;
    let variance = 1.0 / displaced.len().max(1) as f64 + 1.0 / stayed.len().max(1) as f64;
    Estimate::from_standard_error(value, deviation * variance.sqrt() / square)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::Range;

    fn parameters(count: usize) -> Vec<Parameter> {
        let (name, range) = (String::new(), Range { min: 0, max: 100 });
        vec![Parameter { name, start: 50.0, range, c_end: 5.0, r_end: 0.002 }; count]
    }

    #[test]
    fn half_of_the_parameters_are_displaced_by_half_of_their_range() {
        let parameters = parameters(8);
        let mut count = 0;
        for number in 0..500 {
            let settings = displaced(&parameters, 1, number);
            assert_eq!(settings.plus, vec![50; 8]);
            let squares = squared_distances(&parameters, &settings);
            assert!(squares.iter().all(|&square| square == 0.0 || square == 1.0), "{squares:?}");
            count += squares.iter().filter(|&&square| square > 0.0).count();
        }
        assert!((1900..2100).contains(&count), "{count} of 4000");
        assert_eq!(displaced(&parameters, 1, 7), displaced(&parameters, 1, 7));
    }

    #[test]
    fn games_tell_the_parameter_that_matters_from_those_that_do_not() {
        // The first parameter loses 40 Elo by half of its range, the others nothing.
        let parameters = parameters(4);
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let pair = |number: u64| {
            let squares = squared_distances(&parameters, &displaced(&parameters, 1, number));
            let score = nullarbor_stats::expected_score(40.0 * squares[0]);
            let result = |chance: f64| {
                if chance < score { GameResult::Win } else { GameResult::Loss }
            };
            let results = [result(rng.random()), result(rng.random())];
            Pair { squares, results }
        };
        let pairs: Vec<Pair> = (0..20_000).map(pair).collect();
        let probes = Probes::of(&pairs, 4, Duration::ZERO);
        let near = |estimate: Estimate, expected: f64| {
            assert!((estimate.value - expected).abs() < 1.5 * estimate.error, "{estimate:?}");
        };
        near(probes.each[0], 40.0);
        probes.each[1..].iter().for_each(|&estimate| near(estimate, 0.0));
        near(probes.mean, 10.0);
        assert!(probes.each[0].error < 12.0 && probes.mean.error < 4.0);
        assert!(probes.virtual_draws < 0.05, "no game was drawn: {}", probes.virtual_draws);
        let shrunk = probes.shrunk().expect("they differ");
        assert!(shrunk[0] > 25.0 && shrunk[0] <= probes.each[0].value, "{shrunk:?}");
    }

    #[test]
    fn differences_that_are_noise_are_not_shown() {
        let each = [3.0, 8.0, 5.0, 4.0].map(|it| Estimate::from_standard_error(it, 20.0));
        let mean = Estimate::from_standard_error(5.0, 10.0);
        let probes = Probes {
            counts: PairCounts::default(),
            virtual_draws: 0.5,
            elapsed: Duration::ZERO,
            mean,
            each: each.to_vec(),
        };
        assert_eq!(probes.shrunk(), None);
    }
}
