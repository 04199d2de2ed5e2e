//! Suites: positions with a task (find the best move, avoid a bad one, or mate), read from EPD.

use std::path::Path;

use nullarbor::board::{FenError, MoveError, Position};
use nullarbor::types::{Colour, Move, Score};
use nullarbor_runs::files::{FileError, read_text};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::builtin;

/// The task of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// One of these moves (`bm`).
    Best(Vec<Move>),
    /// Any move but these (`am`).
    Avoid(Vec<Move>),
    /// A mate in at most this many moves (`dm`).
    Mate(i32),
}

/// A position and its task.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The `id` of the EPD line, or its number.
    pub id: String,
    /// The position.
    pub position: Position,
    /// The task, if the line has one.
    pub task: Option<Task>,
}

/// A named list of positions.
///
/// ```
/// use nullarbor_lab::suite::{Suite, Task};
///
/// let suite = Suite::parse("endings", "6k1/5ppp/8/8/8/8/8/K3R3 w - - dm 1; id \"back rank\";")?;
/// assert_eq!(suite.problems[0].id, "back rank");
/// assert_eq!(suite.problems[0].task, Some(Task::Mate(1)));
/// # Ok::<(), nullarbor_lab::suite::SuiteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Suite {
    /// The name: that of a built-in suite, or of the file without its extension.
    pub name: String,
    /// The positions, at least one.
    pub problems: Vec<Problem>,
    /// CRC-32 of the EPD text, in hexadecimal (as `crc32` prints it).
    pub fingerprint: String,
}

/// Why a suite cannot be read.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum SuiteError {
    #[error("suite {0}")]
    File(#[from] FileError),
    #[error("suite {name}, line {line}: {source}")]
    Line { name: String, line: usize, source: LineError },
    #[error("suite {0}: it has no position")]
    Empty(String),
}

