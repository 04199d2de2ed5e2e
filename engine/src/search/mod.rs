//! The search: iterative deepening over a principal variation search with a shared table.
//!
//! `root` deepens and sets windows; `node` and `quiescence` walk the tree. The rules that prune, reduce and
//! extend are pure functions in modules of their own; what a worker remembers lies in [`Memory`].
//! Nothing here prints: [`Report`]s go to a [`Sink`].

mod attempt_log;
mod control;
mod memory;
mod node;
mod report;
mod root_move;
mod rules;
mod shared;
mod window;
mod worker;

pub use attempt_log::{AttemptLog, Logged, Probe};
pub use control::Control;
pub use report::{Report, Silent, Sink};
pub use root_move::{Line, Outcome};
pub use rules::null_move;
pub use shared::Job;
pub use worker::{Memory, Search};
