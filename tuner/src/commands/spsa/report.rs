//! `spsa report`.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use super::write;
use crate::commands::CommandResult;
use nullarbor_games::work::{Interrupted, Stop};
use nullarbor_report::html::Head;
use nullarbor_report::{plot, terminal};
use nullarbor_spsa::page::{page, paths};
use nullarbor_spsa::record::{Snapshot, verifications};
use nullarbor_spsa::trace::Trace;

/// Write a run as one HTML page: the path of each parameter with the band of a random walk, the gradient that the games show,
/// and the matches of `spsa verify`. The run may be under way.
#[derive(Args)]
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

const PAGE: &str = "report.html";
/// Points of a line.
const MOMENTS: u64 = 400;
/// Points of a line of the smaller plots of a picture.
const PICTURE_MOMENTS: u64 = 150;
/// Interval of updates.
const INTERVAL: Duration = Duration::from_secs(10);
/// Interval of looks whether the command is interrupted.
const POLL: Duration = Duration::from_millis(100);

impl ReportArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let mut done = self.draw()?;
        terminal::line(&self.dir.join(PAGE).display().to_string());
        while self.watch && !done {
            let drawn = Instant::now();
            while drawn.elapsed() < INTERVAL {
                if stop.is_finishing() {
                    return Err(Interrupted.into());
                }
                thread::sleep(POLL);
            }
            done = self.draw()?;
        }
        Ok(())
    }

    /// Writes the page; returns whether the run is done.
    fn draw(&self) -> Result<bool, Box<dyn std::error::Error>> {
        let run = Snapshot::read(&self.dir)?;
        let trace = Trace::of(&run.record, MOMENTS)?;
        let mut facts = run.facts()?;
        facts.push(format!("Made by: nullarbor-tuner spsa report {}", self.dir.display()));
        let title = format!("Tuning of {} parameters", trace.parameters.len());
        let refresh = (self.watch && !run.is_done()).then_some(INTERVAL.as_secs());
        let head = Head { title, facts, refresh };
        write(&self.dir.join(PAGE), &page(&head, &trace, &verifications(&self.dir)))?;
        if let Some(path) = &self.svg {
            let trace = Trace::of(&run.record, PICTURE_MOMENTS)?;
            write(path, &plot::sheet(&paths(&trace)))?;
        }
        Ok(run.is_done())
    }
}
