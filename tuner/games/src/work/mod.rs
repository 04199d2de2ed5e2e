//! Work on many threads, its results in order, and how it is stopped.

pub mod crew;
pub mod in_order;
pub mod stop;

pub use stop::Stop;
