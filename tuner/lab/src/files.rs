//! The results as files: CSV and JSON for programs, a page for people.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use super::page;
use super::result::{NullMoves, Outcome};
use super::tables::View;
use nullarbor_report::html::Head;
use nullarbor_report::table::Table;

/// Why results cannot be written.
#[derive(Debug, Error)]
#[error("{path}: {source}", path = path.display())]
pub struct FilesError {
    path: PathBuf,
    source: io::Error,
}

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
}

/// A row of `null_moves.csv`.
#[derive(Serialize)]
struct NullMoveRow<'a> {
    suite: &'a str,
    scheme: &'a str,
    depth_left: usize,
    attempts: u64,
    cutoffs: u64,
    verifications: u64,
    overturned: u64,
    zugzwangs: u64,
    threats: u64,
}

/// Makes the folder, before hours are spent on what goes into it.
///
/// # Errors
/// Where it cannot be made.
pub fn make_folder(folder: &Path) -> Result<(), FilesError> {
    fs::create_dir_all(folder).map_err(|source| FilesError { path: folder.to_owned(), source })
}

/// Writes `tree.csv`, `null_moves.csv`, `lab.json` and `index.html`; gives the path of the page.
///
/// # Errors
/// Where one of them cannot be written.
pub fn write(
    folder: &Path,
    head: &Head,
    suites: &[Vec<Outcome>],
    views: &[View<'_>],
    games: &[Table],
) -> Result<PathBuf, FilesError> {
    let all = || suites.iter().flatten();
    let tree = all().flat_map(|outcome| {
        outcome.cells.iter().map(|cell| TreeRow {
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
        })
    });
    save(folder, "tree.csv", csv(tree))?;
    let null_moves = all().flat_map(|outcome| {
        let tried = outcome.null_moves.iter().enumerate().filter(|(_, counts)| counts.attempts > 0);
        tried.map(|(depth_left, counts)| {
            let NullMoves { attempts, cutoffs, verifications, overturned, zugzwangs, threats } =
                *counts;
            let (suite, scheme) = (outcome.suite.as_str(), outcome.scheme.as_str());
            NullMoveRow {
                suite,
                scheme,
                depth_left,
                attempts,
                cutoffs,
                verifications,
                overturned,
                zugzwangs,
                threats,
            }
        })
    });
    save(folder, "null_moves.csv", csv(null_moves))?;
    save(folder, "lab.json", serde_json::to_vec_pretty(suites).map_err(io::Error::from))?;
    save(folder, "index.html", Ok(page::page(head, views, games).into_bytes()))
}

fn csv(rows: impl Iterator<Item = impl Serialize>) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

fn save(folder: &Path, name: &str, content: io::Result<Vec<u8>>) -> Result<PathBuf, FilesError> {
    let path = folder.join(name);
    let saved = content.and_then(|content| fs::write(&path, content));
    saved.map(|()| path.clone()).map_err(|source| FilesError { path, source })
}
