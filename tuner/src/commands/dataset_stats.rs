//! `datagen info --stats`: what a dataset is made of.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::datagen::{self, DatagenError, origin};
use nullarbor_games::files::{beside, replace};
use nullarbor_games::work::{Stop, crew};
use nullarbor_report::html::Head;
use nullarbor_report::table::{Table, grouped};
use nullarbor_report::terminal;
use nullarbor_train::data::filter::Filter;
use nullarbor_train::data::folder::{Folder, FolderError};
use nullarbor_train::data::statistics::page::page;
use nullarbor_train::data::statistics::summary::Summary;
use nullarbor_train::data::statistics::{self, Statistics};

/// What is to be said of a dataset beyond its counts.
#[derive(Args)]
pub struct StatsArgs {
    /// Read all games, print statistics of the dataset and write them as a page
    #[arg(long)]
    pub(super) stats: bool,
    /// The page [default: stats.html in the first folder]
    #[arg(long, value_name = "FILE.html", requires = "stats")]
    page: Option<PathBuf>,
    /// Write the statistics as JSON; `-` is standard output, and nothing else is printed there
    #[arg(long, value_name = "FILE", requires = "stats")]
    json: Option<PathBuf>,
    /// Threads [default: the number of cores]
    #[arg(long, requires = "stats", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Show no progress
    #[arg(long, requires = "stats")]
    quiet: bool,
}

/// The page, in the first folder.
const PAGE: &str = "stats.html";

impl StatsArgs {
    /// Whether standard output belongs to JSON.
    fn leaves_output_to_json(&self) -> bool {
        self.json.as_deref() == Some(Path::new("-"))
    }

    /// Reads all games, prints what the manifests say and the statistics, and writes the files.
    ///
    /// # Errors
    /// Where a file of games is damaged, a page or JSON cannot be written, or the user stopped it.
    pub(super) fn run(&self, folders: &[Folder], stop: &Stop) -> Result<(), DatagenError> {
        let Some(first) = folders.first() else { return Ok(()) };
        let page_file = self.page.clone().unwrap_or_else(|| first.path.join(PAGE));
        let json_file = self.json.as_ref().filter(|_| !self.leaves_output_to_json());
        // Better now than when all games have been read.
        for file in [Some(&page_file), json_file].into_iter().flatten() {
            beside(file).map_err(|source| failed(file, source))?;
        }
        let threads = crew::workers(self.threads);
        let begun = Instant::now();
        let summary = Summary::of(&self.read(folders, threads, stop)?);
        let speed = summary.counts.positions as f64 / begun.elapsed().as_secs_f64().max(0.001);
        write(&page_file, page(&head(folders), &summary).as_bytes())?;
        if let Some(file) = json_file {
            write(file, json(&summary, file)?.as_bytes())?;
        }
        if self.leaves_output_to_json() {
            terminal::print(&json(&summary, Path::new("-"))?);
        } else {
            datagen::show(folders);
            show(&summary);
            terminal::line(&format!("{speed:.0} positions a second by {threads} threads"));
            terminal::line(&page_file.display().to_string());
        }
        Ok(())
    }

    fn read(
        &self,
        folders: &[Folder],
        threads: usize,
        stop: &Stop,
    ) -> Result<Statistics, DatagenError> {
        let files = folders.iter().map(|folder| folder.shards.len() as u64).sum();
        let bar = terminal::bar(files, "files", self.quiet);
        let found = statistics::read(folders, Filter::default(), threads, stop, || bar.inc(1));
        bar.finish_and_clear();
        found.map_err(FolderError::from)?.ok_or(DatagenError::Stopped)
    }
}

fn failed(path: &Path, source: io::Error) -> DatagenError {
    DatagenError::File { path: path.to_owned(), source }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), DatagenError> {
    replace(path, |file| file.write_all(bytes)).map_err(|source| failed(path, source))
}

fn json(summary: &Summary, path: &Path) -> Result<String, DatagenError> {
    let text = serde_json::to_string_pretty(summary).map_err(|it| failed(path, it.into()))?;
    Ok(text + "\n")
}

/// The title of the page, and where the games come from.
fn head(folders: &[Folder]) -> Head {
    let paths: Vec<String> =
        folders.iter().map(|folder| folder.path.display().to_string()).collect();
    let fact = |folder: &Folder| {
        let (path, counts) = (folder.path.display(), folder.counts());
        let [games, positions, kept] = [counts.games, counts.positions, counts.kept].map(grouped);
        let origin = origin(&folder.source);
        format!("{path}: {games} games, {positions} positions, {kept} kept; {origin}")
    };
    Head {
        title: format!("Statistics of {}", paths.join(", ")),
        facts: folders.iter().map(fact).collect(),
        refresh: None,
    }
}

/// Prints the tables, and the warnings below them.
fn show(summary: &Summary) {
    let table = |title: &str, head: [&str; 3], rows| {
        let head = head.map(str::to_owned).to_vec();
        terminal::table(&Table { title: title.to_owned(), head, rows });
    };
    let [repeats, change] = summary.notes();
    terminal::line("");
    table("Dataset", ["figure", "value", "usual"], summary.figure_rows());
    terminal::line(&repeats);
    terminal::line("");
    table(
        "Filter: each position under the first reason that applies",
        ["reason", "positions", "%"],
        summary.filter_rows(),
    );
    table(
        "Change in win probability",
        ["plies", "mean squared", "mean absolute"],
        summary.change_rows(),
    );
    terminal::line(&change);
    for warning in &summary.warnings {
        terminal::line(&format!("warning: {}", warning.text));
    }
}
