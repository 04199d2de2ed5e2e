//! A run: games on all cores, results applied in order, each finished iteration in the journal.

use std::collections::BTreeMap;
use std::path::{Path as StdPath, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam::channel::{self, Sender};
use nullarbor::engine::EngineError;
use nullarbor_openings::{Book, BookError, Opening};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::pair::{self, Duel, Seating};
use super::perturbation::Perturbation;
use super::pipeline::Pipeline;
use super::run_file::{Mistake, RunFile};
use super::theta::{Axis, Path};
use nullarbor_games::game::Rules;
use nullarbor_games::journal::{Journal, JournalError, Kind, Opened};
use nullarbor_games::limit::Limit;
use nullarbor_games::stats::{GameResult, PairCounts};
use nullarbor_games::work::{Stop, crew};

const RUN: Kind = Kind { key: "nullarbor_spsa", name: "tuning run" };

/// A finished iteration, as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// Its number, from 1.
    pub number: u64,
    /// What its first setting did against the second.
    pub pairs: PairCounts,
}

impl Iteration {
    /// How many games its first setting won more than it lost.
    pub fn net(&self) -> i64 {
        self.pairs.wins() as i64 - self.pairs.losses() as i64
    }
}

/// Why a run was not made, or not to its end.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum RunError {
    #[error(transparent)]
    Mistake(#[from] Mistake),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("{path} is the journal of another run: its run file says something else", path = path.display())]
    Different { path: PathBuf },
    #[error("{path}: iteration {number} stands where {expected} should; the journal is not whole", path = path.display())]
    Order { path: PathBuf, number: u64, expected: u64 },
    #[error("{path}: it has no first line yet; nothing was played", path = path.display())]
    Unbegun { path: PathBuf },
}

/// Sees a run go on.
pub trait Watch {
    /// An iteration was applied.
    fn applied(&mut self, iteration: &Iteration, path: &Path);
}

/// A run on disk: what it is, and what was played.
#[derive(Debug)]
pub struct Record {
    /// What the user wanted.
    pub run: RunFile,
    /// What was played.
    pub iterations: Vec<Iteration>,
}

impl Record {
    /// Reads the journal of a run, which may be going on.
    ///
    /// # Errors
    /// Where there is none, or it is damaged.
    pub fn read(path: &StdPath) -> Result<Self, RunError> {
        let (run, iterations) = Journal::read(RUN, path)?;
        let run = run.ok_or_else(|| RunError::Unbegun { path: path.to_owned() })?;
        check_order(path, &iterations)?;
        Ok(Self { run, iterations })
    }
}

fn check_order(path: &StdPath, iterations: &[Iteration]) -> Result<(), RunError> {
    let wrong = (1..).zip(iterations).find(|(expected, found)| found.number != *expected);
    match wrong {
        Some((expected, found)) => {
            Err(RunError::Order { path: path.to_owned(), number: found.number, expected })
        }
        None => Ok(()),
    }
}

/// A run that is ready to be played, or to be gone on with.
pub struct Session {
    run: RunFile,
    pipeline: Pipeline,
    journal: Journal,
    /// Whether the journal ended in the middle of a line, which was dropped.
    pub was_torn: bool,
    openings: Vec<Opening>,
    rules: Rules,
    limit: Limit,
}

impl Session {
    /// Opens the journal of a run, or begins one, and gets to where it was.
    ///
    /// # Errors
    /// Where the run cannot be made, or the journal is another run's or damaged.
    pub fn open(run: RunFile, path: &StdPath, watch: &mut dyn Watch) -> Result<Self, RunError> {
        let limit = run.limit()?;
        // How many play decides nothing, so it may change.
        let run = RunFile { concurrency: None, ..run };
        let mut book = Book::open(&run.book, None)?;
        book.shuffle(run.seed);
        let opened: Opened<RunFile, Iteration> = Journal::open(RUN, path)?;
        if opened.subject.as_ref().is_some_and(|then| *then != run) {
            return Err(RunError::Different { path: path.to_owned() });
        }
        check_order(path, &opened.pieces)?;
        let mut pipeline = pipeline(&run)?;
        replay(&mut pipeline, &opened.pieces, |iteration, _, path| watch.applied(iteration, path));
        let mut journal = opened.journal;
        journal.begin(&run)?;
        let rules = pair::rules(book.needs_chess960());
        let (was_torn, openings) = (opened.was_torn, book.openings);
        Ok(Self { run, pipeline, journal, was_torn, openings, rules, limit })
    }

    /// Where the parameters are.
    pub fn path(&self) -> &Path {
        self.pipeline.path()
    }

