//! From files and text to books.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::{fs, io};

use nullarbor::board::{FenError, MoveError, Position};
use thiserror::Error;

use crate::book::Book;
use crate::opening::Opening;
use crate::{builtin, epd, pgn};

/// What is wrong with one entry of a book.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ReadError {
    #[error("line {line}: {source} in `{text}`")]
    Position { line: usize, text: String, source: FenError },
    #[error("line {line}: {source}")]
    Move { line: usize, source: MoveError },
    #[error("line {line}: the game is over before it begins: {fen}")]
    Over { line: usize, fen: String },
    #[error("line {line}: {what}")]
    Malformed { line: usize, what: &'static str },
}

/// Why there is no book.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum BookError {
    #[error("book {path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("book {path}: no name of a built-in book and not .epd, .fen or .pgn, so it is unknown how to read it", path = path.display())]
    Unknown { path: PathBuf },
    #[error("book {name}, {source}")]
    Entry { name: String, source: ReadError },
    #[error("book {name}: it has no opening")]
    Empty { name: String },
}

/// How a book is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A position a line, as EPD with operations or as FEN with counters.
    Epd,
    /// Games.
    Pgn,
}

impl Format {
    /// The format that the name of a file promises.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "epd" | "fen" => Some(Self::Epd),
            "pgn" => Some(Self::Pgn),
            _ => None,
        }
    }

    /// All entries of a text with the numbers of their lines, good and bad. `plies` cuts games short.
    pub fn entries(
        self,
        text: &str,
        plies: Option<usize>,
    ) -> Box<dyn Iterator<Item = (usize, Result<Opening, ReadError>)> + '_> {
        let check = |(line, entry): (usize, Result<Opening, ReadError>)| {
            (line, entry.and_then(|opening| playable(line, opening)))
        };
        match self {
            Self::Epd => Box::new(epd::entries(text).map(check)),
            Self::Pgn => Box::new(pgn::entries(text, plies).map(check)),
        }
    }
}

fn playable(line: usize, opening: Opening) -> Result<Opening, ReadError> {
    let (position, history) = opening.end();
    match position.ending(&history) {
        None => Ok(opening),
        Some(_) => Err(ReadError::Over { line, fen: position.to_string() }),
    }
}

/// The text of a built-in book or of a file, and how it is written.
///
/// # Errors
/// Where there is no such book, or it cannot be read.
pub fn text(name: &str) -> Result<(Cow<'static, str>, Format), BookError> {
    if let Some(text) = builtin::find(name) {
        return Ok((text.into(), Format::Epd));
    }
    let path = Path::new(name);
    let unreadable = |source| BookError::File { path: path.to_owned(), source };
    let Some(format) = Format::of(path) else {
        // A missing file is the likelier mistake.
        fs::metadata(path).map_err(unreadable)?;
        return Err(BookError::Unknown { path: path.to_owned() });
    };
    let bytes = fs::read(path).map_err(unreadable)?;
    // Names in games may be in any encoding; what matters is ASCII.
    Ok((String::from_utf8_lossy(&bytes).into_owned().into(), format))
}

/// Reads a book from text; the first bad entry is an error.
pub(crate) fn book(
    name: &str,
    text: &str,
    format: Format,
    plies: Option<usize>,
) -> Result<Book, BookError> {
    let openings: Vec<Opening> = format
        .entries(text, plies)
        .map(|(_, entry)| entry)
        .collect::<Result<_, _>>()
        .map_err(|source| BookError::Entry { name: name.to_owned(), source })?;
    if openings.is_empty() {
        return Err(BookError::Empty { name: name.to_owned() });
    }
    Ok(Book { name: name.to_owned(), openings })
}

/// A position, or the error that names its line.
pub(crate) fn position(line: usize, text: &str) -> Result<Position, ReadError> {
    Position::from_fen(text).map_err(|source| ReadError::Position {
        line,
        text: text.chars().take(80).collect(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, format: Format) -> String {
        book("b", text, format, None).expect_err("a bad book").to_string()
    }

    #[test]
    fn errors_name_the_line() {
        let good = Position::START_FEN;
        let message = error(&format!("{good}\n\nrubbish\n"), Format::Epd);
        assert!(message.contains("line 3") && message.contains("rubbish"), "{message}");
        let mated = "7k/5QQ1/8/8/8/8/8/K7 b - - 0 1";
        assert!(error(mated, Format::Epd).contains("line 1: the game is over"));
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
