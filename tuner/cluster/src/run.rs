//! A run as the server keeps it: its description, its jobs and its results.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::Path;
use std::time::Duration;

use async_nats::jetstream::consumer;
use crossbeam::channel::Sender;
use futures_util::StreamExt;
use nullarbor_report::terminal;
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use crate::connection::Connection;
use crate::event::{Arrived, Event};
use crate::lost::Backlog;
use crate::names;
use crate::status::RunInfo;

/// Before results are asked for again, after the server did not answer.
pub(crate) const RETRY: Duration = Duration::from_millis(300);
/// Results that are fetched at once.
const BATCH: usize = 256;
/// Longest wait for the next message of several, or for the word that there are no more. A server that is killed
/// meanwhile never says either.
pub(crate) const ANSWER: Duration = Duration::from_secs(5);

/// A run on the server.
pub(crate) struct OpenRun<'a> {
    pub connection: &'a Connection,
    pub name: String,
    pub info: RunInfo,
    pub ack_wait: Duration,
    /// The share of results that are replayed, from 0 to 1.
    pub share: f64,
    /// True if a later coordinator may go on with the run.
    pub is_resumable: bool,
}

/// Returns what tells a run from all others. A run without a journal is never resumed, so it is a new one each time.
pub(crate) fn identity(info: &RunInfo, journal: Option<&Path>) -> String {
    let place = match journal {
        Some(path) => std::path::absolute(path).unwrap_or(path.to_owned()).display().to_string(),
        // Its keys are random.
        None => RandomState::new().build_hasher().finish().to_string(),
    };
    let host = gethostname::gethostname();
    // Plain data always has a JSON value.
    let settings = serde_json::to_string(info).unwrap_or_default();
    let text = [settings.as_bytes(), place.as_bytes(), host.as_encoded_bytes()].join(&0);
    let digest = Sha256::digest(text);
    digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

impl OpenRun<'_> {
    /// Registers the run, and returns the results of an earlier coordinator's jobs.
    pub async fn try_begin(&self) -> Result<BTreeMap<u64, Arrived>, async_nats::Error> {
        self.register().await?;
        self.early().await
    }

    /// Tells the workers of the run. Jobs that an earlier coordinator has left are dropped: this one knows which are missing.
    async fn register(&self) -> Result<(), async_nats::Error> {
        let Self { connection, ack_wait, .. } = self;
        let jobs = connection.context.get_stream(names::JOBS).await?;
        jobs.purge().filter(names::jobs(Some(&self.name))).await?;
        self.consumers(*ack_wait).await?;
        self.tell(&self.info).await
    }

    async fn tell(&self, info: &RunInfo) -> Result<(), async_nats::Error> {
        let value = serde_json::to_vec(info)?;
        self.connection.runs().await?.put(&self.name, value.into()).await?;
        Ok(())
    }

    /// Tells workers that their results count no more.
    pub fn exclude(&self, excluded: Vec<String>) {
        let info = RunInfo { excluded, ..self.info.clone() };
        let told = self.connection.runtime.block_on(self.tell(&info));
        if let Err(error) = told {
            // What they send is refused all the same.
            terminal::message(format_args!("{} does not answer ({error}).", self.connection));
        }
    }

    async fn consumers(&self, ack_wait: Duration) -> Result<(), async_nats::Error> {
        for stream in [names::JOBS, names::RESULTS] {
            self.connection.consumer(stream, &self.name, ack_wait).await?;
        }
        Ok(())
    }

    /// Takes the results of an earlier coordinator's jobs. One that is missed comes later, like those of this one's jobs.
    async fn early(&self) -> Result<BTreeMap<u64, Arrived>, async_nats::Error> {
        let Self { connection, ack_wait, .. } = self;
        let consumer = connection.consumer(names::RESULTS, &self.name, *ack_wait).await?;
        let mut early = BTreeMap::new();
        loop {
            let mut batch = consumer.fetch().max_messages(BATCH).messages().await?;
            let mut count = 0;
            loop {
                let message = match timeout(ANSWER, batch.next()).await {
                    Ok(Some(message)) => message?,
                    Ok(None) => break,
                    // The server may wait for more than it has, after it has given some again.
                    Err(_) if !early.is_empty() => return Ok(early),
                    Err(elapsed) => return Err(elapsed.into()),
                };
                count += 1;
                // Those that failed are tried again.
                if names::is_failure(&message.subject) {
                    message.ack().await?;
                } else if let Some(number) = names::number(&message.subject)
                    && early.insert(number, Arrived { number, message }).is_some()
                {
                    // What is not acknowledged is given again and again.
                    return Ok(early);
                }
            }
            if count == 0 {
                return Ok(early);
            }
        }
    }

    /// Hands results over as they come, until it is aborted. A server that is away is waited for.
    pub async fn receive(&self, events: &Sender<Event>) {
        let mut is_away = false;
        loop {
            match self.results().await {
                Ok(mut messages) => {
                    if std::mem::take(&mut is_away) {
                        terminal::message(format_args!("{} answers again.", self.connection));
                    }
                    while let Some(Ok(message)) = messages.next().await {
                        if let Some(number) = names::number(&message.subject) {
                            // The receiver lives as long as the run.
                            let arrived = Box::new(Arrived { number, message });
                            let _ = events.send(Event::Arrived(arrived));
                        }
                    }
                }
                Err(error) if !is_away => {
                    is_away = true;
                    terminal::message(format_args!(
                        "{} does not answer ({error}); trying again.",
                        self.connection
                    ));
                }
                Err(_) => {}
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    async fn results(&self) -> Result<consumer::pull::Stream, async_nats::Error> {
        let Self { connection, ack_wait, .. } = self;
        let consumer = connection.consumer(names::RESULTS, &self.name, *ack_wait).await?;
        let messages = consumer
            .stream()
            .max_messages_per_batch(BATCH)
            .expires(Duration::from_secs(10))
            .heartbeat(Duration::from_secs(2));
        Ok(messages.messages().await?)
    }

    /// Returns what the server still has of the run, if it answers.
    pub fn backlog(&self) -> Option<Backlog> {
        let look = async { timeout(ANSWER, self.look()).await? };
        self.connection.runtime.block_on(look).ok()
    }

    async fn look(&self) -> Result<Backlog, async_nats::Error> {
        let Self { connection, ack_wait, .. } = self;
        connection.prepare().await?;
        let mut backlog = Backlog::default();
        let jobs =
            connection.consumer(names::JOBS, &self.name, *ack_wait).await?.info().await?.clone();
        (backlog.jobs, backlog.fetched) = (jobs.num_pending, jobs.num_ack_pending);
        let results =
            connection.consumer(names::RESULTS, &self.name, *ack_wait).await?.info().await?.clone();
        (backlog.results, backlog.delivered) = (results.num_pending, results.num_ack_pending);
        for worker in connection.read_statuses().await? {
            if worker.run.as_ref() == Some(&self.name) {
                backlog.workers.insert(worker.name, worker.seen);
            } else if let Some(reason) = worker.refused.get(&self.name) {
                backlog.refusing.insert(worker.name, reason.clone());
            }
        }
        Ok(backlog)
    }

    /// Removes what the server keeps of the run: everything, or the jobs alone.
    pub async fn end(&self, everything: bool) -> Result<(), async_nats::Error> {
        let context = &self.connection.context;
        let name = &self.name;
        if everything {
            self.connection.runs().await?.purge(name).await?;
        }
        let jobs = context.get_stream(names::JOBS).await?;
        jobs.purge().filter(names::jobs(Some(name))).await?;
        if everything {
            let results = context.get_stream(names::RESULTS).await?;
            results.purge().filter(names::results(Some(name))).await?;
            jobs.delete_consumer(name).await?;
            results.delete_consumer(name).await?;
        }
        Ok(())
    }
}
