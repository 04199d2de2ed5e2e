//! A worker: does jobs from the queue on its threads.

mod desk;
mod hand;
mod job;
mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::kv::Operation;
use async_nats::jetstream::{AckKind, Message};
use crossbeam::channel;
use futures_util::StreamExt;
use nullarbor_runs::{Kind, Stop};

use crate::build::Build;
use crate::connection::Connection;
use crate::error::ClusterError;
use crate::names;
use crate::status::RunInfo;
use desk::Desk;
use hand::Hand;
use job::{HeldJob, Run};

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
    pub kinds: &'a [Kind],
    /// The number of threads.
    pub threads: usize,
    /// A folder for files that come over the wire.
    pub folder: &'a Path,
    /// Say no more than what goes wrong.
    pub quiet: bool,
}

impl Worker<'_> {
    /// Does jobs until it is stopped. Those under way are finished, unless they are aborted.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn run(&self, stop: &Stop) -> Result<(), ClusterError> {
        let desk = Desk::new(self.build.clone(), self.kinds, self.quiet);
        let (give, jobs) = channel::unbounded::<HeldJob>();
        let (results, to_send) = tokio::sync::mpsc::unbounded_channel();
        desk.say(&format!(
            "Worker {} of {}, {} threads, {}.",
            desk.name, self.connection.url, self.threads, desk.build
        ));
        thread::scope(|scope| {
            for _ in 0..self.threads {
                let hand = Hand { desk: &desk, jobs: jobs.clone(), results: results.clone() };
                let spawned = thread::Builder::new()
                    .stack_size(STACK)
                    .spawn_scoped(scope, move || hand.work());
                spawned.map_err(ClusterError::Runtime)?;
            }
            drop(results);
            let sending = hand::send(&self.connection, &desk, to_send);
            self.connection.runtime.block_on(async {
                tokio::pin!(sending);
                tokio::select! {
                    () = self.watch_runs(&desk) => {}
                    () = self.keep(&desk) => {}
                    () = report::report(&self.connection, &desk, self.threads) => {}
                    () = self.fetch(&desk, &give, stop) => {}
                    () = &mut sending => {}
                }
                // Jobs that nobody has begun are for others.
                while let Ok(job) = jobs.try_recv() {
                    let _ = job.message.ack_with(AckKind::Nak(None)).await;
                    desk.put_down(job.id);
                }
                drop((give, jobs));
                desk.close();
                tokio::select! { () = &mut sending => {}, () = self.keep(&desk) => {} }
                report::say_goodbye(&self.connection, &desk).await;
            });
            Ok(())
        })
    }

    /// Follows the bucket of runs. A server that is away is waited for.
    async fn watch_runs(&self, desk: &Desk<'_>) {
        loop {
            if let Err(error) = self.try_watch_runs(desk).await {
                desk.complain(&format!("cluster {}: {error}", self.connection.url));
            }
            tokio::time::sleep(FETCH).await;
        }
    }

    async fn try_watch_runs(&self, desk: &Desk<'_>) -> Result<(), async_nats::Error> {
        let store = self.connection.runs().await?;
        let mut watch = store.watch_with_history(">").await?;
        desk.calm();
        let mut present: BTreeMap<String, RunInfo> = BTreeMap::new();
        // A run that has ended while the server was away is not told of.
        let mut keys = store.keys().await?;
        while let Some(key) = keys.next().await {
            let key = key?;
            if let Some(value) = store.get(&key).await?
                && let Ok(info) = RunInfo::read(&value)
            {
                present.insert(key, info);
            }
        }
        desk.retain(|name| present.contains_key(name));
        let mut begun = Ok(());
        for (name, info) in present {
            // The other runs need not wait for one whose files cannot be fetched.
            begun = self.begin(desk, name, info).await.and(begun);
        }
        begun?;
        while let Some(entry) = watch.next().await {
            let entry = entry?;
            match (entry.operation, RunInfo::read(&entry.value)) {
                (Operation::Put, Ok(info)) => self.begin(desk, entry.key, info).await?,
                (Operation::Put, Err(error)) => {
                    desk.refuse(&entry.key, &format!("its description cannot be read: {error}"));
                }
                (Operation::Delete | Operation::Purge, _) => desk.retain(|name| name != entry.key),
            }
        }
        Ok(())
    }

    /// Takes part in a run if it fits, with its files at hand. If they cannot be fetched, it may be tried again.
    async fn begin(
        &self,
        desk: &Desk<'_>,
        name: String,
        info: RunInfo,
    ) -> Result<(), ClusterError> {
        if desk.knows(&name, &info) {
            return Ok(());
        }
        if let Err(reason) = desk.check(&info) {
            desk.refuse(&name, &reason);
            return Ok(());
        }
        let mut files = Vec::new();
        for file in &info.files {
            files.push(self.fetch_file(file).await?);
        }
        desk.begin(name, info, files);
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
    async fn fetch(&self, desk: &Desk<'_>, give: &channel::Sender<HeldJob>, stop: &Stop) {
        let mut turn = 0;
        // Each fetch is work for the server. Until then all threads have jobs.
        let worthwhile = self.threads.div_ceil(2);
        while !stop.is_finishing() {
            let free = (JOBS_PER_THREAD * self.threads).saturating_sub(desk.held());
            let runs = desk.runs();
            if free < worthwhile || runs.is_empty() {
                tokio::select! { () = desk.changed() => {}, () = tokio::time::sleep(POLL) => {} }
                continue;
            }
            turn = (turn + 1) % runs.len();
            let run = &runs[turn];
            // With one run there is nothing else to look at meanwhile.
            let wait = FETCH / runs.len() as u32;
            if let Err(error) = self.fetch_of(run, free, wait, desk, give).await {
                tokio::time::sleep(FETCH).await;
                // A run that has ended takes its queue along.
                if !run.stop.is_aborting() {
                    desk.complain(&format!("cluster {}: {error}", self.connection.url));
                }
            }
        }
    }

    async fn fetch_of(
        &self,
        run: &Arc<Run>,
        count: usize,
        wait: Duration,
        desk: &Desk<'_>,
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
        while let Some(message) = batch.next().await {
            self.take(message?, run, desk, give).await;
        }
        *run.consumer.lock() = Some(consumer);
        desk.calm();
        Ok(())
    }

    async fn take(
        &self,
        message: Message,
        run: &Arc<Run>,
        desk: &Desk<'_>,
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
        let job = desk.pick_up(Arc::clone(run), number, message);
        if deliveries > DELIVERIES {
            let problem = format!("it was given to workers {DELIVERIES} times and never finished");
            let subject = names::result(&run.name, number, false);
            // Without a name: it is not the fault of this worker.
            let (context, headers) = (&self.connection.context, HeaderMap::new());
            crate::feeder::deliver(context, &subject, headers, problem.into()).await;
            let _ = job.message.ack().await;
            desk.put_down(job.id);
            return;
        }
        // The threads live as long as the sender.
        let _ = give.send(job);
    }

    /// Tells the server now and then that the jobs at hand are under way.
    async fn keep(&self, desk: &Desk<'_>) {
        loop {
            tokio::time::sleep(desk.keep_interval()).await;
            for message in desk.messages() {
                let _ = message.ack_with(AckKind::Progress).await;
            }
        }
    }
}
