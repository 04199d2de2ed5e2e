//! Openings: four books made for this project, and the code that reads and checks books.
//!
//! - [`Opening`]: a start position and moves from it. [`Book`]: a named list of them.
//! - [`Format`], `epd`, `pgn`, `entry`: from text to openings, with errors that name the line. [`PolyglotBook`]: books of moves
//!   by position.
//! - [`builtin`]: the four books that are part of every binary.
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

pub use book::{Book, BookError, fingerprint, is_polyglot, text};
pub use entry::{Entry, EntryError};
pub use format::Format;
pub use opening::{Opening, Origin, needs_chess960};
pub use pgn::games;
pub use polyglot::{PolyglotBook, PolyglotError};
