//! A run: pairs of games on all cores, results applied in order, each finished iteration in the journal.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crossbeam::channel::{self, Receiver, RecvTimeoutError, Sender};
use nullarbor_report::terminal::printable;
use nullarbor_runs::files::FileError;
use nullarbor_runs::journal::{Journal, Opened};
use nullarbor_runs::{InOrder, Interrupted, Stop, Workers};
use nullarbor_stats::{GameResult, PairCounts};

use super::engine::Engine;
use super::error::Error;
use super::gains::{Extension, Length};
use super::job::{PairTask, Pairs, PlayedPair};
use super::pair::Conditions;
use super::perturbation::Perturbation;
use super::pipeline::Pipeline;
use super::progress::Progress;
use super::record::{Entry, Iteration, JOURNAL, RUN, Record, Stopped, replay};
use super::run_copy;
use super::run_file::RunFile;
use super::start::Start;
use super::stop_rule::StopRule;
use super::theta::Theta;

const TORN: &str = "The last line of the journal was incomplete and is dropped.";
const OTHER_COPY: &str = "The run.toml in the folder was not that of this run, and is replaced.";
const UNTOLD: &str = "The journal was begun by an earlier version, which did not record the build of the engine and the openings: go on with the same ones.";
/// Interval at which a worker that waits for a task checks whether the run is over.
const POLL: Duration = Duration::from_millis(50);

/// Plays a run, or what is left of it, and keeps its journal in a folder. Progress goes to standard error.
///
/// # Errors
/// If the run cannot be played, the folder has another run or a damaged journal, or the work is interrupted. Finished
/// iterations are in the journal.
pub fn play(
    run: RunFile,
    dir: &Path,
    workers: &Workers,
    stop: &Arc<Stop>,
    quiet: bool,
) -> Result<(), Error> {
    let notices = run.notices()?;
    let mut session = Session::open(run, dir, stop)?;
    let mut progress = Progress::new(&session.run, session.theta(), quiet);
    session.notes.iter().for_each(|note| progress.say(note));
    match session.theta().iteration() {
        0 => notices.iter().for_each(|notice| progress.say(notice)),
        done => progress.say(&format!("Resumed after {done} iterations.")),
    }
    let played =
        if session.is_stopped { Ok(()) } else { session.play(workers, stop, &mut progress) };
    progress.end();
    played
}

/// Returns the run of a folder as it goes on: what may change may be changed in the run file there.
///
/// # Errors
/// If there is no run, or its journal is damaged.
pub fn resumed(dir: &Path) -> Result<RunFile, Error> {
    let run = Record::read(dir)?.run;
    let Some(copy) = run_copy::read(dir, &run) else { return Ok(run) };
    let RunFile { iterations, stop_below, concurrency, .. } = copy;
    Ok(RunFile { iterations: iterations.max(run.iterations), stop_below, concurrency, ..run })
}

/// A run that can be played, from its beginning or from where its journal ends.
struct Session {
    run: RunFile,
    length: Length,
    dir: PathBuf,
    pipeline: Pipeline,
    rule: Option<StopRule>,
    journal: Journal,
    /// Notes for the user about what was found in the folder.
    notes: Vec<&'static str>,
    /// True if the rule of the run has ended it.
    is_stopped: bool,
    conditions: Conditions,
    engine: Engine,
}

