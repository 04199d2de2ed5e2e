//! `match report`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use nullarbor_games::matches::journal::Start;
use nullarbor_games::matches::report::course::{Course, CourseError, is_under_way};
use nullarbor_games::matches::report::page::page;
use nullarbor_openings::Book;
use nullarbor_report::terminal;
use nullarbor_runs::Stop;
use nullarbor_runs::files::replace;
use nullarbor_runs::journal::JournalError;
use nullarbor_runs::paths::{Named, check_outputs};

use super::{CommandResult, arguments};

/// Write a match as one HTML page: Elo and the test over the games, pairs, crosstable, faults, how games ended, the openings that
/// decided, and the time by move. The match may be under way, or have been killed.
///
/// The journal is what `match --resume JOURNAL` writes. Times and depths need a match with `--pgn`, which keeps the moves in its
/// journal, too.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner match report match.journal
  nullarbor-tuner match report match.journal --out match.html")]
pub struct ReportArgs {
    /// The journal of the match
    journal: PathBuf,
    /// The page to write [default: JOURNAL.html]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl ReportArgs {
    /// Writes the page and prints its path. `openings` are those of a journal, or the reason why they are not known.
    ///
    /// # Errors
    /// If the file is no journal of a match, is damaged, or the page cannot be written.
    pub fn run(
        &self,
        stop: &Arc<Stop>,
        openings: impl FnOnce(&Start, &Stop) -> Result<Book, String>,
    ) -> CommandResult {
        let out = self.out.clone().unwrap_or_else(|| beside(&self.journal));
        check_outputs(
            &[Named::new("--out", out.clone())],
            &[Named::new("the journal", self.journal.clone())],
        )?;
        let course = Course::read(&self.journal).map_err(explained)?;
        let book = openings(&course.start, stop);
        stop.check()?;
        let command: Vec<String> = arguments().collect();
        let facts = vec![format!("Made by: nullarbor-tuner {}", command.join(" "))];
        let book = book.as_ref().map_err(String::as_str);
        let html = page(&course, is_under_way(&self.journal), book, facts);
        replace(&out, |file| file.write_all(html.as_bytes()))?;
        terminal::line(&out.display().to_string());
        Ok(())
    }
}

fn beside(journal: &Path) -> PathBuf {
    let mut name = journal.to_owned().into_os_string();
    name.push(".html");
    name.into()
}

/// Tells where journals come from, if the file is none.
fn explained(error: CourseError) -> Box<dyn std::error::Error> {
    match &error {
        CourseError::Journal(JournalError::Foreign { .. }) => {
            format!("{error}; name the file that a match got with --resume").into()
        }
        _ => error.into(),
    }
}
