//! Diagrams of positions as SVG.

use std::fmt::Write;

/// The side of a square, in pixels.
const SQUARE: u32 = 36;
const BOARD: u32 = 8 * SQUARE;
/// The height of a line of the caption.
const TEXT: u32 = 17;
const GAP: u32 = 24;
/// Letters of a line of the caption.
const LINE: usize = 44;

/// A diagram: the position in FEN, and lines of text below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The position; only the placement of the pieces is read.
    pub fen: String,
    /// Lines of text below the board.
    pub caption: Vec<String>,
}

/// Returns an SVG file with diagrams side by side.
///
/// ```
/// use nullarbor_lab::board::{Diagram, diagrams};
///
/// let diagram = Diagram { fen: "8/8/8/8/8/4k3/8/4K2R w - - 0 1".to_owned(), caption: vec!["White wins".to_owned()] };
/// assert_eq!(diagrams(&[diagram]).matches("<path").count(), 3);
/// ```
pub fn diagrams(all: &[Diagram]) -> String {
    let width = all.len() as u32 * (BOARD + GAP);
    let lines = all.iter().map(|diagram| diagram.caption.len() as u32).max().unwrap_or(0);
    let height = BOARD + TEXT * lines + TEXT / 2;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n"
    );
    for (diagram, column) in all.iter().zip(0..) {
        let x = column * (BOARD + GAP);
        // Writing to a string cannot fail.
        let _ = writeln!(svg, "<g transform=\"translate({x} 0)\">{}</g>", board(diagram));
    }
    svg + "</svg>\n"
}

fn board(diagram: &Diagram) -> String {
    let mut svg = format!("<rect width=\"{BOARD}\" height=\"{BOARD}\" fill=\"#f0e6d2\"/>");
    for square in (0..64).filter(|square| (square / 8 + square % 8) % 2 == 1) {
        let (x, y) = (square % 8 * SQUARE, square / 8 * SQUARE);
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"#b08d66\"/>"
        );
    }
    for (piece, square) in pieces(&diagram.fen) {
        let (x, y) = (square % 8 * SQUARE, square / 8 * SQUARE);
        let (fill, edge) = if piece.is_uppercase() { ("#fff", "#222") } else { ("#222", "#eee") };
        let _ = write!(
            svg,
            "<path transform=\"translate({x} {y})\" fill=\"{fill}\" stroke=\"{edge}\" stroke-width=\"1.2\" stroke-linejoin=\"round\" d=\"{}\"/>",
            outline(piece)
        );
    }
    for (line, number) in diagram.caption.iter().zip(1..) {
        let y = BOARD + TEXT * number;
        let text = escaped(&shortened(line));
        let _ = write!(
            svg,
            "<text x=\"0\" y=\"{y}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#777\">{text}</text>"
        );
    }
    svg
}

/// Returns the pieces of a FEN and their squares, counted from a8.
fn pieces(fen: &str) -> Vec<(char, u32)> {
    let placement = fen.split_whitespace().next().unwrap_or_default();
    let mut square = 0;
    let mut pieces = Vec::new();
    for letter in placement.chars().filter(|letter| *letter != '/') {
        match letter.to_digit(10) {
            Some(empty) => square += empty,
            None => {
                pieces.push((letter, square));
                square += 1;
            }
        }
    }
    pieces.retain(|(_, square)| *square < 64);
    pieces
}

/// The outline of a piece in a square of 36 by 36.
fn outline(piece: char) -> &'static str {
    match piece.to_ascii_lowercase() {
        'p' => {
            "M10 31 h16 v-3 q-5 -3 -5.500 -9 h3 v-2.500 h-3 a5 5 0 1 0 -5 0 h-3 v2.500 h3 q-.5 6 -5.500 9 z"
        }
        'n' => {
            "M9 31 h19 q0 -14 -5 -20 q-3 -3.500 -7 -4 l-1 -3 l-2.500 3.500 q-4 4 -6 11 l3 3 q3 0 5 -3 q2 0 4 -1.500 q-1 5 -5.500 8 q-3 2 -4 6 z"
        }
        'b' => {
            "M8 31 h20 v-3 h-6 q1 -2 .5 -4 q5 -8 -4 -15 a2.500 2.500 0 1 0 -1 0 q-9 7 -4 15 q-.5 2 .5 4 h-6 z"
        }
        'r' => {
            "M8 31 h20 v-3.500 h-3 l-1 -13 h3 v-8 h-4 v3 h-3 v-3 h-4 v3 h-3 v-3 h-4 v8 h3 l-1 13 h-3 z"
        }
        'q' => {
            "M8 31 h20 v-3 l-1.500 -4 l4.500 -14 l-6 7 l-1.500 -10 l-4 9 l-1.500 -11 l-1.500 11 l-4 -9 l-1.500 10 l-6 -7 l4.500 14 l-1.500 4 z"
        }
        _ => {
            "M8 31 h20 v-3 l-1 -3 q7 -7 3 -11 q-5 -4 -10.500 2 v-5 h3.500 v-3 h-3.500 v-4 h-3 v4 h-3.500 v3 h3.500 v5 q-5.500 -6 -10.500 -2 q-4 4 3 11 l-1 3 z"
        }
    }
}

fn shortened(line: &str) -> String {
    if line.chars().count() <= LINE {
        return line.to_owned();
    }
    line.chars().take(LINE - 1).chain(['…']).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_stand_where_the_fen_says() {
        let found = pieces("r6k/8/8/8/8/8/8/K6R b - - 0 1");
        assert_eq!(found, [('r', 0), ('k', 7), ('K', 56), ('R', 63)]);
        assert!(pieces("88888888888k").is_empty());
    }

    #[test]
    fn captions_are_escaped_and_short() {
        let caption = vec!["<a & b>".to_owned(), "x".repeat(200)];
        let svg = diagrams(&[Diagram { fen: String::new(), caption }]);
        assert!(svg.contains("&lt;a &amp; b&gt;") && svg.contains('…'));
    }
}
