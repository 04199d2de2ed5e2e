//! The whole method against a made-up surface, where the truth is known: a tuning run in a moment.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::run::{Iteration, pipeline};
use crate::run_file::{Mistake, RunFile};
use crate::theta::Axis;
use nullarbor_games::stats::{GameResult, PairCounts, expected_score};
use nullarbor_report::plot::Chart;

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

/// How far a start lies from the best value, as a share of the range: a tenth to three tenths, and so much in the mean.
pub const MEAN_SHARE: f64 = 0.2;

impl Surface {
    /// A surface on which the starts of a run lose so many Elo in all, the same in each parameter; chance decides on which
    /// side of the best value a start lies, and how far from it.
    pub fn around(axes: &[Axis], elo: f64, draws: f64, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let each = elo / axes.len() as f64;
        let ranges: Vec<f64> = axes.iter().map(Axis::span).collect();
        let (mut best, mut steepness) = (Vec::new(), Vec::new());
        for (axis, range) in axes.iter().zip(&ranges) {
            let share: f64 = 0.1 + 2.0 * (MEAN_SHARE - 0.1) * rng.random::<f64>();
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
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// Elo lost by what it had found after each of [`MOMENTS`] parts of its games; the start is the first.
    pub losses: Vec<f64>,
}

/// Parts into which a made-up run is divided.
pub const MOMENTS: u64 = 40;

impl Simulated {
    /// The share of the loss that was made good; below 0 if it grew.
    pub fn recovered(&self) -> f64 {
        match self.losses[..] {
            [before, .., after] => 1.0 - after / before,
            _ => 0.0,
        }
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
    let mut losses = vec![surface.loss(pipeline.path().point().to_vec())];
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
        let applied = pipeline.path().applied();
        while applied * MOMENTS >= losses.len() as u64 * run.iterations {
            losses.push(surface.loss(pipeline.path().result()));
        }
    }
    Ok(Simulated { losses })
}

/// A run made on many surfaces.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    runs: Vec<Simulated>,
    games: u64,
}

impl Rehearsal {
    /// Makes a run on `surfaces` surfaces on which its start loses `elo`; `None` where `go_on` said no.
    ///
    /// # Errors
    /// Where it is no run.
    pub fn of(
        run: &RunFile,
        elo: f64,
        draws: f64,
        surfaces: u64,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<Self>, Mistake> {
        let axes = run.axes()?;
        let mut runs = Vec::new();
        for seed in 0..surfaces {
            if !go_on() {
                return Ok(None);
            }
            runs.push(simulate(run, &Surface::around(&axes, elo, draws, seed), seed)?);
        }
        Ok(Some(Self { runs, games: run.games() }))
    }

    /// The share of the loss that was made good, as so large a share of the surfaces stays below it: 0.5 is the median.
    pub fn recovered(&self, share: f64) -> f64 {
        quantile(self.runs.iter().map(Simulated::recovered), share)
    }

    /// Returns a chart of the Elo still lost over the games: the median of the surfaces, and the 10th to the 90th percentile.
    pub fn chart(&self) -> Chart {
        let at = |moment: u64| {
            let losses =
                || self.runs.iter().filter_map(move |run| run.losses.get(moment as usize)).copied();
            let games = (self.games * moment) as f64 / MOMENTS as f64;
            let [low, middle, high] = [0.1, 0.5, 0.9].map(|share| quantile(losses(), share));
            ((games, middle), (games, [low, high]))
        };
        let (line, band): (Vec<_>, Vec<_>) = (0..=MOMENTS).map(at).unzip();
        let title = format!("Elo below the optimum, on {} surfaces", self.runs.len());
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
        let rehearsal = Rehearsal::of(&run(), 30.0, 0.45, 15, || true).expect("a run");
        let rehearsal = rehearsal.expect("nobody stopped it");
        assert!(rehearsal.recovered(0.5) > 0.5, "{}", rehearsal.recovered(0.5));
        assert!(rehearsal.recovered(0.0) < rehearsal.recovered(1.0));
        let chart = rehearsal.chart();
        let Data::Line(line) = &chart.series[1].data else { panic!("{chart:?}") };
        assert_eq!((line.len(), line[0].0, line[40].0), (41, 0.0, 20_000.0));
        assert!((line[0].1 - 30.0).abs() < 1e-9 && line[40].1 < 15.0);
        assert!(Rehearsal::of(&run(), 30.0, 0.45, 15, || false).expect("a run").is_none());
    }
}
