//! Results: the searches of an experiment, summed up by suite, scheme and checkpoint.

use nullarbor::search::null_move::{Counts, Stats};
use serde::{Deserialize, Serialize, Serializer};

use crate::checkpoint::Checkpoint;
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
    /// Mean number of legal moves of the positions, if they are at hand.
    pub legal_moves: Option<f64>,
    /// Estimate of the nodes that null moves saved ([`tree::saved`]), in searches to a depth.
    pub saved: Option<f64>,
    /// Totals by depth, from 1, or by time.
    pub cells: Vec<Cell>,
    /// Nodes of each position at the last checkpoint, in the order of the suite; empty if they are not at hand.
    pub position_nodes: Vec<u64>,
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
}

/// A position that only one of two schemes solved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolvedPosition {
    /// Name of the position.
    pub id: String,
    /// The position in FEN.
    pub fen: String,
}

/// One of the engine's null-move counters.
pub struct Counter {
    /// Name in CSV and JSON.
    pub key: &'static str,
    /// Column heading.
    pub heading: &'static str,
    /// Description of the events that it counts.
    pub meaning: &'static str,
    /// Reads it.
    pub value: fn(&Counts) -> u64,
}

/// All null-move counters, in the order of files and tables.
pub const COUNTERS: [Counter; 6] = [
    Counter {
        key: "attempts",
        heading: "attempts",
        meaning: "null-move searches: the side to move passes, and the opponent's reply is searched at reduced depth",
        value: |counts| counts.attempts,
    },
    Counter {
        key: "cutoffs",
        heading: "cutoffs",
        meaning: "attempts that failed high: passing reaches beta, so the node is left",
        value: |counts| counts.cutoffs,
    },
    Counter {
        key: "verifications",
        heading: "verifications",
        meaning: "cutoffs that a reduced search with moves has to confirm (verified null-move pruning)",
        value: |counts| counts.verifications,
    },
    Counter {
        key: "overturned",
        heading: "verification failed",
        meaning: "verifications that stayed below beta: the node is searched in full",
        value: |counts| counts.overturned,
    },
    Counter {
        key: "zugzwangs",
        heading: "zugzwang",
        meaning: "nodes searched again because passing failed high and no move did",
        value: |counts| counts.zugzwangs,
    },
    Counter {
        key: "threats",
        heading: "threats",
        meaning: "attempts in which the opponent mates the side that passed",
        value: |counts| counts.threats,
    },
];

fn counters<S: Serializer>(by_depth: &[Counts], serializer: S) -> Result<S::Ok, S::Error> {
    struct Named<'a>(&'a Counts);

    impl Serialize for Named<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(COUNTERS.iter().map(|it| (it.key, (it.value)(self.0))))
        }
    }

    serializer.collect_seq(by_depth.iter().map(Named))
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
    let last = checkpoints.last();
    let at_last = |trial: &Trial| last.and_then(|&last| trial.at(last));
    let moves = |problem: &Problem| problem.position.legal_moves().len();
    let legal_moves: usize = suite.problems.iter().map(moves).sum();
    let reduction = experiment.schemes[scheme].scheme.reduction;
    let saved = suite.problems.iter().zip(own);
    let saved = saved.map(|(problem, trial)| tree::saved(trial, moves(problem), reduction));
    let unsolved = vec![Trial::default(); own.len()];
    let solved = solved_only(suite, own, &unsolved);
    Outcome {
        suite: suite.name.clone(),
        suite_fingerprint: suite.fingerprint.clone(),
        engine: provenance.clone(),
        scheme: experiment.schemes[scheme].name.clone(),
        reference: experiment.schemes[experiment.reference].name.clone(),
        positions: suite.problems.len(),
        tasks: suite.problems.iter().filter(|problem| problem.task.is_some()).count(),
        about_zugzwang: suite.is_about_zugzwang(),
        legal_moves: Some(legal_moves as f64 / suite.problems.len().max(1) as f64),
        saved: saved.sum(),
        position_nodes: own.iter().map(|it| at_last(it).map_or(0, |(end, _)| end.nodes)).collect(),
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
    for (sample, depth) in trials.iter().filter_map(|trial| trial.at(checkpoint)) {
        cell.nodes += sample.nodes;
        cell.seconds += sample.elapsed.as_secs_f64();
        cell.solved += usize::from(sample.solved);
        depths.push(depth);
    }
    depths.sort_unstable();
    cell.median_depth = depths.get(depths.len() / 2).copied().unwrap_or(0);
    cell
}
