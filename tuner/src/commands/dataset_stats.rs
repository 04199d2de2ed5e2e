//! `datagen info`: what datasets contain, and their statistics.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::CommandResult;
use nullarbor_report::terminal;
use nullarbor_runs::files::check_writable;
use nullarbor_runs::{Stop, worker_count};
use nullarbor_train::data::statistics::{self, output, summary::Summary};
use nullarbor_train::data::{Dataset, Filter, dataset};

/// Datasets, and what is shown beyond the counts of their manifests.
#[derive(Args)]
pub struct InfoArgs {
    /// Datasets
    #[arg(required = true)]
    datasets: Vec<PathBuf>,
    /// Read all games, print statistics and write them as a page
    #[arg(long)]
    stats: bool,
    /// The page [default: stats.html in the first dataset]
    #[arg(long, value_name = "FILE.html", requires = "stats")]
    page: Option<PathBuf>,
    /// Write the statistics as JSON; `-` prints them to standard output, and nothing else
    #[arg(long, value_name = "FILE", requires = "stats")]
    json: Option<PathBuf>,
    /// Threads [default: the number of cores]
    #[arg(long, requires = "stats", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Print only the result, no progress
    #[arg(long, requires = "stats")]
    quiet: bool,
}

impl InfoArgs {
    /// Prints what the datasets contain; with `--stats`, reads all games and writes the files, too.
    ///
    /// # Errors
    /// If a shard is damaged, a file cannot be written, or the user interrupts it.
    pub fn run(&self, stop: &Stop) -> CommandResult {
        let datasets = &Dataset::open_all(&self.datasets)?;
        if !self.stats {
            print(datasets);
            return Ok(());
        }
        let page = self.page.clone().unwrap_or_else(|| self.datasets[0].join("stats.html"));
        let to_stdout = self.json.as_deref() == Some(Path::new("-"));
        let json = self.json.as_ref().filter(|_| !to_stdout);
        // An unusable path is reported now, not after all games have been read.
        [Some(&page), json].into_iter().flatten().try_for_each(|it| check_writable(it))?;
        let (threads, begun) = (worker_count(self.threads), Instant::now());
        let found = statistics::read(datasets, Filter::default(), threads, self.quiet, stop)?;
        let summary = Summary::of(&found);
        let speed = summary.counts.positions as f64 / begun.elapsed().as_secs_f64().max(0.001);
        output::write_page(&page, datasets, &summary)?;
        json.map_or(Ok(()), |path| output::write_json(path, &summary))?;
        if to_stdout {
            terminal::print(&output::json(&summary)?);
            return Ok(());
        }
        print(datasets);
        terminal::line("");
        summary.tables().iter().for_each(terminal::table);
        summary.notes().iter().for_each(|note| terminal::line(note));
        let warnings = summary.warnings.iter();
        warnings.for_each(|it| terminal::line(&format!("warning: {}", it.text)));
        terminal::line(&format!("{speed:.0} positions/s"));
        terminal::line(&page.display().to_string());
        Ok(())
    }
}

/// Prints what the manifests of some datasets say.
pub(super) fn print(datasets: &[Dataset]) {
    terminal::table(&dataset::table(datasets));
    datasets.iter().for_each(|dataset| terminal::line(&dataset.describe()));
}
