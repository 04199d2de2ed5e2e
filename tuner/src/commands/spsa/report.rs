//! `spsa report`.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use super::{Progress, SpsaError, write};
use nullarbor_games::work::Stop;
use nullarbor_report::html::Head;
use nullarbor_report::plot;
use nullarbor_report::terminal;
use nullarbor_spsa::page::{page, paths};
use nullarbor_spsa::trace::Trace;

/// Draw a run as one HTML page: the path of each parameter and where chance alone would have led, what the games say of each, and
/// what they were worth. The run may be going on.
#[derive(Args)]
pub struct ReportArgs {
    /// The folder of the run
    dir: PathBuf,
    /// Draw it again every few seconds until the run is done; the page loads itself again
    #[arg(long)]
    watch: bool,
    /// Draw the paths as a picture of its own, too
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

const PAGE: &str = "report.html";
/// Points of a line: more than can be told apart.
const MOMENTS: u64 = 400;
/// The same for a picture, whose plots are smaller.
const MOMENTS_OF_A_PICTURE: u64 = 150;
/// Between two drawings.
const INTERVAL: Duration = Duration::from_secs(10);
/// Between two looks whether somebody wants an end.
const GLANCE: Duration = Duration::from_millis(100);

impl ReportArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> Result<(), SpsaError> {
        let path = self.dir.join(PAGE);
        let mut done = self.draw()?;
        terminal::line(&path.display().to_string());
        while self.watch && !done {
            let drawn = Instant::now();
            while drawn.elapsed() < INTERVAL {
                if stop.is_finishing() {
                    return Err(SpsaError::Stopped);
                }
                thread::sleep(GLANCE);
            }
            done = self.draw()?;
        }
        Ok(())
    }

    /// Draws the page; whether the run is done.
    fn draw(&self) -> Result<bool, SpsaError> {
        let Progress { record, walk, games } = Progress::read(&self.dir)?;
        let run = &record.run;
        let done = walk.applied() == run.iterations;
        let trace = Trace::of(&record, MOMENTS)?;
        let limit = run.limit()?;
        let head = Head {
            title: format!("Tuning of {} parameters", trace.axes.len()),
            facts: vec![
                format!(
                    "{} of {} iterations, {} games",
                    walk.applied(),
                    run.iterations,
                    games.games()
                ),
                format!(
                    "{limit}, {} pairs an iteration, book {}, seed {}, lag {}; gains: alpha {}, gamma {}, A {} of the iterations",
                    run.pairs_per_iteration,
                    run.book,
                    run.seed,
                    run.lag,
                    run.alpha,
                    run.gamma,
                    run.a_ratio
                ),
                format!("Made by: nullarbor-tuner spsa report {}", self.dir.display()),
            ],
            refresh: (self.watch && !done).then_some(INTERVAL.as_secs()),
        };
        write(&self.dir.join(PAGE), &page(&head, &trace, &[]))?;
        if let Some(path) = &self.svg {
            let trace = Trace::of(&record, MOMENTS_OF_A_PICTURE)?;
            write(path, &plot::sheet(&paths(&trace)))?;
        }
        Ok(done)
    }
}
