//! Experiments: every scheme searches every position.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use nullarbor_games::in_process::EngineOptions;
use nullarbor_games::limit::Limit;
use nullarbor_games::matches::RoundRobin;
use nullarbor_games::scheme::{EngineKind, NamedScheme};
use nullarbor_runs::{Stop, Workers};
use nullarbor_stats::Sprt;
use serde::{Deserialize, Serialize};

use crate::checkpoint::Checkpoints;
use crate::error::ExperimentError;
use crate::job::{SearchTask, Searches};
use crate::suite::Suite;
use crate::trial::{Trial, Trials};

/// The positions that are searched, and the settings of the searches.
///
/// ```
/// use nullarbor_games::scheme::{EngineKind, NamedScheme};
/// use nullarbor_runs::{Stop, Workers};
/// use nullarbor_lab::checkpoint::Checkpoints;
/// use nullarbor_lab::experiment::Experiment;
/// use nullarbor_lab::result::Results;
/// use nullarbor_lab::suite::Suite;
///
/// let suite = Suite::parse("back-rank", "6k1/5ppp/8/8/8/8/8/K3R3 w - - bm Re8#; dm 1; id \"mate\";")?;
/// let experiment = Experiment {
///     suites: vec![suite],
///     schemes: NamedScheme::read_all(&["off", "verified"])?,
///     reference: 0,
///     engine: EngineKind::Plain,
///     checkpoints: Checkpoints::new(&[1, 3], &[]),
///     hash: 1,
///     workers: Workers::Threads(1),
/// };
/// let trials = experiment.run(&Stop::new(), || {})?;
/// let results = Results::new(&experiment, &trials);
/// assert_eq!(results.suites[0][1].solved, ["mate"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The suites of positions.
    pub suites: Vec<Suite>,
    /// The schemes, at least one.
    pub schemes: Vec<NamedScheme>,
    /// Index of the scheme that the others are compared with.
    pub reference: usize,
    /// The search in which the schemes are tried.
    pub engine: EngineKind,
    /// Checkpoints at which the searches are compared.
    pub checkpoints: Checkpoints,
    /// Size of each transposition table in MiB.
    pub hash: usize,
    /// Threads or machines that do the searches.
    pub workers: Workers,
}

/// The indices of one search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Place {
    pub suite: usize,
    pub scheme: usize,
    pub problem: usize,
}

impl Experiment {
    /// Returns the number of searches.
    pub fn searches(&self) -> usize {
        self.places().count()
    }

