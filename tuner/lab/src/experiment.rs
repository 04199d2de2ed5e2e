//! Every scheme on every position.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crossbeam::channel::Sender;
use nullarbor::board::KeyHistory;
use nullarbor::engine::{Engine, EngineError};
use nullarbor::search::{Report, Sink, null_move};
use nullarbor::types::{Bound, Depth, Move};

use super::marks::Marks;
use super::suite::{Problem, Suite};
use nullarbor_games::scheme::{EngineKind, Scheme};
use nullarbor_games::work::{Stop, crew};

/// What is tried, and how.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The positions.
    pub suites: Vec<Suite>,
    /// The schemes.
    pub schemes: Vec<Scheme>,
    /// The search.
    pub engine: EngineKind,
    /// How far, and where it is looked at.
    pub marks: Marks,
    /// Size of the table in MiB.
    pub hash: usize,
    /// Searches at the same time.
    pub workers: usize,
}

/// What a search had found when an iteration was done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Nodes of all iterations so far.
    pub nodes: u64,
    /// Time of all iterations so far.
    pub elapsed: Duration,
    /// Whether the task was done.
    pub solved: bool,
}

/// One search.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// What was found, by the depth of the iteration, from 1. Where time is the limit, the last one is what it ended with.
    pub samples: Vec<Sample>,
    /// How null moves fared, by depth left.
    pub null_moves: null_move::Stats,
}

/// All searches: by suite, scheme and problem.
pub type Trials = Vec<Vec<Vec<Trial>>>;

/// Which search: numbers of suite, scheme and problem.
#[derive(Clone, Copy, Debug)]
struct Place {
    suite: usize,
    scheme: usize,
    problem: usize,
}

impl Experiment {
    /// How many searches it takes.
    pub fn searches(&self) -> usize {
        self.places().count()
    }

    fn places(&self) -> impl Iterator<Item = Place> + '_ {
        let suites = self.suites.iter().enumerate();
        suites.flat_map(move |(suite, positions)| {
            let problems = 0..positions.problems.len();
            problems.flat_map(move |problem| {
                (0..self.schemes.len()).map(move |scheme| Place { suite, scheme, problem })
            })
        })
    }

    /// Makes all searches; `done` is called after each. Nothing depends on the number of workers but the times, and what
    /// was found where time is the limit. `None` where it was stopped.
    ///
    /// # Errors
    /// Where there is not enough memory for the tables.
    pub fn run(&self, stop: &Stop, mut done: impl FnMut()) -> Result<Option<Trials>, EngineError> {
        let engines = (0..self.workers).map(|_| self.engine()).collect::<Result<Vec<_>, _>>()?;
        let engines = Mutex::new(engines);
        let mut trials: Trials = self
            .suites
            .iter()
            .map(|suite| vec![vec![Trial::default(); suite.problems.len()]; self.schemes.len()])
            .collect();
        let mut left = self.searches();
        let places: Vec<Place> = self.places().collect();
        let begin = || engines.lock().ok().and_then(|mut engines| engines.pop());
        let work = |engine: &mut Option<Engine>, place: Place, sender: &Sender<(Place, Trial)>| {
            if let Some(engine) = engine {
                let problem = &self.suites[place.suite].problems[place.problem];
                let trial = self.search(engine, &self.schemes[place.scheme], problem);
                // The receiver lives as long as the crew.
                let _ = sender.send((place, trial));
            }
        };
        let take = |(place, trial): (Place, Trial)| {
            trials[place.suite][place.scheme][place.problem] = trial;
            left -= 1;
            done();
        };
        crew::run(self.workers, places.into_iter(), stop, begin, work, take);
        Ok((left == 0).then_some(trials))
    }

    fn engine(&self) -> Result<Engine, EngineError> {
        let mut engine = Engine::new(self.hash, 1)?;
        engine.set_params(self.engine.params());
        Ok(engine)
    }

    fn search(&self, engine: &mut Engine, scheme: &Scheme, problem: &Problem) -> Trial {
        engine.set_scheme(scheme.policy);
        engine.new_game();
        engine.set_position(problem.position.clone(), KeyHistory::new());
        let recorder = Arc::new(Recorder { problem: problem.clone(), samples: Mutex::default() });
        let start = Instant::now();
        let finding = engine.search(&self.marks.limits(), Arc::clone(&recorder) as Arc<dyn Sink>);
        let elapsed = start.elapsed();
        let mut samples = recorder.samples.lock().map_or_else(|_| Vec::new(), |list| list.clone());
        let Ok(finding) = finding else { return Trial::default() };
        if let Marks::Times(_) = self.marks {
            let best = &finding.outcome.best;
            let solved = problem.task.is_done_by(finding.outcome.best_move(), best.score);
            samples.push(Sample { nodes: finding.nodes, elapsed, solved });
        }
        Trial { samples, null_moves: finding.null_moves }
    }
}

