//! The files of a report.

use std::path::{Path, PathBuf};

use nullarbor_report::html::Head;
use nullarbor_report::plot;

use super::error::{Error, write};
use super::page::{page, paths};
use super::record::{Snapshot, verifications};
use super::trace::Trace;

/// Points of a line on the page.
const MOMENTS: u64 = 400;
/// Points of a line in the smaller plots of a picture.
const PICTURE_MOMENTS: u64 = 150;

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
    let trace = Trace::of(&run.record, MOMENTS)?;
    let mut facts = run.facts()?;
    facts.push(format!("Made by: nullarbor-tuner spsa report {}", dir.display()));
    let title = format!("Tuning of {} parameters", trace.parameters.len());
    let head = Head { title, facts, refresh: refresh.filter(|_| !run.record.is_done()) };
    write(&page_path(dir), &page(&head, &trace, &verifications(dir)))?;
    Ok(run.record.is_done())
}

/// Writes the paths of the parameters as an SVG picture.
///
/// # Errors
/// If there is no run, its journal is damaged or the picture cannot be written.
pub fn write_picture(dir: &Path, path: &Path) -> Result<(), Error> {
    let trace = Trace::of(&Snapshot::read(dir)?.record, PICTURE_MOMENTS)?;
    write(path, &plot::sheet(&paths(&trace)))
}
