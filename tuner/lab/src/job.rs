//! The searches of an experiment as jobs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nullarbor::board::{Game, Position};
use nullarbor::engine::Engine;
use nullarbor::search::null_move::{Counts, Scheme};
use nullarbor::search::{Report, Sink};
use nullarbor::types::{Bound, Depth, MAX_PLY, Move};
use nullarbor_games::scheme::{EngineKind, NamedScheme};
use nullarbor_runs::{NotPortable, Portable, RunSpec, SpecError, Stop};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::checkpoint::Checkpoints;
use crate::counters::numbers;
use crate::error::ExperimentError;
use crate::suite::{Problem, Task};
use crate::trial::{Sample, Trial};

/// Settings that the searches of an experiment have in common.
pub struct Searches {
    /// The schemes.
    pub schemes: Vec<NamedScheme>,
    /// The search in which they are tried.
    pub engine: EngineKind,
    /// Checkpoints at which the searches are compared.
    pub checkpoints: Checkpoints,
    /// Size of each transposition table in MiB.
    pub hash: usize,
}

/// A search.
#[derive(Debug, Serialize, Deserialize)]
pub struct SearchTask {
    /// Number of the search in the experiment.
    pub number: u64,
    /// The index of its scheme.
    pub scheme: usize,
    /// Position to search, and its task.
    #[serde(with = "problem_text")]
    pub problem: Problem,
}

#[derive(Serialize, Deserialize)]
struct Packed {
    schemes: Vec<String>,
    engine: EngineKind,
    depths: Vec<usize>,
    times: Vec<Duration>,
    hash: usize,
}

/// No search takes longer: a month.
const LONGEST: Duration = Duration::from_secs(31 * 86_400);
/// More than a search of a month visits. Sums of many searches do not overflow.
const TOO_MANY_NODES: u64 = 1 << 48;

fn is_count(counts: &Counts) -> bool {
    numbers(counts).into_iter().all(|count| count < TOO_MANY_NODES)
}

impl Portable for Searches {
    const KIND: &'static str = "lab";
    type Task = SearchTask;
    type Output = Trial;
    type Error = ExperimentError;
    type Worker<'a> = Engine;

    fn to_spec(&self) -> Result<RunSpec, NotPortable> {
        let name = |named: &NamedScheme| {
            let known = NamedScheme::read(&named.name).is_ok_and(|known| known == *named);
            let other =
                || NotPortable(format!("searches with {}, a scheme of a file,", named.name));
            known.then(|| named.name.clone()).ok_or_else(other)
        };
        let (depths, times) = match &self.checkpoints {
            Checkpoints::Depths(depths) => (depths.clone(), Vec::new()),
            Checkpoints::Times(times) => (Vec::new(), times.clone()),
        };
        let schemes = self.schemes.iter().map(name).collect::<Result<_, _>>()?;
        Ok(RunSpec::of(&Packed { schemes, engine: self.engine, depths, times, hash: self.hash }))
    }

    fn from_spec(spec: &RunSpec, _: &Arc<Stop>) -> Result<Self, SpecError> {
        let Packed { schemes, engine, depths, times, hash } = spec.read()?;
        if let Some(file) = schemes.iter().find(|name| NamedScheme::file(name).is_some()) {
            return Err(SpecError::Other(format!("{file} is a file")));
        }
        let is_depth = |depth: &usize| (1..=Depth::MAX.0 as usize).contains(depth);
        let is_time = |time: &Duration| !time.is_zero() && *time <= LONGEST;
        if !depths.iter().all(is_depth) || !times.iter().all(is_time) || hash == 0 {
            return Err(SpecError::Other("a depth, time or table that none has".to_owned()));
        }
        if depths.is_empty() && times.is_empty() {
            return Err(SpecError::Other("searches without a limit".to_owned()));
        }
        let schemes =
            NamedScheme::read_all(&schemes).map_err(|error| SpecError::Other(error.to_string()))?;
        Ok(Self { schemes, engine, checkpoints: Checkpoints::new(&depths, &times), hash })
    }

    fn worker(&self) -> Result<Engine, ExperimentError> {
        Ok(self.engine.engine(self.hash)?)
    }

    fn number(task: &SearchTask) -> u64 {
        task.number
    }

    fn work(&self, engine: &mut Engine, task: SearchTask) -> Result<Trial, ExperimentError> {
        let named = self.schemes.get(task.scheme);
        let named = named.ok_or(ExperimentError::NoScheme(task.scheme))?;
        Ok(self.search(engine, named.scheme, task.problem))
    }

