//! Matches: who plays whom from where, what is kept of each game, and what stands at the end.

pub mod digest;
pub mod journal;
pub mod lines;
pub mod pgn;
pub mod plan;
pub mod progress;
pub mod ranking;
pub mod record;
pub mod run;
pub mod standings;
pub mod summary;

pub use plan::{Format, Plan};
pub use record::Record;
pub use run::{Outcome, Status, run};
pub use standings::Standings;
