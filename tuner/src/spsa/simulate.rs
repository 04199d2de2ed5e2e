//! The whole method against a made-up surface, where the truth is known: a tuning run in a moment.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::path::Axis;
use super::run::{Iteration, pipeline};
use super::run_file::{Mistake, RunFile};
use crate::stats::{GameResult, PairCounts, expected_score};

/// What is lost where, in Elo: a hill that falls off as a parabola along each parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Where each parameter is at its best.
    pub best: Vec<f64>,
    /// What is lost by half a range, in each parameter.
    pub steepness: Vec<f64>,
    /// The share of games that are drawn between equals.
    pub draws: f64,
    ranges: Vec<f64>,
}

impl Surface {
    /// A surface on which the starts of a run lose so many Elo in all, the same in each parameter; chance decides on which
    /// side of the best value a start lies, and how far from it.
    pub fn around(axes: &[Axis], elo: f64, draws: f64, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let each = elo / axes.len() as f64;
        let ranges: Vec<f64> =
            axes.iter().map(|axis| f64::from(axis.range.max - axis.range.min)).collect();
        let (mut best, mut steepness) = (Vec::new(), Vec::new());
        for (axis, range) in axes.iter().zip(&ranges) {
            // A tenth to three tenths of the range away, into it.
            let share: f64 = 0.1 + 0.2 * rng.random::<f64>();
            let up = axis.start + share * range;
            let down = axis.start - share * range;
            let inside = f64::from(axis.range.min)..=f64::from(axis.range.max);
            let goes_up = rng.random::<bool>();
            best.push(if goes_up && inside.contains(&up) || !inside.contains(&down) {
                up
            } else {
                down
            });
            steepness.push(each / (2.0 * share).powi(2));
        }
        Self { best, steepness, draws, ranges }
    }

    /// What these values lose against the best ones, in Elo.
    pub fn loss(&self, values: impl IntoIterator<Item = f64>) -> f64 {
        let axes = self.best.iter().zip(&self.steepness).zip(&self.ranges);
        axes.zip(values)
            .map(|(((best, steepness), range), value)| {
                steepness * (2.0 * (value - best) / range).powi(2)
            })
            .sum()
    }

    /// A game between players so far apart.
    fn game(&self, elo: f64, rng: &mut ChaCha8Rng) -> GameResult {
        let score = expected_score(elo);
        let drawn = self.draws * 4.0 * score * (1.0 - score);
        let chance: f64 = rng.random();
        match chance {
            _ if chance < score - drawn / 2.0 => GameResult::Win,
            _ if chance < score + drawn / 2.0 => GameResult::Draw,
            _ => GameResult::Loss,
        }
    }
}

/// What a made-up run came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simulated {
    /// Elo lost at the start.
    pub before: f64,
    /// Elo lost at the end.
    pub after: f64,
}

impl Simulated {
    /// The share of the loss that was made good; below 0 if it grew.
    pub fn recovered(self) -> f64 {
        1.0 - self.after / self.before
    }
}

/// Makes a run on a surface.
///
/// # Errors
/// Where it is no run.
pub fn simulate(run: &RunFile, surface: &Surface, seed: u64) -> Result<Simulated, Mistake> {
    let mut pipeline = pipeline(&RunFile { seed, ..run.clone() })?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::MAX);
    let starts = pipeline.path().point().to_vec();
    let mut open = std::collections::VecDeque::new();
    while !pipeline.is_done() {
        while let Some((number, settings)) = pipeline.begin() {
            let loss = |values: &[i32]| surface.loss(values.iter().map(|&value| f64::from(value)));
            let elo = loss(&settings.second) - loss(&settings.first);
            let mut pairs = PairCounts::default();
            for _ in 0..run.pairs_per_iteration {
                pairs.add(surface.game(elo, &mut rng), surface.game(elo, &mut rng));
            }
            open.push_back(Iteration { number, pairs });
        }
        let net = open.pop_front().map_or(0, |iteration: Iteration| iteration.net());
        pipeline.apply(net);
    }
    let after = surface.loss(pipeline.path().result());
    Ok(Simulated { before: surface.loss(starts), after })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spsa::gains::Mode;
    use nullarbor::params::{SPECS, Spec};

    fn run() -> RunFile {
        let specs: Vec<&Spec> = SPECS.iter().filter(|spec| spec.group == "null_move").collect();
        let mut run = RunFile::of(&specs[..8]);
        (run.iterations, run.pairs_per_iteration, run.mode) = (2500, 4, Mode::Constant);
        for tuning in run.parameters.values_mut() {
            let range = f64::from(tuning.max.unwrap_or(0) - tuning.min.unwrap_or(0));
            (tuning.c_end, tuning.r_end) = (Some(range / 6.0), Some(0.015));
        }
        run
    }

    #[test]
    fn a_surface_loses_what_it_should_at_the_start() {
        let axes = run().axes().expect("parameters");
        for seed in 0..20 {
            let surface = Surface::around(&axes, 30.0, 0.45, seed);
            let starts = axes.iter().map(|axis| axis.start);
            assert!((surface.loss(starts) - 30.0).abs() < 1e-9);
            assert!(surface.loss(surface.best.clone()).abs() < 1e-9);
            for (axis, best) in axes.iter().zip(&surface.best) {
                assert!(f64::from(axis.range.min) <= *best && *best <= f64::from(axis.range.max));
            }
        }
    }

    #[test]
    fn games_are_won_as_often_as_they_should_be() {
        let surface = Surface { best: vec![], steepness: vec![], draws: 0.45, ranges: vec![] };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut points, mut draws, games) = (0.0, 0, 40_000);
        for _ in 0..games {
            match surface.game(50.0, &mut rng) {
                GameResult::Win => points += 1.0,
                GameResult::Draw => (points, draws) = (points + 0.5, draws + 1),
                GameResult::Loss => {}
            }
        }
        assert!((points / f64::from(games) - expected_score(50.0)).abs() < 0.01, "{points}");
        assert!((f64::from(draws) / f64::from(games) - 0.44).abs() < 0.02, "{draws}");
    }

    #[test]
    fn twenty_thousand_games_make_half_of_the_loss_good() {
        let run = run();
        let axes = run.axes().expect("parameters");
        let mut recovered: Vec<f64> = (0..15)
            .map(|seed| {
                let surface = Surface::around(&axes, 30.0, 0.45, seed);
                simulate(&run, &surface, seed).expect("a run").recovered()
            })
            .collect();
        recovered.sort_by(f64::total_cmp);
        assert!(recovered[7] > 0.5, "{recovered:?}");
    }
}
