//! The state of a worker: runs, and jobs at hand.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use nullarbor_runs::{JobKind, LocalProgram, RunSpec, Stop};
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::job::{HeldJob, Run};
use crate::build::Build;
use crate::names;
use crate::status::{RunInfo, WorkerStatus, now};

/// Time over which the speed is measured.
const WINDOW: Duration = Duration::from_secs(60);

/// The state behind the lock.
#[derive(Default)]
struct Guarded {
    runs: BTreeMap<String, Arc<Run>>,
    /// Runs that do not fit, and why.
    refused: BTreeMap<String, String>,
    /// Jobs that were fetched and are not done.
    held: BTreeMap<u64, Message>,
    /// Id of the next job.
    id: u64,
    done: u64,
    /// Times at which the last jobs were done.
    recent: VecDeque<Instant>,
    working_on: Option<String>,
    warning: Option<String>,
    is_closed: bool,
}

/// The state that the tasks and threads of a worker share.
pub(super) struct WorkerState<'a> {
    pub name: String,
    pub build: Build,
    kinds: &'a [JobKind],
    quiet: bool,
    begun: Instant,
    state: Mutex<Guarded>,
    change: Notify,
}

impl<'a> WorkerState<'a> {
    pub fn new(build: Build, kinds: &'a [JobKind], quiet: bool) -> Self {
        let host = gethostname::gethostname();
        let host = host.to_string_lossy();
        // Of the letters that a key may have.
        let host: String =
            host.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '-' }).collect();
        let name = format!("{host}-{}", std::process::id());
        let (begun, state, change) = (Instant::now(), Mutex::default(), Notify::new());
        Self { name, build, kinds, quiet, begun, state, change }
    }

    pub fn say(&self, line: &str) {
        if !self.quiet {
            eprintln!("{line}");
        }
    }

    /// Warns of a trouble once, until it is over.
    pub fn warn_once(&self, line: &str) {
        let mut state = self.state.lock();
        if state.warning.is_none() {
            eprintln!("{line}; trying again");
            state.warning = Some(line.to_owned());
        }
    }

    pub fn clear_warning(&self) {
        if self.state.lock().warning.take().is_some() {
            self.say("The server answers again.");
        }
    }

    /// Returns whether a run was looked at before.
    pub fn has_seen(&self, name: &str, info: &RunInfo) -> bool {
        let state = self.state.lock();
        state.runs.get(name).is_some_and(|run| run.info == *info)
            || state.refused.contains_key(name)
    }

    /// Fails if the run is for other workers.
    pub fn check(&self, info: &RunInfo) -> Result<(), String> {
        if info.build != self.build {
            return Err(format!(
                "it is of another build ({}; this worker: {})",
                info.build, self.build
            ));
        }
        if info.excluded.contains(&self.name) {
            return Err(
                "its coordinator trusts the results of this worker no more: other machines \
                        got other ones, or they could not be read; check the memory of this machine"
                    .to_owned(),
            );
        }
        self.kind(info).map(|_| ())
    }

    fn kind(&self, info: &RunInfo) -> Result<JobKind, String> {
        let kind = self.kinds.iter().find(|kind| kind.name == info.kind);
        kind.copied().ok_or_else(|| format!("this worker does no {}", info.kind))
    }

    pub fn refuse(&self, name: &str, reason: &str) {
        let (name, reason) = (names::shown(name), names::shown(reason));
        eprintln!("Run {name} is refused: {reason}.");
        let mut state = self.state.lock();
        // This worker may have taken part until now.
        if let Some(run) = state.runs.remove(&name) {
            run.stop.abort();
        }
        state.refused.insert(name, reason);
    }

    pub fn begin(
        &self,
        name: String,
        info: RunInfo,
        files: Vec<PathBuf>,
        programs: Vec<LocalProgram>,
    ) {
        let Ok(kind) = self.kind(&info) else { return };
        self.say(&format!("Run {name}: taking part."));
        let spec = RunSpec { settings: info.settings.clone(), files, programs };
        let stop = Arc::new(Stop::new());
        let run = Run { name: name.clone(), info, kind, spec, stop, consumer: Mutex::default() };
        self.state.lock().runs.insert(name, Arc::new(run));
        self.change.notify_one();
    }

    /// Forgets the runs that have ended, and aborts their jobs.
    pub fn retain(&self, is_present: impl Fn(&str) -> bool) {
        let mut state = self.state.lock();
        state.refused.retain(|name, _| is_present(name));
        state.runs.retain(|name, run| {
            let stays = is_present(name);
            if !stays {
                run.stop.abort();
            }
            stays
        });
    }

    pub fn runs(&self) -> Vec<Arc<Run>> {
        self.state.lock().runs.values().cloned().collect()
    }

    /// Returns the number of jobs at hand.
    pub fn held(&self) -> usize {
        self.state.lock().held.len()
    }

    pub fn messages(&self) -> Vec<Message> {
        self.state.lock().held.values().cloned().collect()
    }

    /// Returns the time between two signs of life.
    pub fn progress_interval(&self) -> Duration {
        let shortest = self.state.lock().runs.values().map(|run| run.info.ack_wait).min();
        Duration::from_secs_f64(shortest.unwrap_or(3) as f64 / 3.0)
    }

    pub fn hold(&self, run: Arc<Run>, number: u64, message: Message) -> HeldJob {
        let mut state = self.state.lock();
        state.id += 1;
        let id = state.id;
        state.held.insert(id, message.clone());
        state.working_on = Some(run.name.clone());
        HeldJob { id, run, number, message }
    }

    pub fn release(&self, id: u64) {
        self.state.lock().held.remove(&id);
        self.change.notify_one();
    }

    pub fn count_done(&self) {
        let mut state = self.state.lock();
        state.done += 1;
        state.recent.push_back(Instant::now());
    }

    /// Waits until a job is done or a run begins.
    pub async fn changed(&self) {
        self.change.notified().await;
    }

    /// Lets the threads end after their job.
    pub fn close(&self) {
        self.state.lock().is_closed = true;
    }

    pub fn is_closed(&self) -> bool {
        self.state.lock().is_closed
    }

    pub fn status(&self, threads: usize) -> WorkerStatus {
        let mut state = self.state.lock();
        while state.recent.front().is_some_and(|time| time.elapsed() > WINDOW) {
            state.recent.pop_front();
        }
        let window = self.begun.elapsed().min(WINDOW).as_secs_f64().max(0.001);
        WorkerStatus {
            name: self.name.clone(),
            build: self.build.clone(),
            threads,
            run: state.working_on.clone().filter(|_| !state.held.is_empty()),
            jobs: state.done,
            speed: state.recent.len() as f64 / window,
            refused: state.refused.clone(),
            seen: now(),
        }
    }
}
