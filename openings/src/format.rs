//! The file formats of books.

use std::path::Path;

use crate::entry::{self, Entry};
use crate::{epd, pgn};

/// The file format of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A position per line: EPD with operations, or FEN with counters.
    Epd,
    /// Games.
    Pgn,
}

impl Format {
    /// Returns the format for the extension of a file name: `.epd`, `.fen` or `.pgn`.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "epd" | "fen" => Some(Self::Epd),
            "pgn" => Some(Self::Pgn),
            _ => None,
        }
    }

    /// Returns all entries of a text, valid or not. `plies` is the maximum length of an opening
    /// from a PGN game.
    pub fn entries(self, text: &str, plies: Option<usize>) -> Box<dyn Iterator<Item = Entry> + '_> {
        match self {
            Self::Epd => Box::new(epd::entries(text).map(entry::playable).map(entry::located)),
            Self::Pgn => {
                Box::new(pgn::entries(text, plies).map(entry::playable).map(entry::located))
            }
        }
    }
}
