//! A worker: does jobs from the queue on its threads.

mod job;
mod report;
mod state;
mod worker_thread;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use async_nats::jetstream::kv::Operation;
use async_nats::jetstream::{AckKind, Message};
use crossbeam::channel;
use futures_util::StreamExt;
use nullarbor_runs::{JobKind, LocalProgram, Stop};
use tokio::time::timeout;

use crate::build::Build;
use crate::connection::Connection;
use crate::error::ClusterError;
use crate::names;
use crate::programs::AllowedPrograms;
use crate::run::ANSWER;
use crate::status::RunInfo;
use job::{HeldJob, Run};
use state::WorkerState;
use worker_thread::WorkerThread;

/// Stack of a thread in bytes; only the part in use takes memory.
const STACK: usize = 16 << 20;
/// Jobs that are fetched for each thread: one to do, one to do next.
const JOBS_PER_THREAD: usize = 2;
/// Longest wait of a fetch for a job.
const FETCH: Duration = Duration::from_millis(500);
/// Attempts to fetch a file of a run.
const TRIES: u32 = 5;
/// Interval at which a wait looks again.
const POLL: Duration = Duration::from_millis(50);
/// A job that has been given away so often has ended the workers that did it.
const DELIVERIES: i64 = 5;

/// A worker.
#[derive(Debug)]
pub struct Worker<'a> {
    /// The connection to the server.
    pub connection: Connection,
    /// This build; jobs of another one are refused.
    pub build: Build,
    /// The work that it can do.
    pub kinds: &'a [JobKind],
    /// The number of threads.
    pub threads: usize,
    /// A folder for files that come over the wire.
    pub folder: &'a Path,
    /// The programs that jobs may run.
    pub programs: AllowedPrograms,
    /// Say no more than what goes wrong.
    pub quiet: bool,
}

