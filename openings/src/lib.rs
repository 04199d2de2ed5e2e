//! Positions that games start from: four books made for this project, and the code that reads, checks and makes
//! books.
//!
//! - [`Opening`]: a start and moves from it. [`Book`]: many of them, with a name.
//! - `read`, `epd`, `pgn`: from text to a book, with errors that name the line.
//! - [`builtin`]: the four books that every binary carries.
//! - [`generate`]: new openings from a seed; pure functions of their number, so that any number of threads makes
//!   the same book.
//! - [`check`]: what is wrong with a book.

pub mod builtin;
pub mod check;
pub mod generate;

mod book;
mod epd;
mod opening;
mod pgn;
mod read;

pub use book::Book;
pub use opening::{Opening, needs_chess960};
pub use read::{BookError, Format, ReadError, text};
