//! The settings of a match that do not decide its games.

use std::path::Path;
use std::time::Duration;

use nullarbor_runs::Workers;

use crate::affinity::Affinity;

/// The settings of a match that do not decide its games: workers, files, display.
#[derive(Clone, Copy, Debug)]
pub struct Session<'a> {
    /// Threads or machines that play the games.
    pub workers: &'a Workers,
    /// Time after which an engine without a clock counts as hung.
    pub timeout: Duration,
    /// The journal to write, and to resume from if it is there.
    pub journal: Option<&'a Path>,
    /// The command line, for the journal.
    pub command: &'a [String],
    /// The summary to write.
    pub summary: Option<&'a Path>,
    /// The log of what programs are sent and answer.
    pub log: Option<&'a Path>,
    /// End the match when an engine crashes or hangs.
    pub stop_on_crash: bool,
    /// Show no progress.
    pub quiet: bool,
    /// Print a line as each game begins and ends.
    pub verbose: bool,
    /// Games after which the results so far are printed, again and again.
    pub rating_interval: Option<u64>,
    /// Processors that games are bound to; those of other machines are not.
    pub affinity: Option<&'a Affinity>,
}

impl<'a> Session<'a> {
    /// Time after which an engine without a clock counts as hung, if nothing else is asked for.
    pub const TIMEOUT: Duration = Duration::from_secs(60);

    /// A session that writes no files.
    pub fn without_files(workers: &'a Workers, quiet: bool) -> Self {
        let (journal, summary) = (None, None);
        let timeout = Self::TIMEOUT;
        let log = None;
        let (stop_on_crash, verbose) = (false, false);
        let command = &[];
        let rating_interval = None;
        Self {
            workers,
            timeout,
            journal,
            command,
            summary,
            log,
            stop_on_crash,
            quiet,
            verbose,
            rating_interval,
            affinity: None,
        }
    }
}
