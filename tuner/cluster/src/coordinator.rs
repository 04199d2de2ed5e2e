//! The coordinator: gives the jobs of a run to the queue, and takes their results.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream::{Message, consumer};
use crossbeam::channel::{self, RecvTimeoutError, Sender};
use futures_util::StreamExt;
use nullarbor_games::matches::fingerprint::Fingerprint;
use nullarbor_games::work::{Interrupted, Order, Remote, RemoteError, RemoteTask, Stop};
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::time::timeout;

use crate::access::ClusterArgs;
use crate::build::Build;
use crate::connection::Connection;
use crate::error::ClusterError;
use crate::feeder::{Flight, Letter, post};
use crate::names;
use crate::status::RunInfo;

/// How often a wait for results looks whether the run is being stopped.
const POLL: Duration = Duration::from_millis(50);
/// Before results are asked for again, after the server did not answer.
const RETRY: Duration = Duration::from_millis(300);
/// Time without results after which the queue is looked at.
const QUIET: Duration = Duration::from_secs(5);
/// Results that are fetched at once.
const BATCH: usize = 256;
/// How long a fetch waits for the next result, or for the word that there are no more. A server that is killed meanwhile
/// never says either.
const ANSWER: Duration = Duration::from_secs(5);
/// How often the beginning of a run is tried.
const TRIES: u32 = 3;

/// The workers of a server.
#[derive(Debug)]
pub struct Cluster {
    connection: Connection,
    in_flight: usize,
    ack_wait: Duration,
}

/// A result from the stream of results.
pub(crate) struct Arrived {
    number: u64,
    message: Message,
}

/// A run on the server.
struct OpenRun<'a> {
    cluster: &'a Cluster,
    name: String,
    /// Whether a later coordinator may go on with it.
    is_resumable: bool,
}

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the cluster {}", self.connection.url)
    }
}

impl Cluster {
    /// Connects to the server of the command line, if one is given.
    ///
    /// # Errors
    /// As [`Connection::open`].
    pub fn open(args: &ClusterArgs) -> Result<Option<Self>, ClusterError> {
        let Some(url) = &args.cluster else { return Ok(None) };
        let connection = Connection::open(url, args)?;
        let (in_flight, ack_wait) = (args.in_flight as usize, Duration::from_secs(args.ack_wait));
        Ok(Some(Self { connection, in_flight, ack_wait }))
    }

    fn failed(&self, problem: impl fmt::Display) -> RemoteError {
        RemoteError::Cluster { url: self.connection.url.clone(), problem: problem.to_string() }
    }

    /// Begins a run, after its files are there, and takes the results of an earlier coordinator's jobs.
    async fn begin(
        &self,
        order: &Order<'_>,
    ) -> Result<(OpenRun<'_>, BTreeMap<u64, Arrived>), RemoteError> {
        let mut files = Vec::new();
        for path in &order.parcel.files {
            files.push(self.connection.upload(path).await.map_err(|it| self.failed(it))?);
        }
        let info = RunInfo {
            kind: order.kind.to_owned(),
            build: Build::this(),
            settings: order.parcel.settings.clone(),
            files,
            ack_wait: self.ack_wait.as_secs(),
        };
        let name = format!("{}-{:016x}", order.kind, identity(&info, order.journal));
        let run = OpenRun { cluster: self, name, is_resumable: order.journal.is_some() };
        let mut tries = 1..TRIES;
        loop {
            match run.try_begin(&info).await {
                Err(error) if tries.next().is_some() => {
                    eprintln!("{self} does not answer ({error}); trying again.");
                    tokio::time::sleep(RETRY).await;
                }
                begun => return begun.map(|early| (run, early)).map_err(|it| self.failed(it)),
            }
        }
    }
}

/// Returns what tells a run from all others. A run without a journal is never resumed, so it is a new one each time.
fn identity(info: &RunInfo, journal: Option<&Path>) -> u64 {
    let place = match journal {
        Some(path) => std::path::absolute(path).unwrap_or(path.to_owned()).display().to_string(),
        // Its keys are random.
        None => RandomState::new().build_hasher().finish().to_string(),
    };
    let host = rustix::system::uname();
    // Plain data always has a JSON value.
    let settings = serde_json::to_string(info).unwrap_or_default();
    let text = [settings.as_bytes(), place.as_bytes(), host.nodename().to_bytes()].join(&0);
    Fingerprint::of(text.iter().copied().map(u64::from)).0
}

