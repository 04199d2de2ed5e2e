//! Mining logs of null moves: when does a null move pay (after A. Lea 2016)?
//!
//! [`log`] plays games and records every null search, [`conditions`] evaluates hand-written conditions on such a log,
//! [`levels`] compares logs of several depths, and [`decision_tree`] fits a rule to one.

pub mod columns;
pub mod conditions;
pub mod decision_tree;
pub mod levels;
pub mod log;
pub mod log_file;
mod operators;
pub mod tree_svg;
