//! The laboratory of the null move: schemes side by side, on the same positions and to the same depths.

#![forbid(unsafe_code)]

pub mod builtin;
pub mod experiment;
pub mod files;
pub mod marks;
pub mod mine;
pub mod page;
pub mod result;
pub mod suite;
pub mod tables;
