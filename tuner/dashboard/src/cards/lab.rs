//! Tables of the laboratory.

use std::path::Path;

use maud::html;
use nullarbor_report::table::{Table, grouped};
use nullarbor_runs::files;
use serde::Deserialize;

use super::{Shown, name, table};

/// No laboratory writes more, in bytes.
const LONGEST: u64 = 256 << 20;

/// The part of an outcome in `lab.json` that the page shows.
#[derive(Deserialize)]
struct Outcome {
    suite: String,
    scheme: String,
    tasks: u64,
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    label: String,
    nodes: u64,
    solved: u64,
}

pub(super) fn show(path: &Path) -> Shown {
    let suites: Vec<Vec<Outcome>> =
        serde_json::from_slice(&files::read(&path.join("lab.json"), LONGEST)?)?;
    let tables = suites.iter().map(|outcomes| {
        let title = outcomes.first().map_or("", |outcome| outcome.suite.as_str());
        let least =
            outcomes.iter().filter_map(|it| Some(it.cells.last()?.nodes)).min().unwrap_or(1);
        let rows = outcomes.iter().filter_map(|outcome| {
            let cell = outcome.cells.last()?;
            Some([
                outcome.scheme.clone(),
                cell.label.clone(),
                grouped(cell.nodes),
                format!("{:.2}", cell.nodes as f64 / least.max(1) as f64),
                format!("{} of {}", cell.solved, outcome.tasks),
            ])
        });
        Table::new(title, ["scheme", "at", "nodes", "of the least", "solved"], rows)
    });
    let tables: Vec<Table> = tables.collect();
    Ok((name(path), true, html! { @for each in &tables { (table(each)) } }))
}
