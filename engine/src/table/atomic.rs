//! The atomics of the table: the real ones, or loom's, which try every order of events.

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicU8, AtomicU64, Ordering};
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
