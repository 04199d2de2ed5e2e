//! Runs as pieces of HTML.

mod breed;
mod data;
mod lab;
mod matches;
mod spsa;
mod training;
mod workers;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use maud::{Markup, html};
use nullarbor_report::plot::{Chart, figure};
use nullarbor_report::table::Table;
use serde::Serialize;

use crate::source::{Kind, Source};
use crate::state::{Pace, State};
pub use workers::workers;

/// A piece of the page.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Card {
    /// Id in the page, different from those of all other cards.
    pub id: String,
    /// Kind of run.
    pub kind: &'static str,
    /// Title of the card.
    pub title: String,
    /// The state of the run.
    pub state: State,
    /// Time of the run's last change, in seconds since 1970.
    pub changed: u64,
    /// Body of the card.
    pub html: String,
}

/// The content of a card: its title, whether nothing is left to do, and its body.
type Shown = Result<(String, bool, Markup), Box<dyn std::error::Error>>;

/// Charts that are shown at once; the others are folded away.
const CHARTS: usize = 6;

impl Card {
    /// Reads a run; `is_locked` tells whether a process works on it. One that cannot be read shows why.
    pub fn of(source: &Source, is_locked: bool, pace: &mut Pace) -> Self {
        let path = source.path.as_path();
        let kind = match source.kind {
            Kind::Breed => "breed",
            Kind::Spsa => "spsa",
            Kind::Match => "match",
            Kind::Training => "training",
            Kind::Data => "games",
            Kind::Lab => "lab",
        };
        let shown = || match source.kind {
            Kind::Breed => breed::show(path),
            Kind::Spsa => spsa::show(path),
            Kind::Match => matches::show(path, is_locked, pace),
            Kind::Training => training::show(path),
            Kind::Data => data::show(path),
            Kind::Lab => lab::show(path),
        };
        let strange = |path: PathBuf| {
            let path = path.display();
            Err(format!("{path}: links are not followed, and only regular files are read").into())
        };
        let failed = |error: Box<dyn std::error::Error>| {
            (name(path), true, html! { p.error { (error.to_string()) } })
        };
        let (title, is_done, body) =
            source.stranger().map_or_else(shown, strange).unwrap_or_else(failed);
        let html = html! { p.path { (path.display().to_string()) } (body) }.into_string();
        let state = State::of(is_locked, is_done);
        Self { id: id(path), kind, title, state, changed: source.changed(), html }
    }

    /// Returns a number that changes with the content.
    pub fn version(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// Returns a name for the page.
fn id(path: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    format!("run-{:016x}", hasher.finish())
}

/// Returns the last part of a path.
fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Figures side by side: a name and a value each.
fn figures(figures: &[(&str, String)]) -> Markup {
    html! {
        dl.figures { @for (name, value) in figures { div { dt { (name) } dd { (value) } } } }
    }
}

/// A table without the columns that are empty.
fn table(table: &Table) -> Markup {
    let is_empty = |cell: &str| matches!(cell, "" | "-" | "–" | "—");
    let shown: Vec<usize> = (0..table.head.len())
        .filter(|&column| {
            table.rows.iter().any(|row| row.get(column).is_some_and(|it| !is_empty(it)))
        })
        .collect();
    html! { @if !shown.is_empty() {
        @if !table.title.is_empty() { h3 { (table.title) } }
        div.scroll { table {
            thead { tr { @for &column in &shown { th { (table.head[column]) } } } }
            tbody { @for row in &table.rows { tr { @for &column in &shown {
                td { (row.get(column).map_or("", String::as_str)) }
            } } } }
        } }
    } }
}

/// Charts that have a line to show.
fn charts(charts: &[Chart]) -> Markup {
    let drawn: Vec<String> = charts.iter().map(|chart| figure(chart).into_string()).collect();
    let drawn: Vec<String> = drawn.into_iter().filter(|svg| !svg.is_empty()).collect();
    let (first, rest) = drawn.split_at(drawn.len().min(CHARTS));
    let all =
        |svgs: &[String]| html! { div.charts { @for svg in svgs { (maud::PreEscaped(svg)) } } };
    html! {
        @if !first.is_empty() { (all(first)) }
        @if !rest.is_empty() { details { summary { (rest.len()) " more charts" } (all(rest)) } }
    }
}

/// Returns a number of things: `1 worker`, `2 workers`.
fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_is_left_out() {
        let head = ["name", "none", "some"];
        let rows = [["a", "", "-"], ["b", "-", "3"]];
        let text = table(&Table::new("t", head, rows)).into_string();
        assert!(text.contains("some") && !text.contains("none"), "{text}");
        assert_eq!(table(&Table::new("t", head, [[""; 3]; 0])).into_string(), "");
        assert_eq!(charts(&[Chart::new("t", "x", "y")]).into_string(), "");
    }
}
