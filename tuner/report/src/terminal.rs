//! Standard output, and a bar for work that takes a while.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::table::{Table, align};

/// Longer cells are lists, which a terminal cannot show side by side.
const WIDEST: usize = 48;

/// Prints a text. A reader who has gone away (`| head`) has seen enough; the work goes on.
pub fn print(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}

/// Prints a line.
pub fn line(text: &str) {
    print(&format!("{text}\n"));
}

/// Prints a table, long cells cut short.
pub fn table(table: &Table) {
    let rows: Vec<Vec<String>> = std::iter::once(&table.head)
        .chain(&table.rows)
        .map(|row| row.iter().map(|cell| shortened(cell)).collect())
        .collect();
    line(&format!("{}\n{}", table.title, align(&rows)));
}

fn shortened(cell: &str) -> String {
    let items = cell.split(", ").count();
    if items == 1 || cell.chars().count() <= WIDEST {
        return cell.to_owned();
    }
    let start: String = cell.chars().take(WIDEST - 16).collect();
    let whole = start.rfind(", ").map_or(&start[..], |end| &start[..end]);
    format!("{whole}, ... ({items} in all)")
}

/// A bar for so many pieces of work, on standard error; none where nobody would see it.
pub fn bar(pieces: u64, what: &str, quiet: bool) -> ProgressBar {
    if quiet || !io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(Some(pieces), ProgressDrawTarget::hidden());
    }
    let template = format!("{{elapsed_precise}} [{{bar:24}}] {{pos}}/{{len}} {what}, {{eta}} left");
    let style = ProgressStyle::with_template(&template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ");
    ProgressBar::new(pieces).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut_between_their_items() {
        assert_eq!(shortened("a, b"), "a, b");
        let single = "no list, ".trim_end_matches(", ").repeat(9);
        assert_eq!(shortened(&single), single);
        let items: Vec<String> = (1..=20).map(|number| format!("M4.{number:04}")).collect();
        let text = shortened(&items.join(", "));
        assert_eq!(text, "M4.0001, M4.0002, M4.0003, ... (20 in all)");
    }
}
