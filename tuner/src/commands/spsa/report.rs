//! `spsa report`.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::Args;

use crate::commands::CommandResult;
use nullarbor_report::terminal;
use nullarbor_runs::paths::{Named, check_outputs};
use nullarbor_runs::{Interrupted, Stop};
use nullarbor_spsa::record::JOURNAL;
use nullarbor_spsa::report::{page_path, write_page, write_picture};

/// Write a run as one HTML page: the path of each parameter with the band of a random walk, the gradient that the games show,
/// and the matches of `spsa verify`. Works during the run.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner spsa report run --watch
  nullarbor-tuner spsa report run --svg paths.svg")]
pub struct ReportArgs {
    /// The folder of the run
    dir: PathBuf,
    /// Update the page every few seconds until the run is done; the page reloads itself
    #[arg(long)]
    watch: bool,
    /// Also draw the paths as an SVG picture
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Interval of updates.
const INTERVAL: Duration = Duration::from_secs(10);
/// Number of times in an interval that it checks whether the command is interrupted.
const POLLS: u32 = 100;

impl ReportArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let output = Named::optional("--svg", self.svg.as_deref());
        check_outputs(output.as_slice(), &[Named::new("the journal", self.dir.join(JOURNAL))])?;
        let refresh = self.watch.then_some(INTERVAL.as_secs());
        let mut is_done = write_page(&self.dir, refresh)?;
        terminal::line(&page_path(&self.dir).display().to_string());
        while self.watch && !is_done {
            for _ in 0..POLLS {
                if stop.is_finishing() {
                    return Err(Interrupted.into());
                }
                thread::sleep(INTERVAL / POLLS);
            }
            is_done = write_page(&self.dir, refresh)?;
        }
        match &self.svg {
            Some(path) => Ok(write_picture(&self.dir, path)?),
            None => Ok(()),
        }
    }
}
