//! Finds what is wrong with a book.

use std::collections::HashMap;

use crate::entry::Entry;
use crate::opening::Opening;

/// The result of checking a book.
///
/// ```
/// use nullarbor_openings::{Format, check::CheckedBook};
///
/// let text = "4k3/8/8/8/8/8/4P3/4K3 w - -\n4k3/8/8/8/8/8/8 w - -\n";
/// let book = CheckedBook::of(Format::Epd.entries(text, None));
/// assert_eq!(book.openings.len(), 1);
/// assert!(book.problems[0].starts_with("line 2: FEN placement: the number of ranks is 7"));
/// ```
#[derive(Debug, Default)]
pub struct CheckedBook {
    /// The valid openings, without duplicates.
    pub openings: Vec<Opening>,
    /// Problems, in the order of the lines.
    pub problems: Vec<String>,
}

impl CheckedBook {
    /// Checks that every entry can be parsed and played and that no two end in the same position.
    pub fn of(entries: impl Iterator<Item = Entry>) -> Self {
        let mut book = Self::default();
        let mut seen: HashMap<u64, usize> = HashMap::new();
        for (line, entry) in entries {
            match entry {
                Err(error) => book.problems.push(error.to_string()),
                Ok(opening) => {
                    let known = seen.len();
                    let first = *seen.entry(opening.game().position().key()).or_insert(line);
                    if seen.len() > known {
                        book.openings.push(opening);
                    } else {
                        book.problems
                            .push(format!("line {line}: the same position as line {first}"));
                    }
                }
            }
        }
        book
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    #[test]
    fn duplicates_and_invalid_entries_are_reported_with_their_lines() {
        let text = "4k3/8/8/8/8/8/4P3/4K3 w - -\nrubbish\n4k3/8/8/8/8/8/4P3/4K3 w - - ce 3;\n";
        let book = CheckedBook::of(Format::Epd.entries(text, None));
        assert_eq!(book.openings.len(), 1);
        assert_eq!(book.problems.len(), 2);
        assert!(book.problems[0].contains("line 2") && book.problems[1].contains("line 1"));
    }
}
