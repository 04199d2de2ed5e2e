//! `spsa status`.

use std::path::PathBuf;

use clap::Args;

use super::{Progress, SpsaError};
use nullarbor_report::table::align;
use nullarbor_report::terminal;

/// Say how far a run has come: a line for each parameter with its name, its value, and where it began. The run may be going on.
#[derive(Args)]
pub struct StatusArgs {
    /// The folder of the run
    dir: PathBuf,
}

impl StatusArgs {
    pub fn run(&self) -> Result<(), SpsaError> {
        show(&Progress::read(&self.dir)?)
    }
}

/// Prints the values that a run has found so far, then how many games it played.
pub fn show(progress: &Progress) -> Result<(), SpsaError> {
    let axes = progress.walk.axes().iter().zip(progress.walk.result());
    let rows: Vec<Vec<String>> = axes
        .map(|(axis, value)| {
            vec![axis.name.clone(), format!("{value:.4}"), format!("from {}", axis.start)]
        })
        .collect();
    terminal::print(&align(&rows));
    let run = &progress.record.run;
    terminal::line(&format!(
        "{} of {} iterations, {} games",
        progress.walk.applied(),
        run.iterations,
        progress.games.games(),
    ));
    Ok(())
}
