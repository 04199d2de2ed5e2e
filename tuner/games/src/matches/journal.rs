//! The journal of a match: a line with its identity, then a line for each finished game and for each extension.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::identity::Identity;
use super::plan::Plan;
use super::record::GameRecord;
use nullarbor_runs::files;
use nullarbor_runs::journal::{self, Journal, JournalError, Kind};

const MATCH: Kind = Kind { key: "nullarbor_match", name: "match", reads_unsealed: false };

/// A journal and its content. Nothing is written before [`Journal::begin`].
pub type Opened = journal::Opened<Start, GameRecord>;

/// The first line of a journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Start {
    /// Identity of the match.
    #[serde(flatten)]
    pub identity: Identity,
    /// The command line, with absolute paths, so that a match can be resumed from its journal alone.
    pub command: Vec<String>,
    /// Games in all, as they were planned at the start; where a journal is read, with its extensions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
}

impl Start {
    /// Returns the first line of the journal of a match. Reads the programs and files that its engines use.
    pub fn of(plan: &Plan, command: &[String]) -> Self {
        let (identity, games) = (Identity::of(plan), Some(2 * plan.pairs()));
        Self { identity, command: command.to_vec(), games }
    }

    /// Returns the number of pairings.
    fn pairings(&self) -> u64 {
        self.identity.format.pairings(self.identity.names().len()).len() as u64
    }

    /// Returns the games in all. Journals of earlier versions tell them only by their command line.
    pub fn planned(&self) -> Option<u64> {
        self.games.or_else(|| {
            let words = &self.command;
            let apart = words.iter().zip(words.iter().skip(1));
            let apart = apart.filter(|(name, _)| *name == "--games").map(|(_, it)| it.as_str());
            let joined = words.iter().filter_map(|word| word.strip_prefix("--games="));
            let games: u64 = apart.chain(joined).last()?.parse().ok()?;
            games.checked_mul(self.pairings())
        })
    }

    /// Returns the games of each pairing.
    pub fn games_of_pairing(&self) -> Option<u64> {
        self.planned()?.checked_div(self.pairings())
    }

    /// Returns what this command adds to the match of a journal; `None` if it asks for no more games.
    pub fn extension(&self, known: &Self) -> Option<Extension> {
        let games = self.games?;
        known.planned().is_none_or(|planned| games > planned).then_some(Extension { games })
    }
}

/// More games than were planned before.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Extension {
    /// Games in all.
    games: u64,
}

/// A line of a journal behind the first.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
// Nearly all are games.
#[allow(clippy::large_enum_variant)]
enum Entry {
    Game(GameRecord),
    Extension(Extension),
}

/// Opens the journal of a match, or creates an empty one.
///
/// # Errors
/// If it cannot be read or written, is in use, belongs to another match, or is damaged before its last line.
pub fn open(path: &Path, identity: &Identity) -> Result<Opened, JournalError> {
    let journal::Opened { journal, subject, pieces, was_torn } = Journal::open(MATCH, path)?;
    let (subject, pieces) = extended(path, subject, pieces)?;
    let start: Option<&Start> = subject.as_ref();
    match start.and_then(|start| start.identity.difference(identity)) {
        Some(difference) => Err(JournalError::Different { path: path.to_owned(), difference }),
        None => Ok(Opened { journal, subject, pieces, was_torn }),
    }
}

/// Reads the first line of a journal; `None` if it is empty.
///
/// # Errors
/// If it cannot be read, is no journal of a match, or is damaged before its last line.
pub fn start(path: &Path) -> Result<Option<Start>, JournalError> {
    Ok(read(path)?.0)
}

/// Reads the first line and the games of a journal, which another process may be writing.
///
/// # Errors
/// If it cannot be read, is no journal of a match, or is damaged before its last line.
pub fn read(path: &Path) -> Result<(Option<Start>, Vec<GameRecord>), JournalError> {
    parse(path, files::open(path)?)
}

/// Reads the games of a journal, which another process may be writing.
///
/// # Errors
/// If it cannot be read, is no journal of a match, or is damaged before its last line.
pub fn games(path: &Path) -> Result<Vec<GameRecord>, JournalError> {
    Ok(read(path)?.1)
}

/// Reads the content of a journal; `path` is for messages.
///
/// # Errors
/// If it is no journal of a match, or is damaged before its last line.
pub fn parse(
    path: &Path,
    content: impl Read,
) -> Result<(Option<Start>, Vec<GameRecord>), JournalError> {
    let (start, entries) = Journal::parse(MATCH, path, content)?;
    extended(path, start, entries)
}

/// More pairs than any match has.
const TOO_MANY_PAIRS: u64 = 1 << 40;

