//! Output: lines to standard output, and the log of the traffic.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use thiserror::Error;

use crate::version::VERSION;

/// First line of a log, so that no other file is taken for one.
const HEADER: &str = "# Nullarbor log";

/// Why a log was refused. There is none then.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum LogError {
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{path} is no regular file", path = path.display())]
    NoFile { path: PathBuf },
    #[error("{path} is not a log of this engine and is left unchanged", path = path.display())]
    Foreign { path: PathBuf },
}

/// Standard output, and the log if there is one; shared with the search threads.
#[derive(Clone, Debug, Default)]
pub struct Output {
    log: Arc<Mutex<Option<Log>>>,
}

#[derive(Debug)]
struct Log {
    file: File,
    start: Instant,
}

impl Output {
    /// Writes lines to standard output and flushes it. If nobody reads any more, the program ends: the end
    /// of input alone would not end a search that has a limit.
    pub fn say(&self, lines: impl Display) {
        // Held until the line is out: lines of the log have the same order.
        let mut log = self.log.lock();
        // In one piece: a reader that the first line wakes may take the processor before the last.
        let text = format!("{lines}\n");
        let mut out = io::stdout().lock();
        if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
            std::process::exit(0);
        }
        let failed = note(&mut log, Instant::now(), "<", &text);
        drop((out, log));
        self.report_end_of_log(failed);
    }

    /// Reports that the log could not be written.
    fn report_end_of_log(&self, failed: io::Result<()>) {
        if let Err(error) = failed {
            self.report_fault(format_args!("the log ends: {error}"));
        }
    }

    /// Writes an error as `info string`.
    pub fn report_fault(&self, error: impl Display) {
        let text = shortened(without_controls(&error.to_string()));
        self.say(format_args!("info string error: {text}"));
    }

    /// Answers `isready`, which came as this line.
    pub fn answer_ready(&self, at: Instant, line: &str) {
        self.heard(at, line);
        self.say("readyok");
    }

    /// Writes a line that came in to the log.
    pub fn heard(&self, at: Instant, line: &str) {
        let failed = note(&mut self.log.lock(), at, ">", &without_controls(line.trim_end()));
        self.report_end_of_log(failed);
    }

    /// Starts a log at the end of a file, or ends the log if there is no path.
    ///
    /// # Errors
    /// If the file cannot be written, or is something else than a log of this engine.
    pub fn set_log(&self, path: Option<&Path>) -> Result<(), LogError> {
        *self.log.lock() = None;
        if let Some(path) = path {
            *self.log.lock() = Some(Log { file: open(path)?, start: Instant::now() });
        }
        Ok(())
    }
}

/// Writes lines to the log, if there is one. A log that cannot be written ends.
fn note(log: &mut Option<Log>, at: Instant, direction: &str, lines: &str) -> io::Result<()> {
    let Some(Log { file, start }) = log else { return Ok(()) };
    let seconds = at.saturating_duration_since(*start).as_secs_f64();
    let text: String =
        lines.lines().map(|line| format!("{seconds:10.3} {direction} {line}\n")).collect();
    let written = file.write_all(text.as_bytes());
    if written.is_err() {
        *log = None;
    }
    written
}

/// Opens a log to append to it.
fn open(path: &Path) -> Result<File, LogError> {
    let failed = |source| LogError::File { path: path.to_owned(), source };
    // Before it is opened: opening a pipe waits for its other end.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Err(LogError::NoFile { path: path.to_owned() });
    }
    let mut file =
        OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
    let mut begin = Vec::new();
    (&file).take(HEADER.len() as u64).read_to_end(&mut begin).map_err(failed)?;
    if !begin.is_empty() && begin != HEADER.as_bytes() {
        return Err(LogError::Foreign { path: path.to_owned() });
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let header = format!(
        "{HEADER}, version {VERSION}, {} s after 1970, seconds from here\n",
        since.as_secs()
    );
    file.write_all(header.as_bytes()).map_err(failed)?;
    Ok(file)
}

/// Cuts the middle out of a text that is too long to read, such as one that quotes a path of 4,000 letters.
fn shortened(text: String) -> String {
    const LONGEST: usize = 300;
    const END: usize = 100;
    let count = text.chars().count();
    if count <= LONGEST {
        return text;
    }
    let begin: String = text.chars().take(LONGEST - END - 5).collect();
    let end: String = text.chars().skip(count - END).collect();
    format!("{begin} ... {end}")
}

/// Escapes control characters: an error quotes what came, and must stay one line of text.
fn without_controls(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(without_controls("a\u{1b}[2J\u{7f}\u{9b}é"), "a\\u{1b}[2J\\u{7f}\\u{9b}é");
        assert_eq!(without_controls("e2\te4"), "e2\\te4");
    }

    #[test]
    fn long_errors_keep_their_ends() {
        let text = format!("option SyzygyPath: /{}: File name too long", "é".repeat(5000));
        let short = shortened(text);
        assert!(short.starts_with("option SyzygyPath: /é") && short.ends_with("too long"));
        assert_eq!(short.chars().count(), 300);
        assert_eq!(shortened("é".repeat(300)), "é".repeat(300));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_log_that_cannot_be_written_ends_with_its_reason() {
        let file = OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let mut log = Some(Log { file, start: Instant::now() });
        assert!(note(&mut log, Instant::now(), ">", "uci").is_err());
        assert!(log.is_none() && note(&mut log, Instant::now(), ">", "uci").is_ok());
    }
}
