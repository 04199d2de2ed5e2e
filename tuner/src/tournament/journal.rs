//! The file that a match can be taken up from: a line with its settings, and then a line for each finished game.
//! Lines are only ever added, so a process that is killed loses no more than the games that were under way.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::plan::{Difference, Settings};
use super::record::Record;

/// Why a journal cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum JournalError {
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{path} is no journal of a match: its first line is not the one that a match writes", path = path.display())]
    Foreign { path: PathBuf },
    #[error("{path}, line {line}: {source}; what follows cannot be trusted, and nothing was changed", path = path.display())]
    Corrupt { path: PathBuf, line: usize, source: serde_json::Error },
    #[error("{path} is in use: another process plays this match", path = path.display())]
    Busy { path: PathBuf },
    #[error("{path} is the journal of another match; {difference}", path = path.display())]
    Different { path: PathBuf, difference: Difference },
}

#[derive(Serialize, Deserialize)]
struct Header {
    nullarbor_match: u32,
    settings: Settings,
}

const VERSION: u32 = 1;
/// Longer than any game; a file without lines is none of ours, however large.
const LONGEST_LINE: u64 = 1 << 24;
/// What the system has taken survives the process; what the disk has, survives the machine too.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// A journal that is open for writing.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Bytes of whole lines.
    length: u64,
    synced: Instant,
}

/// A journal, and what was in it. Nothing is written before [`Journal::begin`].
#[derive(Debug)]
pub struct Opened {
    /// To go on with.
    pub journal: Journal,
    /// The games in it.
    pub records: Vec<Record>,
    /// Whether its last line was cut short, and is dropped.
    pub was_torn: bool,
    /// Whether the match begins with it.
    pub is_new: bool,
}

impl Journal {
    /// Opens the journal of this match, or an empty one.
    ///
    /// # Errors
    /// Where it cannot be read or written, is in use, belongs to another match, or is damaged before its last line.
    pub fn open(path: &Path, settings: &Settings) -> Result<Opened, JournalError> {
        let fails = |source| JournalError::File { path: path.to_owned(), source };
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = file.map_err(fails)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(JournalError::Busy { path: path.to_owned() });
            }
            // A file system that knows no locks is no reason not to play.
            Err(TryLockError::Error(_)) => {}
        }
        let content = read(path, &file)?;
        let difference = content.settings.as_ref().and_then(|then| then.difference(settings));
        if let Some(difference) = difference {
            return Err(JournalError::Different { path: path.to_owned(), difference });
        }
        let (length, synced) = (content.valid, Instant::now());
        Ok(Opened {
            journal: Self { path: path.to_owned(), file, length, synced },
            records: content.records,
            was_torn: content.was_torn,
            is_new: content.settings.is_none(),
        })
    }

    /// The seed of the match in a journal that is there already; what is wrong with one that has none, opening it
    /// will say.
    pub fn seed(path: &Path) -> Option<u64> {
        let content = read(path, &File::open(path).ok()?).ok()?;
        content.settings.map(|settings| settings.seed)
    }

    /// Drops a line that was cut short, and writes the settings into a journal that is new.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(&mut self, settings: &Settings) -> Result<(), JournalError> {
        self.file.set_len(self.length).map_err(|source| self.fails(source))?;
        if self.length == 0 {
            self.write(&Header { nullarbor_match: VERSION, settings: settings.clone() })?;
        }
        self.sync()
    }

    /// Adds a game.
    ///
    /// # Errors
    /// Where it cannot be written. What was written before stays.
    pub fn add(&mut self, record: &Record) -> Result<(), JournalError> {
        self.write(record)?;
        if self.synced.elapsed() >= SYNC_INTERVAL { self.sync() } else { Ok(()) }
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), JournalError> {
        let line = serde_json::to_string(value).map_err(io::Error::from);
        let line = line.map_err(|source| self.fails(source))? + "\n";
        match self.file.write_all(line.as_bytes()) {
            Ok(()) => {
                self.length += line.len() as u64;
                Ok(())
            }
            Err(source) => {
                // Half a line in the middle would spoil all that follows.
                let _ = self.file.set_len(self.length);
                Err(self.fails(source))
            }
        }
    }

    /// Makes sure that what was written is on the disk.
    ///
    /// # Errors
    /// Where the disk does not take it.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(|source| self.fails(source))
    }

    fn fails(&self, source: io::Error) -> JournalError {
        JournalError::File { path: self.path.clone(), source }
    }
}

