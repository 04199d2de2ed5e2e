//! Standard output, and progress bars on standard error.

use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::table::Table;

/// Longer cells are lists of names, which a terminal cannot show side by side.
const WIDEST: usize = 48;
/// Between two updates of the elapsed time.
const TICK: Duration = Duration::from_millis(500);

/// Prints a text. A closed pipe (`| head`) is not an error: the work goes on without a reader. What else prevents it, such as a
/// full disk, ends the program with exit code 1: the text is what the user asked for.
pub fn print(text: &str) {
    match write(text) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            message(format_args!("error: standard output: {error}"));
            process::exit(1);
        }
        _ => {}
    }
}

/// Prints a text on the way to the result, for which no run is ended.
pub fn print_interim(text: &str) {
    let _ = write(text);
}

fn write(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Returns a text in which control characters other than line breaks are escaped: what a file or a program says must not
/// command the terminal.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() && !matches!(letter, '\n' | '\t') {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Prints a line on standard error. What nobody can read must not end the run that it tells of, as `eprintln!` would.
pub fn message(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints a line.
pub fn line(text: &str) {
    print(&format!("{text}\n"));
}

/// Prints a table, with long lists cut short, and a blank line.
pub fn table(table: &Table) {
    let mut table = table.clone();
    table.rows.iter_mut().flatten().for_each(|cell| *cell = shortened(cell));
    line(&table.text());
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

/// Returns a progress bar on standard error for a number of `units`. It is hidden when `quiet`, and when standard error is not
/// a terminal.
pub fn bar(units: u64, unit: &str, quiet: bool) -> ProgressBar {
    let template = format!("{{elapsed_precise}} [{{bar:12}}] {{pos}}/{{len}} {unit}, {{eta}} left");
    bar_of(units, &template, quiet)
}

/// Returns a progress bar as [`bar`] does, with a template of its own.
pub fn bar_of(units: u64, template: &str, quiet: bool) -> ProgressBar {
    if quiet || !io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(Some(units), ProgressDrawTarget::hidden());
    }
    let bar = ProgressBar::new(units).with_style(style(template));
    bar.enable_steady_tick(TICK);
    bar
}

/// Returns the style of bars with this template.
pub fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}

/// Prints a line on standard error, above the bar if it is shown; nothing when `quiet`.
pub fn say(bar: &ProgressBar, quiet: bool, line: &str) {
    match bar {
        _ if quiet => {}
        bar if bar.is_hidden() => message(line),
        bar => bar.println(line),
    }
}

/// Shows a progress bar while `work` runs, and returns its result.
pub fn with_bar<T>(units: u64, unit: &str, quiet: bool, work: impl FnOnce(&ProgressBar) -> T) -> T {
    let bar = bar(units, unit, quiet);
    let result = work(&bar);
    bar.finish_and_clear();
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("a\u{1b}[2J\nb\rü\u{9b}"), "a\\u{1b}[2J\nb\\rü\\u{9b}");
    }

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
