//! The state of a worker: runs, and jobs at hand.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use nullarbor_report::terminal;
use nullarbor_runs::{JobKind, LocalProgram, RunSpec, Stop};
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::job::{HeldJob, Run};
use crate::build::Build;
use crate::names;
use crate::status::{RunInfo, WorkerStatus, now};

/// Time over which the speed is measured.
const WINDOW: Duration = Duration::from_secs(60);
/// Before a worker looks again for a program that it had not, at first; each time it waits twice as long.
pub(super) const RETRY: Duration = Duration::from_secs(30);
/// The longest of these waits: what is missing may be a build that takes minutes to fail.
const LONGEST_RETRY: Duration = Duration::from_secs(1800);

/// A run in which this worker takes no part.
struct Refusal {
    reason: String,
    /// Description of the run at that time; `None` if it could not be read.
    info: Option<RunInfo>,
    /// Time at which it is looked at again, and the wait before; `None` if it stays refused.
    retry: Option<(Instant, Duration)>,
}

/// The state behind the lock.
#[derive(Default)]
struct Guarded {
    runs: BTreeMap<String, Arc<Run>>,
    /// Runs that do not fit.
    refused: BTreeMap<String, Refusal>,
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
            terminal::message(line);
        }
    }

    /// Warns of a trouble once, until it is over.
    pub fn warn_once(&self, line: &str) {
        let mut state = self.state.lock();
        if state.warning.is_none() {
            terminal::message(format_args!("{line}; trying again"));
            state.warning = Some(line.to_owned());
        }
    }

    pub fn clear_warning(&self) {
        if self.state.lock().warning.take().is_some() {
            self.say("The server answers again.");
        }
    }

    /// Returns whether a run was looked at before, as it is described now.
    pub fn has_seen(&self, name: &str, info: &RunInfo) -> bool {
        let state = self.state.lock();
        state.runs.get(name).is_some_and(|run| run.info == *info)
            || state.refused.get(name).is_some_and(|it| it.info.as_ref() == Some(info))
    }

    /// Returns the refused runs that are to be looked at again.
    pub fn due(&self, now: Instant) -> Vec<(String, RunInfo)> {
        let state = self.state.lock();
        let is_due = |it: &&Refusal| it.retry.is_some_and(|(at, _)| at <= now);
        let due = state.refused.iter().filter_map(|(name, refusal)| {
            let info = Some(refusal).filter(is_due)?.info.clone()?;
            Some((name.clone(), info))
        });
        due.collect()
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

    /// Refuses a run as long as it is described so; `None` if the description cannot be read.
    pub fn refuse(&self, name: &str, info: Option<&RunInfo>, reason: &str) {
        self.insert(name, info, reason, |_| None);
    }

    /// Refuses a run for now: what it needs may be put in place later.
    pub fn postpone(&self, name: &str, info: &RunInfo, reason: &str) {
        self.insert(name, Some(info), reason, |before| {
            let last = before.and_then(|it| it.retry);
            let wait = last.map_or(RETRY, |(_, wait)| LONGEST_RETRY.min(2 * wait));
            Some((Instant::now() + wait, wait))
        });
    }

    fn insert(
        &self,
        name: &str,
        info: Option<&RunInfo>,
        reason: &str,
        retry: impl Fn(Option<&Refusal>) -> Option<(Instant, Duration)>,
    ) {
        let (name, reason) = (names::shown(name), names::shown(reason));
        let mut state = self.state.lock();
        let before = state.refused.get(&name);
        if before.is_none_or(|it| it.reason != reason) {
            terminal::message(format_args!("Run {name} is refused: {reason}."));
        }
        let refusal = Refusal { reason, info: info.cloned(), retry: retry(before) };
        // This worker may have taken part until now.
        if let Some(run) = state.runs.remove(&name) {
            run.stop.abort();
        }
        state.refused.insert(name, refusal);
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
        let mut state = self.state.lock();
        state.refused.remove(&name);
        state.runs.insert(name, Arc::new(run));
        drop(state);
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
            refused: state
                .refused
                .iter()
                .map(|(name, it)| (name.clone(), it.reason.clone()))
                .collect(),
            seen: now(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(excluded: &[&str]) -> RunInfo {
        RunInfo {
            kind: "test".to_owned(),
            build: Build::this("1".to_owned()),
            settings: serde_json::Value::Null,
            files: Vec::new(),
            programs: Vec::new(),
            ack_wait: 5,
            excluded: excluded.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    fn serve(_: &RunSpec, _: &Arc<Stop>, _: &mut dyn nullarbor_runs::Jobs) -> Served {
        Ok(())
    }

    type Served = Result<(), nullarbor_runs::ServeError>;
    const KINDS: &[JobKind] = &[JobKind { name: "test", serve }];

    fn state() -> WorkerState<'static> {
        WorkerState::new(Build::this("1".to_owned()), KINDS, true)
    }

    #[test]
    fn a_refused_run_is_looked_at_again_when_its_description_changes() {
        let state = state();
        let excluding = info(&[&state.name]);
        let reason = state.check(&excluding).expect_err("it excludes this worker");
        state.refuse("run", Some(&excluding), &reason);
        assert!(state.has_seen("run", &excluding) && !state.has_seen("run", &info(&[])));
        assert!(state.due(Instant::now() + LONGEST_RETRY).is_empty());
        state.check(&info(&[])).expect("it is trusted again");
        state.begin("run".to_owned(), info(&[]), Vec::new(), Vec::new());
        assert!(state.has_seen("run", &info(&[])) && state.status(1).refused.is_empty());
        state.refuse("run", None, "its description cannot be read");
        assert!(!state.has_seen("run", &info(&[])));
    }

    #[test]
    fn a_program_that_is_missing_is_looked_for_again_and_again_at_longer_intervals() {
        let (state, info) = (state(), info(&[]));
        for wait in [RETRY, 2 * RETRY, 4 * RETRY] {
            let before = Instant::now();
            state.postpone("run", &info, "there is no such program");
            assert!(state.has_seen("run", &info));
            assert!(state.due(before + wait - RETRY / 2).is_empty(), "{wait:?}");
            let due = state.due(Instant::now() + wait);
            assert_eq!(due, [("run".to_owned(), info.clone())], "{wait:?}");
        }
        state.begin("run".to_owned(), info, Vec::new(), Vec::new());
        assert!(state.due(Instant::now() + LONGEST_RETRY).is_empty());
    }
}
