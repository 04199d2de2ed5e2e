//! The study of the null move: experiments that are declared once, run with one command, resumed after any kill, and written
//! into the document from the data that they left.
//!
//! - [`command`]: the command line. [`declared`]: the experiments, and the suites that they need.
//! - [`run`](mod@run): runs one and writes its record.
//! - [`record`]: the data file of an experiment.
//! - [`suites`]: which suites are at hand.
//! - [`document`]: the generated parts of the document. [`claims`]: what the sources claim, judged by the records.
//!   [`families`]: comparisons corrected for each other. [`trend`]: matches at several limits in nodes. [`interactions`]: matches
//!   without another rule. [`equal_nodes`]: positions solved at equal nodes. [`page`]: the document for print.

#![forbid(unsafe_code)]

pub mod claims;
pub mod command;
pub mod declared;
pub mod document;
pub mod equal_nodes;
mod error;
pub mod families;
pub mod interactions;
mod journal;
mod json;
mod mining;
pub mod page;
pub mod record;
pub mod run;
pub mod suites;
pub mod trend;

pub use error::StudyError;
