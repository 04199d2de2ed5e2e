//! Workers, be they threads or machines, results in order, and requests to stop.

mod in_order;
mod pool;
mod portable;
mod stop;

pub(crate) use in_order::InOrder;
pub use pool::{Pool, worker_count};
pub use portable::{
    Jobs, Kind, NotPortable, Order, Parcel, Portable, Referee, Remote, RemoteError, RemoteTask,
    ServeError, UnpackError, Workers,
};
pub use stop::{Interrupted, Stop};
