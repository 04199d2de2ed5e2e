//! Positions with a task: find the best move, avoid a bad one, or mate in so many moves.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nullarbor::board::{FenError, MoveError, Position};
use nullarbor::types::{Move, Score};
use thiserror::Error;

use super::builtin;

/// What is asked of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// One of these moves.
    Best(Vec<Move>),
    /// None of these moves.
    Avoid(Vec<Move>),
    /// A mate in no more moves than this.
    Mate(i32),
    /// Nothing: it is there for its tree.
    Search,
}

/// A position with a task.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Its name.
    pub id: String,
    /// The position.
    pub position: Position,
    /// The task.
    pub task: Task,
}

/// Positions with a name.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The file's name without its ending.
    pub name: String,
    /// The positions; at least one.
    pub problems: Vec<Problem>,
}

/// Why there is no suite.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum SuiteError {
    #[error("suite {path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("suite {path}, line {line}: {source}", path = path.display())]
    Position { path: PathBuf, line: usize, source: FenError },
    #[error("suite {path}, line {line}: {source}", path = path.display())]
    Move { path: PathBuf, line: usize, source: MoveError },
    #[error("suite {path}, line {line}: there is no legal move", path = path.display())]
    Over { path: PathBuf, line: usize },
    #[error("suite {path}: it has no position", path = path.display())]
    Empty { path: PathBuf },
}

impl Task {
    /// Whether a search that plays this move for this value has done it.
    pub fn is_done_by(&self, mv: Move, score: Score) -> bool {
        match self {
            Self::Best(moves) => moves.contains(&mv),
            Self::Avoid(moves) => !moves.contains(&mv),
            Self::Mate(moves) => {
                score.mate_moves().is_some_and(|found| (1..=*moves).contains(&found))
            }
            Self::Search => false,
        }
    }
}

impl Suite {
    /// The built-in suite of this name, or a file of EPD.
    ///
    /// # Errors
    /// Where there is neither, or at the first line that is none of EPD.
    pub fn open(name: &str) -> Result<Self, SuiteError> {
        match builtin::SUITES.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Self::parse(Path::new(name), name, text),
            None => Self::read(Path::new(name)),
        }
    }

    /// Whether its positions are about zugzwang: its name says so.
    pub fn is_about_zugzwang(&self) -> bool {
        self.name.to_lowercase().contains("zugzwang")
    }

    fn read(path: &Path) -> Result<Self, SuiteError> {
        let text = fs::read_to_string(path)
            .map_err(|source| SuiteError::File { path: path.to_owned(), source })?;
        let name = path.file_stem().map_or("suite".into(), |stem| stem.to_string_lossy());
        Self::parse(path, &name, &text)
    }

    fn parse(path: &Path, name: &str, text: &str) -> Result<Self, SuiteError> {
        let lines = text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line.trim()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let problems: Vec<Problem> =
            lines.map(|(number, line)| problem(path, number, line)).collect::<Result<_, _>>()?;
        if problems.is_empty() {
            return Err(SuiteError::Empty { path: path.to_owned() });
        }
        Ok(Self { name: name.to_owned(), problems })
    }
}

fn problem(path: &Path, line: usize, text: &str) -> Result<Problem, SuiteError> {
    const FIELDS: usize = 4;
    let path = || path.to_owned();
    let mut words = text.split_ascii_whitespace();
    let fen = words.by_ref().take(FIELDS).collect::<Vec<_>>().join(" ");
    let rest = words.collect::<Vec<_>>().join(" ");
    let position = Position::from_fen(&fen).map_err(|source| SuiteError::Position {
        path: path(),
        line,
        source,
    })?;
    if !position.has_moves() {
        return Err(SuiteError::Over { path: path(), line });
    }
    let operation = |name: &str| {
        operations(&rest).find_map(|operation| operation.strip_prefix(name)?.strip_prefix(' '))
    };
    let moves = |text: &str| {
        let moves: Result<Vec<Move>, MoveError> = text
            .split(' ')
            .filter(|word| !word.is_empty())
            .map(|san| position.parse_san(san))
            .collect();
        moves.map_err(|source| SuiteError::Move { path: path(), line, source })
    };
    // A mate is proven by its length; that the first move is the expected one says less.
    let mate = operation("dm").and_then(|moves| moves.parse().ok());
    let task = match (mate, operation("bm"), operation("am")) {
        (Some(length), ..) => Task::Mate(length),
        (None, Some(text), _) => Task::Best(moves(text)?),
        (None, None, Some(text)) => Task::Avoid(moves(text)?),
        (None, None, None) => Task::Search,
    };
    let id =
        operation("id").map_or_else(|| format!("line {line}"), |id| id.trim_matches('"').into());
    Ok(Problem { id, position, task })
}

/// Operations end with semicolons, but not with those inside quotes.
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

    fn parse(text: &str) -> Result<Suite, SuiteError> {
        Suite::parse(Path::new("s.epd"), "s", text)
    }

    #[test]
    fn tasks_are_read() {
        let king = "6k1/5ppp/8/8/8/8/8/K3R3 w - -";
        let suite = parse(&format!(
            "# a comment\n{king} bm Re8# Kb1; id \"one; two\";\n{king} am Kb1;\n{king} bm Re8; dm 1; id \"m\";\n{king}\n"
        ))
        .expect("a suite");
        let mv = |text: &str| suite.problems[0].position.parse_san(text).expect("legal");
        let tasks: Vec<&Task> = suite.problems.iter().map(|problem| &problem.task).collect();
        let expected = [
            Task::Best(vec![mv("Re8"), mv("Kb1")]),
            Task::Avoid(vec![mv("Kb1")]),
            Task::Mate(1),
            Task::Search,
        ];
        assert!(tasks.into_iter().eq(&expected));
        let ids: Vec<&str> = suite.problems.iter().map(|problem| problem.id.as_str()).collect();
        assert_eq!(ids, ["one; two", "line 3", "m", "line 5"]);
    }

    #[test]
    fn tasks_are_done_or_not() {
        let position = Position::start();
        let [good, bad] = ["e4", "a3"].map(|san| position.parse_san(san).expect("legal"));
        let even = Score(0);
        assert!(Task::Best(vec![good]).is_done_by(good, even));
        assert!(!Task::Best(vec![good]).is_done_by(bad, even));
        assert!(!Task::Avoid(vec![bad]).is_done_by(bad, even));
        assert!(Task::Mate(2).is_done_by(bad, Score::mate_in(3)));
        assert!(!Task::Mate(2).is_done_by(bad, Score::mate_in(5)));
        assert!(!Task::Mate(2).is_done_by(bad, Score::mated_in(2)));
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, part) in [
            ("", "no position"),
            ("\nrubbish", "line 2"),
            ("6k1/8/8/8/8/8/8/K3R3 w - - bm Qa9;", "line 1"),
            ("7k/5QQ1/8/8/8/8/8/K7 b - -", "no legal move"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(part) && error.contains("s.epd"), "{error}");
        }
    }
}
