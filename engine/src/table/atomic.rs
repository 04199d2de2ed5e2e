//! The atomics of the table: those of the standard library, or loom's under test.

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicU8, AtomicU64, Ordering};
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
