//! What is wrong with a book.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::opening::Opening;
use crate::read::ReadError;

/// All that was found.
#[derive(Debug, Default)]
pub struct Problems {
    /// The openings that can be played, each once.
    pub good: Vec<Opening>,
    /// What is wrong, in the order of the lines.
    pub lines: Vec<String>,
}

impl Problems {
    /// Looks at every entry: whether it can be read and played, and whether its final position was there before.
    pub fn of(entries: impl Iterator<Item = (usize, Result<Opening, ReadError>)>) -> Self {
        let mut found = Self::default();
        let mut seen: HashMap<u64, usize> = HashMap::new();
        for (line, entry) in entries {
            match entry {
                Err(error) => found.lines.push(error.to_string()),
                Ok(opening) => match seen.entry(opening.end().0.key()) {
                    Entry::Occupied(first) => {
                        let first = first.get();
                        found.lines.push(format!("line {line}: the same position as line {first}"));
                    }
                    Entry::Vacant(place) => {
                        place.insert(line);
                        found.good.push(opening);
                    }
                },
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Format;

    #[test]
    fn duplicates_and_bad_lines_are_listed_with_their_lines() {
        let text = "4k3/8/8/8/8/8/4P3/4K3 w - -\nrubbish\n4k3/8/8/8/8/8/4P3/4K3 w - - ce 3;\n";
        let problems = Problems::of(Format::Epd.entries(text, None));
        assert_eq!(problems.good.len(), 1);
        assert_eq!(problems.lines.len(), 2);
        assert!(problems.lines[0].contains("line 2") && problems.lines[1].contains("line 1"));
    }
}
