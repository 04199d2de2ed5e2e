//! Matches: who plays whom from which openings, what is kept of each game, and the results.

mod error;
pub mod finished;
pub mod identity;
pub mod job;
pub mod journal;
pub mod notices;
pub mod pgn;
pub mod plan;
mod play;
pub mod record;
pub mod report;
pub mod round_robin;
pub mod run;
pub mod session;
pub mod standings;
pub mod task;

pub use error::RunError;
pub use plan::{Format, Notation, PgnField, PgnOutput, PgnStyle, Plan, PlanError};
pub use play::MatchError;
pub use record::GameRecord;
pub use round_robin::RoundRobin;
pub use run::{Completion, Outcome, run};
pub use session::Session;
pub use standings::Standings;

/// The games of a match as work for other machines.
pub const KIND: nullarbor_runs::JobKind = nullarbor_runs::JobKind::of::<job::Games>();
