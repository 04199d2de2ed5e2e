//! A thread of a worker, and the sending of its results.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::{AckKind, Context};
use crossbeam::channel::{Receiver, RecvTimeoutError};
use nullarbor_runs::{Jobs, ServeError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;

use super::desk::Desk;
use super::job::{HeldJob, Run};
use crate::connection::Connection;
use crate::feeder::deliver;
use crate::names;

/// Interval at which a thread without a job checks whether its run has ended.
const POLL: Duration = Duration::from_millis(100);
/// Before a job is given to another worker, after this one could not begin the run.
const PAUSE: Duration = Duration::from_secs(5);

/// The outcome of a job.
pub(super) enum Fate {
    /// The job was done: the result, or why the run cannot go on.
    Done(Result<Vec<u8>, String>),
    /// The job is for other workers.
    Returned,
    /// The run of the job has ended.
    Dropped,
}

/// A thread.
pub(super) struct Hand<'a> {
    pub desk: &'a Desk<'a>,
    pub jobs: Receiver<HeldJob>,
    pub results: UnboundedSender<(HeldJob, Fate)>,
}

impl Hand<'_> {
    /// Does jobs until there will be no more.
    pub fn work(&self) {
        let mut first = None;
        loop {
            let Some(job) = first.take().or_else(|| self.jobs.recv().ok()) else { return };
            let run = Arc::clone(&job.run);
            let mut jobs =
                JobsOfRun { hand: self, run: &run, first: Some(job), current: None, other: None };
            match (run.kind.serve)(&run.parcel, &run.stop, &mut jobs) {
                Ok(()) => jobs.settle(|| Fate::Dropped),
                Err(ServeError::Unpack(problem)) => {
                    self.desk.refuse(&run.name, &problem.to_string());
                    jobs.settle(|| Fate::Returned);
                }
                Err(ServeError::Hands(problem)) => {
                    eprintln!("Run {} cannot be begun: {problem}", run.name);
                    jobs.settle(|| Fate::Returned);
                    thread::sleep(PAUSE);
                }
            }
            first = jobs.other;
        }
    }

    fn finish(&self, job: HeldJob, fate: Fate) {
        // The receiver lives until the threads have ended.
        let _ = self.results.send((job, fate));
    }
}

/// The jobs of one run, as they come to a thread.
struct JobsOfRun<'a> {
    hand: &'a Hand<'a>,
    run: &'a Arc<Run>,
    first: Option<HeldJob>,
    current: Option<HeldJob>,
    /// A job of another run, which came instead.
    other: Option<HeldJob>,
}

impl JobsOfRun<'_> {
    /// Lets go of the jobs that were taken and not done.
    fn settle(&mut self, fate: impl Fn() -> Fate) {
        for job in [self.first.take(), self.current.take()].into_iter().flatten() {
            self.hand.finish(job, fate());
        }
    }
}

impl Jobs for JobsOfRun<'_> {
    fn next(&mut self) -> Option<Vec<u8>> {
        while self.first.is_none() {
            if self.run.stop.is_aborting() || self.hand.desk.is_closed() {
                return None;
            }
            match self.hand.jobs.recv_timeout(POLL) {
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
            self.hand.finish(job, Fate::Done(result));
        }
    }
}

/// Sends results until the threads have ended. A job is acknowledged when the server has its result.
pub(super) async fn send(
    connection: &Connection,
    desk: &Desk<'_>,
    mut results: UnboundedReceiver<(HeldJob, Fate)>,
) {
    let mut headers = HeaderMap::new();
    headers.insert(names::WORKER, desk.name.as_str());
    let mut under_way = JoinSet::new();
    loop {
        tokio::select! {
            Some(id) = under_way.join_next() => desk.put_down(id.unwrap_or_default()),
            received = results.recv() => {
                let Some((job, fate)) = received else { break };
                if let Fate::Done(_) = fate {
                    desk.count_done();
                }
                let (context, headers) = (connection.context.clone(), headers.clone());
                under_way.spawn(async move {
                    settle(&context, headers, &job, fate).await;
                    job.id
                });
            }
        }
    }
    while let Some(id) = under_way.join_next().await {
        desk.put_down(id.unwrap_or_default());
    }
}

async fn settle(context: &Context, headers: HeaderMap, job: &HeldJob, fate: Fate) {
    let (is_done, payload) = match fate {
        // A server would refuse it again and again.
        Fate::Done(Ok(result)) if result.len() > names::LONGEST_MESSAGE => {
            (false, format!("a result of {} bytes", result.len()).into_bytes())
        }
        Fate::Done(Ok(result)) => (true, result),
        Fate::Done(Err(problem)) => (false, problem.into_bytes()),
        Fate::Returned => {
            let _ = job.message.ack_with(AckKind::Nak(Some(PAUSE))).await;
            return;
        }
        Fate::Dropped => return,
    };
    let subject = names::result(&job.run.name, job.number, is_done);
    deliver(context, &subject, headers, payload).await;
    // One that is lost lets the job be done again, with the same result.
    let _ = job.message.ack().await;
}