    fn check(&self, _: &SearchTask, done: &Trial) -> Result<(), String> {
        let is_possible = done.samples.len() <= MAX_PLY
            && done.samples.iter().all(|it| it.nodes < TOO_MANY_NODES && it.elapsed <= LONGEST)
            && done.null_moves.by_depth().iter().all(is_count);
        is_possible.then_some(()).ok_or_else(|| "no search gives such numbers".to_owned())
    }

    /// Returns whether the checkpoints are depths: the result at a time depends on the machine.
    fn is_repeatable(&self) -> bool {
        matches!(self.checkpoints, Checkpoints::Depths(_))
    }

    fn agree(one: &Trial, other: &Trial) -> bool {
        let timeless = |trial: &Trial| {
            let mut trial = trial.clone();
            trial.samples.iter_mut().for_each(|sample| sample.elapsed = Duration::ZERO);
            serde_json::to_value(&trial).unwrap_or_default()
        };
        timeless(one) == timeless(other)
    }
}

impl Searches {
    fn search(&self, engine: &mut Engine, scheme: Scheme, problem: Problem) -> Trial {
        engine.set_scheme(scheme);
        engine.new_game();
        engine.set_game(Game::new(problem.position.clone()));
        let recorder = Arc::new(Recorder { problem, samples: Mutex::default() });
        let start = Instant::now();
        let limits = self.checkpoints.limits();
        let finding = engine.search(&limits, Arc::clone(&recorder) as Arc<dyn Sink>);
        let elapsed = start.elapsed();
        let mut samples = std::mem::take(&mut *recorder.samples.lock());
        let Ok(finding) = finding else { return Trial::default() };
        if let Checkpoints::Times(_) = self.checkpoints {
            let best = &finding.outcome.best;
            let solved = recorder.problem.is_solved_by(finding.outcome.best_move(), best.score);
            samples.push(Sample { nodes: finding.nodes, elapsed, solved });
        }
        Trial { samples, null_moves: finding.null_moves }
    }
}

/// Takes a sample at the end of each iteration.
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
        let sample = Sample { nodes, elapsed, solved: self.problem.is_solved_by(best, score) };
        let index = report.depth.0.unsigned_abs() as usize - 1;
        let mut samples = self.samples.lock();
        // An iteration without a report has found nothing new.
        let last = samples.last().copied().unwrap_or(sample);
        samples.resize(index, last);
        samples.push(sample);
    }

    fn current_move(&self, _: Depth, _: Move, _: usize) {}
}

/// A problem as text: its position as FEN, its moves as UCI.
mod problem_text {
    use serde::de::Error;
    use serde::{Deserializer, Serializer};

    use super::{Deserialize, Move, Position, Problem, Serialize, Task};

    #[derive(Serialize, Deserialize)]
    struct Text {
        id: String,
        fen: String,
        task: Option<TaskText>,
    }

    #[derive(Serialize, Deserialize)]
    enum TaskText {
        Best(Vec<String>),
        Avoid(Vec<String>),
        Mate(i32),
    }

    pub fn serialize<S: Serializer>(problem: &Problem, to: S) -> Result<S::Ok, S::Error> {
        let moves = |moves: &[Move]| {
            moves.iter().map(|&mv| problem.position.uci(mv, true)).collect::<Vec<_>>()
        };
        let task = problem.task.as_ref().map(|task| match task {
            Task::Best(best) => TaskText::Best(moves(best)),
            Task::Avoid(bad) => TaskText::Avoid(moves(bad)),
            Task::Mate(count) => TaskText::Mate(*count),
        });
        Text { id: problem.id.clone(), fen: problem.position.to_string(), task }.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Problem, D::Error> {
        let Text { id, fen, task } = Text::deserialize(from)?;
        let position = Position::from_fen(&fen).map_err(D::Error::custom)?;
        if !position.has_moves() {
            return Err(D::Error::custom("a position without legal moves"));
        }
        let moves = |texts: Vec<String>| {
            let moves = texts.iter().map(|text| position.parse_uci(text));
            moves.collect::<Result<Vec<_>, _>>().map_err(D::Error::custom)
        };
        let task = match task {
            None => None,
            Some(TaskText::Best(texts)) => Some(Task::Best(moves(texts)?)),
            Some(TaskText::Avoid(texts)) => Some(Task::Avoid(moves(texts)?)),
            Some(TaskText::Mate(count)) => Some(Task::Mate(count)),
        };
        Ok(Problem { id, position, task })
    }
}
