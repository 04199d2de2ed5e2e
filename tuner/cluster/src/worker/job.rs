//! The runs that a worker takes part in, and their jobs.

use std::sync::Arc;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::PullConsumer;
use nullarbor_runs::{JobKind, RunSpec, Stop};
use parking_lot::Mutex;

use crate::status::RunInfo;

/// A run that fits.
pub(super) struct Run {
    pub name: String,
    pub info: RunInfo,
    pub kind: JobKind,
    pub spec: RunSpec,
    /// Aborts its jobs when it ends.
    pub stop: Arc<Stop>,
    pub consumer: Mutex<Option<PullConsumer>>,
}

/// A job that was fetched and is not done.
pub(super) struct HeldJob {
    /// Number of the job in this worker.
    pub id: u64,
    pub run: Arc<Run>,
    pub number: u64,
    pub message: Message,
}
