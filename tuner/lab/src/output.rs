//! Result files: CSV and JSON for programs, an HTML page for people.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nullarbor_report::html::Head;
use nullarbor_report::table::Table;
use nullarbor_runs::files::FileError;
use serde::Serialize;

use crate::counters::COUNTERS;
use crate::page;
use crate::provenance::revision;
use crate::result::Results;

/// A row of `tree.csv`.
#[derive(Serialize)]
struct TreeRow<'a> {
    suite: &'a str,
    scheme: &'a str,
    depth: Option<usize>,
    seconds_allowed: Option<f64>,
    positions: usize,
    nodes: u64,
    seconds: f64,
    median_depth: usize,
    tasks: usize,
    solved: usize,
    engine: &'a str,
    suite_fingerprint: &'a str,
}

/// Writes `tree.csv`, `null_moves.csv`, `lab.json` and `index.html`, and returns the path of the page. `command` is the
/// command line that repeats the experiment, `games` are the tables of games between the schemes.
///
/// # Errors
/// If a file cannot be written.
pub fn write(
    folder: &Path,
    results: &Results,
    command: &str,
    games: &[Table],
) -> Result<PathBuf, FileError> {
    save(folder, "tree.csv", tree_csv(results))?;
    save(folder, "null_moves.csv", null_moves_csv(results))?;
    let json = serde_json::to_vec_pretty(&results.suites).map_err(io::Error::from);
    save(folder, "lab.json", json)?;
    let page = page::page(&head(results, command), &results.comparisons(), games);
    save(folder, "index.html", Ok(page.into_bytes()))
}

fn head(results: &Results, command: &str) -> Head {
    let suites = results.suites.iter().filter_map(|outcomes| outcomes.first()).map(|outcome| {
        let (name, positions) = (&outcome.suite, outcome.positions);
        format!("{name} ({positions} positions, CRC-32 {})", outcome.suite_fingerprint)
    });
    Head {
        title: "Null-move schemes compared".to_owned(),
        refresh: None,
        facts: vec![
            format!("{}, revision {}.", results.provenance, revision()),
            format!("Suites: {}.", suites.collect::<Vec<_>>().join(", ")),
            format!("Command: {command}"),
        ],
    }
}

fn tree_csv(results: &Results) -> io::Result<Vec<u8>> {
    let engine = results.provenance.to_string();
    let mut writer = csv::Writer::from_writer(Vec::new());
    for outcome in results.suites.iter().flatten() {
        for cell in &outcome.cells {
            writer.serialize(TreeRow {
                suite: &outcome.suite,
                scheme: &outcome.scheme,
                depth: cell.depth,
                seconds_allowed: cell.seconds_allowed,
                positions: outcome.positions,
                nodes: cell.nodes,
                seconds: cell.seconds,
                median_depth: cell.median_depth,
                tasks: outcome.tasks,
                solved: cell.solved,
                engine: &engine,
                suite_fingerprint: &outcome.suite_fingerprint,
            })?;
        }
    }
    writer.into_inner().map_err(|error| error.into_error())
}

fn null_moves_csv(results: &Results) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let keys = COUNTERS.iter().map(|counter| counter.key);
    writer.write_record(["suite", "scheme", "depth_left"].into_iter().chain(keys))?;
    for outcome in results.suites.iter().flatten() {
        for (depth, counts) in outcome.null_moves.iter().enumerate() {
            if counts.attempts > 0 {
                let values = COUNTERS.iter().map(|counter| (counter.value)(counts).to_string());
                let place = [outcome.suite.clone(), outcome.scheme.clone(), depth.to_string()];
                writer.write_record(place.into_iter().chain(values))?;
            }
        }
    }
    writer.into_inner().map_err(|error| error.into_error())
}

fn save(folder: &Path, name: &str, content: io::Result<Vec<u8>>) -> Result<PathBuf, FileError> {
    let path = folder.join(name);
    let saved = content.and_then(|content| fs::write(&path, content));
    saved.map_err(FileError::at(&path))?;
    Ok(path)
}
