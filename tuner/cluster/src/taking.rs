//! The taking of results: each counts for the job that it answers, once its worker has been verified.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::time::Instant;

use async_nats::jetstream::Message;
use crossbeam::channel::Sender;
use nullarbor_report::terminal;
use nullarbor_runs::{Referee, RemoteError, Stop};
use tokio::sync::mpsc::UnboundedSender;

use crate::custody::{Custody, Results};
use crate::event::{Arrived, Event};
use crate::in_flight::{InFlight, Job};
use crate::lost::Watch;
use crate::names;
use crate::run::OpenRun;

/// A job that has failed so often on other machines is done here: what then fails is the job, not a machine.
const TRIES: u32 = 3;
/// Refused results of a worker that are told one by one.
const TOLD: u64 = 3;

/// Takes a result, with the place of its task, and returns whether it is enough.
pub(crate) type Take<'a> = &'a mut dyn FnMut(u64, &[u8]) -> ControlFlow<()>;
/// The end of a run.
type Ended = Result<(), RemoteError>;

/// The taking of results.
pub(crate) struct Taking<'a> {
    run: &'a OpenRun<'a>,
    in_flight: &'a InFlight,
    referee: &'a dyn Referee,
    queue: &'a UnboundedSender<Job>,
    acks: &'a UnboundedSender<Message>,
    /// Jobs for this machine.
    here: Sender<Job>,
    /// True if workers are verified.
    is_verifying: bool,
    custody: Custody<Message>,
    /// Number of failures of each job.
    failures: HashMap<u64, u32>,
    /// Jobs that are done here because they failed elsewhere.
    own: HashSet<u64>,
    /// The first replays of results that they refute.
    doubts: HashMap<u64, Vec<u8>>,
    watch: Watch,
    /// The workers that refuse the run, as far as they were told of.
    refusing: HashSet<String>,
}

impl<'a> Taking<'a> {
    pub fn new(
        run: &'a OpenRun<'a>,
        in_flight: &'a InFlight,
        referee: &'a dyn Referee,
        (queue, acks): (&'a UnboundedSender<Job>, &'a UnboundedSender<Message>),
        here: Sender<Job>,
    ) -> Self {
        let share = run.share;
        Self {
            run,
            in_flight,
            referee,
            queue,
            acks,
            here,
            is_verifying: share > 0.0 && referee.is_repeatable(),
            custody: Custody::new(share),
            failures: HashMap::new(),
            own: HashSet::new(),
            doubts: HashMap::new(),
            watch: Watch::new(run.ack_wait, Instant::now()),
            refusing: HashSet::new(),
        }
    }

    /// Takes what has happened; returns how the run ends, if it does.
    pub fn take(&mut self, event: Event, take: Take<'_>) -> Option<Ended> {
        match event {
            Event::Arrived(result) => self.arrived(*result, take),
            Event::DoneHere(number, Ok(done)) => {
                self.watch.note_news(Instant::now());
                self.done_here(number, done, take)
            }
            Event::DoneHere(number, Err(problem)) => {
                Some(Err(RemoteError::Job { number, problem }))
            }
        }
    }

    fn arrived(&mut self, Arrived { number, message }: Arrived, take: Take<'_>) -> Option<Ended> {
        let task = self.in_flight.task(number).filter(|_| !self.own.contains(&number));
        if let Some(held) = self.custody.held(number)
            && sequence(held) == sequence(&message)
        {
            // The server gives again what is not acknowledged yet, also while nothing new comes.
            return None;
        }
        self.watch.note_news(Instant::now());
        let Some(task) = task.filter(|_| !self.custody.holds(number)) else {
            // A job may be done twice.
            self.acknowledge(message);
            return None;
        };
        let worker = names::worker(message.headers.as_ref());
        if !self.custody.trusts(&worker) {
            self.acknowledge(message);
            self.again(number);
            return None;
        }
        let problem = if names::is_failure(&message.subject) {
            Some(String::from_utf8_lossy(&message.payload).into_owned())
        } else if message.payload.len() > names::LONGEST_MESSAGE {
            Some(format!("a result of {} bytes", message.payload.len()))
        } else {
            self.referee.check(&task, &message.payload).err()
        };
        if let Some(problem) = problem {
            self.acknowledge(message);
            if worker.is_empty() {
                // It has ended its workers, of whom none is there to ask.
                self.failures.insert(number, TRIES);
            }
            self.refuse(&worker, number, &problem);
            return None;
        }
        if !self.is_verifying {
            return self.accept(number, message, take);
        }
        self.custody.hold(&worker, number, message, Instant::now());
        None
    }

    /// Lets a result count. It is acknowledged when it is in the journal.
    fn accept(&mut self, number: u64, message: Message, take: Take<'_>) -> Option<Ended> {
        let flow = self.count(number, &message.payload, take);
        self.acknowledge(message);
        flow
    }

    fn count(&mut self, number: u64, done: &[u8], take: Take<'_>) -> Option<Ended> {
        self.failures.remove(&number);
        let place = self.in_flight.complete(number)?;
        take(place, done).is_break().then_some(Ok(()))
    }

    fn acknowledge(&self, message: Message) {
        // The receiver lives as long as the run.
        let _ = self.acks.send(message);
    }

