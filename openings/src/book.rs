//! Books: named, ordered lists of openings.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use nullarbor_runs::files::{self, FileError};
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use thiserror::Error;

use crate::builtin;
use crate::entry::EntryError;
use crate::format::Format;
use crate::opening::{Opening, needs_chess960};
use crate::polyglot::{PolyglotBook, PolyglotError};

/// In bytes: a book is held in memory.
const LONGEST_BOOK: u64 = 1 << 30;
/// Some editors begin a file of UTF-8 with it.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

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
    #[error("book {0}")]
    File(#[from] FileError),
    #[error("book {path}: unknown format: neither a built-in book nor a .epd, .fen, .pgn or .bin file", path = path.display())]
    Unknown { path: PathBuf },
    #[error("book {name}: {source}")]
    Polyglot { name: String, source: PolyglotError },
    #[error("book {name}, {source}")]
    Entry { name: String, source: EntryError },
    #[error("book {name}: reading was stopped")]
    Stopped { name: String },
    #[error("book {name} has no openings")]
    Empty { name: String },
    #[error(
        "book {name}: none of its {positions} positions can be reached from the start position"
    )]
    Elsewhere { name: String, positions: usize },
}

impl Book {
    /// Opens the built-in book of this name, or else the file at this path. `plies` is the maximum
    /// length of an opening from a PGN game.
    ///
    /// # Errors
    /// If there is no such book, it cannot be read, has an invalid entry or is empty.
    pub fn open(name: &str, plies: Option<usize>) -> Result<Self, BookError> {
        Self::open_while(name, plies, || true)
    }

    /// As [`Book::open`], as long as `goes_on` says so: a long book takes a while.
    ///
    /// # Errors
    /// As [`Book::open`], or if it ended early.
    pub fn open_while(
        name: &str,
        plies: Option<usize>,
        goes_on: impl Fn() -> bool,
    ) -> Result<Self, BookError> {
        if is_polyglot(name) {
            return Self::open_polyglot(name, plies);
        }
        let (text, format) = text(name)?;
        Self::parse(name, &text, format, plies, goes_on)
    }

    fn open_polyglot(name: &str, plies: Option<usize>) -> Result<Self, BookError> {
        let bytes = files::read(Path::new(name), LONGEST_BOOK)?;
        let book = PolyglotBook::new(&bytes)
            .map_err(|source| BookError::Polyglot { name: name.to_owned(), source })?;
        let mut openings = book.openings(plies);
        let (name, positions) = (name.to_owned(), book.positions());
        if openings.is_empty() && positions > 0 {
            return Err(BookError::Elsewhere { name, positions });
        }
        openings.retain(|opening| opening.game().ending().is_none());
        if openings.is_empty() {
            return Err(BookError::Empty { name });
        }
        Ok(Self { name, openings })
    }

    fn parse(
        name: &str,
        text: &str,
        format: Format,
        plies: Option<usize>,
        goes_on: impl Fn() -> bool,
    ) -> Result<Self, BookError> {
        let mut openings = Vec::new();
        for (_, entry) in format.entries(text, plies) {
            if !goes_on() {
                return Err(BookError::Stopped { name: name.to_owned() });
            }
            let failed = |source| BookError::Entry { name: name.to_owned(), source };
            openings.push(entry.map_err(failed)?);
        }
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

    /// Drops openings that end in the position of an earlier one. Returns how many they were.
    pub fn drop_duplicates(&mut self) -> usize {
        let (count, mut seen) = (self.openings.len(), HashSet::new());
        self.openings.retain(|opening| seen.insert(opening.game().position().key()));
        count - self.openings.len()
    }

    /// Returns a hash of the openings and their order.
    pub fn fingerprint(&self) -> u64 {
        fingerprint(&self.openings)
    }

    /// Returns a random seed below a million, short enough for a user to type again.
    pub fn random_seed() -> u64 {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let nanos = since.map_or(0, |since| since.as_nanos() as u64);
        ChaCha8Rng::seed_from_u64(nanos).random_range(1..1_000_000)
    }
}

/// Returns a hash of openings and their order.
pub fn fingerprint(openings: &[Opening]) -> u64 {
    let keys = openings.iter().map(|opening| opening.game().position().key());
    keys.fold(0, |hash: u64, key| hash.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key)
}

/// Returns whether a book has moves by position, and no text.
pub fn is_polyglot(name: &str) -> bool {
    let extension = Path::new(name).extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("bin"))
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
    let Some(format) = Format::of(path) else {
        // If the file is missing, that is the error to report.
        fs::metadata(path).map_err(FileError::at(path))?;
        return Err(BookError::Unknown { path: path.to_owned() });
    };
    let bytes = files::read(path, LONGEST_BOOK)?;
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    // Names in PGN may have any encoding; all that is used is ASCII.
    Ok((String::from_utf8_lossy(bytes).into_owned().into(), format))
}

#[cfg(test)]
mod tests {
    use nullarbor_chess::board::Position;

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
        Book::parse("b", text, format, None, || true).expect_err("an invalid book").to_string()
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
    fn a_byte_order_mark_is_passed_over_and_reading_can_be_stopped() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, content) in
            [("a.pgn", "[Event \"x\"]\n\n1. e4 *\n"), ("a.epd", Position::START_FEN)]
        {
            let path = folder.path().join(name);
            fs::write(&path, format!("\u{feff}{content}")).expect("room");
            let name = path.display().to_string();
            assert_eq!(Book::open(&name, None).expect(&name).openings.len(), 1);
            let stopped = Book::open_while(&name, None, || false);
            assert!(matches!(stopped, Err(BookError::Stopped { .. })));
        }
    }

    #[test]
    fn a_book_that_begins_elsewhere_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("trap.bin");
        // Two moves of one position and one of another, neither the start position.
        let entry = |key: u64| [&key.to_be_bytes()[..], &[0; 8]].concat();
        fs::write(&path, [entry(3), entry(3), entry(9)].concat()).expect("room");
        let message = Book::open(&path.display().to_string(), None).expect_err("elsewhere");
        assert!(message.to_string().contains("none of its 2 positions"), "{message}");
        fs::write(&path, "").expect("room");
        let message = Book::open(&path.display().to_string(), None).expect_err("empty");
        assert!(message.to_string().contains("has no openings"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("zero.pgn");
        std::os::unix::fs::symlink("/dev/zero", &path).expect("a link");
        let error = Book::open(&path.display().to_string(), None).expect_err("a device");
        assert!(error.to_string().contains("no regular file"), "{error}");
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let message = Book::open("no-such-book.epd", None).expect_err("no file").to_string();
        assert!(message.contains("no-such-book.epd"), "{message}");
        let message = Book::open("no-such-book", None).expect_err("no book").to_string();
        assert!(message.contains("no-such-book"), "{message}");
    }
}
