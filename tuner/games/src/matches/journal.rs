//! The journal of a match: a line with its identity, then a line for each finished game.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::identity::Identity;
use super::plan::Plan;
use super::record::GameRecord;
use crate::journal::{self, Kind};

/// Why a journal cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum JournalError {
    #[error(transparent)]
    Journal(#[from] journal::JournalError),
    #[error("{path} is the journal of another match; {difference}", path = path.display())]
    Different { path: PathBuf, difference: String },
}

const MATCH: Kind = Kind { key: "nullarbor_match", name: "match" };
/// Written lines survive the process; synced ones survive the machine too.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// A journal that is open for writing.
#[derive(Debug)]
pub struct Journal(journal::Journal);

/// A journal and its content. Nothing is written before [`Journal::begin`].
#[derive(Debug)]
pub struct Opened {
    /// The journal.
    pub journal: Journal,
    /// The games in it.
    pub records: Vec<GameRecord>,
    /// Whether its last line was cut short. It is dropped.
    pub was_torn: bool,
    /// Whether it was empty or missing.
    pub is_new: bool,
}

/// The first line of a journal.
#[derive(Serialize)]
struct Header<'a> {
    #[serde(flatten)]
    identity: &'a Identity,
    /// The command line, so that a match can be resumed from its journal alone.
    command: &'a [String],
}

/// The first line of a journal that is there.
#[derive(Debug, Deserialize)]
pub struct Start {
    #[serde(flatten)]
    identity: Identity,
    /// The arguments of the command line; none where an earlier version wrote the journal.
    #[serde(default)]
    pub command: Vec<String>,
}

impl Start {
    /// Returns the seed of the match.
    pub fn seed(&self) -> u64 {
        self.identity.seed
    }
}

impl Journal {
    /// Opens the journal of a match, or creates an empty one.
    ///
    /// # Errors
    /// If it cannot be read or written, is in use, belongs to another match, or is damaged before its last line.
    pub fn open(path: &Path, plan: &Plan, identity: &Identity) -> Result<Opened, JournalError> {
        let opened: journal::Opened<Start, GameRecord> = journal::Journal::open(MATCH, path)?;
        let difference =
            opened.subject.as_ref().and_then(|start| start.identity.difference(plan, identity));
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

    /// Reads the first line of a journal; `None` if it is empty.
    ///
    /// # Errors
    /// If it cannot be read, or is no journal of a match.
    pub fn start(path: &Path) -> Result<Option<Start>, JournalError> {
        let (start, _): (_, Vec<GameRecord>) = journal::Journal::read(MATCH, path)?;
        Ok(start)
    }

    /// Drops a line that was cut short, and writes the first line of a new journal.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(&mut self, identity: &Identity, command: &[String]) -> Result<(), JournalError> {
        Ok(self.0.begin(&Header { identity, command })?)
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If it cannot be written. What was written before stays.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), JournalError> {
        self.0.add(record)?;
        if self.0.since_sync() >= SYNC_INTERVAL { self.sync() } else { Ok(()) }
    }

    /// Syncs the file to the disk.
    ///
    /// # Errors
    /// If that fails.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        Ok(self.0.sync()?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::plan::tests::plan;
    use super::super::plan::{Format, Plan};
    use super::*;
    use crate::end::{End, Reason};
    use crate::engine_config::Program;
    use crate::pair::GameOfPair;
    use crate::uci::Command;

    /// Programs that are not there have no fingerprint, which would take its time.
    fn the_match() -> Plan {
        let mut plan = plan(2, Format::Gauntlet);
        for engine in &mut plan.engines {
            engine.program = Program::External(Command::default());
        }
        plan
    }

    fn open(path: &Path, plan: &Plan) -> Result<Opened, JournalError> {
        Journal::open(path, plan, &Identity::of(plan))
    }

    fn begin(opened: &mut Opened) {
        let command = ["--engine".to_owned(), "self".to_owned()];
        opened.journal.begin(&Identity::of(&the_match()), &command).expect("room");
    }

    fn record(pair: u64) -> GameRecord {
        let end = End::drawn(Reason::Stalemate);
        let game = GameOfPair::First;
        GameRecord { pair, game, end, plies: 9, moves: u64::MAX - pair, pgn: None }
    }

    fn written(folder: &tempfile::TempDir) -> PathBuf {
        let path = folder.path().join("journal");
        let mut opened = open(&path, &the_match()).expect("a new journal");
        assert!(opened.is_new);
        begin(&mut opened);
        (0..3).for_each(|pair| opened.journal.add(&record(pair)).expect("room"));
        path
    }

    #[test]
    fn games_come_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = written(&folder);
        let opened = open(&path, &the_match()).expect("the same match");
        assert_eq!(opened.records, (0..3).map(record).collect::<Vec<_>>());
        assert!(!opened.was_torn && !opened.is_new);
        let start = Journal::start(&path).expect("a journal").expect("a first line");
        assert_eq!((start.seed(), start.command.join(" ").as_str()), (1, "--engine self"));
        let second = open(&path, &the_match());
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
            let opened = open(&path, &the_match());
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
            begin(&mut opened);
            let known = opened.records.len();
            (known as u64..3).for_each(|pair| opened.journal.add(&record(pair)).expect("room"));
            assert!(whole.starts_with(&fs::read(&path).expect("a journal")[..length.min(10)]));
            drop(opened);
            let again = open(&path, &the_match()).expect("whole again");
            assert_eq!(again.records.len(), 3, "cut at {length}");
        }
    }

    #[test]
    fn what_is_not_ours_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = written(&folder);
        let other = Plan { seed: 2, ..the_match() };
        assert!(matches!(open(&path, &other), Err(JournalError::Different { .. })));
        let text = fs::read_to_string(&path).expect("a journal");
        fs::write(&path, text.replacen("\"plies\":9", "\"plies\":x", 1)).expect("room");
        let error = open(&path, &the_match()).expect_err("damaged");
        assert!(error.to_string().contains("line 2"), "{error}");
        fs::write(&path, "my notes\n").expect("room");
        assert!(matches!(
            open(&path, &the_match()),
            Err(JournalError::Journal(journal::JournalError::Foreign { .. }))
        ));
        assert_eq!(fs::read_to_string(&path).expect("notes"), "my notes\n");
    }
}
