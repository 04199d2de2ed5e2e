//! The four books that every binary carries; `openings/README.md` says how each was made.

/// Names and texts.
const BOOKS: [(&str, &str); 4] = [
    ("balanced", include_str!("../data/balanced.epd")),
    ("unbalanced", include_str!("../data/unbalanced.epd")),
    ("chess960", include_str!("../data/chess960.epd")),
    ("endgames", include_str!("../data/endgames.epd")),
];

/// The text of the book with this name.
pub fn find(name: &str) -> Option<&'static str> {
    BOOKS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use crate::Book;
    use crate::check::Problems;
    use crate::read::Format;

    use super::*;

    #[test]
    fn every_book_is_sound_and_large_enough() {
        for (name, text) in BOOKS {
            let problems = Problems::of(Format::Epd.entries(text, None));
            assert!(problems.lines.is_empty(), "{name}: {:?}", problems.lines);
            let book = Book::open(name, None).expect(name);
            assert!(book.openings.len() >= 3000, "{name}: {}", book.openings.len());
            assert_eq!(book.needs_chess960(), name == "chess960", "{name}");
        }
    }
}
