//! The books of matches, and the files that a configuration names.

use std::env;
use std::path::{self, Path, PathBuf};

use nullarbor_openings::{Book, Opening, builtin};

use crate::config::{Config, ConfigError};

/// One opening of a book in this many is reserved for the match before shipping.
const RESERVED_DIVISOR: usize = 3;

/// Parts of a book. Without a clock, two networks play an opening in the same way whenever they play it: a match from openings
/// that a gate has used would repeat its games, and its luck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// For gates.
    Gates,
    /// For the match before shipping.
    Reserved,
}

impl Part {
    fn select(self, openings: &mut Vec<Opening>) {
        let mut number = 0;
        openings.retain(|_| {
            number += 1;
            (number % RESERVED_DIVISOR == 0) == (self == Self::Reserved)
        });
    }
}

impl Config {
    /// Returns it with paths that hold wherever a command is given.
    pub(crate) fn absolute(mut self) -> Self {
        let absolute = |path: &Path| path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let paths = self.games.start.iter_mut().chain(&mut self.gates.judge.sets);
        for path in paths.chain(&mut self.run.ship) {
            *path = absolute(path);
        }
        self.games.tb = self.games.tb.map(|folders| {
            let all = env::join_paths(env::split_paths(&folders).map(|path| absolute(&path)));
            all.map_or(folders, PathBuf::from)
        });
        for book in &mut self.gates.nodes.books {
            if builtin::find(book).is_none() {
                *book = absolute(Path::new(book)).display().to_string();
            }
        }
        self
    }

    /// Checks whether the books of its matches are there.
    ///
    /// # Errors
    /// As [`Config::books`].
    pub(crate) fn check_books(&self) -> Result<(), ConfigError> {
        self.books(Part::Reserved, 0).map(|_| ())
    }

    /// Returns the openings of a match: the books take turns, each in a random order, until the shortest one ends. A game from
    /// an opening that was played before tells nothing new.
    ///
    /// # Errors
    /// If a book cannot be read, or is too small.
    pub fn books(&self, part: Part, seed: u64) -> Result<Book, ConfigError> {
        let names = &self.gates.nodes.books;
        let text = |problem| ConfigError::Text { key: "gates.nodes.books", problem };
        let open = |name: &String| {
            let mut book = Book::open(name, None).map_err(|error| text(error.to_string()))?;
            part.select(&mut book.openings);
            if book.openings.is_empty() {
                return Err(text(format!("{name} has fewer than {RESERVED_DIVISOR} openings")));
            }
            book.shuffle(seed);
            Ok(book)
        };
        let books = names.iter().map(open).collect::<Result<Vec<_>, ConfigError>>()?;
        let length = books.iter().map(|book| book.openings.len()).min();
        let length = length.ok_or_else(|| text("no book".to_owned()))?;
        let turn = |turn: usize| books.iter().map(move |book| book.openings[turn].clone());
        let turns = (0..length).flat_map(turn);
        Ok(Book { name: names.join(" and "), openings: turns.collect() })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn paths_hold_in_every_folder() {
        let text = "[games]\nstart = [\"a\"]\ntb = \"d\"\n[gates.judge]\nsets = [\"b\"]\n[gates.nodes]\nbooks = [\"unbalanced\", \"c.epd\"]";
        let config = toml::from_str::<Config>(text).expect(text).absolute();
        let here = |name| path::absolute(name).expect("a folder");
        assert_eq!(
            (&config.games.start[0], config.games.tb.as_ref()),
            (&here("a"), Some(&here("d")))
        );
        assert_eq!(config.gates.judge.sets, [here("b")]);
        assert_eq!(config.gates.nodes.books[0], "unbalanced");
        assert_eq!(Path::new(&config.gates.nodes.books[1]), here("c.epd"));
        assert_eq!(config.clone().absolute(), config);
    }

    #[test]
    fn books_take_turns() {
        let book = |part, seed| Config::default().books(part, seed).expect("built-in books");
        let (book, other) = (book(Part::Gates, 7), book(Part::Gates, 8));
        let shortest = 2000;
        assert_eq!(book.openings.len(), 2 * shortest, "none of them twice");
        let is_endgame = |turn: usize| book.openings[turn].start.occupied().count() <= 14;
        assert!((0..100).all(|turn| is_endgame(turn) == (turn % 2 == 1)));
        assert_ne!(book.fingerprint(), other.fingerprint());
    }

    #[test]
    fn the_match_before_shipping_has_openings_of_its_own() {
        let keys = |part| {
            let book = Config::default().books(part, 7).expect("built-in books");
            book.openings.iter().map(|it| it.start.key()).collect::<BTreeSet<u64>>()
        };
        let [gates, reserved] = [Part::Gates, Part::Reserved].map(keys);
        assert!(gates.len() >= 3000 && reserved.len() >= 2000 && gates.is_disjoint(&reserved));
    }
}
