//! The four books that every binary carries; `openings/README.md` says how each was made.

use crate::epd;
use crate::opening::Opening;

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

/// The positions of the book with this name, and what a search said of each when the book was made, in centipawns for the side
/// to move: a yardstick that stays when the engine changes.
pub fn judged(name: &str) -> impl Iterator<Item = (Opening, i32)> {
    let lines = find(name).unwrap_or_default().lines();
    lines.filter_map(|line| {
        let value = line.split_once(" ce ")?.1.split(';').next()?.trim().parse().ok()?;
        Some((epd::entries(line).next()?.1.ok()?, value))
    })
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

    #[test]
    fn a_yardstick_has_a_value_for_each_position() {
        for name in ["unbalanced", "endgames"] {
            let all: Vec<(Opening, i32)> = judged(name).collect();
            assert_eq!(all.len(), Book::open(name, None).expect(name).openings.len());
            assert!(all.iter().all(|(_, value)| value.abs() <= 120));
            assert!(all.iter().any(|(_, value)| *value < -20));
        }
        assert_eq!(judged("no book").count(), 0);
    }
}
