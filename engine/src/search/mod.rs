//! The search: iterative deepening over a principal variation search with a shared transposition
//! table.
//!
//! - `node` walks the tree: the root, the alpha-beta node from top to bottom (`node/mod.rs`), null
//!   move, pruning by search, moves, quiescence. Its parts call each other, as nodes call their
//!   children.
//! - `rules` decides: pure functions that prune, reduce and extend, and the schemes of the null
//!   move ([`null_move`]).
//! - `memory` remembers: histories, move ordering, the search stack ([`ThreadData`]).
//! - `worker` is what one thread needs to walk ([`Search`]); `shared`, `control` and `report` are
//!   what the threads of one search have in common.
//!
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
pub use memory::{SharedHistories, ThreadData};
pub use report::{Report, Silent, Sink, nodes_per_second};
pub use root_move::{Line, Outcome};
pub use rules::null_move;
pub use shared::{SharedSearch, TbProbing};
pub use worker::Search;
