//! The arena: it plays games of chess engines by the thousand and says what they prove.
pub mod arena;
pub mod commands;
pub mod data;
pub mod files;
pub mod html;
pub mod journal;
pub mod lab;
#[cfg(feature = "mine")]
pub mod mine;
pub mod plot;
pub mod report;
pub mod scheme;
pub mod spsa;
pub mod stats;
pub mod tournament;
pub mod train;
