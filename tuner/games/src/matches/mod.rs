//! Matches: who plays whom from which openings, what is kept of each game, and the results.

pub mod finished;
pub mod identity;
pub mod job;
pub mod journal;
pub mod notices;
pub mod pgn;
pub mod plan;
pub mod record;
pub mod report;
pub mod round_robin;
pub mod run;
pub mod session;
pub mod standings;

pub use plan::{Format, PgnOutput, Plan, PlanError};
pub use record::GameRecord;
pub use round_robin::RoundRobin;
pub use run::{Completion, Outcome, RunError, run};
pub use session::{MatchError, Session};
pub use standings::Standings;

/// The games of a match as work for other machines.
pub const KIND: nullarbor_runs::Kind = nullarbor_runs::Kind::of::<job::Games>();
