//! A log of what engines are sent and what they answer.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use nullarbor_report::terminal::{self, printable};

use nullarbor_runs::files::{FileError, check_regular};

/// A file that gets each line as it passes, behind what it may have already.
#[derive(Debug)]
pub struct TrafficLog {
    file: File,
    begun: Instant,
    processes: AtomicU64,
    failed: AtomicBool,
}

/// The log of one process.
#[derive(Clone, Debug)]
pub struct ProcessLog {
    log: Arc<TrafficLog>,
    name: String,
}

/// The direction of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Direction {
    ToEngine,
    FromEngine,
    Errors,
}

impl TrafficLog {
    /// Opens a log.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        check_regular(path)?;
        let file = OpenOptions::new().append(true).create(true).open(path);
        Ok(Self {
            file: file.map_err(FileError::at(path))?,
            begun: Instant::now(),
            processes: AtomicU64::new(0),
            failed: AtomicBool::new(false),
        })
    }

    /// Returns the log of the next process of an engine.
    pub fn of_process(self: &Arc<Self>, engine: &str) -> ProcessLog {
        let number = 1 + self.processes.fetch_add(1, Ordering::Relaxed);
        ProcessLog { log: Arc::clone(self), name: format!("{engine}#{number}") }
    }

    /// Each line is one write to a file that is appended to, so that lines of several threads stay whole.
    fn write(&self, text: &str) {
        if (&self.file).write_all(text.as_bytes()).is_err()
            && !self.failed.swap(true, Ordering::Relaxed)
        {
            terminal::message(
                "warning: the log of the traffic cannot be written; the match goes on without it",
            );
        }
    }
}

impl ProcessLog {
    /// Notes a text, line by line, with the seconds since the log was opened.
    pub fn note(&self, direction: Direction, text: &str) {
        let arrow = match direction {
            Direction::ToEngine => "<",
            Direction::FromEngine => ">",
            Direction::Errors => "!",
        };
        let seconds = self.log.begun.elapsed().as_secs_f64();
        let line = |line: &str| format!("{seconds:.6} {} {arrow} {}\n", self.name, printable(line));
        self.log.write(&text.lines().map(line).collect::<String>());
    }
}
