//! A run: pairs of games on all cores, results applied in order, each finished iteration in the journal.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crossbeam::channel::{self, Receiver, RecvTimeoutError, Sender};
use nullarbor_games::files::FileError;
use nullarbor_games::journal::{Journal, Opened};
use nullarbor_games::stats::PairCounts;
use nullarbor_games::work::{Interrupted, Stop, Workers};

use super::error::{Error, write};
use super::job::{PairTask, Pairs, PlayedPair};
use super::pair::Conditions;
use super::perturbation::Perturbation;
use super::pipeline::Pipeline;
use super::progress::Progress;
use super::record::{Iteration, JOURNAL, RUN, check_iterations, pipeline, replay};
use super::run_file::RunFile;
use super::theta::Theta;

/// A copy of the run file in the folder of the run, for people; the journal contains the run itself.
const RUN_FILE: &str = "run.toml";
/// How often a worker that waits for a task looks whether the run is being stopped.
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
    let mut session = Session::open(run, dir)?;
    let mut progress = Progress::new(&session.run, session.theta(), quiet);
    if session.was_torn {
        progress.say("The last line of the journal was incomplete and is dropped.");
    }
    if session.theta().iteration() > 0 {
        progress.say(&format!("Resumed after {} iterations.", session.theta().iteration()));
    }
    let played = session.play(workers, stop, |theta| progress.update(theta));
    progress.end();
    played
}

/// A run that can be played, from its beginning or from where its journal ends.
struct Session {
    run: RunFile,
    dir: PathBuf,
    pipeline: Pipeline,
    journal: Journal,
    /// Whether the journal ended with an incomplete line, which was dropped.
    was_torn: bool,
    conditions: Conditions,
}

impl Session {
    /// Opens the folder of a run, or creates it, and applies the iterations in its journal.
    fn open(run: RunFile, dir: &Path) -> Result<Self, Error> {
        fs::create_dir_all(dir).map_err(FileError::at(dir))?;
        let conditions = Conditions::of(&run)?;
        // The number of workers does not matter for the result, so it may change; a declaration may change with the next
        // tuning, but must not change this run.
        let exactly = |run: &RunFile| run.resolved().map(|it| RunFile { concurrency: None, ..it });
        let run = exactly(&run)?;
        let path = dir.join(JOURNAL);
        let opened: Opened<RunFile, Iteration> = Journal::open(RUN, &path)?;
        let then = opened.subject.as_ref().map(exactly).transpose()?;
        if then.is_some_and(|then| then != run) {
            return Err(Error::Different { path });
        }
        check_iterations(&path, &run, &opened.pieces)?;
        let mut pipeline = pipeline(&run)?;
        replay(&mut pipeline, &opened.pieces, |_, _, _| {});
        let (mut journal, was_torn) = (opened.journal, opened.was_torn);
        journal.begin(&run)?;
        // The run file may lie there itself, with its comments.
        let copy = dir.join(RUN_FILE);
        let is_there = RunFile::read(&copy).is_ok_and(|it| exactly(&it).is_ok_and(|it| it == run));
        if !is_there {
            write(&copy, &run.to_toml())?;
        }
        Ok(Self { run, dir: dir.to_owned(), pipeline, journal, was_torn, conditions })
    }

    /// Returns the iterate.
    fn theta(&self) -> &Theta {
        self.pipeline.theta()
    }

    /// Plays what is left of the run; `applied` is called after each iteration.
    fn play(
        &mut self,
        workers: &Workers,
        stop: &Arc<Stop>,
        applied: impl FnMut(&Theta),
    ) -> Result<(), Error> {
        let (sender, receiver) = channel::unbounded();
        let conditions = Conditions::without_openings(&self.run, self.conditions.rules.chess960)?;
        let work = Pairs::of(&self.run, conditions, stop)?;
        let (conditions, pairs) = (&self.conditions, self.run.pairs_per_iteration);
        let path = self.journal.path().to_owned();
        let tasks = tasks(&receiver, stop).map(|Task { iteration, pair, settings }| {
            let number = (iteration - 1) * pairs + pair;
            let opening = conditions.opening(number).clone();
            PairTask { iteration, number, settings: settings.as_ref().clone(), opening }
        });
        let mut collector = Collector {
            pipeline: &mut self.pipeline,
            journal: &mut self.journal,
            pairs,
            counts: BTreeMap::new(),
            tasks: Some(sender),
            applied,
        };
        collector.resume();
        let take = |_, pair| collector.take(&pair).map(ControlFlow::Continue);
        let played = workers.run_unordered(&work, Some(&path), stop, tasks, |_| {}, take);
        match played {
            Ok(()) if self.pipeline.is_done() => Ok(()),
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

/// A pair of games to be played.
struct Task {
    iteration: u64,
    /// Its number in the iteration, from 0.
    pair: u64,
    settings: Arc<Perturbation>,
}

/// Returns the tasks as they are sent, until the run is done or being stopped.
fn tasks(receiver: &Receiver<Task>, stop: &Stop) -> impl Iterator<Item = Task> + Send {
    std::iter::from_fn(move || {
        loop {
            match receiver.recv_timeout(POLL) {
                Ok(task) => return Some(task),
                Err(RecvTimeoutError::Timeout) if !stop.is_finishing() => {}
                Err(_) => return None,
            }
        }
    })
}

/// Collects results by iteration, applies finished iterations in order and sends the tasks of the next ones.
struct Collector<'a, F> {
    pipeline: &'a mut Pipeline,
    journal: &'a mut Journal,
    pairs: u64,
    /// Results of the iterations in flight.
    counts: BTreeMap<u64, PairCounts>,
    /// `None` once all tasks are sent.
    tasks: Option<Sender<Task>>,
    applied: F,
}

impl<F: FnMut(&Theta)> Collector<'_, F> {
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

    fn take(&mut self, pair: &PlayedPair) -> Result<(), Error> {
        let &PlayedPair { iteration, results: [one, other] } = pair;
        self.counts.entry(iteration).or_default().add(one, other);
        while let Some(iteration) = self.next_finished() {
            self.pipeline.apply(iteration.net_wins());
            (self.applied)(self.pipeline.theta());
            self.journal.add(&iteration).and_then(|()| self.journal.sync())?;
            self.send_tasks();
        }
        Ok(())
    }

    /// Returns the next iteration to be applied, if all its pairs were played.
    fn next_finished(&mut self) -> Option<Iteration> {
        let number = self.pipeline.theta().iteration() + 1;
        let counts = self.counts.get(&number).filter(|counts| counts.pairs() == self.pairs)?;
        let iteration = Iteration { number, pairs: *counts };
        self.counts.remove(&number);
        Some(iteration)
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
