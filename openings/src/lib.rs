//! Openings: four books made for this project, and the code that reads, checks and generates books.
//!
//! - [`Opening`]: a start position and moves from it. [`Book`]: a named list of them.
//! - [`Format`], `epd`, `pgn`, `entry`: from text to openings, with errors that name the line. [`PolyglotBook`]: books of moves
//!   by position.
//! - [`builtin`]: the four books that are part of every binary.
//! - [`generate`]: new openings; each is a function of the seed and its number, so any number of threads
//!   makes the same book.
//! - [`check`]: finds what is wrong with a book.

pub mod builtin;
pub mod check;

mod book;
mod entry;
mod epd;
mod format;
mod opening;
mod pgn;
mod polyglot;

/// Generates openings. The generator is part of the engine, whose command `genfens` uses it.
pub use nullarbor::openings as generate;

pub use book::{Book, BookError, is_polyglot, text};
pub use entry::{Entry, EntryError};
pub use format::Format;
pub use opening::{Opening, Origin, needs_chess960};
pub use pgn::games;
pub use polyglot::{PolyglotBook, PolyglotError};