impl Session {
    /// Opens the folder of a run, or creates it, and applies the iterations in its journal.
    fn open(run: RunFile, dir: &Path, stop: &Arc<Stop>) -> Result<Self, Error> {
        let (conditions, engine) = (Conditions::of(&run)?, Engine::of(&run, stop)?);
        fs::create_dir_all(dir).map_err(FileError::at(dir))?;
        let path = dir.join(JOURNAL);
        let now = Start::of(&run, &engine, &conditions)?;
        let opened: Opened<Start, Entry> = Journal::open(RUN, &path)?;
        let mut journal = opened.journal;
        let mut notes: Vec<&str> = opened.was_torn.then_some(TORN).into_iter().collect();
        let record = match opened.subject {
            Some(then) => {
                if let Some(difference) = then.difference(&now)? {
                    return Err(Error::Different { path, difference });
                }
                if !then.tells_content() {
                    notes.push(UNTOLD);
                }
                let record = Record::of(&path, then.run.clone(), opened.pieces)?;
                journal.begin(&then)?;
                extended(record, run.iterations, &path, &mut journal)?
            }
            None => {
                journal.begin(&now)?;
                Record::of(&path, now.run, Vec::new())?
            }
        };
        // It decides how long the run is, not what it plays, so it may change.
        let run = RunFile { stop_below: run.stop_below, ..record.run.clone() };
        let mut pipeline = record.pipeline()?;
        let mut rule = run.stop_below.map(|elo| StopRule::new(elo, pipeline.theta().parameters()));
        replay(&mut pipeline, &record.iterations, |iteration, settings, _| {
            rule.iter_mut().for_each(|rule| rule.add(settings, &iteration.pairs));
        });
        if run_copy::path(dir).exists() && run_copy::read(dir, &run).is_none() {
            notes.push(OTHER_COPY);
        }
        run_copy::update(dir, &run)?;
        // Without a rule, or with a stricter one, the run goes on.
        let ended = record.stopped.zip(run.stop_below);
        let is_stopped = ended.is_some_and(|(stopped, below)| stopped.remaining < below);
        let (length, dir) = (record.length, dir.to_owned());
        Ok(Self {
            run,
            length,
            dir,
            pipeline,
            rule,
            journal,
            notes,
            is_stopped,
            conditions,
            engine,
        })
    }

    /// Returns the iterate.
    fn theta(&self) -> &Theta {
        self.pipeline.theta()
    }

    /// Plays what is left of the run.
    fn play(
        &mut self,
        workers: &Workers,
        stop: &Arc<Stop>,
        progress: &mut Progress,
    ) -> Result<(), Error> {
        let (sender, receiver) = channel::unbounded();
        let conditions = Conditions::without_openings(&self.run, self.conditions.rules.chess960)?;
        let (length, engine) = (self.length.clone(), self.engine.clone());
        let work = Pairs::of(&self.run, length, engine, conditions, stop)?;
        let (conditions, pairs) = (&self.conditions, self.run.pairs_per_iteration);
        let path = self.journal.path().to_owned();
        let is_over = || stop.is_finishing() || work.has_failed();
        let tasks = tasks(&receiver, is_over).map(|Task { iteration, pair, settings }| {
            let number = (iteration - 1) * pairs + pair;
            let opening = conditions.opening(number).clone();
            PairTask { iteration, number, settings: settings.as_ref().clone(), opening }
        });
        let mut collector = Collector {
            order: InOrder::of(self.pipeline.theta().iteration() * pairs..),
            counts: PairCounts::default(),
            pipeline: &mut self.pipeline,
            journal: &mut self.journal,
            rule: self.rule.as_mut(),
            pairs,
            faults: 0,
            tasks: Some(sender),
            is_stopped: false,
            progress,
        };
        collector.resume();
        let take = |_, pair| collector.take(pair);
        let played = workers.run_unordered(&work, Some(&path), stop, tasks, |_| {}, take);
        let is_stopped = collector.is_stopped;
        let is_done = is_stopped || self.pipeline.is_done();
        match played {
            Ok(()) if is_done => Ok(()),
            Ok(()) | Err(Error::Interrupted(_)) => Err(Error::Unfinished {
                done: self.theta().iteration(),
                all: self.run.iterations,
                dir: self.dir.clone(),
                source: Interrupted,
            }),
            Err(error) => Err(error),
        }
    }
}

/// Returns the record of a run that is to have this number of iterations.
fn extended(
    mut record: Record,
    iterations: u64,
    path: &Path,
    journal: &mut Journal,
) -> Result<Record, Error> {
    let now = record.run.iterations;
    if iterations > now {
        let extension = Extension { after: record.iterations.len() as u64, iterations };
        journal.add(&Entry::Extension(extension)).and_then(|()| journal.sync())?;
        record.length.extend(extension);
        record.run.iterations = iterations;
        record.stopped = None;
    } else if !record.length.was(iterations) {
        return Err(Error::Shortened { path: path.to_owned(), now });
    }
    Ok(record)
}

/// A pair of games to be played.
struct Task {
    iteration: u64,
    /// Number of the pair in the iteration, from 0.
    pair: u64,
    settings: Arc<Perturbation>,
}

