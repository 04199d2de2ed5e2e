//! Worker pools, results in order, and requests to stop.

mod in_order;
mod pool;
mod stop;

pub(crate) use in_order::InOrder;
pub use pool::{Pool, worker_count};
pub use stop::{Interrupted, Stop};
