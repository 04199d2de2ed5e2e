//! The report of a worker about itself.

use std::time::Duration;

use tokio::time::timeout;

use super::state::WorkerState;
use crate::connection::Connection;
use crate::run::ANSWER;

/// Between two signs of life.
const INTERVAL: Duration = Duration::from_secs(2);

/// Tells the state of the worker now and then.
pub(super) async fn report(connection: &Connection, state: &WorkerState<'_>, threads: usize) {
    loop {
        // Plain data always has a JSON value.
        let status = serde_json::to_vec(&state.status(threads)).unwrap_or_default();
        if let Ok(workers) = connection.workers().await {
            // The next one tells as much.
            let _ = workers.put(&state.name, status.into()).await;
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

/// Takes the worker off the list. A server that is away is not waited for: the last sign of life tells as much.
pub(super) async fn deregister(connection: &Connection, state: &WorkerState<'_>) {
    let purge = async { connection.workers().await?.purge(&state.name).await.map_err(Into::into) };
    let _: Result<Result<(), async_nats::Error>, _> = timeout(ANSWER, purge).await;
}
