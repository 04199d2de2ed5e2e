//! Books: named, ordered lists of openings.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::{fs, io};

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use thiserror::Error;

use crate::builtin;
use crate::entry::EntryError;
use crate::format::Format;
use crate::opening::{Opening, needs_chess960};

/// A named list of openings.
///
/// ```
/// use nullarbor_openings::Book;
///
/// let mut book = Book::open("endgames", None)?;
/// assert_eq!(book.openings.len(), 3000);
/// book.shuffle(1);
/// assert!(book.openings[0].game().position().occupied().count() <= 14);
/// # Ok::<(), nullarbor_openings::BookError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Book {
    /// The name of a built-in book, or the path of a file.
    pub name: String,
    /// The openings, at least one.
    pub openings: Vec<Opening>,
}

/// Why a book could not be opened.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum BookError {
    #[error("book {path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("book {path}: unknown format: neither a built-in book nor a .epd, .fen or .pgn file", path = path.display())]
    Unknown { path: PathBuf },
    #[error("book {name}, {source}")]
    Entry { name: String, source: EntryError },
    #[error("book {name}: it has no opening")]
    Empty { name: String },
}

impl Book {
    /// Opens the built-in book of this name, or else the file at this path. `plies` is the maximum
    /// length of an opening from a PGN game.
    ///
    /// # Errors
    /// If there is no such book, it cannot be read, has an invalid entry or is empty.
    pub fn open(name: &str, plies: Option<usize>) -> Result<Self, BookError> {
        let (text, format) = text(name)?;
        Self::parse(name, &text, format, plies)
    }

    fn parse(
        name: &str,
        text: &str,
        format: Format,
        plies: Option<usize>,
    ) -> Result<Self, BookError> {
        let openings: Vec<Opening> = format
            .entries(text, plies)
            .map(|(_, entry)| entry)
            .collect::<Result<_, _>>()
            .map_err(|source| BookError::Entry { name: name.to_owned(), source })?;
        if openings.is_empty() {
            return Err(BookError::Empty { name: name.to_owned() });
        }
        Ok(Self { name: name.to_owned(), openings })
    }

    /// Returns whether any opening needs the castling rules of Chess960.
    pub fn needs_chess960(&self) -> bool {
        self.openings.iter().any(|opening| needs_chess960(&opening.start))
    }

    /// Shuffles the openings; the order is a function of the seed.
    pub fn shuffle(&mut self, seed: u64) {
        self.openings.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    }

    /// Returns a hash of the openings and their order.
    pub fn fingerprint(&self) -> u64 {
        let keys = self.openings.iter().map(|opening| opening.game().position().key());
        keys.fold(0, |hash: u64, key| hash.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key)
    }

    /// Returns a random seed below a million, short enough for a user to type again.
    pub fn random_seed() -> u64 {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let nanos = since.map_or(0, |since| since.as_nanos() as u64);
        ChaCha8Rng::seed_from_u64(nanos).random_range(1..1_000_000)
    }
}

/// Returns the text and the format of a built-in book or a file.
///
/// # Errors
/// If there is no such book, its format is unknown or it cannot be read.
pub fn text(name: &str) -> Result<(Cow<'static, str>, Format), BookError> {
    if let Some(text) = builtin::find(name) {
        return Ok((text.into(), Format::Epd));
    }
    let path = Path::new(name);
    let unreadable = |source| BookError::File { path: path.to_owned(), source };
    let Some(format) = Format::of(path) else {
        // If the file is missing, that is the error to report.
        fs::metadata(path).map_err(unreadable)?;
        return Err(BookError::Unknown { path: path.to_owned() });
    };
    let bytes = fs::read(path).map_err(unreadable)?;
    // Names in PGN may have any encoding; all that is used is ASCII.
    Ok((String::from_utf8_lossy(&bytes).into_owned().into(), format))
}

#[cfg(test)]
mod tests {
    use nullarbor::board::Position;

    use super::*;

    #[test]
    fn the_seed_decides_the_order() {
        let shuffled = |seed| {
            let mut book = Book::open("balanced", None).expect("a built-in book");
            book.shuffle(seed);
            book
        };
        let (one, other, again) = (shuffled(1), shuffled(2), shuffled(1));
        assert_ne!(one.fingerprint(), other.fingerprint());
        assert_eq!(one.fingerprint(), again.fingerprint());
        assert_eq!(one.openings, again.openings);
    }

    fn error(text: &str, format: Format) -> String {
        Book::parse("b", text, format, None).expect_err("an invalid book").to_string()
    }

    #[test]
    fn errors_name_the_line() {
        let good = Position::START_FEN;
        let message = error(&format!("{good}\n\nrubbish\n"), Format::Epd);
        assert!(message.contains("line 3") && message.contains("rubbish"), "{message}");
        let mated = "7k/5QQ1/8/8/8/8/8/K7 b - - 0 1";
        assert!(error(mated, Format::Epd).contains("line 1: the game is already over"));
        assert!(error("# nothing\n", Format::Epd).contains("no opening"));
        assert!(error("1. e4 e5\n2. Qxh8 *", Format::Pgn).contains("line 2"));
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let message = Book::open("no-such-book.epd", None).expect_err("no file").to_string();
        assert!(message.contains("no-such-book.epd"), "{message}");
        let message = Book::open("no-such-book", None).expect_err("no book").to_string();
        assert!(message.contains("no-such-book"), "{message}");
    }
}