/// Why a line of EPD cannot be read.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum LineError {
    #[error(transparent)]
    Position(#[from] FenError),
    #[error(transparent)]
    Move(#[from] MoveError),
    #[error("there is no legal move")]
    NoLegalMove,
}

impl Task {
    /// Returns whether a search that plays this move with this score has solved the task.
    pub fn is_solved_by(&self, mv: Move, score: Score) -> bool {
        match self {
            Self::Best(moves) => moves.contains(&mv),
            Self::Avoid(moves) => !moves.contains(&mv),
            Self::Mate(moves) => {
                score.mate_moves().is_some_and(|found| (1..=*moves).contains(&found))
            }
        }
    }
}

impl Suite {
    /// Opens the built-in suite of this name, or an EPD file.
    ///
    /// # Errors
    /// If there is neither, or at the first malformed line.
    pub fn open(name: &str) -> Result<Self, SuiteError> {
        if let Some((_, text)) = builtin::SUITES.iter().find(|(known, _)| *known == name) {
            return Self::parse(name, text);
        }
        let path = Path::new(name);
        let text = read_text(path)?;
        let suite = Self::parse(name, &text)?;
        let stem = path.file_stem().map_or("suite".into(), |stem| stem.to_string_lossy());
        Ok(Self { name: stem.into_owned(), ..suite })
    }

    /// Opens several suites; all built-in ones if no name is given.
    ///
    /// # Errors
    /// As [`Suite::open`].
    pub fn open_all(names: &[String]) -> Result<Vec<Self>, SuiteError> {
        if names.is_empty() {
            return builtin::SUITES.iter().map(|(name, text)| Self::parse(name, text)).collect();
        }
        names.iter().map(|name| Self::open(name)).collect()
    }

    /// Reads lines of EPD with the operations `bm`, `am`, `dm` (or `ce +M4`, a mate in 4) and `id`. Empty lines and lines that begin with `#` are
    /// skipped; all other operations are ignored.
    ///
    /// # Errors
    /// At the first malformed line, or if there is no position.
    pub fn parse(name: &str, text: &str) -> Result<Self, SuiteError> {
        let lines = (1..).zip(text.lines().map(str::trim));
        let problems = lines
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
            .map(|(number, line)| {
                Problem::parse(line, number).map_err(|source| SuiteError::Line {
                    name: name.to_owned(),
                    line: number,
                    source,
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        if problems.is_empty() {
            return Err(SuiteError::Empty(name.to_owned()));
        }
        let fingerprint = format!("{:08x}", crc32fast::hash(text.as_bytes()));
        Ok(Self { name: name.to_owned(), problems, fingerprint })
    }

    /// Leaves out the positions in which a side has king and pawns only: zugzwang is common there.
    ///
    /// # Errors
    /// If no position is left.
    pub fn drop_pawn_endings(&mut self) -> Result<(), SuiteError> {
        let has_pieces =
            |it: &Problem| Colour::ALL.iter().all(|side| !it.position.has_only_pawns(*side));
        self.problems.retain(has_pieces);
        if self.problems.is_empty() { Err(SuiteError::Empty(self.name.clone())) } else { Ok(()) }
    }

    /// Returns the SHA-256 of positions and tasks, in hexadecimal: of a line for each position with its FEN and its task in
    /// UCI notation. It does not depend on names, comments, notation and line ends, in which copies of a suite differ.
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        for Problem { position, task, .. } in &self.problems {
            let list = |moves: &[Move]| -> String {
                moves.iter().map(|mv| format!(" {}", position.uci(*mv, false))).collect()
            };
            let task = match task {
                Some(Task::Best(moves)) => format!("bm{}", list(moves)),
                Some(Task::Avoid(moves)) => format!("am{}", list(moves)),
                Some(Task::Mate(moves)) => format!("dm {moves}"),
                None => String::new(),
            };
            hash.update(format!("{position}; {task}\n"));
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns whether the positions are about zugzwang, which the name of the suite tells.
    pub fn is_about_zugzwang(&self) -> bool {
        self.name.to_lowercase().contains("zugzwang")
    }
}

impl Problem {
    /// Returns whether a search that plays this move with this score has solved the task; `false` without a task.
    pub fn is_solved_by(&self, mv: Move, score: Score) -> bool {
        self.task.as_ref().is_some_and(|task| task.is_solved_by(mv, score))
    }

    fn parse(line: &str, number: usize) -> Result<Self, LineError> {
        const FEN_FIELDS: usize = 4;
        let mut fields = line.split_ascii_whitespace();
        let fen = fields.by_ref().take(FEN_FIELDS).collect::<Vec<_>>().join(" ");
        let rest = fields.collect::<Vec<_>>().join(" ");
        let position = Position::from_fen(&fen)?;
        if !position.has_moves() {
            return Err(LineError::NoLegalMove);
        }
        let operand = |name: &str| {
            operations(&rest).find_map(|text| text.strip_prefix(name)?.strip_prefix(' '))
        };
        let moves = |text: &str| -> Result<Vec<Move>, MoveError> {
            text.split_ascii_whitespace().map(|san| position.parse_san(san)).collect()
        };
        // A mate is proved by its length; the expected first move alone says less.
        let mate = operand("dm").or_else(|| operand("ce")?.strip_prefix("+M"));
        let mate = mate.and_then(|moves| moves.parse().ok());
        let task = match (mate, operand("bm"), operand("am")) {
            (Some(length), ..) => Some(Task::Mate(length)),
            (None, Some(text), _) => Some(Task::Best(moves(text)?)),
            (None, None, Some(text)) => Some(Task::Avoid(moves(text)?)),
            (None, None, None) => None,
        };
        let id = operand("id")
            .map_or_else(|| format!("line {number}"), |id| id.trim_matches('"').into());
        Ok(Self { id, position, task })
    }
}

/// Splits the operations of an EPD line at semicolons outside quotes.
fn operations(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |letter| {
        quoted ^= letter == '"';
        letter == ';' && !quoted
    })
    .map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_read() {
        let king = "6k1/5ppp/8/8/8/8/8/K3R3 w - -";
        let suite = Suite::parse(
            "s",
            &format!(
                "# a comment\n{king} bm Re8# Kb1; id \"one; two\";\n{king} am Kb1;\n{king} bm Re8; dm 1; id \"m\";\n{king}\n"
            ),
        )
        .expect("a suite");
        let mv = |text: &str| suite.problems[0].position.parse_san(text).expect("legal");
        let tasks: Vec<_> = suite.problems.iter().map(|problem| problem.task.clone()).collect();
        let expected = [
            Some(Task::Best(vec![mv("Re8"), mv("Kb1")])),
            Some(Task::Avoid(vec![mv("Kb1")])),
            Some(Task::Mate(1)),
            None,
        ];
        assert_eq!(tasks, expected);
        let ids: Vec<&str> = suite.problems.iter().map(|problem| problem.id.as_str()).collect();
        assert_eq!(ids, ["one; two", "line 3", "m", "line 5"]);
    }

    #[test]
    fn endings_of_kings_and_pawns_can_be_left_out() {
        let [rook, pawns] = ["6k1/5ppp/8/8/8/8/8/K3R3 w - -", "6k1/5ppp/8/8/8/8/8/KR5n w - -"];
        let mut suite = Suite::parse("s", &format!("{rook}\n{pawns}\n")).expect("a suite");
        suite.drop_pawn_endings().expect("a position is left");
        let left: Vec<&str> = suite.problems.iter().map(|it| it.id.as_str()).collect();
        assert_eq!(left, ["line 2"], "Black has only pawns in the other");
        let mut none = Suite::parse("s", rook).expect("a suite");
        assert!(none.drop_pawn_endings().expect_err("no position").to_string().contains("s:"));
    }

    #[test]
    fn copies_of_a_suite_have_the_same_hash() {
        let king = "6k1/5ppp/8/8/8/8/8/K3R3 w - -";
        let hash = |text: String| Suite::parse("s", &text).expect("a suite").sha256();
        let one = hash(format!("{king} dm 1; id \"a\";\n{king} bm Re8#;\n"));
        let copy =
            hash(format!("# new\r\n{king} bm Re1-e8#; ce +M1;\r\n{king} bm Re8+; id \"b\";"));
        assert_eq!(one, copy);
        assert_ne!(one, hash(format!("{king} dm 2;\n{king} bm Re8#;\n")));
        assert_eq!(one.len(), 64);
    }

    #[test]
    fn tasks_are_solved_or_not() {
        let position = Position::start();
        let [good, bad] = ["e4", "a3"].map(|san| position.parse_san(san).expect("legal"));
        let even = Score(0);
        assert!(Task::Best(vec![good]).is_solved_by(good, even));
        assert!(!Task::Best(vec![good]).is_solved_by(bad, even));
        assert!(!Task::Avoid(vec![bad]).is_solved_by(bad, even));
        assert!(Task::Mate(2).is_solved_by(bad, Score::mate_in(3)));
        assert!(!Task::Mate(2).is_solved_by(bad, Score::mate_in(5)));
        assert!(!Task::Mate(2).is_solved_by(bad, Score::mated_in(2)));
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, part) in [
            ("", "no position"),
            ("\nrubbish", "line 2"),
            ("6k1/8/8/8/8/8/8/K3R3 w - - bm Qa9;", "line 1"),
            ("7k/5QQ1/8/8/8/8/8/K7 b - -", "no legal move"),
        ] {
            let error = Suite::parse("s.epd", text).expect_err(text).to_string();
            assert!(error.contains(part) && error.contains("s.epd"), "{error}");
        }
    }
}
