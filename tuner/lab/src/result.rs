//! Results: the searches of an experiment, summed up by suite, scheme and checkpoint.

use nullarbor::search::null_move::{Counts, Stats};
use nullarbor_stats::Interval;
use serde::{Deserialize, Serialize, Serializer};

use crate::checkpoint::Checkpoint;
use crate::counters::COUNTERS;
use crate::experiment::Experiment;
use crate::provenance::Provenance;
use crate::suite::{Problem, Suite};
use crate::tree;
use crate::trial::{Trial, Trials};

/// The results of an experiment.
#[derive(Clone, Debug)]
pub struct Results {
    /// One outcome for each scheme, suite by suite.
    pub suites: Vec<Vec<Outcome>>,
    /// The engine that searched.
    pub provenance: Provenance,
    /// Indices of the cells that tables show, at least one.
    pub shown: Vec<usize>,
    /// Index of the scheme that the others are compared with.
    pub reference: usize,
}

/// The results of one scheme on one suite, as `lab.json` has them.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Name of the suite.
    pub suite: String,
    /// Fingerprint of the suite.
    pub suite_fingerprint: String,
    /// The engine that searched.
    pub engine: Provenance,
    /// Name of the scheme.
    pub scheme: String,
    /// Name of the scheme that it is compared with.
    pub reference: String,
    /// Number of positions.
    pub positions: usize,
    /// Number of positions with a task.
    pub tasks: usize,
    /// True if the suite is about zugzwang.
    pub about_zugzwang: bool,
    /// Number of legal moves of each position; empty if they are not at hand.
    pub legal_moves: Vec<usize>,
    /// Estimate of the nodes that null moves saved ([`tree::saved`]), in searches to a depth.
    pub saved: Option<f64>,
    /// Totals by depth, from 1, or by time.
    pub cells: Vec<Cell>,
    /// Null-move counters of all iterations by remaining depth, from 0.
    #[serde(serialize_with = "counters")]
    pub null_moves: Vec<Counts>,
    /// Names of the positions solved at the last checkpoint.
    pub solved: Vec<String>,
    /// Positions that this scheme solved at the last checkpoint and the reference did not.
    pub solved_only_by_it: Vec<SolvedPosition>,
    /// Positions that the reference solved at the last checkpoint and this scheme did not.
    pub solved_only_by_reference: Vec<SolvedPosition>,
}

/// Totals over all positions of a suite at one checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cell {
    /// Column heading.
    pub label: String,
    /// The depth of the checkpoint in plies, if it is one.
    pub depth: Option<usize>,
    /// The time of the checkpoint in seconds, if it is one.
    pub seconds_allowed: Option<f64>,
    /// Median of the completed depths in plies. The mean would be dominated by searches that found a mate.
    pub median_depth: usize,
    /// Nodes searched.
    pub nodes: u64,
    /// Time spent, in seconds.
    pub seconds: f64,
    /// Number of tasks solved.
    pub solved: usize,
    /// Nodes of each position, in the order of the suite; empty if they are not at hand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub position_nodes: Vec<u64>,
}

/// A position that only one of two schemes solved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolvedPosition {
    /// Name of the position.
    pub id: String,
    /// The position in FEN.
    pub fen: String,
}

fn counters<S: Serializer>(by_depth: &[Counts], serializer: S) -> Result<S::Ok, S::Error> {
    struct Named<'a>(&'a Counts);

    impl Serialize for Named<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(COUNTERS.iter().map(|it| (it.key, (it.value)(self.0))))
        }
    }

    serializer.collect_seq(by_depth.iter().map(Named))
}

impl Cell {
    /// Returns how many times the nodes of another scheme this one needs: the geometric mean over the positions, with its 95 %
    /// interval; `None` if the nodes of fewer than two positions are known for both. A sum of nodes is ruled by its largest
    /// trees.
    pub fn mean_ratio(&self, base: &Self) -> Option<Interval> {
        Interval::of_geometric_mean(self.ratios(base)?)
    }

    /// Returns the ratio of the nodes of each position; `None` if they are not known for both.
    pub(crate) fn ratios(&self, base: &Self) -> Option<Vec<f64>> {
        let (own, base) = (&self.position_nodes, &base.position_nodes);
        let pairs = own.iter().zip(base);
        let ratios = pairs.map(|(&own, &base)| own.max(1) as f64 / base.max(1) as f64);
        (!own.is_empty() && own.len() == base.len()).then(|| ratios.collect())
    }
}

