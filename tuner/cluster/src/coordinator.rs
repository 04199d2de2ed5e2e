//! The coordinator: gives the jobs of a run to the queue, and takes their results.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;
use std::time::Duration;

use async_nats::jetstream::{Message, consumer};
use crossbeam::channel::{self, RecvTimeoutError, Sender};
use futures_util::StreamExt;
use nullarbor_runs::fingerprint::Fingerprint;
use nullarbor_runs::{
    Interrupted, Order, Referee, Remote, RemoteError, RemoteTask, Stop, worker_count,
};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::access::{ClusterArgs, Share};
use crate::build::Build;
use crate::connection::Connection;
use crate::error::ClusterError;
use crate::feeder::{Flight, post};
use crate::names;
use crate::replay::replay;
use crate::status::RunInfo;
use crate::taking::Taking;

/// Interval at which a wait for results checks whether the run is being stopped.
const POLL: Duration = Duration::from_millis(50);
/// Before results are asked for again, after the server did not answer.
const RETRY: Duration = Duration::from_millis(300);
/// Results that are fetched at once.
const BATCH: usize = 256;
/// Longest wait of a fetch for the next result, or for the word that there are no more. A server that is killed
/// meanwhile never says either.
const ANSWER: Duration = Duration::from_secs(5);
/// Threads of this machine that replay results, at most.
const REPLAYS: usize = 8;
/// Stack of such a thread in bytes; only the part in use takes memory.
const STACK: usize = 16 << 20;
/// Attempts to begin a run.
const TRIES: u32 = 3;

/// The workers of a server.
#[derive(Debug)]
pub struct Cluster {
    connection: Connection,
    build: Build,
    in_flight: usize,
    ack_wait: Duration,
    verify: Share,
}

/// A result from the stream of results.
pub(crate) struct Arrived {
    pub number: u64,
    pub message: Message,
}

/// A result that has come, from a worker or from this machine.
pub(crate) enum Event {
    /// A result came from a worker.
    Arrived(Box<Arrived>),
    /// This machine has done it itself.
    DoneHere(u64, Result<Vec<u8>, String>),
}

/// A run on the server.
pub(crate) struct OpenRun<'a> {
    cluster: &'a Cluster,
    name: String,
    info: RunInfo,
    /// True if a later coordinator may go on with the run.
    is_resumable: bool,
}

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the cluster {}", self.connection.url)
    }
}

impl Cluster {
    /// Connects to the server of the command line, if one is given. Workers of another build than `build` are not asked.
    ///
    /// # Errors
    /// As [`Connection::open`].
    pub fn open(args: &ClusterArgs, build: Build) -> Result<Option<Self>, ClusterError> {
        let Some(url) = &args.cluster else { return Ok(None) };
        let connection = Connection::open(url, args)?;
        let (in_flight, ack_wait) = (args.in_flight as usize, Duration::from_secs(args.ack_wait));
        Ok(Some(Self { connection, build, in_flight, ack_wait, verify: args.verify }))
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
            build: self.build.clone(),
            settings: order.parcel.settings.clone(),
            files,
            ack_wait: self.ack_wait.as_secs(),
            excluded: Vec::new(),
        };
        let name = format!("{}-{:016x}", order.kind, identity(&info, order.journal));
        let run = OpenRun { cluster: self, name, info, is_resumable: order.journal.is_some() };
        let mut tries = 1..TRIES;
        loop {
            match run.try_begin().await {
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
    let host = gethostname::gethostname();
    // Plain data always has a JSON value.
    let settings = serde_json::to_string(info).unwrap_or_default();
    let text = [settings.as_bytes(), place.as_bytes(), host.as_encoded_bytes()].join(&0);
    Fingerprint::of(text.iter().copied().map(u64::from)).0
}

impl OpenRun<'_> {
    /// Registers the run, and returns the results of an earlier coordinator's jobs.
    async fn try_begin(&self) -> Result<BTreeMap<u64, Arrived>, async_nats::Error> {
        self.register().await?;
        self.early().await
    }

    /// Tells the workers of the run. Jobs that an earlier coordinator has left are dropped: this one knows which are missing.
    async fn register(&self) -> Result<(), async_nats::Error> {
        let Cluster { connection, ack_wait, .. } = self.cluster;
        let jobs = connection.context.get_stream(names::JOBS).await?;
        jobs.purge().filter(names::jobs(Some(&self.name))).await?;
        self.consumers(*ack_wait).await?;
        self.tell(&self.info).await
    }

    async fn tell(&self, info: &RunInfo) -> Result<(), async_nats::Error> {
        let value = serde_json::to_vec(info)?;
        self.cluster.connection.runs().await?.put(&self.name, value.into()).await?;
        Ok(())
    }

    /// Returns the share of results that are replayed, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.cluster.verify.0
    }

