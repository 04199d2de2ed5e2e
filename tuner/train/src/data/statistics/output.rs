//! Writes the statistics of datasets as a page and as JSON.

use std::io::{self, Write};
use std::path::Path;

use nullarbor_report::html::Head;
use nullarbor_runs::files::{FileError, replace};

use super::page::page;
use super::summary::Summary;
use crate::data::dataset::{Dataset, DatasetError, overview};

/// Writes the page of some datasets.
///
/// # Errors
/// If the file cannot be written.
pub fn write_page(
    path: &Path,
    datasets: &[Dataset],
    summary: &Summary,
) -> Result<(), DatasetError> {
    let paths: Vec<String> = datasets.iter().map(|it| it.path.display().to_string()).collect();
    let title = format!("Statistics of {}", paths.join(", "));
    write(path, &page(&Head { title, ..Head::default() }, overview(datasets), summary))
}

/// Writes the summary as JSON.
///
/// # Errors
/// If the file cannot be written.
pub fn write_json(path: &Path, summary: &Summary) -> Result<(), DatasetError> {
    write(path, &json(summary).map_err(FileError::at(path))?)
}

/// Returns the summary as JSON.
///
/// # Errors
/// If it cannot be serialised.
pub fn json(summary: &Summary) -> io::Result<String> {
    Ok(serde_json::to_string_pretty(summary)? + "\n")
}

fn write(path: &Path, text: &str) -> Result<(), DatasetError> {
    Ok(replace(path, |file| file.write_all(text.as_bytes()))?)
}
