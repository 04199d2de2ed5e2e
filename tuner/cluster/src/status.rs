//! Reports of workers about themselves, and descriptions of runs.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::access::ACK_WAIT;
use crate::build::Build;
use crate::connection::Connection;
use crate::error::ClusterError;
use crate::programs::ProgramId;

/// A run as workers see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// The name of the work.
    pub kind: String,
    /// The build that gives the right results.
    pub build: Build,
    /// Settings that all jobs of the run have in common.
    pub settings: Value,
    /// Files by their names among machines.
    pub files: Vec<String>,
    /// Programs that workers must have of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ProgramId>,
    /// Seconds after which a job of a silent worker is given to another one.
    pub ack_wait: u64,
    /// Workers that the coordinator trusts no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<String>,
}

/// More files than any run has.
const TOO_MANY_FILES: usize = 1000;
impl RunInfo {
    /// Reads what a coordinator has written, as strictly as the command line.
    ///
    /// # Errors
    /// If it is malformed or out of its range.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let info: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if !ACK_WAIT.contains(&info.ack_wait) {
            return Err(format!("ack_wait is {} s", info.ack_wait));
        }
        let count = info.files.len() + info.programs.len();
        if count >= TOO_MANY_FILES {
            return Err(format!("it has {count} files"));
        }
        Ok(info)
    }
}

/// A worker, as it told last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerStatus {
    /// Name, different from those of all other workers.
    pub name: String,
    /// Build of the worker.
    pub build: Build,
    /// Number of threads.
    pub threads: usize,
    /// The run that it works on, if there is one.
    pub run: Option<String>,
    /// Jobs done since its start.
    pub jobs: u64,
    /// Jobs a second, of the last minute.
    pub speed: f64,
    /// Runs that it refuses, and why.
    pub refused: BTreeMap<String, String>,
    /// The last sign of life, in seconds since 1970.
    pub seen: u64,
}

/// Returns the seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

impl Connection {
    /// Returns the workers that the server knows, by name.
    ///
    /// # Errors
    /// If the server cannot be reached.
    pub fn worker_statuses(&self) -> Result<Vec<WorkerStatus>, ClusterError> {
        self.runtime.block_on(self.read_statuses()).map_err(|error| ClusterError::Server {
            url: self.url.clone(),
            problem: error.to_string(),
        })
    }

    pub(crate) async fn read_statuses(&self) -> Result<Vec<WorkerStatus>, async_nats::Error> {
        let store = self.workers().await?;
        let mut keys = store.keys().await?;
        let mut workers = Vec::new();
        while let Some(key) = keys.next().await {
            let value = store.get(key?).await?;
            workers.extend(value.and_then(|value| serde_json::from_slice(&value).ok()));
        }
        workers.sort_by(|a: &WorkerStatus, b| a.name.cmp(&b.name));
        Ok(workers)
    }
}