    fn places(&self) -> impl Iterator<Item = Place> + Send + '_ {
        let suites = self.suites.iter().enumerate();
        suites.flat_map(move |(suite, positions)| {
            let problems = 0..positions.problems.len();
            problems.flat_map(move |problem| {
                (0..self.schemes.len()).map(move |scheme| Place { suite, scheme, problem })
            })
        })
    }

    /// Returns games of the schemes against each other.
    pub fn round_robin(
        &self,
        limit: Limit,
        games: u64,
        seed: u64,
        sprt: Option<Sprt>,
        quiet: bool,
    ) -> RoundRobin {
        let player = |scheme: &NamedScheme| {
            let (hash, engine, null_move) = (self.hash, self.engine, scheme.clone());
            (
                scheme.name.clone(),
                EngineOptions { hash, engine, null_move, ..EngineOptions::default() },
            )
        };
        let players = self.schemes.iter().map(player).collect();
        RoundRobin { players, limit, games, seed, sprt, workers: self.workers.clone(), quiet }
    }

    /// Runs all searches and calls `done` after each of them. Under a depth limit only the times depend on the machine and
    /// on the number of workers.
    ///
    /// # Errors
    /// If there is not enough memory for the transposition tables, or it was interrupted.
    pub fn run(&self, stop: &Stop, mut done: impl FnMut()) -> Result<Trials, ExperimentError> {
        let done = |_: Place, _: &Trial| {
            done();
            Ok(())
        };
        self.resume(&BTreeMap::new(), stop, done)
    }

    /// Runs the searches that are not `known` and calls `done` with each of them.
    ///
    /// # Errors
    /// As [`Experiment::run`], or if `done` fails.
    pub fn resume(
        &self,
        known: &BTreeMap<Place, Trial>,
        stop: &Stop,
        mut done: impl FnMut(Place, &Trial) -> Result<(), ExperimentError>,
    ) -> Result<Trials, ExperimentError> {
        let mut trials: Trials = self
            .suites
            .iter()
            .map(|suite| vec![vec![Trial::default(); suite.problems.len()]; self.schemes.len()])
            .collect();
        let places: Vec<Place> = self.places().filter(|place| !known.contains_key(place)).collect();
        let tasks = (0..).zip(&places).map(|(number, place)| SearchTask {
            number,
            scheme: place.scheme,
            problem: self.suites[place.suite].problems[place.problem].clone(),
        });
        let searches = Searches {
            schemes: self.schemes.clone(),
            engine: self.engine,
            checkpoints: self.checkpoints.clone(),
            hash: self.hash,
        };
        let take = |number: u64, trial| {
            let place = places[number as usize];
            done(place, &trial)?;
            trials[place.suite][place.scheme][place.problem] = trial;
            Ok(ControlFlow::Continue(()))
        };
        self.workers.run_unordered(&searches, None, stop, tasks, |_| {}, take)?;
        for (place, trial) in known {
            trials[place.suite][place.scheme][place.problem] = trial.clone();
        }
        Ok(trials)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SUITE: &str = "6k1/5ppp/8/8/8/8/8/K3R3 w - - dm 1;\n\
                         rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";

    fn experiment(workers: usize) -> Experiment {
        Experiment {
            suites: vec![Suite::parse("s", SUITE).expect("a suite")],
            schemes: NamedScheme::read_all(&["off", "fixed-2", "verified"]).expect("schemes"),
            reference: 0,
            engine: EngineKind::Plain,
            checkpoints: Checkpoints::new(&[7], &[]),
            hash: 1,
            workers: Workers::Threads(workers),
        }
    }

    fn nodes(trials: &Trials) -> Vec<u64> {
        let all = trials.iter().flatten().flatten();
        all.flat_map(|trial| trial.samples.iter().map(|sample| sample.nodes)).collect()
    }

    #[test]
    fn the_trees_do_not_depend_on_the_number_of_workers() {
        let run = |workers| {
            let trials = experiment(workers).run(&Stop::new(), || {});
            trials.expect("not stopped")
        };
        let alone = run(1);
        assert_eq!(nodes(&alone), nodes(&run(3)));
        let start = |scheme: usize| alone[0][scheme][1].samples.last().expect("iterations").nodes;
        assert!(start(1) < start(0), "null moves save nodes: {} and {}", start(1), start(0));
        assert!(alone[0][0][0].samples[0].solved, "a mate in one");
        assert_eq!(alone[0][0][1].null_moves.total().attempts, 0);
        let verified = alone[0][2][1].null_moves.total();
        assert!(verified.verifications > 0 && verified.fail_highs > verified.verifications);
        assert_eq!(verified.cutoffs + verified.verifications, verified.fail_highs);
        assert!(alone[0][0][1].samples.len() == 7);
    }

    #[test]
    fn time_is_a_limit_too() {
        let checkpoints = Checkpoints::new(&[], &[20, 60].map(Duration::from_millis));
        let experiment = Experiment { checkpoints, ..experiment(1) };
        let trials = experiment.run(&Stop::new(), || {}).expect("not stopped");
        let start = &trials[0][0][1].samples;
        assert!(start.last().expect("a sample").elapsed >= Duration::from_millis(40), "{start:?}");
        assert!(trials[0][0][0].samples.last().expect("a sample").solved, "a mate in one");
    }

    #[test]
    fn it_can_be_stopped() {
        let stop = Stop::new();
        stop.request_stop();
        let stopped = experiment(1).run(&stop, || {});
        assert!(matches!(stopped, Err(ExperimentError::Interrupted(_))));
    }
}
