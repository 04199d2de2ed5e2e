//! The sets that networks are judged by: text files with a position and its label in each line, separated by tabs.
//!
//! | File | Columns |
//! |---|---|
//! | `met.tsv` | FEN, label, source (anything, or left out) |
//! | `neutral.tsv` | the same |
//! | `siblings.tsv` | group (any word), FEN, label |
//!
//! A label is in centipawns for White; a mate counts 10,000 less its distance. Siblings are positions after different moves from
//! one position.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use nullarbor::board::Position;
use nullarbor::types::{Colour, Score};
use nullarbor_runs::files::{self, FileError};
use thiserror::Error;

use crate::trainer::example::Example;

/// The file of positions from games against engines of other strength.
pub const MET: &str = "met.tsv";
/// The file of positions that were not selected by anybody's mistakes.
pub const NEUTRAL: &str = "neutral.tsv";
/// The file of siblings.
pub const SIBLINGS: &str = "siblings.tsv";
/// The label of a mate is this less its distance.
pub const MATE: f64 = 10_000.0;

/// No set is longer, in bytes.
const LONGEST_SET: u64 = 1 << 30;
/// Pawn, knight, bishop, rook and queen.
const PIECE_VALUES: [usize; 5] = [1, 3, 3, 5, 9];

/// Why a set cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum SetError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{path} is not a set for judging networks: it has none of {MET}, {NEUTRAL} and {SIBLINGS}", path = path.display())]
    Missing { path: PathBuf },
    #[error("{path} has no positions", path = path.display())]
    Empty { path: PathBuf },
    #[error("{path}, line {line}: {problem}", path = path.display())]
    Line { path: PathBuf, line: usize, problem: String },
}

/// A position with its label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Labelled {
    /// The position.
    pub example: Example,
    /// The side to move.
    pub mover: Colour,
    /// True if both sides have the same material, counted 1, 3, 3, 5, 9.
    pub is_equal_material: bool,
    /// The label in centipawns for White.
    pub label: f64,
}

/// Positions and siblings with labels. A file that is missing gives an empty list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgeSet {
    /// The positions of `met.tsv`.
    pub met: Vec<Labelled>,
    /// The positions of `neutral.tsv`.
    pub neutral: Vec<Labelled>,
    /// The groups of `siblings.tsv`, in the order of their first lines.
    pub siblings: Vec<Vec<Labelled>>,
}

impl JudgeSet {
    /// Reads the set in a folder.
    ///
    /// # Errors
    /// If it has none of the files, or one of them is empty or has a line that cannot be read.
    pub fn open(folder: &Path) -> Result<Self, SetError> {
        let [met, neutral, siblings] = [MET, NEUTRAL, SIBLINGS].map(|name| folder.join(name));
        if ![&met, &neutral, &siblings].into_iter().any(|path| path.exists()) {
            return Err(SetError::Missing { path: folder.to_owned() });
        }
        Ok(Self {
            met: read(&met, positions)?,
            neutral: read(&neutral, positions)?,
            siblings: read(&siblings, groups)?,
        })
    }

    /// Describes it in one line.
    pub fn describe(&self) -> String {
        let Self { met, neutral, siblings } = self;
        let count: usize = siblings.iter().map(Vec::len).sum();
        format!(
            "{} positions met, {} neutral, {count} siblings in {} groups",
            met.len(),
            neutral.len(),
            siblings.len()
        )
    }
}

/// Reads a file; nothing if there is none.
fn read<T>(
    path: &Path,
    parse: impl FnOnce(&Path, &[u8]) -> Result<Vec<T>, SetError>,
) -> Result<Vec<T>, SetError> {
    if path.exists() { parse(path, &files::read(path, LONGEST_SET)?) } else { Ok(Vec::new()) }
}

/// Reads a file of positions; `path` is for messages.
///
/// # Errors
/// If it is empty, or has a line that cannot be read.
pub fn positions(path: &Path, bytes: &[u8]) -> Result<Vec<Labelled>, SetError> {
    lines(path, bytes, |columns| Labelled::read(columns, 3))
}

/// Reads a file of siblings; `path` is for messages.
///
/// # Errors
/// If it is empty, or has a line that cannot be read.
pub fn groups(path: &Path, bytes: &[u8]) -> Result<Vec<Vec<Labelled>>, SetError> {
    let mut groups: Vec<Vec<Labelled>> = Vec::new();
    let mut numbers = HashMap::new();
    for (group, position) in lines(path, bytes, sibling)? {
        let number = *numbers.entry(group).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[number].push(position);
    }
    Ok(groups)
}

/// Reads the group and the position of a sibling.
fn sibling(columns: &[&str]) -> Result<(String, Labelled), String> {
    let (group, rest) = columns.split_first().ok_or("it is empty")?;
    Ok(((*group).to_owned(), Labelled::read(rest, 2)?))
}

