//! Extended Position Description (EPD): the first four fields of a FEN, and operations.

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
    let operation = |name: &str| {
        rest.split(';').find_map(|operation| operation.trim().strip_prefix(name)).map(str::trim)
    };
    let halfmoves = operation("hmvc ").unwrap_or("0");
    let fullmove = operation("fmvn ").unwrap_or("1");
    format!("{} {halfmoves} {fullmove}", fields.join(" "))
}
