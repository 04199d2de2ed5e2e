//! Simulation of whole runs on random surfaces whose optimum is known.

use std::collections::VecDeque;

use nullarbor_games::stats::{GameResult, PairCounts, expected_score};
use nullarbor_games::work::{Interrupted, Stop};
use nullarbor_report::plot::Chart;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::error::Error;
use crate::record::{Iteration, pipeline};
use crate::run_file::{ConfigError, RunFile};
use crate::theta::Parameter;

/// The Elo lost at each point: a parabola along each parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The best value of each parameter.
    pub best: Vec<f64>,
    /// Elo lost by half of the range of each parameter.
    pub curvature: Vec<f64>,
    /// The draw ratio between equals.
    pub draws: f64,
    spans: Vec<f64>,
}

/// Mean distance of the start from the best value, as a share of the range; it varies from a tenth to three tenths.
pub const MEAN_DISTANCE: f64 = 0.2;
const LEAST_DISTANCE: f64 = 0.1;

impl Surface {
    /// Creates a surface on which the start loses `elo` in all, the same in each parameter. Direction and distance of the best
    /// values are random.
    pub fn around(parameters: &[Parameter], elo: f64, draws: f64, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let each = elo / parameters.len() as f64;
        let spans: Vec<f64> = parameters.iter().map(|parameter| parameter.range.span()).collect();
        let (mut best, mut curvature) = (Vec::new(), Vec::new());
        for (parameter, span) in parameters.iter().zip(&spans) {
            let random: f64 = rng.random();
            let distance = LEAST_DISTANCE + 2.0 * (MEAN_DISTANCE - LEAST_DISTANCE) * random;
            let up = parameter.start + distance * span;
            let down = parameter.start - distance * span;
            let inside = f64::from(parameter.range.min)..=f64::from(parameter.range.max);
            let goes_up = rng.random::<bool>() && inside.contains(&up) || !inside.contains(&down);
            best.push(if goes_up { up } else { down });
            curvature.push(each / (2.0 * distance).powi(2));
        }
        Self { best, curvature, draws, spans }
    }

    /// Returns the loss of these values against the best ones in Elo.
    pub fn loss(&self, values: impl IntoIterator<Item = f64>) -> f64 {
        let axes = self.best.iter().zip(&self.curvature).zip(&self.spans);
        axes.zip(values)
            .map(|(((best, curvature), span), value)| {
                curvature * (2.0 * (value - best) / span).powi(2)
            })
            .sum()
    }

    /// Draws the result of a game between players `elo` apart.
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

/// Number of points at which the loss is recorded, after the start.
const MOMENTS: u64 = 40;

/// Simulates a run and returns the losses of its estimate in Elo: at the start, and after each of [`MOMENTS`] parts of its games.
fn simulate(run: &RunFile, surface: &Surface, seed: u64) -> Result<Vec<f64>, ConfigError> {
    let mut pipeline = pipeline(&RunFile { seed, ..run.clone() })?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::MAX);
    let mut losses = vec![surface.loss(pipeline.theta().values().to_vec())];
    let mut in_flight = VecDeque::new();
    while !pipeline.is_done() {
        while let Some((number, settings)) = pipeline.begin() {
            let loss = |values: &[i32]| surface.loss(values.iter().map(|&value| f64::from(value)));
            let elo = loss(&settings.minus) - loss(&settings.plus);
            let mut pairs = PairCounts::default();
            for _ in 0..run.pairs_per_iteration {
                pairs.add(surface.game(elo, &mut rng), surface.game(elo, &mut rng));
            }
            in_flight.push_back(Iteration { number, pairs });
        }
        pipeline.apply(in_flight.pop_front().map_or(0, |iteration| iteration.net_wins()));
        let applied = pipeline.theta().iteration();
        while applied * MOMENTS >= losses.len() as u64 * run.iterations {
            losses.push(surface.loss(pipeline.theta().estimate()));
        }
    }
    Ok(losses)
}