/// Keeps what stands at the end of each iteration.
struct Recorder {
    problem: Problem,
    samples: Mutex<Vec<Sample>>,
}

impl Sink for Recorder {
    fn report(&self, report: &Report<'_>) {
        if report.bound != Bound::Exact || report.multi_pv != 1 {
            return;
        }
        let Report { score, nodes, elapsed, pv, .. } = *report;
        let best = pv.first().copied().unwrap_or(Move::NONE);
        let solved = self.problem.task.is_done_by(best, score);
        let sample = Sample { nodes, elapsed, solved };
        let index = report.depth.0.unsigned_abs() as usize - 1;
        if let Ok(mut samples) = self.samples.lock() {
            // An iteration that says nothing has found nothing new.
            let last = samples.last().copied().unwrap_or(sample);
            samples.resize(index, last);
            samples.push(sample);
        }
    }

    fn current_move(&self, _: Depth, _: Move, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Task;
    use nullarbor::board::Position;

    fn problem(fen: &str, task: Task) -> Problem {
        let position = Position::from_fen(fen).expect("valid");
        Problem { id: "p".to_owned(), position, task }
    }

    fn experiment(workers: usize) -> Experiment {
        let mate = problem("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", Task::Mate(1));
        let start = problem(Position::START_FEN, Task::Search);
        let suite = Suite { name: "s".to_owned(), problems: vec![mate, start] };
        let schemes = ["off", "fixed-2", "verified"];
        Experiment {
            suites: vec![suite],
            schemes: schemes.map(|name| Scheme::read(name).expect("a preset")).to_vec(),
            engine: EngineKind::Plain,
            marks: Marks::Depths(vec![7]),
            hash: 1,
            workers,
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
            trials.expect("memory").expect("nobody stops it")
        };
        let alone = run(1);
        assert_eq!(nodes(&alone), nodes(&run(3)));
        let start = |scheme: usize| alone[0][scheme][1].samples.last().expect("iterations").nodes;
        assert!(start(1) < start(0), "null moves save nodes: {} and {}", start(1), start(0));
        assert!(alone[0][0][0].samples[0].solved, "a mate in one");
        assert_eq!(alone[0][0][1].null_moves.total().attempts, 0);
        let verified = alone[0][2][1].null_moves.total();
        assert!(verified.verifications > 0 && verified.cutoffs > verified.verifications);
        assert!(alone[0][0][1].samples.len() == 7);
    }

    #[test]
    fn time_is_a_limit_too() {
        let times = [20, 60].map(Duration::from_millis);
        let experiment = Experiment { marks: Marks::Times(times.to_vec()), ..experiment(1) };
        let trials = experiment.run(&Stop::new(), || {}).expect("memory").expect("nobody stops it");
        let start = &trials[0][0][1].samples;
        assert!(start.last().expect("a sample").elapsed >= Duration::from_millis(40), "{start:?}");
        assert!(trials[0][0][0].samples.last().expect("a sample").solved, "a mate in one");
    }

    #[test]
    fn it_can_be_stopped() {
        let stop = Stop::new();
        stop.ask();
        assert!(experiment(1).run(&stop, || {}).expect("memory").is_none());
    }
}
