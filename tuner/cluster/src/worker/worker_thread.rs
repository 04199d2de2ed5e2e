//! A thread of a worker, and the sending of its results.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::{AckKind, Context};
use crossbeam::channel::{Receiver, RecvTimeoutError};
use nullarbor_report::terminal;
use nullarbor_runs::{Jobs, ServeError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;

use super::job::{HeldJob, Run};
use super::state::WorkerState;
use crate::connection::Connection;
use crate::in_flight::publish;
use crate::names;

/// Interval at which a thread without a job checks whether its run has ended.
const POLL: Duration = Duration::from_millis(100);
/// Before a job is given to another worker, after this one could not begin the run.
const PAUSE: Duration = Duration::from_secs(5);

/// The outcome of a job.
pub(super) enum Outcome {
    /// The job was done: the result, or why the run cannot go on.
    Done(Result<Vec<u8>, String>),
    /// The job is for other workers.
    Returned,
    /// The run of the job has ended.
    Dropped,
}

/// A thread of a worker.
pub(super) struct WorkerThread<'a> {
    pub state: &'a WorkerState<'a>,
    pub jobs: Receiver<HeldJob>,
    pub results: UnboundedSender<(HeldJob, Outcome)>,
}

impl WorkerThread<'_> {
    /// Does jobs until there will be no more.
    pub fn work(&self) {
        let mut first = None;
        loop {
            let Some(job) = first.take().or_else(|| self.jobs.recv().ok()) else { return };
            let run = Arc::clone(&job.run);
            let mut jobs =
                JobsOfRun { thread: self, run: &run, first: Some(job), current: None, other: None };
            match (run.kind.serve)(&run.spec, &run.stop, &mut jobs) {
                Ok(()) => jobs.settle(|| Outcome::Dropped),
                Err(ServeError::Spec(problem)) => {
                    self.state.refuse(&run.name, Some(&run.info), &problem.to_string());
                    jobs.settle(|| Outcome::Returned);
                }
                Err(ServeError::Worker(problem)) => {
                    terminal::message(format_args!("Run {} cannot be begun: {problem}", run.name));
                    jobs.settle(|| Outcome::Returned);
                    thread::sleep(PAUSE);
                }
            }
            first = jobs.other;
        }
    }

    fn finish(&self, job: HeldJob, outcome: Outcome) {
        // The receiver lives until the threads have ended.
        let _ = self.results.send((job, outcome));
    }
}

/// The jobs of one run, as they come to a thread.
struct JobsOfRun<'a> {
    thread: &'a WorkerThread<'a>,
    run: &'a Arc<Run>,
    first: Option<HeldJob>,
    current: Option<HeldJob>,
    /// A job of another run, which came instead.
    other: Option<HeldJob>,
}

impl JobsOfRun<'_> {
    /// Lets go of the jobs that were taken and not done.
    fn settle(&mut self, outcome: impl Fn() -> Outcome) {
        for job in [self.first.take(), self.current.take()].into_iter().flatten() {
            self.thread.finish(job, outcome());
        }
    }
}

impl Jobs for JobsOfRun<'_> {
    fn next(&mut self) -> Option<Vec<u8>> {
        while self.first.is_none() {
            if self.run.stop.is_aborting() || self.thread.state.is_closed() {
                return None;
            }
            match self.thread.jobs.recv_timeout(POLL) {
                Ok(job) if Arc::ptr_eq(&job.run, self.run) => self.first = Some(job),
                Ok(job) => {
                    self.other = Some(job);
                    return None;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        if self.run.stop.is_aborting() {
            return None;
        }
        self.current = self.first.take();
        self.current.as_ref().map(|job| job.message.payload.to_vec())
    }

    fn done(&mut self, result: Result<Vec<u8>, String>) {
        if let Some(job) = self.current.take() {
            self.thread.finish(job, Outcome::Done(result));
        }
    }
}

/// Sends results until the threads have ended. A job is acknowledged when the server has its result.
pub(super) async fn send(
    connection: &Connection,
    state: &WorkerState<'_>,
    mut results: UnboundedReceiver<(HeldJob, Outcome)>,
) {
    let mut headers = HeaderMap::new();
    headers.insert(names::WORKER, state.name.as_str());
    let mut under_way = JoinSet::new();
    loop {
        tokio::select! {
            Some(id) = under_way.join_next() => state.release(id.unwrap_or_default()),
            received = results.recv() => {
                let Some((job, outcome)) = received else { break };
                if let Outcome::Done(_) = outcome {
                    state.count_done();
                }
                let (context, headers) = (connection.context.clone(), headers.clone());
                under_way.spawn(async move {
                    settle(&context, headers, &job, outcome).await;
                    job.id
                });
            }
        }
    }
    while let Some(id) = under_way.join_next().await {
        state.release(id.unwrap_or_default());
    }
}

async fn settle(context: &Context, headers: HeaderMap, job: &HeldJob, outcome: Outcome) {
    let (is_done, payload) = match outcome {
        // A server would refuse it again and again.
        Outcome::Done(Ok(result)) if result.len() > names::LONGEST_MESSAGE => {
            (false, format!("a result of {} bytes", result.len()).into_bytes())
        }
        Outcome::Done(Ok(result)) => (true, result),
        Outcome::Done(Err(problem)) => (false, problem.into_bytes()),
        Outcome::Returned => {
            let _ = job.message.ack_with(AckKind::Nak(Some(PAUSE))).await;
            return;
        }
        Outcome::Dropped => return,
    };
    let subject = names::result(&job.run.name, job.number, is_done);
    publish(context, &subject, headers, payload).await;
    // One that is lost lets the job be done again, with the same result.
    let _ = job.message.ack().await;
}