/// A run simulated on many surfaces.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// Losses by surface, in Elo: at the start, and after each of [`MOMENTS`] parts of the games.
    losses: Vec<Vec<f64>>,
    games: u64,
}

impl Simulation {
    /// Simulates a run on `surfaces` surfaces on which its start loses `elo`; `done` is called after each.
    ///
    /// # Errors
    /// If the run is impossible or the work is interrupted.
    pub fn of(
        run: &RunFile,
        elo: f64,
        draws: f64,
        surfaces: u64,
        stop: &Stop,
        mut done: impl FnMut(),
    ) -> Result<Self, Error> {
        let parameters = run.tuned_parameters()?;
        let mut losses = Vec::new();
        for seed in 0..surfaces {
            if stop.is_finishing() {
                return Err(Interrupted.into());
            }
            losses.push(simulate(run, &Surface::around(&parameters, elo, draws, seed), seed)?);
            done();
        }
        Ok(Self { losses, games: run.games() })
    }

    /// Returns a quantile over the surfaces of the recovered share of the loss, negative where the loss grew: 0.5 is the median.
    pub fn recovered(&self, share: f64) -> f64 {
        let recovered = |losses: &Vec<f64>| match losses[..] {
            [before, .., after] => 1.0 - after / before,
            _ => 0.0,
        };
        quantile(self.losses.iter().map(recovered), share)
    }

    /// Returns a chart of the Elo below the best values over the games.
    pub fn chart(&self) -> Chart {
        let at = |moment: u64| {
            let losses =
                || self.losses.iter().filter_map(move |run| run.get(moment as usize)).copied();
            let games = (self.games * moment) as f64 / MOMENTS as f64;
            let [low, middle, high] = [0.1, 0.5, 0.9].map(|share| quantile(losses(), share));
            ((games, middle), (games, [low, high]))
        };
        let (line, band): (Vec<_>, Vec<_>) = (0..=MOMENTS).map(at).unzip();
        let title = format!("Elo below the optimum, on {} surfaces", self.losses.len());
        Chart::new(title, "games", "Elo")
            .band("10th to 90th percentile", band)
            .line("median", line)
            .level("optimum", 0.0)
    }
}

fn quantile(values: impl Iterator<Item = f64>, share: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let index = (share * values.len().saturating_sub(1) as f64).round() as usize;
    values.get(index).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gains::Mode;
    use nullarbor::params::{SPECS, Spec};
    use nullarbor_report::plot::Data;

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
        let parameters = run().tuned_parameters().expect("parameters");
        for seed in 0..20 {
            let surface = Surface::around(&parameters, 30.0, 0.45, seed);
            let starts = parameters.iter().map(|parameter| parameter.start);
            assert!((surface.loss(starts) - 30.0).abs() < 1e-9);
            assert!(surface.loss(surface.best.clone()).abs() < 1e-9);
            for (parameter, best) in parameters.iter().zip(&surface.best) {
                assert!(
                    f64::from(parameter.range.min) <= *best
                        && *best <= f64::from(parameter.range.max)
                );
            }
        }
    }

    #[test]
    fn games_are_won_as_often_as_they_should_be() {
        let surface = Surface { best: vec![], curvature: vec![], draws: 0.45, spans: vec![] };
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
    fn twenty_thousand_games_recover_half_of_the_loss() {
        let stop = Stop::new();
        let simulate = || Simulation::of(&run(), 30.0, 0.45, 15, &stop, || ());
        let simulation = simulate().expect("a run");
        assert!(simulation.recovered(0.5) > 0.5, "{}", simulation.recovered(0.5));
        assert!(simulation.recovered(0.0) < simulation.recovered(1.0));
        let chart = simulation.chart();
        let Data::Line(line) = &chart.series[1].data else { panic!("{chart:?}") };
        assert_eq!((line.len(), line[0].0, line[40].0), (41, 0.0, 20_000.0));
        assert!((line[0].1 - 30.0).abs() < 1e-9 && line[40].1 < 15.0);
        stop.abort();
        assert!(matches!(simulate(), Err(Error::Interrupted(_))));
    }
}
