//! The four built-in books; `openings/README.md` says how each was generated.

use crate::epd;
use crate::opening::Opening;

/// Names and texts.
const BOOKS: [(&str, &str); 4] = [
    ("balanced", include_str!("../data/balanced.epd")),
    ("unbalanced", include_str!("../data/unbalanced.epd")),
    ("chess960", include_str!("../data/chess960.epd")),
    ("endgames", include_str!("../data/endgames.epd")),
];

/// Returns the text of the built-in book with this name.
pub fn find(name: &str) -> Option<&'static str> {
    BOOKS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns the positions of a built-in book with the scores of the searches that generated it, in
/// centipawns for the side to move: a calibration set that stays the same when the engine changes.
pub fn scored(name: &str) -> impl Iterator<Item = (Opening, i32)> {
    let lines = find(name).unwrap_or_default().lines();
    lines.filter_map(|line| {
        let score = line.split_once(" ce ")?.1.split(';').next()?.trim().parse().ok()?;
        Some((epd::entries(line).next()?.1.ok()?, score))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::CheckedBook;
    use crate::format::Format;
    use crate::opening::needs_chess960;

    #[test]
    fn every_book_is_valid_and_large_enough() {
        for (name, text) in BOOKS {
            let book = CheckedBook::of(Format::Epd.entries(text, None));
            assert!(book.problems.is_empty(), "{name}: {:?}", book.problems);
            assert!(book.openings.len() >= 3000, "{name}: {}", book.openings.len());
            let chess960 = book.openings.iter().any(|opening| needs_chess960(&opening.start));
            assert_eq!(chess960, name == "chess960", "{name}");
        }
    }

    #[test]
    fn every_position_has_a_score() {
        for name in ["unbalanced", "endgames"] {
            let all: Vec<(Opening, i32)> = scored(name).collect();
            assert_eq!(Some(all.len()), find(name).map(|text| text.lines().count()));
            assert!(all.iter().all(|(_, score)| score.abs() <= 120));
            assert!(all.iter().any(|(_, score)| *score < -20));
        }
        assert_eq!(scored("no book").count(), 0);
    }
}
