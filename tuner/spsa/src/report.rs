//! The files of a report.

use std::path::{Path, PathBuf};

use nullarbor_report::html::Head;
use nullarbor_report::plot;

use super::error::{Error, write};
use super::page;
use super::record::{Record, Snapshot, verifications};
use super::trace::Trace;

/// Points of a line of a picture.
const MOMENTS: u64 = 150;

/// Returns the path of the page in the folder of a run.
pub fn page_path(dir: &Path) -> PathBuf {
    dir.join("report.html")
}

/// Writes the page of a run, which may be under way, and returns whether the run is done. Until then the page reloads itself
/// every `refresh` seconds.
///
/// # Errors
/// If there is no run, its journal is damaged or the page cannot be written.
pub fn write_page(dir: &Path, refresh: Option<u64>) -> Result<bool, Error> {
    let run = Snapshot::read(dir)?;
    let (record, verifications) = (&run.record, verifications(dir, &run));
    let trace = page::trace(record)?;
    let made_by = format!("Made by: nullarbor-tuner spsa report {}", dir.display());
    let title = format!("Tuning of {} parameters", trace.parameters.len());
    let is_done = record.is_done();
    let facts = vec![record.run.describe_games()?, made_by];
    let head = Head { title, facts, refresh: refresh.filter(|_| !is_done) };
    write(&page_path(dir), &page::page(&head, record, &trace, &verifications))?;
    Ok(is_done)
}

/// Writes the paths of the parameters as an SVG picture.
///
/// # Errors
/// If there is no run, its journal is damaged or the picture cannot be written.
pub fn write_picture(dir: &Path, path: &Path) -> Result<(), Error> {
    let trace = Trace::of(&Record::read(dir)?, MOMENTS)?;
    write(path, &plot::sheet(&page::paths(&trace)))
}
