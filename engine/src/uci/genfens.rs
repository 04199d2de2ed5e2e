//! `genfens N seed S book B`: openings for data generation, as
//! [OpenBench](https://github.com/AndyGrant/OpenBench) asks for them.

use std::io;
use std::path::{Path, PathBuf};
use std::str::SplitAsciiWhitespace;

use nullarbor_chess::board::{FenError, Position, fen_of_epd};
use thiserror::Error;

use super::tokens::{CommandError, excerpt, number, unexpected};
use crate::engine::{Engine, EngineError};
use crate::openings::{Candidate, Collector, OpeningConfig, RandomMoves, StartPosition};
use crate::regular_file;

const COMMAND: &str = "genfens";

/// The openings to generate: their number and their source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenFens {
    /// Number of openings.
    pub count: u64,
    /// Seed: the same one gives the same openings.
    pub seed: u64,
    /// A file of EPD or FEN lines to start from, instead of the starting position.
    pub book: Option<PathBuf>,
    /// Start from positions of double Chess960 (`dfrc`), and write castling rights by file.
    pub dfrc: bool,
}

/// Why there are no openings, or too few.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum GenFensError {
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{path}, line {line}: {source}", path = path.display())]
    Line { path: PathBuf, line: usize, source: FenError },
    #[error("{path} has no position", path = path.display())]
    Empty { path: PathBuf },
    #[error("found {found} openings and no more in {ATTEMPTS} attempts: use another book")]
    TooFew { found: usize },
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("stopped before its end")]
    Interrupted,
}

/// Attempts at one opening.
const ATTEMPTS: u64 = 1000;
/// Bytes that are read of a book.
const MAX_BOOK: u64 = 1 << 30;
/// Size of the transposition table in MiB.
const HASH: usize = 1;
/// Random plies from the starting position, as `nullarbor-tuner datagen` plays them, and from a book.
const PLIES: usize = 8;
const BOOK_PLIES: usize = 2;
/// Maximum absolute score of an opening, in centipawns, and nodes of the search that gives it.
const WINDOW: i32 = 600;
const NODES: u64 = 500;

/// Parses what follows `genfens`.
pub fn parse(mut tokens: SplitAsciiWhitespace<'_>) -> Result<GenFens, CommandError> {
    let count = number(COMMAND, "count", &mut tokens, 1, i64::MAX)? as u64;
    keyword(&mut tokens, "seed")?;
    let seed = number(COMMAND, "seed", &mut tokens, 0, i64::MAX)? as u64;
    keyword(&mut tokens, "book")?;
    let book = tokens.next().ok_or_else(|| incomplete("book"))?;
    let book = (!book.eq_ignore_ascii_case("none")).then(|| PathBuf::from(book));
    let mut genfens = GenFens { count, seed, book, dfrc: false };
    for extra in tokens {
        match extra {
            "dfrc" => genfens.dfrc = true,
            _ => return Err(unexpected(COMMAND, extra)),
        }
    }
    Ok(genfens)
}

fn keyword(
    tokens: &mut SplitAsciiWhitespace<'_>,
    wanted: &'static str,
) -> Result<(), CommandError> {
    match tokens.next() {
        Some(token) if token == wanted => Ok(()),
        Some(token) => Err(unexpected(COMMAND, token)),
        None => Err(incomplete(wanted)),
    }
}

fn incomplete(after: &str) -> CommandError {
    CommandError::Incomplete { command: COMMAND, after: excerpt(after) }
}

impl GenFens {
    /// Generates the openings and says each as `info string genfens FEN`.
    ///
    /// # Errors
    /// If the book cannot be used, or `interrupted` says so.
    pub fn run(
        &self,
        interrupted: &dyn Fn() -> bool,
        say: &mut dyn FnMut(String),
    ) -> Result<(), GenFensError> {
        let book = self.book.as_deref().map(read).transpose()?;
        let config = self.config(book.is_some());
        let mut engine = Engine::new(HASH, 1)?;
        engine.set_unscaled();
        let mut found = Collector::default();
        let (mut number, mut last) = (0, 0);
        while (found.openings.len() as u64) < self.count {
            if interrupted() {
                return Err(GenFensError::Interrupted);
            }
            if number - last > ATTEMPTS {
                return Err(GenFensError::TooFew { found: found.openings.len() });
            }
            let candidate = match &book {
                Some(book) => config.candidate_of_book(book, number, &mut engine),
                None => config.candidate(number, &mut engine),
            };
            number += 1;
            if let Some(candidate) = candidate
                && found.offer(candidate.clone())
            {
                say(format!("info string genfens {}", self.fen(&candidate)));
                last = number;
            }
        }
        Ok(())
    }

    fn config(&self, has_book: bool) -> OpeningConfig {
        let plies = if has_book { BOOK_PLIES } else { PLIES };
        let start = if self.dfrc { StartPosition::DoubleChess960 } else { StartPosition::Standard };
        OpeningConfig {
            seed: self.seed,
            start,
            plies: plies..=plies + 1,
            moves: RandomMoves::ByPiece,
            playout: None,
            window: 0..=WINDOW,
            nodes: NODES,
        }
    }

    fn fen(&self, candidate: &Candidate) -> String {
        let position = &candidate.position;
        if self.dfrc { format!("{position:#}") } else { position.to_string() }
    }
}

/// Reads the positions of a book.
fn read(path: &Path) -> Result<Vec<Position>, GenFensError> {
    let path = || path.to_owned();
    let bytes = regular_file::read(&path(), MAX_BOOK)
        .map_err(|source| GenFensError::File { path: path(), source })?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).zip(1..);
    let positions: Vec<Position> = lines
        .filter(|(line, _)| !line.is_empty() && !line.starts_with('#'))
        .map(|(text, line)| {
            Position::from_fen(&fen_of_epd(text)).map_err(|source| GenFensError::Line {
                path: path(),
                line,
                source,
            })
        })
        .collect::<Result<_, _>>()?;
    if positions.is_empty() { Err(GenFensError::Empty { path: path() }) } else { Ok(positions) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<GenFens, CommandError> {
        parse(line.split_ascii_whitespace())
    }

    #[test]
    fn the_lines_of_the_contract_are_read() {
        let plain = GenFens { count: 64, seed: 7, book: None, dfrc: false };
        assert_eq!(parsed("64 seed 7 book None"), Ok(plain.clone()));
        let book = Some(PathBuf::from("Books/4moves.epd"));
        let wanted = GenFens { book, dfrc: true, ..plain };
        assert_eq!(parsed("64 seed 7 book Books/4moves.epd dfrc"), Ok(wanted));
        for wrong in
            ["", "x", "0 seed 7 book None", "3 book None", "3 seed x book None", "3 seed 1"]
        {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
        assert!(parsed("3 seed 1 book None far").is_err());
    }
}
