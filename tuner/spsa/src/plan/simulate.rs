//! Simulation of whole runs on random surfaces whose optimum is known.

use std::collections::VecDeque;

use clap::ValueEnum;
use nullarbor_report::plot::Chart;
use nullarbor_runs::{Interrupted, Stop};
use nullarbor_stats::{GameResult, PairCounts, expected_score};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::error::ConfigError;
use crate::error::Error;
use crate::parameter::Parameter;
use crate::record::{Iteration, pipeline};
use crate::run_file::RunFile;

/// How the Elo lost grows with the distance from the best values. Nobody knows which it is before a run, so a plan must hold
/// on all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// A parabola along each parameter, of the same curvature in units of its range.
    Equal,
    /// Parabolas of log-normal curvature: few parameters matter much, many little.
    Unequal,
    /// As before, but flat far away, and steeper on one side.
    Flat,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Equal, Self::Unequal, Self::Flat];

    /// Returns its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal parabolas",
            Self::Unequal => "unequal parabolas",
            Self::Flat => "flat far away, asymmetric",
        }
    }
}

/// The Elo lost at each point.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    axes: Vec<Axis>,
    /// The draw ratio between equals.
    draws: f64,
    kind: Kind,
}

/// The loss along one parameter.
#[derive(Clone, Debug, PartialEq)]
struct Axis {
    best: f64,
    /// Half of the range.
    half: f64,
    /// Elo lost by half of the range below the best value and above it, but for the flatness.
    curvature: [f64; 2],
}

/// Distances of the start from the best values, as shares of the range, are uniform between these.
const DISTANCES: [f64; 2] = [0.05, 0.25];
/// Standard deviation of the logarithm of unequal curvatures.
const SPREAD: f64 = 1.0;
/// The steeper side of an asymmetric parameter loses so many times more than a symmetric one, the other one as many times
/// less.
const ASYMMETRY: f64 = 2.0;
/// At this distance from the best value, in halves of the range, a flat surface loses half as much as a parabola.
const FLATNESS: f64 = 0.65;

impl Surface {
    /// Creates a surface on which the start loses `elo` in all. Direction and distance of the best values are random.
    pub fn around(parameters: &[Parameter], kind: Kind, elo: f64, draws: f64, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let axes = parameters.iter().map(|parameter| Axis::random(parameter, kind, &mut rng));
        let mut surface = Self { axes: axes.collect(), draws, kind };
        let scale = elo / surface.loss(parameters.iter().map(|parameter| parameter.start));
        for axis in &mut surface.axes {
            axis.curvature.iter_mut().for_each(|curvature| *curvature *= scale);
        }
        surface
    }

    /// Returns the loss of these values against the best ones in Elo.
    pub fn loss(&self, values: impl IntoIterator<Item = f64>) -> f64 {
        let flatness = if self.kind == Kind::Flat { FLATNESS } else { f64::INFINITY };
        self.axes.iter().zip(values).map(|(axis, value)| axis.loss(value, flatness)).sum()
    }

    /// Draws the result of a game between players with this expected score.
    fn game(&self, score: f64, rng: &mut ChaCha8Rng) -> GameResult {
        let drawn = self.draws * 4.0 * score * (1.0 - score);
        let chance: f64 = rng.random();
        match chance {
            _ if chance < score - drawn / 2.0 => GameResult::Win,
            _ if chance < score + drawn / 2.0 => GameResult::Draw,
            _ => GameResult::Loss,
        }
    }
}

impl Axis {
    fn random(parameter: &Parameter, kind: Kind, rng: &mut ChaCha8Rng) -> Self {
        let (span, range) = (parameter.range.span(), parameter.range);
        let [least, most] = DISTANCES;
        let distance = least + (most - least) * rng.random::<f64>();
        let [down, up] = [-distance, distance].map(|distance| parameter.start + distance * span);
        let inside = f64::from(range.min)..=f64::from(range.max);
        let goes_up = rng.random::<bool>() && inside.contains(&up) || !inside.contains(&down);
        let (normal, is_steep_above) = (normal(rng), rng.random::<bool>());
        let curvature = if kind == Kind::Equal { 1.0 } else { (SPREAD * normal).exp() };
        let mut sides = [curvature; 2];
        if kind == Kind::Flat {
            sides[usize::from(is_steep_above)] *= ASYMMETRY;
            sides[usize::from(!is_steep_above)] /= ASYMMETRY;
        }
        Self { best: if goes_up { up } else { down }, half: span / 2.0, curvature: sides }
    }

