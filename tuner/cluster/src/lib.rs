//! Work of the tuner on many machines, over NATS JetStream.
//!
//! [`Cluster`] gives the jobs of a run to a queue and takes their results, in the place of a pool of threads; [`Worker`]
//! does jobs from the queue. Jobs and results are plain data. The result of a run is that of one machine: a job depends on
//! nothing but itself, and results are put in order by those who put those of threads in order.
//!
//! On the server are two streams (`NULLARBOR_JOBS`, a work queue with explicit acknowledgements, and `NULLARBOR_RESULTS`, which
//! keeps each result until the coordinator has it in its journal), two buckets of values (runs, workers) and one of files.

#![forbid(unsafe_code)]

pub mod access;
mod build;
mod connection;
mod coordinator;
mod custody;
mod error;
mod event;
mod in_flight;
mod lost;
mod names;
mod object_store;
mod programs;
mod replay;
mod run;
pub mod status;
mod taking;
mod worker;

pub use access::ClusterArgs;
pub use build::Build;
pub use connection::Connection;
pub use coordinator::Cluster;
pub use error::ClusterError;
pub use programs::AllowedPrograms;
pub use worker::Worker;
