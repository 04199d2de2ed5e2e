//! Numbers in tables.

use nullarbor_report::table::grouped;

/// Returns `part` in percent of `all` with one decimal, `-` if `all` is 0.
pub fn percent(part: u64, all: u64) -> String {
    if all == 0 { "-".to_owned() } else { format!("{:.1}", 100.0 * part as f64 / all as f64) }
}

/// Returns a number rounded to an integer, in groups of three digits.
pub fn signed(number: f64) -> String {
    let sign = if number < 0.0 { "-" } else { "" };
    format!("{sign}{}", grouped(number.abs().round() as u64))
}