struct Content {
    settings: Option<Settings>,
    records: Vec<Record>,
    /// Bytes of whole lines.
    valid: u64,
    was_torn: bool,
}

fn read(path: &Path, file: &File) -> Result<Content, JournalError> {
    let mut reader = BufReader::new(file);
    let mut content = Content { settings: None, records: Vec::new(), valid: 0, was_torn: false };
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let count = reader
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|source| JournalError::File { path: path.to_owned(), source })?;
        if count == 0 {
            break;
        }
        if line.last() != Some(&b'\n') {
            // A file that never had a whole line may be somebody else's.
            if number == 1 && !line.starts_with(b"{\"nullarbor_match\"") {
                return Err(JournalError::Foreign { path: path.to_owned() });
            }
            content.was_torn = true;
            break;
        }
        if number == 1 {
            let header: Header = serde_json::from_slice(&line)
                .map_err(|_| JournalError::Foreign { path: path.to_owned() })?;
            content.settings = Some(header.settings);
        } else {
            let record = serde_json::from_slice(&line).map_err(|source| JournalError::Corrupt {
                path: path.to_owned(),
                line: number,
                source,
            })?;
            content.records.push(record);
        }
        content.valid += count as u64;
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::arena::end::{End, Reason};
    use crate::arena::pair::Leg;

    fn settings() -> Settings {
        Settings {
            engines: vec!["a".to_owned(), "b".to_owned()],
            format: "Gauntlet".to_owned(),
            book: "x".to_owned(),
            seed: 1,
            order: "0".to_owned(),
            rules: String::new(),
            sprt: None,
            pgn: None,
        }
    }

    fn record(pair: u64) -> Record {
        let end = End::drawn(Reason::Stalemate);
        Record { pair, leg: Leg::First, end, plies: 9, moves: u64::MAX - pair, pgn: None }
    }

    fn written(folder: &tempfile::TempDir) -> PathBuf {
        let path = folder.path().join("journal");
        let mut opened = Journal::open(&path, &settings()).expect("a new journal");
        assert!(opened.is_new);
        let journal = &mut opened.journal;
        journal.begin(&settings()).expect("room");
        (0..3).for_each(|pair| journal.add(&record(pair)).expect("room"));
        path
    }

    #[test]
    fn games_come_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = written(&folder);
        let opened = Journal::open(&path, &settings()).expect("the same match");
        assert_eq!(opened.records, (0..3).map(record).collect::<Vec<_>>());
        assert!(!opened.was_torn && !opened.is_new);
        let second = Journal::open(&path, &settings());
        assert!(matches!(second, Err(JournalError::Busy { .. })), "two processes at one journal");
    }

    #[test]
    fn a_journal_that_is_cut_anywhere_can_be_taken_up() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = written(&folder);
        let whole = fs::read(&path).expect("a journal");
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).expect("room");
            let opened = Journal::open(&path, &settings());
            // What is shorter than the name of the format is not known to be ours.
            if (1.."{\"nullarbor_match\"".len()).contains(&length) {
                assert!(matches!(opened, Err(JournalError::Foreign { .. })), "{length}");
                continue;
            }
            let mut opened = opened.expect("ours");
            opened.journal.begin(&settings()).expect("room");
            let known = opened.records.len();
            (known as u64..3).for_each(|pair| opened.journal.add(&record(pair)).expect("room"));
            assert!(whole.starts_with(&fs::read(&path).expect("a journal")[..length.min(10)]));
            drop(opened);
            let again = Journal::open(&path, &settings()).expect("whole again");
            assert_eq!(again.records.len(), 3, "cut at {length}");
        }
    }

    #[test]
    fn what_is_not_ours_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = written(&folder);
        let mut other = settings();
        other.book = "y".to_owned();
        assert!(matches!(Journal::open(&path, &other), Err(JournalError::Different { .. })));
        let text = fs::read_to_string(&path).expect("a journal");
        fs::write(&path, text.replacen("\"plies\":9", "\"plies\":x", 1)).expect("room");
        let error = Journal::open(&path, &settings()).expect_err("damaged");
        assert!(error.to_string().contains("line 2"), "{error}");
        fs::write(&path, "my notes\n").expect("room");
        assert!(matches!(Journal::open(&path, &settings()), Err(JournalError::Foreign { .. })));
        assert_eq!(fs::read_to_string(&path).expect("notes"), "my notes\n");
    }
}
