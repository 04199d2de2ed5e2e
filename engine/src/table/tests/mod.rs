//! Tests of the transposition table: its behaviour, threads that stress it, and loom models.

#[cfg(not(loom))]
mod behaviour;
#[cfg(loom)]
mod loom;
pub(super) mod strategies;
#[cfg(not(loom))]
mod stress;