/// Returns the tasks as they are sent, until there are no more or the run is over before.
fn tasks(
    receiver: &Receiver<Task>,
    is_over: impl Fn() -> bool + Send,
) -> impl Iterator<Item = Task> + Send {
    std::iter::from_fn(move || {
        loop {
            match receiver.recv_timeout(POLL) {
                Ok(task) => return Some(task),
                Err(RecvTimeoutError::Timeout) if !is_over() => {}
                Err(_) => return None,
            }
        }
    })
}

/// Counts results in the order of their pairs, applies finished iterations and sends the tasks of the next ones.
struct Collector<'a> {
    pipeline: &'a mut Pipeline,
    journal: &'a mut Journal,
    rule: Option<&'a mut StopRule>,
    pairs: u64,
    /// Results of pairs.
    order: InOrder<[GameResult; 2]>,
    /// Results of the iteration that is next to be applied.
    counts: PairCounts,
    /// Pairs in which an engine crashed, hung, lost on time or made an illegal move.
    faults: u64,
    /// `None` once all tasks are sent.
    tasks: Option<Sender<Task>>,
    /// True if the rule has ended the run.
    is_stopped: bool,
    progress: &'a mut Progress,
}

/// Faults that are shown one by one.
const FAULTS_SHOWN: u64 = 5;

impl Collector<'_> {
    /// Sends the tasks of the iterations in flight when the run was interrupted, all of their pairs, and of further ones.
    fn resume(&mut self) {
        for (number, settings) in self.pipeline.in_flight() {
            send(self.tasks.as_ref(), number, settings, self.pairs);
        }
        self.send_tasks();
    }

    fn send_tasks(&mut self) {
        while let Some((number, settings)) = self.pipeline.begin() {
            send(self.tasks.as_ref(), number, settings, self.pairs);
        }
        if self.pipeline.is_done() {
            self.tasks = None;
        }
    }

    /// Takes a pair; breaks off when the rule ends the run.
    fn take(&mut self, pair: PlayedPair) -> Result<ControlFlow<()>, Error> {
        let PlayedPair { number, iteration, results, fault, .. } = pair;
        if let Some(fault) = fault {
            self.note(iteration, &fault);
        }
        self.order.put(number, results);
        while let Some((number, [one, other])) = self.order.pop() {
            self.counts.add(one, other);
            if self.counts.pairs() == self.pairs {
                let pairs = std::mem::take(&mut self.counts);
                self.finish(Iteration { number: number / self.pairs + 1, pairs })?;
            }
            if self.is_stopped {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Applies an iteration whose pairs were all played.
    fn finish(&mut self, iteration: Iteration) -> Result<(), Error> {
        let settings = self.pipeline.apply(iteration.net_wins());
        self.progress.update(self.pipeline.theta());
        self.journal.add(&Entry::Iteration(iteration.clone()))?;
        if let (Some(rule), Some(settings)) = (&mut self.rule, settings) {
            rule.add(&settings, &iteration.pairs);
            if let Some(remaining) = rule.verdict(self.pipeline.theta()) {
                let stopped = Stopped {
                    stopped_after: iteration.number,
                    remaining: remaining.value,
                    deviation: remaining.standard_error(),
                };
                self.journal.add(&Entry::Stopped(stopped))?;
                self.is_stopped = true;
            }
        }
        self.journal.sync()?;
        if self.is_stopped {
            self.tasks = None;
        } else {
            self.send_tasks();
        }
        Ok(())
    }

    fn note(&mut self, iteration: u64, fault: &str) {
        self.faults += 1;
        match self.faults {
            number if number <= FAULTS_SHOWN => {
                self.progress.say(&printable(&format!("iteration {iteration}: {fault}")));
            }
            number if number.is_power_of_two() => {
                self.progress.say(&format!("{number} pairs of games with such a fault so far"));
            }
            _ => {}
        }
    }
}

fn send(tasks: Option<&Sender<Task>>, iteration: u64, settings: &Perturbation, pairs: u64) {
    let Some(tasks) = tasks else { return };
    let settings = Arc::new(settings.clone());
    for pair in 0..pairs {
        // The receiver lives as long as the pool works.
        let _ = tasks.send(Task { iteration, pair, settings: Arc::clone(&settings) });
    }
}