/// Returns the first line with the games that are planned by now, and the games.
///
/// # Errors
/// If a game is there twice, or its number is that of no match.
fn extended(
    path: &Path,
    mut start: Option<Start>,
    entries: Vec<Entry>,
) -> Result<(Option<Start>, Vec<GameRecord>), JournalError> {
    let (mut seen, mut games) = (HashSet::new(), Vec::new());
    for (entry, line) in entries.into_iter().zip(2..) {
        let game = match entry {
            Entry::Game(game) => game,
            Entry::Extension(Extension { games }) => {
                start.iter_mut().for_each(|start| start.games = Some(games));
                continue;
            }
        };
        if game.pair >= TOO_MANY_PAIRS {
            let problem = format!("no match has a pair {}", game.pair);
            return Err(JournalError::damaged(path, line, problem));
        }
        if !seen.insert((game.pair, game.game)) {
            let problem = format!("a second game of pair {} with the same colours", game.pair);
            return Err(JournalError::damaged(path, line, problem));
        }
        games.push(game);
    }
    Ok((start, games))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::super::plan::Format;
    use super::super::plan::tests::plan;
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
        super::open(path, &Identity::of(plan))
    }

    fn begin(opened: &mut Opened) {
        let command = ["--engine".to_owned(), "self".to_owned()];
        opened.journal.begin(&Start::of(&the_match(), &command)).expect("room");
    }

    fn record(pair: u64) -> GameRecord {
        let end = End::drawn(Reason::Stalemate);
        let game = GameOfPair::First;
        let (fault, pv_warnings) = (None, Default::default());
        GameRecord {
            pair,
            game,
            end,
            plies: 9,
            moves: u64::MAX - pair,
            fault,
            pv_warnings,
            pgn: None,
        }
    }

    fn written(folder: &tempfile::TempDir) -> PathBuf {
        let path = folder.path().join("journal");
        let mut opened = open(&path, &the_match()).expect("a new journal");
        assert!(opened.subject.is_none());
        begin(&mut opened);
        (0..3).for_each(|pair| opened.journal.add(&record(pair)).expect("room"));
        path
    }

    #[test]
    fn games_come_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = written(&folder);
        let opened = open(&path, &the_match()).expect("the same match");
        assert_eq!(opened.pieces, (0..3).map(record).collect::<Vec<_>>());
        assert!(!opened.was_torn && opened.subject.is_some());
        let start = start(&path).expect("a journal").expect("a first line");
        assert_eq!((start.identity.seed, start.command.join(" ").as_str()), (1, "--engine self"));
        let second = open(&path, &the_match());
        assert!(matches!(second, Err(JournalError::Busy { .. })), "two processes at one journal");
    }

    /// Lines of journals of earlier versions.
    #[test]
    fn lines_without_what_came_later_are_read() {
        let line = r#"{"pair":3,"leg":"first","end":{"winner":"black","reason":"crash"},"plies":9,"moves":7}"#;
        let record: GameRecord = serde_json::from_str(line).expect("a record");
        assert!(record.end.is_crash() && record.fault.is_none());
        assert_eq!(serde_json::to_string(&record).expect("plain data"), line);
        let mut start = serde_json::to_value(Start {
            identity: Identity::of(&the_match()),
            command: Vec::new(),
            games: Some(8),
        })
        .expect("plain data");
        start.as_object_mut().expect("an object").remove("games");
        let start: Start = serde_json::from_value(start).expect("a first line");
        assert_eq!(start.games, None);
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
                assert!(matches!(opened, Err(JournalError::Foreign { .. })), "{length}");
                continue;
            }
            let mut opened = opened.expect("ours");
            begin(&mut opened);
            let known = opened.pieces.len();
            (known as u64..3).for_each(|pair| opened.journal.add(&record(pair)).expect("room"));
            assert!(whole.starts_with(&fs::read(&path).expect("a journal")[..length.min(10)]));
            drop(opened);
            let again = open(&path, &the_match()).expect("whole again");
            assert_eq!(again.pieces.len(), 3, "cut at {length}");
        }
    }

    #[test]
    fn a_game_that_is_there_twice_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = written(&folder);
        let mut opened = open(&path, &the_match()).expect("the same match");
        opened.journal.add(&record(1)).expect("room");
        drop(opened);
        let errors = [open(&path, &the_match()).err(), games(&path).err()];
        for error in errors.into_iter().flatten() {
            assert!(error.to_string().contains("line 5: a second game of pair 1"), "{error}");
        }
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = written(&folder);
        let whole = fs::read(&path).expect("a journal");
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let found = parse(&path, &bytes[..]);
            assert!(found.is_err(), "bit {bit}: {}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn what_is_not_ours_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = written(&folder);
        let other = Plan { seed: 2, ..the_match() };
        assert!(matches!(open(&path, &other), Err(JournalError::Different { .. })));
        let text = fs::read_to_string(&path).expect("a journal");
        fs::write(&path, text.replacen("\"winner\"", "\"vinner\"", 1)).expect("room");
        let error = open(&path, &the_match()).expect_err("damaged");
        assert!(error.to_string().contains("line 2"), "{error}");
        fs::write(&path, "my notes\n").expect("room");
        assert!(matches!(open(&path, &the_match()), Err(JournalError::Foreign { .. })));
        assert_eq!(fs::read_to_string(&path).expect("notes"), "my notes\n");
    }
}
