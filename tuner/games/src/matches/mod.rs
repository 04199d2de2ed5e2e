//! Matches: who plays whom from where, what is kept of each game, and what stands at the end.

pub mod fingerprint;
pub mod journal;
pub mod pgn;
pub mod plan;
pub mod record;
pub mod report;
pub mod run;
pub mod standings;

pub use plan::{Format, Plan};
pub use record::Record;
pub use run::{Outcome, Status, run};
pub use standings::Standings;
