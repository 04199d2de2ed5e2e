//! Work on many threads, its results in order, and how it is stopped.

pub mod crew;
pub mod in_order;
pub mod pool;
pub mod stop;

pub use pool::{Pool, worker_count};
pub use stop::{Interrupted, Stop};