/// Reads the lines of a file with a function that says what is wrong with one.
fn lines<T>(
    path: &Path,
    bytes: &[u8],
    line: impl Fn(&[&str]) -> Result<T, String>,
) -> Result<Vec<T>, SetError> {
    let mut found = Vec::new();
    for (number, text) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
        let read = || {
            let text = str::from_utf8(text).map_err(|_| "it is not UTF-8")?;
            line(&text.trim_end_matches(['\n', '\r']).split('\t').collect::<Vec<_>>())
        };
        let problem = |problem| SetError::Line { path: path.to_owned(), line: number, problem };
        found.push(read().map_err(problem)?);
    }
    if found.is_empty() { Err(SetError::Empty { path: path.to_owned() }) } else { Ok(found) }
}

impl Labelled {
    /// Reads a FEN and a label, the first of at most this many columns.
    fn read(columns: &[&str], most: usize) -> Result<Self, String> {
        let [fen, label, rest @ ..] = columns else {
            return Err("it has too few columns; they are separated by tabs".to_owned());
        };
        if 2 + rest.len() > most {
            return Err(format!("it has {} columns too many", 2 + rest.len() - most));
        }
        let position = Position::from_fen(fen).map_err(|error| error.to_string())?;
        let number = label.parse().ok().filter(|label: &f64| label.abs() <= MATE);
        let label = number.ok_or_else(|| {
            format!("the label `{label}` is not a number of centipawns from -{MATE} to {MATE}")
        })?;
        Ok(Self::new(&position, label))
    }

    /// Labels a position, in centipawns for White.
    pub fn new(position: &Position, label: f64) -> Self {
        let material = |colour| -> usize {
            let counts = position.piece_counts(colour).into_iter().zip(PIECE_VALUES);
            counts.map(|(count, value)| count * value).sum()
        };
        Self {
            example: Example::new(position, Score(0), 0.5),
            mover: position.side_to_move(),
            is_equal_material: material(Colour::White) == material(Colour::Black),
            label,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const QUEEN: &str = "4k3/8/8/8/8/8/8/3QK3 b - - 0 1";

    fn open(files: &[(&str, &str)]) -> Result<JudgeSet, SetError> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("room");
        }
        JudgeSet::open(folder.path())
    }

    #[test]
    fn positions_and_groups_are_read() {
        let met = format!("{START}\t25\tladder\r\n{QUEEN}\t-9998.5");
        let siblings = format!("b\t{START}\t1\na\t{QUEEN}\t2\nb\t{QUEEN}\t3\n");
        let set = open(&[(MET, &met), (SIBLINGS, &siblings)]).expect("a set");
        let fact = |it: &Labelled| (it.label, it.mover, it.is_equal_material);
        let facts: Vec<_> = set.met.iter().map(fact).collect();
        assert_eq!(facts, [(25.0, Colour::White, true), (-9998.5, Colour::Black, false)]);
        let labels = |group: &Vec<Labelled>| group.iter().map(|it| it.label).collect::<Vec<_>>();
        assert_eq!(
            set.siblings.iter().map(labels).collect::<Vec<_>>(),
            [vec![1.0, 3.0], vec![2.0]]
        );
        assert!(set.neutral.is_empty());
    }

    #[test]
    fn what_is_wrong_is_named_with_file_and_line() {
        let line = |name: &str, text: &str| {
            let text = match name {
                SIBLINGS => format!("0\t{START}\t1\n{text}\n"),
                _ => format!("{START}\t1\n{text}\n"),
            };
            open(&[(name, &text)]).expect_err("a broken line").to_string()
        };
        for (name, text, part) in [
            (MET, "", "too few columns"),
            (MET, QUEEN, "too few columns"),
            (MET, "8/8/8/8/8/8/8/K7 w - - 0 1\t3", "kings"),
            (NEUTRAL, &format!("{QUEEN}\tNaN"), "the label `NaN`"),
            (NEUTRAL, &format!("{QUEEN}\t10001"), "the label `10001`"),
            (NEUTRAL, &format!("{QUEEN}\t3\tx\ty"), "1 columns too many"),
            (SIBLINGS, &format!("{QUEEN}\t3"), "too few columns"),
            (SIBLINGS, &format!("0\t{QUEEN}\t3\tx"), "1 columns too many"),
        ] {
            let error = line(name, text);
            assert!(error.contains(&format!("{name}, line 2: ")), "{text}: {error}");
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(matches!(open(&[]), Err(SetError::Missing { .. })));
        assert!(matches!(open(&[(MET, "")]), Err(SetError::Empty { .. })));
    }
}
