//! Runs as pieces of HTML.

mod breed;
mod data;
mod lab;
mod matches;
mod spsa;
mod training;
mod workers;

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::path::Path;

use maud::{Markup, PreEscaped, html};
use nullarbor_report::plot::{Chart, Data, sheet};
use nullarbor_report::table::Table;
use serde::Serialize;

use crate::source::{Kind, Source};
pub use workers::workers;

/// A piece of the page.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Card {
    /// Its name in the page, different from all others.
    pub id: String,
    /// What kind of run it shows.
    pub kind: &'static str,
    /// Its title.
    pub title: String,
    /// When the run changed last, in seconds since 1970.
    pub changed: u64,
    /// What it shows.
    pub html: String,
}

/// What a run shows: its title and its body.
type Shown = Result<(String, Markup), Box<dyn std::error::Error>>;

impl Card {
    /// Reads a run. One that cannot be read shows why.
    pub fn of(source: &Source) -> Self {
        let path = source.path.as_path();
        let (kind, shown) = match source.kind {
            Kind::Breed => ("breed", breed::show(path)),
            Kind::Spsa => ("spsa", spsa::show(path)),
            Kind::Match => ("match", matches::show(path)),
            Kind::Training => ("training", training::show(path)),
            Kind::Data => ("games", data::show(path)),
            Kind::Lab => ("lab", lab::show(path)),
        };
        let (title, body) =
            shown.unwrap_or_else(|error| (name(path), html! { p.error { (error.to_string()) } }));
        let html = html! { p.path { (path.display().to_string()) } (body) }.into_string();
        Self { id: id(path), kind, title, changed: source.changed(), html }
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

fn table(table: &Table) -> Markup {
    html! { @if !table.rows.is_empty() {
        @if !table.title.is_empty() { h3 { (table.title) } }
        div.scroll { table {
            thead { tr { @for cell in &table.head { th { (cell) } } } }
            tbody { @for row in &table.rows { tr { @for cell in row { td { (cell) } } } } }
        } }
    } }
}

/// Charts that have a line to show, with what a screen reader says of them.
fn charts(charts: &[Chart]) -> Markup {
    html! {
        div.charts { @for chart in charts.iter().filter(|chart| has_line(chart)) {
            figure role="img" aria-label=(spoken(chart)) { (PreEscaped(sheet(std::slice::from_ref(chart)))) }
        } }
    }
}

fn has_line(chart: &Chart) -> bool {
    chart.series.iter().any(|series| match &series.data {
        Data::Line(points) => points.len() > 1,
        _ => false,
    })
}

fn spoken(chart: &Chart) -> String {
    let mut text = chart.title.clone();
    for series in &chart.series {
        if let Data::Line(points) = &series.data
            && let Some((x, y)) = points.last()
        {
            // Writing to a string cannot fail.
            let _ = write!(text, "; {}: {y:.2} at {x:.0}", series.name);
        }
    }
    text
}