    /// Counts a result that is no answer, and lets its job be done again.
    fn refuse(&mut self, worker: &str, number: u64, problem: &str) {
        let (count, is_excluded) = self.custody.refuse(worker);
        let (name, problem) = (named(worker), names::shown(problem));
        if count <= TOLD {
            terminal::message(format_args!(
                "Job {number}: {name} sent no result that counts ({problem}); it is done again."
            ));
        }
        self.again(number);
        if is_excluded {
            let dropped = self.custody.exclude(worker);
            self.exclude(worker, &format!("{count} of its results do not count"), dropped);
        }
    }

    /// Lets a job be done again, here if it failed too often elsewhere.
    fn again(&mut self, number: u64) {
        let Some(task) = self.in_flight.task(number) else { return };
        let failures = self.failures.entry(number).or_default();
        *failures += 1;
        // The receivers live as long as the run.
        let _ = if *failures < TRIES {
            self.queue.send((number, task)).is_ok()
        } else {
            self.own.insert(number);
            self.here.send((number, task)).is_ok()
        };
    }

    /// Takes the result of a job that was done on this machine.
    fn done_here(&mut self, number: u64, done: Vec<u8>, take: Take<'_>) -> Option<Ended> {
        if self.own.remove(&number) {
            return self.count(number, &done, take);
        }
        let doubt = self.doubts.remove(&number);
        // It may have been dropped meanwhile.
        let held = self.custody.held(number)?;
        let is_confirmed = self.referee.agree(&held.payload, &done);
        match doubt {
            None if is_confirmed => {
                for (number, message) in self.custody.confirm(number) {
                    let ended = self.accept(number, message, take);
                    if ended.is_some() {
                        return ended;
                    }
                }
                None
            }
            None => {
                // Once more: it may be the memory of this machine that cannot be trusted.
                self.doubts.insert(number, done);
                let task = self.in_flight.task(number)?;
                let _ = self.here.send((number, task));
                None
            }
            Some(first) if self.referee.agree(&first, &done) => {
                let (worker, mut dropped) = self.custody.refute(number);
                let count = dropped.len();
                if let Some(at) = dropped.iter().position(|(job, _)| *job == number) {
                    self.acknowledge(dropped.swap_remove(at).1);
                }
                let reason = format!(
                    "its result of job {number} is not the one that this machine gets, twice; \
                     {count} results since its last good one are dropped, and their jobs done again"
                );
                self.exclude(&worker, &reason, dropped);
                self.count(number, &done, take)
            }
            Some(_) => Some(Err(RemoteError::Unsteady { number })),
        }
    }

    /// Tells of a worker that is trusted no more, the worker itself, too, and sends its jobs to others.
    fn exclude(&mut self, worker: &str, reason: &str, dropped: Results<Message>) {
        terminal::message(format_args!("{} is trusted no more: {reason}.", named(worker)));
        self.run.exclude(self.custody.excluded());
        for (number, message) in dropped {
            self.acknowledge(message);
            if let Some(task) = self.in_flight.task(number) {
                let _ = self.queue.send((number, task));
            }
        }
    }

    /// Begins the replays that are due.
    pub fn verify(&mut self) {
        let under_way =
            self.in_flight.count().saturating_sub(self.custody.count() + self.own.len());
        for number in self.custody.begin_replays(under_way, Instant::now()) {
            if let Some(task) = self.in_flight.task(number) {
                let _ = self.here.send((number, task));
            }
        }
    }

    /// While no results come: tells which workers refuse the run, and gives jobs away again if they were lost.
    pub fn look(&mut self, stop: &Stop) {
        if !self.watch.is_due(Instant::now()) || stop.is_finishing() {
            return;
        }
        let backlog = self.run.backlog();
        for (worker, reason) in backlog.iter().flat_map(|it| &it.refusing) {
            if self.refusing.insert(worker.clone()) {
                terminal::message(format_args!(
                    "{} refuses the run: {}.",
                    named(worker),
                    names::shown(reason)
                ));
            }
        }
        if !self.watch.are_lost(backlog.as_ref(), self.custody.count(), Instant::now()) {
            return;
        }
        let jobs = self.in_flight.jobs().into_iter();
        let lost: Vec<u64> = jobs
            .map(|(number, _)| number)
            .filter(|number| !self.custody.holds(*number) && !self.own.contains(number))
            .collect();
        if !lost.is_empty() {
            terminal::message(format_args!(
                "{} jobs were lost on the server, and are sent again.",
                lost.len()
            ));
            // A worker may have swallowed them, and would again.
            lost.into_iter().for_each(|number| self.again(number));
        }
    }

    /// Tells how many results did not count, by worker.
    pub fn summarise(&self) {
        for (worker, count) in self.custody.refused().filter(|(_, count)| *count > TOLD) {
            terminal::message(format_args!("{}: {count} results do not count.", named(worker)));
        }
    }
}

fn named(worker: &str) -> String {
    if worker.is_empty() {
        "a worker without a name".to_owned()
    } else {
        format!("worker {worker}")
    }
}

/// Returns the number of a message in its stream.
fn sequence(message: &Message) -> Option<u64> {
    message.info().ok().map(|info| info.stream_sequence)
}
