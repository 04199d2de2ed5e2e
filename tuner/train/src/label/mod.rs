//! Labels positions by searches of any engine, for sets that networks are judged by.
//!
//! [`source`] reads and selects positions, a [`labeller`] is an engine that searches them and is started anew after a fault, and
//! a [`run`] goes through all of them with a journal and writes the file.

mod error;
pub mod labeller;
pub mod run;
pub mod source;

pub use error::LabelError;
pub use run::{LabelJob, Summary};
pub use source::{Positions, Selection};
