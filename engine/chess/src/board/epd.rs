//! Extended Position Description (EPD): the first four fields of a FEN, and operations.

/// The operation of the halfmove clock.
pub(super) const HALFMOVE_CLOCK: &str = "hmvc";
/// The operation of the move number.
pub(super) const FULLMOVE: &str = "fmvn";

/// Converts a line of EPD or FEN to FEN: of the EPD operations only the counters (`hmvc`, `fmvn`)
/// are used.
///
/// ```
/// use nullarbor_chess::board::fen_of_epd;
///
/// let line = "4k3/8/8/8/8/8/8/4K3 w - - hmvc 7; fmvn 31; id \"bare\";";
/// assert_eq!(fen_of_epd(line), "4k3/8/8/8/8/8/8/4K3 w - - 7 31");
/// ```
pub fn fen_of_epd(line: &str) -> String {
    const FIELDS: usize = 4;
    let mut words = line.split_ascii_whitespace();
    let fields: Vec<&str> = words.by_ref().take(FIELDS).collect();
    let rest = words.collect::<Vec<_>>().join(" ");
    if rest.starts_with(|first: char| first.is_ascii_digit()) {
        return line.split(';').next().unwrap_or(line).to_owned();
    }
    let operations = operations(&rest);
    let operand = |name: &str| {
        let named = operations.iter().map(|it| split(it)).find(|(code, _)| *code == name);
        named.map(|(_, operand)| operand).filter(|operand| !operand.is_empty())
    };
    let halfmoves = operand(HALFMOVE_CLOCK).unwrap_or("0");
    let fullmove = operand(FULLMOVE).unwrap_or("1");
    format!("{} {halfmoves} {fullmove}", fields.join(" "))
}

/// Returns the code and the operand of an operation.
pub(super) fn split(operation: &str) -> (&str, &str) {
    let (code, operand) = operation.split_once(is_space).unwrap_or((operation, ""));
    (code, operand.trim_ascii())
}

/// Returns the operations of a text. Each ends at a semicolon that is not within quotes; those of the counters may lack it.
pub(super) fn operations(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim_start_matches(is_gap);
    while !rest.is_empty() {
        let (operation, after) = rest.split_at(end_of_operation(rest));
        found.push(operation.trim_ascii_end());
        rest = after.trim_start_matches(is_gap);
    }
    found
}

fn is_space(letter: char) -> bool {
    letter.is_ascii_whitespace()
}

fn is_gap(letter: char) -> bool {
    letter == ';' || is_space(letter)
}

/// Returns the length of the operation that a text begins with.
fn end_of_operation(text: &str) -> usize {
    let (code, after) = text.split_at(text.find(is_gap).unwrap_or(text.len()));
    if [HALFMOVE_CLOCK, FULLMOVE].contains(&code) {
        let operand = after.trim_ascii_start();
        return text.len() - operand.len() + operand.find(is_gap).unwrap_or(operand.len());
    }
    let mut is_quoted = false;
    let ends = |letter| {
        is_quoted ^= letter == '"';
        letter == ';' && !is_quoted
    };
    text.find(ends).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_semicolon_within_quotes_ends_no_operation() {
        let text = " bm Nf3; c0 \"x; hmvc 7; y\"; hmvc 2 fmvn 4;acd 5;; id \"open; fmvn 9;";
        let found =
            ["bm Nf3", "c0 \"x; hmvc 7; y\"", "hmvc 2", "fmvn 4", "acd 5", "id \"open; fmvn 9;"];
        assert_eq!(operations(text), found);
        assert_eq!(operations("hmvc; fmvn"), ["hmvc", "fmvn"]);
        assert_eq!(split("c0  \"a b\""), ("c0", "\"a b\""));
    }
}
