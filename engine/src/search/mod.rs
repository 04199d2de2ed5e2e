//! The search: iterative deepening over a principal variation search with a shared table.
//!
//! `root` deepens and sets windows; `node` and `quiescence` walk the tree. The rules that prune, reduce and
//! extend are pure functions in modules of their own; what a worker remembers lies in [`Memory`].
//! Nothing here prints: [`Report`]s go to a [`Sink`].

mod attempt_log;
mod control;
mod correction;
mod extend;
mod frame;
mod history;
mod job;
mod move_loop;
mod moved;
mod node;
mod node_facts;
mod node_kind;
mod node_pruning;
pub mod null_move;
mod picker;
mod prune;
mod pv;
mod quiescence;
mod reduce;
mod report;
mod root;
mod root_move;
mod table_facts;
mod update;
mod window;
mod worker;

pub use attempt_log::{AttemptLog, Logged, Probe};
pub use control::Control;
pub use job::Job;
pub use report::{Report, Silent, Sink};
pub use root_move::{Line, Outcome};
pub use worker::{Memory, Search};