impl OpenRun<'_> {
    /// Registers the run, and returns the results of an earlier coordinator's jobs.
    async fn try_begin(&self, info: &RunInfo) -> Result<BTreeMap<u64, Arrived>, async_nats::Error> {
        self.register(info).await?;
        self.early().await
    }

    /// Tells the workers of the run. Jobs that an earlier coordinator has left are dropped: this one knows which are missing.
    async fn register(&self, info: &RunInfo) -> Result<(), async_nats::Error> {
        let Cluster { connection, ack_wait, .. } = self.cluster;
        let jobs = connection.context.get_stream(names::JOBS).await?;
        jobs.purge().filter(names::jobs(Some(&self.name))).await?;
        self.consumers(*ack_wait).await?;
        let value = serde_json::to_vec(info)?;
        connection.runs().await?.put(&self.name, value.into()).await?;
        Ok(())
    }

    async fn consumers(&self, ack_wait: Duration) -> Result<(), async_nats::Error> {
        for stream in [names::JOBS, names::RESULTS] {
            self.cluster.connection.consumer(stream, &self.name, ack_wait).await?;
        }
        Ok(())
    }

    /// Takes the results of an earlier coordinator's jobs.
    async fn early(&self) -> Result<BTreeMap<u64, Arrived>, async_nats::Error> {
        let Cluster { connection, ack_wait, .. } = self.cluster;
        let consumer = connection.consumer(names::RESULTS, &self.name, *ack_wait).await?;
        let mut early = BTreeMap::new();
        loop {
            let mut batch = consumer.fetch().max_messages(BATCH).messages().await?;
            let mut count = 0;
            while let Some(message) = timeout(ANSWER, batch.next()).await? {
                let message = message?;
                count += 1;
                // Those that failed are tried again.
                if names::is_failure(&message.subject) {
                    message.ack().await?;
                } else if let Some(number) = names::number(&message.subject) {
                    early.insert(number, Arrived { number, message });
                }
            }
            if count == 0 {
                return Ok(early);
            }
        }
    }

    /// Hands results over as they come, until it is aborted. A server that is away is waited for.
    async fn receive(&self, arrived: &Sender<Arrived>) {
        let mut is_away = false;
        loop {
            match self.results().await {
                Ok(mut messages) => {
                    if std::mem::take(&mut is_away) {
                        eprintln!("{} answers again.", self.cluster);
                    }
                    while let Some(Ok(message)) = messages.next().await {
                        if let Some(number) = names::number(&message.subject) {
                            // The receiver lives as long as the run.
                            let _ = arrived.send(Arrived { number, message });
                        }
                    }
                }
                Err(error) if !is_away => {
                    is_away = true;
                    eprintln!("{} does not answer ({error}); trying again.", self.cluster);
                }
                Err(_) => {}
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    async fn results(&self) -> Result<consumer::pull::Stream, async_nats::Error> {
        let Cluster { connection, ack_wait, .. } = self.cluster;
        let consumer = connection.consumer(names::RESULTS, &self.name, *ack_wait).await?;
        let messages = consumer
            .stream()
            .max_messages_per_batch(BATCH)
            .expires(Duration::from_secs(10))
            .heartbeat(Duration::from_secs(2));
        Ok(messages.messages().await?)
    }

    /// Returns whether the queue has neither jobs nor results of the run.
    async fn is_idle(&self) -> Result<bool, async_nats::Error> {
        let Cluster { connection, ack_wait, .. } = self.cluster;
        let mut is_idle = true;
        for stream in [names::JOBS, names::RESULTS] {
            let mut consumer = connection.consumer(stream, &self.name, *ack_wait).await?;
            let info = consumer.info().await?;
            is_idle &= info.num_pending == 0 && info.num_ack_pending == 0;
        }
        Ok(is_idle)
    }

    /// Removes what the server keeps of the run: everything, or the jobs alone.
    async fn end(&self, everything: bool) -> Result<(), async_nats::Error> {
        let context = &self.cluster.connection.context;
        let name = &self.name;
        if everything {
            self.cluster.connection.runs().await?.purge(name).await?;
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

impl Remote for Cluster {
    fn run(
        &self,
        order: &Order<'_>,
        stop: &Stop,
        tasks: &mut (dyn Iterator<Item = RemoteTask> + Send),
        take: &mut dyn FnMut(u64, &[u8]) -> ControlFlow<()>,
    ) -> Result<(), RemoteError> {
        let runtime = &self.connection.runtime;
        let (run, early) = runtime.block_on(self.begin(order))?;
        let flight = Flight::new(self.in_flight, early);
        let (letters, post_box) = mpsc::unbounded_channel();
        let (sender, arrived) = channel::unbounded();
        let (acks, mut to_ack) = mpsc::unbounded_channel::<Message>();
        let sending = sender.clone();
        let work = async {
            tokio::join!(
                post(&self.connection, run.name.clone(), post_box),
                run.receive(&sending),
                async {
                    while let Some(message) = to_ack.recv().await {
                        // One that is lost brings the result again, which is ignored.
                        let _ = message.ack().await;
                    }
                }
            )
        };
        let ended = thread::scope(|scope| {
            let (over, mut is_over) = tokio::sync::oneshot::channel::<()>();
            scope.spawn(move || {
                runtime.block_on(async {
                    tokio::select! { _ = work => {}, _ = &mut is_over => {} }
                });
            });
            scope.spawn(|| flight.feed(stop, tasks, &letters, &sender));
            let (quiet_since, was_idle) = (Instant::now(), false);
            let mut taking =
                Taking { run: &run, flight: &flight, letters: &letters, quiet_since, was_idle };
            let ended = loop {
                match arrived.recv_timeout(POLL) {
                    Ok(result) => {
                        if let Some(ended) = taking.take(result, take, &acks) {
                            break ended;
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => taking.look(stop),
                    Err(RecvTimeoutError::Disconnected) => break Ok(()),
                }
                if flight.is_over() {
                    break Ok(());
                }
                if stop.is_finishing() {
                    break Err(Interrupted.into());
                }
            };
            flight.close();
            if ended.is_err() {
                // The tasks may wait for results.
                stop.abort();
            }
            // Acknowledgements that wait are sent first.
            thread::sleep(POLL);
            drop(over);
            ended
        });
        let keep = run.is_resumable && matches!(ended, Err(RemoteError::Interrupted(_)));
        // What is left over is removed by its age.
        let _ = runtime.block_on(run.end(!keep));
        ended
    }
}

/// The taking of results.
struct Taking<'a> {
    run: &'a OpenRun<'a>,
    flight: &'a Flight,
    letters: &'a UnboundedSender<Letter>,
    /// When the last result came.
    quiet_since: Instant,
    /// Whether the queue was empty when it was looked at last, with no result since.
    was_idle: bool,
}

impl Taking<'_> {
    /// Takes a result; returns how the run ends, if it does. It is acknowledged after it is in the journal.
    fn take(
        &mut self,
        Arrived { number, message }: Arrived,
        take: &mut dyn FnMut(u64, &[u8]) -> ControlFlow<()>,
        acks: &UnboundedSender<Message>,
    ) -> Option<Result<(), RemoteError>> {
        (self.quiet_since, self.was_idle) = (Instant::now(), false);
        // A job may be done twice, with the same result.
        if let Some(place) = self.flight.land(number) {
            if names::is_failure(&message.subject) {
                let problem = String::from_utf8_lossy(&message.payload).into_owned();
                return Some(Err(RemoteError::Job { number, problem }));
            }
            if take(place, &message.payload).is_break() {
                return Some(Ok(()));
            }
        }
        // The receiver lives as long as the run.
        let _ = acks.send(message);
        None
    }

    /// Gives jobs away again if they were lost: a server without power may lose what was not on its disk.
    fn look(&mut self, stop: &Stop) {
        if self.quiet_since.elapsed() < QUIET || stop.is_finishing() {
            return;
        }
        self.quiet_since = Instant::now();
        let Cluster { connection, .. } = self.run.cluster;
        let is_idle = connection.runtime.block_on(async {
            connection.prepare().await?;
            self.run.is_idle().await
        });
        let letters = self.flight.letters();
        if matches!(is_idle, Ok(true)) && self.was_idle && !letters.is_empty() {
            eprintln!("{} jobs were lost on the server, and are sent again.", letters.len());
            letters.into_iter().for_each(|letter| _ = self.letters.send(letter));
        }
        self.was_idle = matches!(is_idle, Ok(true));
    }
}