    /// Tells workers that their results count no more.
    pub fn exclude(&self, excluded: Vec<String>) {
        let info = RunInfo { excluded, ..self.info.clone() };
        let told = self.cluster.connection.runtime.block_on(self.tell(&info));
        if let Err(error) = told {
            // What they send is refused all the same.
            eprintln!("{} does not answer ({error}).", self.cluster);
        }
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
    async fn receive(&self, events: &Sender<Event>) {
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
                            let arrived = Box::new(Arrived { number, message });
                            let _ = events.send(Event::Arrived(arrived));
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

    /// Returns whether the server answers, and its queue has neither jobs nor results of the run but those that are held here.
    pub fn is_idle(&self, held: usize) -> bool {
        let connection = &self.cluster.connection;
        let is_idle = connection.runtime.block_on(async {
            connection.prepare().await?;
            self.has_at_most(held).await
        });
        matches!(is_idle, Ok(true))
    }

    async fn has_at_most(&self, held: usize) -> Result<bool, async_nats::Error> {
        let Cluster { connection, ack_wait, .. } = self.cluster;
        let mut is_idle = true;
        for (stream, at_hand) in [(names::JOBS, 0), (names::RESULTS, held)] {
            let mut consumer = connection.consumer(stream, &self.name, *ack_wait).await?;
            let info = consumer.info().await?;
            is_idle &= info.num_pending == 0 && info.num_ack_pending <= at_hand;
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
        referee: &dyn Referee,
        stop: &Stop,
        tasks: &mut (dyn Iterator<Item = RemoteTask> + Send),
        take: &mut dyn FnMut(u64, &[u8]) -> ControlFlow<()>,
    ) -> Result<(), RemoteError> {
        let runtime = &self.connection.runtime;
        let (run, early) = runtime.block_on(self.begin(order))?;
        let flight = Flight::new(self.in_flight, early);
        let (letters, post_box) = mpsc::unbounded_channel();
        let (sender, events) = channel::unbounded();
        let (here, to_do_here) = channel::unbounded();
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
            for _ in 0..worker_count(None).min(REPLAYS) {
                let thread = thread::Builder::new().stack_size(STACK);
                let replaying = || replay(referee, stop, &flight, &to_do_here, &sender);
                if let Err(error) = thread.spawn_scoped(scope, replaying) {
                    eprintln!("Results are replayed by fewer threads: {error}.");
                }
            }
            let mut taking = Taking::new(&run, &flight, referee, (&letters, &acks), here);
            let ended = loop {
                match events.recv_timeout(POLL) {
                    Ok(event) => {
                        if let Some(ended) = taking.take(event, take) {
                            break ended;
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => taking.look(stop),
                    Err(RecvTimeoutError::Disconnected) => break Ok(()),
                }
                taking.verify();
                if flight.is_over() {
                    break Ok(());
                }
                if stop.is_finishing() {
                    break Err(Interrupted.into());
                }
            };
            flight.close();
            taking.summarise();
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
