//! Journals: files from which long work is resumed. The first line identifies the work, each further line is the JSON of a
//! finished piece. Lines are only appended, so a killed process loses no more than what was in progress.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thiserror::Error;

use crate::files::FileError;

/// A kind of journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The key that its first line begins with.
    pub key: &'static str,
    /// The name of such work in messages.
    pub name: &'static str,
}

/// Why a journal cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum JournalError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{path} is not the journal of a {name}: its first line is another one", path = path.display())]
    Foreign { path: PathBuf, name: &'static str },
    #[error("{path}, line {line}: {source}; what follows cannot be trusted, and nothing was changed", path = path.display())]
    Corrupt { path: PathBuf, line: usize, source: serde_json::Error },
    #[error("{path} is the journal of another match; {difference}", path = path.display())]
    Different { path: PathBuf, difference: String },
    #[error("{path} is in use: another process works on this {name}", path = path.display())]
    Busy { path: PathBuf, name: &'static str },
}

const VERSION: u32 = 1;
/// See [`Journal::sync_now_and_then`].
const SYNC_INTERVAL: Duration = Duration::from_secs(1);
/// Longer than any line of a journal, in bytes.
const LONGEST_LINE: u64 = 1 << 24;

/// A journal that is open for writing.
#[derive(Debug)]
pub struct Journal {
    kind: Kind,
    path: PathBuf,
    file: File,
    /// Bytes of whole lines.
    length: u64,
    synced: Instant,
}

/// A journal and its content. Nothing is written before [`Journal::begin`].
#[derive(Debug)]
pub struct Opened<Subject, Piece> {
    /// The journal, to append to.
    pub journal: Journal,
    /// The identity of the work; `None` if the journal is new.
    pub subject: Option<Subject>,
    /// The finished pieces.
    pub pieces: Vec<Piece>,
    /// Whether its last line was cut short. It is dropped.
    pub was_torn: bool,
}

impl Journal {
    /// Opens a journal, or creates an empty one.
    ///
    /// # Errors
    /// If it cannot be read or written, is in use, is of another kind, or is damaged before its last line.
    pub fn open<S: DeserializeOwned, P: DeserializeOwned>(
        kind: Kind,
        path: &Path,
    ) -> Result<Opened<S, P>, JournalError> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = file.map_err(FileError::at(path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(JournalError::Busy { path: path.to_owned(), name: kind.name });
            }
            // Some file systems have no locks.
            Err(TryLockError::Error(_)) => {}
        }
        let Content { subject, pieces, valid, was_torn } = scan(kind, path, &file)?;
        let journal =
            Self { kind, path: path.to_owned(), file, length: valid, synced: Instant::now() };
        Ok(Opened { journal, subject, pieces, was_torn })
    }

    /// Reads a journal, which another process may be writing.
    ///
    /// # Errors
    /// If it cannot be read, is of another kind, or is damaged before its last line.
    pub fn read<S: DeserializeOwned, P: DeserializeOwned>(
        kind: Kind,
        path: &Path,
    ) -> Result<(Option<S>, Vec<P>), JournalError> {
        let file = File::open(path).map_err(FileError::at(path))?;
        let content = scan(kind, path, &file)?;
        Ok((content.subject, content.pieces))
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Drops a line that was cut short, and writes the first line of a new journal.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(&mut self, subject: &impl Serialize) -> Result<(), JournalError> {
        self.file.set_len(self.length).map_err(FileError::at(&self.path))?;
        if self.length == 0 {
            self.add(&json!({ self.kind.key: VERSION, "settings": subject }))?;
        }
        self.sync()
    }

    /// Appends a finished piece. The system has it at once, so a killed process loses nothing; the disk has it after the
    /// next [`Journal::sync`].
    ///
    /// # Errors
    /// If it cannot be written. What was written before stays.
    pub fn add(&mut self, piece: &impl Serialize) -> Result<(), JournalError> {
        let line = serde_json::to_string(piece).map_err(FileError::at(&self.path))? + "\n";
        let written = self.file.write_all(line.as_bytes());
        if written.is_ok() {
            self.length += line.len() as u64;
        } else {
            // Half a line would make all that follows unreadable.
            let _ = self.file.set_len(self.length);
        }
        Ok(written.map_err(FileError::at(&self.path))?)
    }

    /// Syncs the file if the last sync is long ago: written lines survive the process, synced ones survive the machine too.
    ///
    /// # Errors
    /// As [`Journal::sync`].
    pub fn sync_now_and_then(&mut self) -> Result<(), JournalError> {
        if self.synced.elapsed() >= SYNC_INTERVAL { self.sync() } else { Ok(()) }
    }

    /// Syncs the file to the disk.
    ///
    /// # Errors
    /// If that fails.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.synced = Instant::now();
        Ok(self.file.sync_data().map_err(FileError::at(&self.path))?)
    }
}

struct Content<S, P> {
    subject: Option<S>,
    pieces: Vec<P>,
    /// Bytes of whole lines.
    valid: u64,
    was_torn: bool,
}

fn scan<S: DeserializeOwned, P: DeserializeOwned>(
    kind: Kind,
    path: &Path,
    file: &File,
) -> Result<Content<S, P>, JournalError> {
    let foreign = || JournalError::Foreign { path: path.to_owned(), name: kind.name };
    let mut reader = BufReader::new(file);
    let mut content = Content { subject: None, pieces: Vec::new(), valid: 0, was_torn: false };
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let count = reader
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .map_err(FileError::at(path))?;
        if count == 0 {
            break;
        }
        if line.last() != Some(&b'\n') {
            // Without a whole line, the file may be no journal at all.
            if number == 1 && !line.starts_with(format!("{{\"{}\"", kind.key).as_bytes()) {
                return Err(foreign());
            }
            content.was_torn = true;
            break;
        }
        if number == 1 {
            content.subject = Some(subject(kind, &line).ok_or_else(foreign)?);
        } else {
            let piece = serde_json::from_slice(&line).map_err(|source| JournalError::Corrupt {
                path: path.to_owned(),
                line: number,
                source,
            })?;
            content.pieces.push(piece);
        }
        content.valid += count as u64;
    }
    Ok(content)
}

/// Returns the identity in the first line, if it is one.
fn subject<S: DeserializeOwned>(kind: Kind, line: &[u8]) -> Option<S> {
    let mut header: Value = serde_json::from_slice(line).ok()?;
    if header.get(kind.key)? != VERSION {
        return None;
    }
    serde_json::from_value(header.get_mut("settings")?.take()).ok()
}
