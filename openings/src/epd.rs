//! EPD and FEN files: a position per line.

use nullarbor_chess::board::fen_of_epd;

use crate::entry::{self, Entry};
use crate::opening::Opening;

/// Returns the entries of all lines that are not empty and do not start with `#`.
pub fn entries(text: &str) -> impl Iterator<Item = Entry> + '_ {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| (number, entry::position(number, &fen_of_epd(line)).map(Opening::at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_parsed_in_both_forms() {
        let board = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        let read = |line: &str| {
            let (_, entry) = entries(line).next().expect("an entry");
            entry.expect("a good line").start
        };
        for (rest, halfmoves, fullmove) in [
            ("", 0, 1),
            (" 7 31", 7, 31),
            (" 7", 7, 1),
            ("  \t 7  31", 7, 31),
            (" hmvc 7; fmvn 31;", 7, 31),
            (" ce 31; id \"a; b\";", 0, 1),
        ] {
            let position = read(&format!("{board}{rest}"));
            assert_eq!((position.halfmove_clock(), position.fullmove()), (halfmoves, fullmove));
        }
    }
}
