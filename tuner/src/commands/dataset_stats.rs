//! `datagen info --stats`: the statistics of datasets.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::{CommandResult, datagen};
use nullarbor_games::work::{Stop, worker_count};
use nullarbor_report::terminal;
use nullarbor_train::data::dataset::{Dataset, shards};
use nullarbor_train::data::filter::Filter;
use nullarbor_train::data::statistics::{self, output, summary::Summary};

/// What `info` shows beyond the counts of the manifests.
#[derive(Args)]
pub struct StatsArgs {
    /// Read all games, print statistics of the datasets and write them as a page
    #[arg(long)]
    pub(super) stats: bool,
    /// The page [default: stats.html in the first dataset]
    #[arg(long, value_name = "FILE.html", requires = "stats")]
    page: Option<PathBuf>,
    /// Write the statistics as JSON; `-` is standard output, on which nothing else is printed then
    #[arg(long, value_name = "FILE", requires = "stats")]
    json: Option<PathBuf>,
    /// Threads [default: the number of cores]
    #[arg(long, requires = "stats", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Show no progress
    #[arg(long, requires = "stats")]
    quiet: bool,
}

impl StatsArgs {
    /// Reads all games, prints the statistics and writes the files.
    ///
    /// # Errors
    /// If a shard is damaged, a file cannot be written, or the user interrupts it.
    pub(super) fn run(&self, datasets: &[Dataset], stop: &Stop) -> CommandResult {
        let Some(first) = datasets.first() else { return Ok(()) };
        let page = self.page.clone().unwrap_or_else(|| first.path.join("stats.html"));
        let to_stdout = self.json.as_deref() == Some(Path::new("-"));
        let json = self.json.as_ref().filter(|_| !to_stdout);
        // An unusable path is reported now, not after all games have been read.
        [Some(&page), json].into_iter().flatten().try_for_each(|it| output::check_writable(it))?;
        let (threads, begun) = (worker_count(self.threads), Instant::now());
        let bar = terminal::bar(shards(datasets).len() as u64, "files", self.quiet);
        let found = statistics::read(datasets, Filter::default(), threads, stop, || bar.inc(1));
        bar.finish_and_clear();
        let summary = Summary::of(&found?);
        let speed = summary.counts.positions as f64 / begun.elapsed().as_secs_f64().max(0.001);
        output::write_page(&page, datasets, &summary)?;
        json.map_or(Ok(()), |path| output::write_json(path, &summary))?;
        if to_stdout {
            terminal::print(&output::json(&summary)?);
            return Ok(());
        }
        datagen::print(datasets);
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