    fn loss(&self, value: f64, flatness: f64) -> f64 {
        let square = ((value - self.best) / self.half).powi(2);
        let curvature = self.curvature[usize::from(value > self.best)];
        curvature * square / (1.0 + square / (flatness * flatness))
    }
}

/// Draws a number of the standard normal distribution (G. Box and M. Muller 1958).
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (radius, angle): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// Number of points at which the loss is recorded, after the start.
const MOMENTS: u64 = 40;

/// Simulates a run and returns the losses of its estimate in Elo: at the start, and after each of `moments` parts of its games.
fn simulate(
    run: &RunFile,
    surface: &Surface,
    seed: u64,
    moments: u64,
) -> Result<Vec<f64>, ConfigError> {
    let mut pipeline = pipeline(&RunFile { seed, ..run.clone() })?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::MAX);
    let mut losses = vec![surface.loss(pipeline.theta().values().to_vec())];
    let mut in_flight = VecDeque::new();
    while !pipeline.is_done() {
        while let Some((number, settings)) = pipeline.begin() {
            let loss = |values: &[i32]| surface.loss(values.iter().map(|&value| f64::from(value)));
            let score = expected_score(loss(&settings.minus) - loss(&settings.plus));
            let mut pairs = PairCounts::default();
            for _ in 0..run.pairs_per_iteration {
                pairs.add(surface.game(score, &mut rng), surface.game(score, &mut rng));
            }
            in_flight.push_back(Iteration { number, pairs });
        }
        pipeline.apply(in_flight.pop_front().map_or(0, |iteration| iteration.net_wins()));
        let applied = pipeline.theta().iteration();
        while applied * moments >= losses.len() as u64 * run.iterations {
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

/// The surfaces on which a run is simulated.
#[derive(Clone, Debug)]
pub struct Surfaces {
    /// Their kind.
    pub kind: Kind,
    /// Elo lost by the start.
    pub elo: f64,
    /// The draw ratio between equals.
    pub draws: f64,
    /// Their seeds: each is another surface.
    pub seeds: std::ops::Range<u64>,
}

impl Simulation {
    /// Simulates a run on surfaces; `done` is called after each.
    ///
    /// # Errors
    /// If the run is impossible or the work is interrupted.
    pub fn of(
        run: &RunFile,
        surfaces: &Surfaces,
        stop: &Stop,
        mut done: impl FnMut(),
    ) -> Result<Self, Error> {
        let parameters = run.tuned_parameters()?;
        let mut losses = Vec::new();
        let &Surfaces { kind, elo, draws, ref seeds } = surfaces;
        for seed in seeds.clone() {
            if stop.is_finishing() {
                return Err(Interrupted.into());
            }
            let surface = Surface::around(&parameters, kind, elo, draws, seed);
            losses.push(simulate(run, &surface, seed, MOMENTS)?);
            done();
        }
        Ok(Self { losses, games: run.games() })
    }

    /// Returns the recovered share of the loss on each surface, negative where the loss grew.
    fn shares(&self) -> impl Iterator<Item = f64> + '_ {
        self.losses.iter().map(|losses| match losses[..] {
            [before, .., after] => 1.0 - after / before,
            _ => 0.0,
        })
    }

    /// Returns a quantile over the surfaces of the recovered share of the loss: 0.5 is the median.
    pub fn recovered(&self, share: f64) -> f64 {
        quantile(self.shares(), share)
    }

    /// Returns the mean over the surfaces of the recovered share of the loss.
    pub fn mean(&self) -> f64 {
        self.shares().sum::<f64>() / self.losses.len().max(1) as f64
    }

    /// Returns a chart of the Elo below the best values over the games.
    pub fn chart(&self, kind: Kind) -> Chart {
        let at = |moment: u64| {
            let losses =
                || self.losses.iter().filter_map(move |run| run.get(moment as usize)).copied();
            let games = (self.games * moment) as f64 / MOMENTS as f64;
            let [low, middle, high] = [0.1, 0.5, 0.9].map(|share| quantile(losses(), share));
            ((games, middle), (games, [low, high]))
        };
        let (line, band): (Vec<_>, Vec<_>) = (0..=MOMENTS).map(at).unzip();
        let count = self.losses.len();
        let title = format!("Elo below the optimum, on {count} surfaces: {}", kind.name());
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

    fn surfaces(kind: Kind) -> Surfaces {
        Surfaces { kind, elo: 30.0, draws: 0.45, seeds: 0..10 }
    }

    #[test]
    fn a_surface_loses_what_it_should_at_the_start() {
        let parameters = run().tuned_parameters().expect("parameters");
        for (kind, seed) in Kind::ALL.into_iter().flat_map(|kind| (0..20).map(move |it| (kind, it)))
        {
            let surface = Surface::around(&parameters, kind, 30.0, 0.45, seed);
            let starts = parameters.iter().map(|parameter| parameter.start);
            assert!((surface.loss(starts) - 30.0).abs() < 1e-9);
            assert!(surface.loss(surface.axes.iter().map(|axis| axis.best)).abs() < 1e-9);
            for (parameter, axis) in parameters.iter().zip(&surface.axes) {
                let range = f64::from(parameter.range.min)..=f64::from(parameter.range.max);
                assert!(range.contains(&axis.best));
            }
        }
    }

    #[test]
    fn a_flat_surface_is_flat_far_away_and_steeper_on_one_side() {
        let axis = Axis { best: 0.0, half: 100.0, curvature: [2.0, 8.0] };
        assert_eq!(axis.loss(-50.0, f64::INFINITY), 0.5);
        assert_eq!(axis.loss(50.0, f64::INFINITY), 2.0);
        assert!((axis.loss(100.0 * FLATNESS, FLATNESS) - 4.0 * FLATNESS.powi(2)).abs() < 1e-12);
    }

    #[test]
    fn games_are_won_as_often_as_they_should_be() {
        let surface = Surface { axes: vec![], draws: 0.45, kind: Kind::Equal };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut points, mut draws, games) = (0.0, 0, 40_000);
        let score = expected_score(50.0);
        for _ in 0..games {
            match surface.game(score, &mut rng) {
                GameResult::Win => points += 1.0,
                GameResult::Draw => (points, draws) = (points + 0.5, draws + 1),
                GameResult::Loss => {}
            }
        }
        assert!((points / f64::from(games) - score).abs() < 0.01, "{points}");
        assert!((f64::from(draws) / f64::from(games) - 0.44).abs() < 0.02, "{draws}");
    }

    #[test]
    fn twenty_thousand_games_recover_half_of_the_loss() {
        let stop = Stop::new();
        let simulate = |kind| Simulation::of(&run(), &surfaces(kind), &stop, || ());
        for kind in Kind::ALL {
            let simulation = simulate(kind).expect("a run");
            assert!(simulation.mean() > 0.5, "{kind:?}: {}", simulation.mean());
            assert!(simulation.recovered(0.0) < simulation.recovered(1.0));
            let chart = simulation.chart(kind);
            let Data::Line(line) = &chart.series[1].data else { panic!("{chart:?}") };
            assert_eq!((line.len(), line[0].0, line[40].0), (41, 0.0, 20_000.0));
            assert!((line[0].1 - 30.0).abs() < 1e-9 && line[40].1 < 15.0);
        }
        stop.abort();
        assert!(matches!(simulate(Kind::Equal), Err(Error::Interrupted(_))));
    }
}
