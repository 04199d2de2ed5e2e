//! The coordinator: gives the jobs of a run to the queue, and takes their results.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use async_nats::jetstream::Message;
use crossbeam::channel::{self, RecvTimeoutError};
use nullarbor_report::terminal;
use nullarbor_runs::{
    Interrupted, Referee, Remote, RemoteError, RemoteTask, RunRequest, Stop, worker_count,
};
use tokio::sync::mpsc;

use crate::access::{ClusterArgs, Share};
use crate::build::Build;
use crate::connection::Connection;
use crate::error::ClusterError;
use crate::event::Arrived;
use crate::in_flight::{InFlight, publish_jobs};
use crate::programs::ProgramId;
use crate::replay::replay;
use crate::run::{OpenRun, RETRY, identity};
use crate::status::RunInfo;
use crate::taking::Taking;

/// Interval at which a wait for results checks whether the run is being stopped.
const POLL: Duration = Duration::from_millis(50);
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

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.connection.fmt(f)
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
        request: &RunRequest<'_>,
    ) -> Result<(OpenRun<'_>, BTreeMap<u64, Arrived>), RemoteError> {
        let mut files = Vec::new();
        for path in &request.spec.files {
            files.push(self.connection.upload(path).await.map_err(|it| self.failed(it))?);
        }
        let programs = request.spec.programs.iter().map(ProgramId::of);
        let programs = programs.collect::<Result<_, _>>().map_err(|it| self.failed(it))?;
        let info = RunInfo {
            kind: request.kind.to_owned(),
            build: self.build.clone(),
            settings: request.spec.settings.clone(),
            files,
            programs,
            ack_wait: self.ack_wait.as_secs(),
            excluded: Vec::new(),
        };
        let name = format!("{}-{}", request.kind, identity(&info, request.journal));
        let Self { connection, ack_wait, verify: Share(share), .. } = self;
        let (ack_wait, share, is_resumable) = (*ack_wait, *share, request.journal.is_some());
        let run = OpenRun { connection, name, info, ack_wait, share, is_resumable };
        let mut tries = 1..TRIES;
        loop {
            match run.try_begin().await {
                Err(error) if tries.next().is_some() => {
                    terminal::message(format_args!(
                        "{self} does not answer ({error}); trying again."
                    ));
                    tokio::time::sleep(RETRY).await;
                }
                begun => return begun.map(|early| (run, early)).map_err(|it| self.failed(it)),
            }
        }
    }
}

impl Remote for Cluster {
    fn run(
        &self,
        request: &RunRequest<'_>,
        referee: &dyn Referee,
        stop: &Stop,
        tasks: &mut (dyn Iterator<Item = RemoteTask> + Send),
        take: &mut dyn FnMut(u64, &[u8]) -> ControlFlow<()>,
    ) -> Result<(), RemoteError> {
        let runtime = &self.connection.runtime;
        let (run, early) = runtime.block_on(self.begin(request))?;
        let in_flight = InFlight::new(self.in_flight, early);
        let (queue, to_publish) = mpsc::unbounded_channel();
        let (sender, events) = channel::unbounded();
        let (here, to_do_here) = channel::unbounded();
        let (acks, mut to_ack) = mpsc::unbounded_channel::<Message>();
        let acknowledging = runtime.spawn(async move {
            while let Some(message) = to_ack.recv().await {
                // One that is lost brings the result again, which is ignored.
                let _ = message.ack().await;
            }
        });
        let sending = sender.clone();
        let work = async {
            tokio::join!(
                publish_jobs(&self.connection, run.name.clone(), to_publish),
                run.receive(&sending)
            )
        };
        let ended = thread::scope(|scope| {
            let (over, mut is_over) = tokio::sync::oneshot::channel::<()>();
            scope.spawn(move || {
                runtime.block_on(async {
                    tokio::select! { _ = work => {}, _ = &mut is_over => {} }
                });
            });
            scope.spawn(|| in_flight.dispatch(stop, tasks, &queue, &sender));
            for _ in 0..worker_count(None).min(REPLAYS) {
                let thread = thread::Builder::new().stack_size(STACK);
                let replaying = || replay(referee, stop, &in_flight, &to_do_here, &sender);
                if let Err(error) = thread.spawn_scoped(scope, replaying) {
                    terminal::message(format_args!(
                        "Results are replayed by fewer threads: {error}."
                    ));
                }
            }
            let mut taking = Taking::new(&run, &in_flight, referee, (&queue, &acks), here);
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
                if in_flight.is_over() {
                    break Ok(());
                }
                if stop.is_finishing() {
                    break Err(Interrupted.into());
                }
            };
            in_flight.close();
            taking.summarise();
            if ended.is_err() {
                // The tasks may wait for results.
                stop.abort();
            }
            drop(over);
            ended
        });
        // Acknowledgements that wait are sent first, if the server takes them.
        drop(acks);
        let _ = runtime.block_on(async { tokio::time::timeout(POLL, acknowledging).await });
        let keep = run.is_resumable && matches!(ended, Err(RemoteError::Interrupted(_)));
        // What is left over is removed by its age.
        let _ = runtime.block_on(run.end(!keep));
        ended
    }
}
