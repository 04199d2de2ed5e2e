//! Jobs on their way to the queue: bounded in number, and sent again where they were lost.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::HeaderMap;
use crossbeam::channel::{self, Receiver, Sender};
use nullarbor_runs::{RemoteTask, Stop};
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::connection::Connection;
use crate::event::{Arrived, Event};
use crate::names;

/// Jobs whose arrival the server has not confirmed yet, at most.
const UNCONFIRMED: usize = 256;
/// Before something is tried again that the server has not taken.
const RETRY: Duration = Duration::from_millis(500);
/// Interval at which a wait checks whether the run is being stopped.
const POLL: Duration = Duration::from_millis(50);

/// A job that was given away and is not done.
struct Sent {
    /// The place of its task.
    place: u64,
    payload: Arc<[u8]>,
}

/// The jobs of a run that were begun and are not done.
pub(crate) struct InFlight {
    sent: Mutex<HashMap<u64, Sent>>,
    permits: (Sender<()>, Receiver<()>),
    /// Results of an earlier coordinator's jobs, which need not be done again.
    early: Mutex<BTreeMap<u64, Arrived>>,
    /// The flags hand nothing over, so they are relaxed.
    is_all: AtomicBool,
    is_closed: AtomicBool,
}

/// A job: its number and its task as JSON.
pub(crate) type Job = (u64, Arc<[u8]>);

impl InFlight {
    pub fn new(limit: usize, early: BTreeMap<u64, Arrived>) -> Self {
        let permits = channel::bounded(limit);
        // The channel has room for all of them.
        (0..limit).for_each(|_| _ = permits.0.try_send(()));
        Self {
            sent: Mutex::default(),
            permits,
            early: Mutex::new(early),
            is_all: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
        }
    }

    /// Sends all jobs to the queue, as permits come. Ends early when the run is being stopped or has ended.
    pub fn dispatch(
        &self,
        stop: &Stop,
        tasks: &mut (dyn Iterator<Item = RemoteTask> + Send),
        queue: &tokio::sync::mpsc::UnboundedSender<Job>,
        events: &Sender<Event>,
    ) {
        for (place, (number, payload)) in (0..).zip(tasks) {
            while self.permits.1.recv_timeout(POLL).is_err() {
                if stop.is_finishing() || self.is_closed.load(Ordering::Relaxed) {
                    break;
                }
            }
            stop.wait_while_paused();
            if stop.is_finishing() || self.is_closed.load(Ordering::Relaxed) {
                return;
            }
            let payload: Arc<[u8]> = payload.into();
            self.sent.lock().insert(number, Sent { place, payload: Arc::clone(&payload) });
            // The receivers live as long as the run.
            let _ = match self.early.lock().remove(&number) {
                Some(known) => events.send(Event::Arrived(Box::new(known))).is_ok(),
                None => queue.send((number, payload)).is_ok(),
            };
        }
        self.is_all.store(true, Ordering::Relaxed);
    }

    /// Returns the task of a job that was given away and is not done.
    pub fn task(&self, number: u64) -> Option<Arc<[u8]>> {
        self.sent.lock().get(&number).map(|sent| Arc::clone(&sent.payload))
    }

    /// Returns the number of jobs that were given away and are not done.
    pub fn count(&self) -> usize {
        self.sent.lock().len()
    }

    /// Notes that the result of a job has come, and returns the place of its task; `None` if it came before.
    pub fn complete(&self, number: u64) -> Option<u64> {
        let sent = self.sent.lock().remove(&number)?;
        // Where the channel is full there are enough.
        let _ = self.permits.0.try_send(());
        Some(sent.place)
    }

    /// Gives no more jobs away.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Returns whether no more jobs are given away.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Returns the jobs that are not done.
    pub fn jobs(&self) -> Vec<Job> {
        let sent = self.sent.lock();
        let mut jobs: Vec<_> =
            sent.iter().map(|(number, sent)| (*number, Arc::clone(&sent.payload))).collect();
        jobs.sort_unstable_by_key(|(number, _)| *number);
        jobs
    }

    /// Returns whether all jobs are done.
    pub fn is_over(&self) -> bool {
        self.is_all.load(Ordering::Relaxed) && self.sent.lock().is_empty()
    }
}

/// Puts jobs into the queue, until their sender is gone or the task is aborted. A server that is away is waited for.
pub(crate) async fn publish_jobs(
    connection: &Connection,
    run: String,
    mut jobs: tokio::sync::mpsc::UnboundedReceiver<Job>,
) {
    let free = Arc::new(Semaphore::new(UNCONFIRMED));
    // Aborts what is under way when it is dropped.
    let mut under_way = JoinSet::new();
    while let Some((number, payload)) = jobs.recv().await {
        // Nobody closes the semaphore.
        let Ok(permit) = Arc::clone(&free).acquire_owned().await else { return };
        let (context, subject) = (connection.context.clone(), names::job(&run, number));
        under_way.spawn(async move {
            publish(&context, &subject, HeaderMap::new(), payload.to_vec()).await;
            drop(permit);
        });
        while under_way.try_join_next().is_some() {}
    }
    while under_way.join_next().await.is_some() {}
}

/// Publishes a message until the server has confirmed it.
pub(crate) async fn publish(
    context: &async_nats::jetstream::Context,
    subject: &str,
    headers: HeaderMap,
    payload: Vec<u8>,
) {
    let payload = bytes::Bytes::from(payload);
    loop {
        let (subject, headers) = (subject.to_owned(), headers.clone());
        if let Ok(confirmed) = context.publish_with_headers(subject, headers, payload.clone()).await
            && confirmed.await.is_ok()
        {
            return;
        }
        tokio::time::sleep(RETRY).await;
    }
}
