//! Learning from logs when a null move pays (after M. Lea 2016).
//!
//! [`log`] plays games and writes down every null search; [`partition`] tries rules that people think of; [`induce`]
//! finds one that nobody has thought of.

pub mod attempts;
pub mod file;
pub mod induce;
pub mod log;
mod operators;
pub mod partition;
pub mod tree_svg;
