//! One entry of a book, and what can be wrong with it.

use nullarbor_chess::board::{FenError, MoveError, Position};
use thiserror::Error;

use crate::opening::Opening;

/// An entry of a book: the number of its line and the opening, or what is wrong with it.
pub type Entry = (usize, Result<Opening, EntryError>);

/// A fault of an entry of a book.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum EntryError {
    #[error("line {line}: {source} in `{text}`")]
    Position { line: usize, text: String, source: FenError },
    #[error("line {line}: {source}")]
    Move { line: usize, source: MoveError },
    #[error("line {line}: the game is already over: {fen}")]
    Over { line: usize, fen: String },
    #[error("line {line}: {what}")]
    Malformed { line: usize, what: &'static str },
}

/// Parses a FEN; an error names the line.
pub fn position(line: usize, text: &str) -> Result<Position, EntryError> {
    Position::from_fen(text).map_err(|source| EntryError::Position {
        line,
        text: text.chars().take(80).collect(),
        source,
    })
}

/// Adds the line of its book to an opening.
pub fn located((line, mut entry): Entry) -> Entry {
    entry.iter_mut().for_each(|opening| opening.origin.line = Some(line));
    (line, entry)
}

/// Refuses an opening after which the game is over.
pub fn playable((line, entry): Entry) -> Entry {
    let playable = entry.and_then(|opening| {
        let game = opening.game();
        match game.ending() {
            None => Ok(opening),
            Some(_) => Err(EntryError::Over { line, fen: game.position().to_string() }),
        }
    });
    (line, playable)
}