    /// Plays what is left, until it is done or somebody stops it; says whether it is done.
    ///
    /// # Errors
    /// Where memory is short or the journal cannot be written. What was finished is in the journal.
    pub fn play(
        &mut self,
        workers: usize,
        stop: &Arc<Stop>,
        watch: &mut dyn Watch,
    ) -> Result<bool, RunError> {
        let players =
            (0..workers).map(|_| Duel::new(self.run.hash, stop)).collect::<Result<Vec<_>, _>>()?;
        let players = Mutex::new(players);
        let begin = || players.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let (sender, tasks) = channel::unbounded();
        let axes: Vec<Axis> = self.pipeline.path().axes().to_vec();
        let pairs = self.run.pairs_per_iteration;
        let openings = &self.openings;
        let seating = Seating { limit: &self.limit, rules: &self.rules, stop };
        let work = |players: &mut Option<Duel>, task: Task, sender: &Sender<Played>| {
            let number = (task.iteration - 1) * pairs + task.pair;
            let opening = &openings[(number % openings.len() as u64) as usize];
            let result = players
                .as_mut()
                .and_then(|players| players.play(&axes, &task.settings, opening, &seating));
            // The receiver lives as long as the crew.
            let _ = result.map(|result| sender.send(Played { iteration: task.iteration, result }));
        };
        let mut keeper = Keeper {
            pipeline: &mut self.pipeline,
            journal: &mut self.journal,
            pairs,
            counts: BTreeMap::new(),
            tasks: Some(sender),
            error: None,
            watch,
        };
        keeper.hand_out_what_is_under_way();
        keeper.hand_out();
        crew::run(workers, tasks.into_iter(), stop, begin, work, |played| {
            keeper.take(played, stop)
        });
        match keeper.error {
            Some(error) => Err(error.into()),
            None => Ok(self.pipeline.is_done()),
        }
    }
}

/// A pair to be played.
struct Task {
    iteration: u64,
    /// Its number in the iteration, from 0.
    pair: u64,
    settings: Arc<Perturbation>,
}

/// A pair that was played.
struct Played {
    iteration: u64,
    result: [GameResult; 2],
}

/// Hands all pairs of an iteration out.
fn send(tasks: &Sender<Task>, iteration: u64, settings: &Perturbation, pairs: u64) {
    let settings = Arc::new(settings.clone());
    for pair in 0..pairs {
        // The other end lives as long as the crew.
        let _ = tasks.send(Task { iteration, pair, settings: Arc::clone(&settings) });
    }
}

/// Hands out pairs and takes results.
struct Keeper<'a> {
    pipeline: &'a mut Pipeline,
    journal: &'a mut Journal,
    pairs: u64,
    /// Iterations under way with what was played of them.
    counts: BTreeMap<u64, PairCounts>,
    /// Where pairs are handed out; gone when there is nothing more to do.
    tasks: Option<Sender<Task>>,
    error: Option<JournalError>,
    watch: &'a mut dyn Watch,
}

impl Keeper<'_> {
    /// Iterations that had been begun when the run was stopped are played from their beginning.
    fn hand_out_what_is_under_way(&self) {
        if let Some(tasks) = &self.tasks {
            let under_way = self.pipeline.under_way();
            under_way.for_each(|(number, settings)| send(tasks, number, settings, self.pairs));
        }
    }

    fn hand_out(&mut self) {
        while let (Some(tasks), Some((number, settings))) = (&self.tasks, self.pipeline.begin()) {
            send(tasks, number, settings, self.pairs);
        }
        if self.pipeline.is_done() {
            self.tasks = None;
        }
    }

    fn take(&mut self, played: Played, stop: &Stop) {
        let [one, other] = played.result;
        self.counts.entry(played.iteration).or_default().add(one, other);
        while let Some(iteration) = self.finished() {
            self.pipeline.apply(iteration.net());
            self.watch.applied(&iteration, self.pipeline.path());
            if let Err(error) = self.journal.add(&iteration).and_then(|()| self.journal.sync()) {
                self.error.get_or_insert(error);
                stop.ask();
            }
            self.hand_out();
        }
        if stop.is_finishing() {
            self.tasks = None;
        }
    }

    /// The next iteration, if all its pairs were played.
    fn finished(&mut self) -> Option<Iteration> {
        let number = self.pipeline.path().applied() + 1;
        let counts = self.counts.get(&number).filter(|counts| counts.pairs() == self.pairs)?;
        let iteration = Iteration { number, pairs: *counts };
        self.counts.remove(&number);
        Some(iteration)
    }
}

/// The run before its first iteration.
///
/// # Errors
/// Where it is none.
pub fn pipeline(run: &RunFile) -> Result<Pipeline, Mistake> {
    let path = Path::new(run.schedule(), run.axes()?);
    Ok(Pipeline::new(path, run.seed, run.lag, run.iterations))
}

/// Brings a run to where it was; `see` gets each iteration, its settings, and where it led.
pub fn replay(
    pipeline: &mut Pipeline,
    iterations: &[Iteration],
    mut see: impl FnMut(&Iteration, &Perturbation, &Path),
) {
    for iteration in iterations {
        while pipeline.begin().is_some() {}
        if let Some(settings) = pipeline.apply(iteration.net()) {
            see(iteration, &settings, pipeline.path());
        }
    }
}