impl Outcome {
    /// Returns the null-move counters of all depths together.
    pub fn null_move_total(&self) -> Counts {
        let mut total = Counts::default();
        self.null_moves.iter().for_each(|counts| total += *counts);
        total
    }
}

impl Results {
    /// Sums up the searches of an experiment.
    pub fn new(experiment: &Experiment, trials: &Trials) -> Self {
        let provenance = Provenance::of(experiment.engine);
        let of_suite = |(suite, trials): (&Suite, &Vec<Vec<Trial>>)| {
            let schemes = 0..experiment.schemes.len();
            schemes.map(|scheme| outcome(experiment, &provenance, suite, scheme, trials)).collect()
        };
        Self {
            suites: experiment.suites.iter().zip(trials).map(of_suite).collect(),
            shown: experiment.checkpoints.requested(),
            reference: experiment.reference,
            provenance,
        }
    }
}

fn outcome(
    experiment: &Experiment,
    provenance: &Provenance,
    suite: &Suite,
    scheme: usize,
    by_scheme: &[Vec<Trial>],
) -> Outcome {
    let (own, reference) = (&by_scheme[scheme], &by_scheme[experiment.reference]);
    let mut stats = Stats::default();
    own.iter().for_each(|trial| stats += &trial.null_moves);
    let checkpoints = experiment.checkpoints.evaluated();
    let moves = |problem: &Problem| problem.position.legal_moves().len();
    let legal_moves: Vec<usize> = suite.problems.iter().map(moves).collect();
    let named = &experiment.schemes[scheme];
    let saved = legal_moves.iter().zip(own);
    let saved = saved.map(|(&moves, trial)| tree::saved(trial, moves, &named.scheme)).sum();
    let unsolved = vec![Trial::default(); own.len()];
    let solved = solved_only(suite, own, &unsolved);
    Outcome {
        suite: suite.name.clone(),
        suite_fingerprint: suite.fingerprint.clone(),
        engine: provenance.clone(),
        scheme: named.name.clone(),
        reference: experiment.schemes[experiment.reference].name.clone(),
        positions: suite.problems.len(),
        tasks: suite.problems.iter().filter(|problem| problem.task.is_some()).count(),
        about_zugzwang: suite.is_about_zugzwang(),
        legal_moves,
        saved,
        cells: checkpoints.iter().map(|&checkpoint| cell(checkpoint, own)).collect(),
        null_moves: stats.by_depth().to_vec(),
        solved: solved.into_iter().map(|position| position.id).collect(),
        solved_only_by_it: solved_only(suite, own, reference),
        solved_only_by_reference: solved_only(suite, reference, own),
    }
}

fn solved_only(suite: &Suite, by: &[Trial], not_by: &[Trial]) -> Vec<SolvedPosition> {
    let searched = suite.problems.iter().zip(by.iter().zip(not_by));
    searched
        .filter(|(_, (by, not_by))| by.is_solved() && !not_by.is_solved())
        .map(|(problem, _)| SolvedPosition {
            id: problem.id.clone(),
            fen: problem.position.to_string(),
        })
        .collect()
}

fn cell(checkpoint: Checkpoint, trials: &[Trial]) -> Cell {
    let mut cell = match checkpoint {
        Checkpoint::Depth(depth) => Cell { depth: Some(depth), ..Cell::default() },
        Checkpoint::Time(time) => {
            Cell { seconds_allowed: Some(time.as_secs_f64()), ..Cell::default() }
        }
    };
    cell.label = checkpoint.label();
    let mut depths = Vec::new();
    let states: Vec<_> = trials.iter().map(|trial| trial.at(checkpoint)).collect();
    let nodes = states.iter().map(|state| state.map_or(0, |(sample, _)| sample.nodes));
    cell.position_nodes = nodes.collect();
    for (sample, depth) in states.into_iter().flatten() {
        cell.nodes += sample.nodes;
        cell.seconds += sample.elapsed.as_secs_f64();
        cell.solved += usize::from(sample.solved);
        depths.push(depth);
    }
    depths.sort_unstable();
    cell.median_depth = depths.get(depths.len() / 2).copied().unwrap_or(0);
    cell
}
