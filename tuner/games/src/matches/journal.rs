//! The file that a match can be taken up from: a line with its settings, and then a line for each finished game.

use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::plan::{Difference, Settings};
use super::record::Record;
use crate::journal::{self, Kind};

/// Why a journal cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum JournalError {
    #[error(transparent)]
    Journal(#[from] journal::JournalError),
    #[error("{path} is the journal of another match; {difference}", path = path.display())]
    Different { path: PathBuf, difference: Difference },
}

const MATCH: Kind = Kind { key: "nullarbor_match", name: "match" };
/// What the system has taken survives the process; what the disk has, survives the machine too.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// A journal that is open for writing.
#[derive(Debug)]
pub struct Journal(journal::Journal);

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
        let opened: journal::Opened<Settings, Record> = journal::Journal::open(MATCH, path)?;
        let difference = opened.subject.as_ref().and_then(|then| then.difference(settings));
        if let Some(difference) = difference {
            return Err(JournalError::Different { path: path.to_owned(), difference });
        }
        Ok(Opened {
            journal: Self(opened.journal),
            records: opened.pieces,
            was_torn: opened.was_torn,
            is_new: opened.subject.is_none(),
        })
    }

    /// The seed of the match in a journal that is there already; what is wrong with one that has none, opening it
    /// will say.
    pub fn seed(path: &Path) -> Option<u64> {
        let (settings, _): (Option<Settings>, Vec<Record>) =
            journal::Journal::read(MATCH, path).ok()?;
        settings.map(|settings| settings.seed)
    }

    /// Drops a line that was cut short, and writes the settings into a journal that is new.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(&mut self, settings: &Settings) -> Result<(), JournalError> {
        Ok(self.0.begin(settings)?)
    }

    /// Adds a game.
    ///
    /// # Errors
    /// Where it cannot be written. What was written before stays.
    pub fn add(&mut self, record: &Record) -> Result<(), JournalError> {
        self.0.add(record)?;
        if self.0.since_sync() >= SYNC_INTERVAL { self.sync() } else { Ok(()) }
    }

    /// Makes sure that what was written is on the disk.
    ///
    /// # Errors
    /// Where the disk does not take it.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        Ok(self.0.sync()?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::end::{End, Reason};
    use crate::pair::Leg;

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
        assert!(
            matches!(second, Err(JournalError::Journal(journal::JournalError::Busy { .. }))),
            "two processes at one journal"
        );
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
                assert!(
                    matches!(
                        opened,
                        Err(JournalError::Journal(journal::JournalError::Foreign { .. }))
                    ),
                    "{length}"
                );
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
        assert!(matches!(
            Journal::open(&path, &settings()),
            Err(JournalError::Journal(journal::JournalError::Foreign { .. }))
        ));
        assert_eq!(fs::read_to_string(&path).expect("notes"), "my notes\n");
    }
}