impl Worker<'_> {
    /// Does jobs until it is stopped. Those under way are finished, unless they are aborted.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn run(&self, stop: &Stop) -> Result<(), ClusterError> {
        let state = WorkerState::new(self.build.clone(), self.kinds, self.quiet);
        let (give, jobs) = channel::unbounded::<HeldJob>();
        let (results, to_send) = tokio::sync::mpsc::unbounded_channel();
        state.say(&format!(
            "Worker {} of {}, {} threads, {}.",
            state.name, self.connection.url, self.threads, state.build
        ));
        thread::scope(|scope| {
            for _ in 0..self.threads {
                let worker_thread =
                    WorkerThread { state: &state, jobs: jobs.clone(), results: results.clone() };
                let spawned = thread::Builder::new()
                    .stack_size(STACK)
                    .spawn_scoped(scope, move || worker_thread.work());
                spawned.map_err(ClusterError::Runtime)?;
            }
            drop(results);
            let sending = worker_thread::send(&self.connection, &state, to_send);
            self.connection.runtime.block_on(async {
                tokio::pin!(sending);
                tokio::select! {
                    () = self.watch_runs(&state) => {}
                    () = self.report_progress(&state) => {}
                    () = report::report(&self.connection, &state, self.threads) => {}
                    () = self.fetch(&state, &give, stop) => {}
                    () = &mut sending => {}
                }
                // Jobs that nobody has begun are for others.
                while let Ok(job) = jobs.try_recv() {
                    let _ = job.message.ack_with(AckKind::Nak(None)).await;
                    state.release(job.id);
                }
                drop((give, jobs));
                state.close();
                tokio::select! { () = &mut sending => {}, () = self.report_progress(&state) => {} }
                report::deregister(&self.connection, &state).await;
            });
            Ok(())
        })
    }

    /// Follows the bucket of runs. A server that is away is waited for.
    async fn watch_runs(&self, state: &WorkerState<'_>) {
        loop {
            if let Err(error) = self.try_watch_runs(state).await {
                state.warn_once(&format!("cluster {}: {error}", self.connection.url));
            }
            tokio::time::sleep(FETCH).await;
        }
    }

    async fn try_watch_runs(&self, state: &WorkerState<'_>) -> Result<(), async_nats::Error> {
        let store = self.connection.runs().await?;
        let mut watch = store.watch_with_history(">").await?;
        state.clear_warning();
        let mut present: BTreeMap<String, RunInfo> = BTreeMap::new();
        // A run that has ended while the server was away is not told of.
        let mut keys = store.keys().await?;
        while let Some(key) = timeout(ANSWER, keys.next()).await? {
            let key = key?;
            if let Some(value) = store.get(&key).await?
                && let Ok(info) = RunInfo::read(&value)
            {
                present.insert(key, info);
            }
        }
        state.retain(|name| present.contains_key(name));
        let mut begun = Ok(());
        for (name, info) in present {
            // The other runs need not wait for one whose files cannot be fetched.
            begun = self.begin(state, name, info).await.and(begun);
        }
        begun?;
        loop {
            let next = timeout(FETCH, watch.next()).await;
            for (name, info) in state.due(Instant::now()) {
                self.take_part(state, name, info).await?;
            }
            let entry = match next {
                Ok(Some(entry)) => entry?,
                Ok(None) => return Ok(()),
                Err(_) => continue,
            };
            match (entry.operation, RunInfo::read(&entry.value)) {
                (Operation::Put, Ok(info)) => self.begin(state, entry.key, info).await?,
                (Operation::Put, Err(error)) => {
                    let reason = format!("its description cannot be read: {error}");
                    state.refuse(&entry.key, None, &reason);
                }
                (Operation::Delete | Operation::Purge, _) => state.retain(|name| name != entry.key),
            }
        }
    }

    /// Takes part in a run that was not looked at yet, if it fits.
    async fn begin(
        &self,
        state: &WorkerState<'_>,
        name: String,
        info: RunInfo,
    ) -> Result<(), ClusterError> {
        if state.has_seen(&name, &info) {
            return Ok(());
        }
        self.take_part(state, name, info).await
    }

    /// Takes part in a run if it fits, with its files and programs at hand. If files cannot be fetched, it may be tried again.
    async fn take_part(
        &self,
        state: &WorkerState<'_>,
        name: String,
        info: RunInfo,
    ) -> Result<(), ClusterError> {
        if let Err(reason) = state.check(&info) {
            state.refuse(&name, Some(&info), &reason);
            return Ok(());
        }
        let mut files = Vec::new();
        for file in &info.files {
            files.push(self.fetch_file(file).await?);
        }
        let mut programs = Vec::new();
        for id in &info.programs {
            match self.programs.find(id).await {
                Ok(path) => programs.push(LocalProgram { path, revision: None }),
                Err(reason) => {
                    state.postpone(&name, &info, &reason);
                    return Ok(());
                }
            }
        }
        state.begin(name, info, files, programs);
        Ok(())
    }

    /// Fetches a file. A server that is away for some seconds is waited for.
    async fn fetch_file(&self, name: &str) -> Result<PathBuf, ClusterError> {
        let mut tries = 1..TRIES;
        loop {
            match self.connection.fetch(name, self.folder).await {
                Err(_) if tries.next().is_some() => tokio::time::sleep(4 * FETCH).await,
                fetched => return fetched,
            }
        }
    }

    /// Fetches jobs for threads that have none, of all runs in turn, until no more are to begin.
    async fn fetch(&self, state: &WorkerState<'_>, give: &channel::Sender<HeldJob>, stop: &Stop) {
        let mut turn = 0;
        // Each fetch is work for the server. Until then all threads have jobs.
        let worthwhile = self.threads.div_ceil(2);
        while !stop.is_finishing() {
            let free = (JOBS_PER_THREAD * self.threads).saturating_sub(state.held());
            let runs = state.runs();
            if free < worthwhile || runs.is_empty() {
                tokio::select! { () = state.changed() => {}, () = tokio::time::sleep(POLL) => {} }
                continue;
            }
            turn = (turn + 1) % runs.len();
            let run = &runs[turn];
            // With one run there is nothing else to look at meanwhile.
            let wait = FETCH / runs.len() as u32;
            if let Err(error) = self.fetch_of(run, free, wait, state, give).await {
                tokio::time::sleep(FETCH).await;
                // A run that has ended takes its queue along.
                if !run.stop.is_aborting() {
                    state.warn_once(&format!("cluster {}: {error}", self.connection.url));
                }
            }
        }
    }

    async fn fetch_of(
        &self,
        run: &Arc<Run>,
        count: usize,
        wait: Duration,
        state: &WorkerState<'_>,
        give: &channel::Sender<HeldJob>,
    ) -> Result<(), async_nats::Error> {
        // Made anew after an error: the server may have lost it.
        let known = run.consumer.lock().take();
        let consumer = match known {
            Some(consumer) => consumer,
            None => {
                // The coordinator creates it.
                let stream = self.connection.context.get_stream(names::JOBS).await?;
                stream.get_consumer(&run.name).await?
            }
        };
        let mut batch = consumer.batch().max_messages(count).expires(wait).messages().await?;
        while let Some(message) = timeout(ANSWER, batch.next()).await? {
            self.take(message?, run, state, give).await;
        }
        *run.consumer.lock() = Some(consumer);
        state.clear_warning();
        Ok(())
    }

    async fn take(
        &self,
        message: Message,
        run: &Arc<Run>,
        state: &WorkerState<'_>,
        give: &channel::Sender<HeldJob>,
    ) {
        let number = names::number(&message.subject);
        let is_short = message.payload.len() <= names::LONGEST_MESSAGE;
        let Some(number) = number.filter(|_| is_short) else {
            // For no worker.
            let _ = message.ack_with(AckKind::Term).await;
            return;
        };
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let job = state.hold(Arc::clone(run), number, message);
        if deliveries > DELIVERIES {
            let problem = format!("it was given to workers {DELIVERIES} times and never finished");
            let subject = names::result(&run.name, number, false);
            // Without a name: it is not the fault of this worker.
            let (context, headers) = (&self.connection.context, HeaderMap::new());
            crate::in_flight::publish(context, &subject, headers, problem.into()).await;
            let _ = job.message.ack().await;
            state.release(job.id);
            return;
        }
        // The threads live as long as the sender.
        let _ = give.send(job);
    }

    /// Tells the server now and then that the jobs at hand are under way.
    async fn report_progress(&self, state: &WorkerState<'_>) {
        loop {
            tokio::time::sleep(state.progress_interval()).await;
            for message in state.messages() {
                let _ = message.ack_with(AckKind::Progress).await;
            }
        }
    }
}
