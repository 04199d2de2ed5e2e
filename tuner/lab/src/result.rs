//! What the searches come to.

use nullarbor::search::null_move::{Counts, Stats};
use serde::Serialize;

use super::experiment::{Experiment, Trial, Trials};
use super::marks::Mark;

/// A scheme on a suite.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The suite.
    pub suite: String,
    /// The scheme.
    pub scheme: String,
    /// How many positions.
    pub positions: usize,
    /// How many of them have a task.
    pub tasks: usize,
    /// Whether the suite is about zugzwang.
    pub about_zugzwang: bool,
    /// By depth, from 1, or by time.
    pub cells: Vec<Cell>,
    /// Null moves, by depth left, from 0.
    pub null_moves: Vec<NullMoves>,
    /// The names of the positions solved at the greatest depth.
    pub solved: Vec<String>,
}

/// Sums over all positions of a suite at one depth or time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Cell {
    pub label: String,
    pub depth: Option<usize>,
    pub seconds_allowed: Option<f64>,
    /// The median of the depths that were finished: where a mate is found, depth means little.
    pub median_depth: usize,
    pub nodes: u64,
    pub seconds: f64,
    pub solved: usize,
}

/// How null moves fared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct NullMoves {
    pub attempts: u64,
    pub cutoffs: u64,
    pub verifications: u64,
    pub overturned: u64,
    pub zugzwangs: u64,
    pub threats: u64,
}

impl From<&Counts> for NullMoves {
    fn from(counts: &Counts) -> Self {
        let Counts { attempts, cutoffs, verifications, overturned, zugzwangs, threats } = *counts;
        Self { attempts, cutoffs, verifications, overturned, zugzwangs, threats }
    }
}

impl Outcome {
    /// Null moves of all depths.
    pub fn null_move_total(&self) -> NullMoves {
        let mut total = NullMoves::default();
        for counts in &self.null_moves {
            total.attempts += counts.attempts;
            total.cutoffs += counts.cutoffs;
            total.verifications += counts.verifications;
            total.overturned += counts.overturned;
            total.zugzwangs += counts.zugzwangs;
            total.threats += counts.threats;
        }
        total
    }
}

/// The outcomes of all schemes, suite by suite.
pub fn outcomes(experiment: &Experiment, trials: &Trials) -> Vec<Vec<Outcome>> {
    let of_suite = |suite: usize| {
        let schemes = 0..experiment.schemes.len();
        schemes.map(|scheme| outcome(experiment, suite, scheme, &trials[suite][scheme])).collect()
    };
    (0..experiment.suites.len()).map(of_suite).collect()
}

fn outcome(experiment: &Experiment, suite: usize, scheme: usize, trials: &[Trial]) -> Outcome {
    let suite = &experiment.suites[suite];
    let mut stats = Stats::default();
    trials.iter().for_each(|trial| stats += &trial.null_moves);
    let solved_at_last = |trial: &Trial| trial.samples.last().is_some_and(|sample| sample.solved);
    let has_task = |task: &super::suite::Task| *task != super::suite::Task::Search;
    Outcome {
        suite: suite.name.clone(),
        scheme: experiment.schemes[scheme].name.clone(),
        positions: suite.problems.len(),
        tasks: suite.problems.iter().filter(|problem| has_task(&problem.task)).count(),
        about_zugzwang: suite.is_about_zugzwang(),
        cells: experiment.marks.counted().into_iter().map(|mark| cell(mark, trials)).collect(),
        null_moves: stats.by_depth().iter().map(NullMoves::from).collect(),
        solved: suite
            .problems
            .iter()
            .zip(trials)
            .filter(|(_, trial)| solved_at_last(trial))
            .map(|(problem, _)| problem.id.clone())
            .collect(),
    }
}

fn cell(mark: Mark, trials: &[Trial]) -> Cell {
    let mut cell = match mark {
        Mark::Depth(depth) => Cell { depth: Some(depth), ..Cell::default() },
        Mark::Time(time) => Cell { seconds_allowed: Some(time.as_secs_f64()), ..Cell::default() },
    };
    cell.label = mark.label();
    let mut depths = Vec::new();
    for (sample, depth) in trials.iter().filter_map(|trial| mark.of(trial)) {
        cell.nodes += sample.nodes;
        cell.seconds += sample.elapsed.as_secs_f64();
        cell.solved += usize::from(sample.solved);
        depths.push(depth);
    }
    depths.sort_unstable();
    cell.median_depth = depths.get(depths.len() / 2).copied().unwrap_or(0);
    cell
}
