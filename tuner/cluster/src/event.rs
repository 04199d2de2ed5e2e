//! The results of a run as they come.

use async_nats::jetstream::Message;

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
