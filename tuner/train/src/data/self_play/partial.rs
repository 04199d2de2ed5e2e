//! Finished games of shards that are not complete yet, so that a run that is killed loses only the games under way.
//!
//! Each shard has its own file, a line for each game in the order in which games end. It is deleted when the shard is in the
//! manifest.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::data::dataset::DatasetError;
use crate::data::game_record::GameRecord;
use nullarbor_runs::files::FileError;
use nullarbor_runs::journal::{Journal, Kind};

const PARTIAL: Kind =
    Kind { key: "nullarbor_partial_shard", name: "set of games", reads_unsealed: false };
/// The extension of the files.
const EXTENSION: &str = "partial";

/// A finished game.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    number: u64,
    /// The game as viriformat, in hexadecimal digits: unlike the format of shards it keeps scores exactly.
    game: String,
}

/// The files of a dataset's folder.
#[derive(Debug)]
pub struct PartialShards {
    directory: PathBuf,
    open: BTreeMap<u64, Journal>,
}

impl PartialShards {
    /// Opens the folder. Returns its games by number, without those that cannot be read: they are played again.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn open(directory: &Path) -> Result<(Self, BTreeMap<u64, GameRecord>), DatasetError> {
        let mut partial = Self { directory: directory.to_owned(), open: BTreeMap::new() };
        let mut games = BTreeMap::new();
        for shard in shards(directory)? {
            let opened = Journal::open::<u64, Line>(PARTIAL, &partial.path(shard))?;
            let mut journal = opened.journal;
            journal.begin(&shard)?;
            partial.open.insert(shard, journal);
            let lines = opened.pieces.iter();
            games.extend(lines.filter_map(|line| Some((line.number, decode(&line.game)?))));
        }
        Ok((partial, games))
    }

    /// Adds a finished game. A process that is killed afterwards does not lose it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, shard: u64, number: u64, game: &GameRecord) -> Result<(), DatasetError> {
        let path = self.path(shard);
        let journal = match self.open.entry(shard) {
            std::collections::btree_map::Entry::Occupied(open) => open.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => {
                let mut journal = Journal::open::<u64, Line>(PARTIAL, &path)?.journal;
                journal.begin(&shard)?;
                place.insert(journal)
            }
        };
        Ok(journal.add(&Line { number, game: encode(game).map_err(FileError::at(path))? })?)
    }

    /// Deletes the file of a shard that is complete.
    ///
    /// # Errors
    /// If it cannot be deleted.
    pub fn remove(&mut self, shard: u64) -> Result<(), DatasetError> {
        self.open.remove(&shard);
        let path = self.path(shard);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(FileError::at(path)(error).into())
            }
            _ => Ok(()),
        }
    }

    /// Deletes the files of all shards: the run is complete.
    ///
    /// # Errors
    /// If one cannot be deleted.
    pub fn remove_all(mut self) -> Result<(), DatasetError> {
        shards(&self.directory)?.into_iter().try_for_each(|shard| self.remove(shard))
    }

    fn path(&self, shard: u64) -> PathBuf {
        self.directory.join(format!("{shard:06}.{EXTENSION}"))
    }
}

/// Reads the finished games of incomplete shards, by number. Another process may be playing them.
///
/// # Errors
/// If a file cannot be read.
pub fn games(directory: &Path) -> Result<BTreeMap<u64, GameRecord>, DatasetError> {
    let mut games = BTreeMap::new();
    for shard in shards(directory)? {
        let path = directory.join(format!("{shard:06}.{EXTENSION}"));
        let (_, lines): (Option<u64>, Vec<Line>) = Journal::read(PARTIAL, &path)?;
        games.extend(lines.iter().filter_map(|line| Some((line.number, decode(&line.game)?))));
    }
    Ok(games)
}

/// Returns the numbers of the shards that have a file.
fn shards(directory: &Path) -> Result<Vec<u64>, FileError> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(FileError::at(directory)(error)),
    };
    let number = |path: PathBuf| {
        let is_partial = path.extension().is_some_and(|extension| extension == EXTENSION);
        is_partial.then(|| path.file_stem()?.to_str()?.parse().ok()).flatten()
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let paths = paths.collect::<Result<Vec<_>, _>>().map_err(FileError::at(directory))?;
    Ok(paths.into_iter().filter_map(number).collect())
}

pub(super) fn encode(game: &GameRecord) -> io::Result<String> {
    let mut bytes = Vec::new();
    game.write(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the game of these digits; `None` if it is damaged.
pub(super) fn decode(digits: &str) -> Option<GameRecord> {
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Vec<u8> = digits.as_bytes().chunks(2).map(byte).collect::<Option<_>>()?;
    GameRecord::read(&mut &bytes[..]).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::game_record::Outcome;
    use nullarbor::board::Position;
    use nullarbor::types::Score;

    fn game(score: Score) -> GameRecord {
        let start = Position::start();
        let mv = start.parse_uci("e2e4").expect("legal");
        GameRecord { start, moves: vec![(mv, score)], outcome: Outcome::Draw }
    }

    #[test]
    fn games_come_back_exactly_until_their_shard_is_complete() {
        let folder = tempfile::tempdir().expect("a folder");
        let scores = [Score(0), Score(-7), Score::MATE, -Score::MATE, Score::NONE];
        let (mut partial, none) = PartialShards::open(folder.path()).expect("empty");
        assert!(none.is_empty());
        for (number, score) in (509..).zip(scores) {
            partial.add(number / 512, number, &game(score)).expect("room");
        }
        let expected: BTreeMap<u64, GameRecord> = (509..).zip(scores.map(game)).collect();
        assert_eq!(games(folder.path()).expect("readable"), expected);
        drop(partial);
        let (mut partial, games) = PartialShards::open(folder.path()).expect("readable");
        assert_eq!(games, expected);
        partial.remove(0).expect("removed");
        let (_, games) = PartialShards::open(&folder.path().join("none")).expect("no folder");
        assert!(games.is_empty());
        drop(partial);
        let (partial, games) = PartialShards::open(folder.path()).expect("readable");
        assert_eq!(games.len(), 2);
        partial.remove_all().expect("removed");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn damaged_games_are_dropped() {
        for digits in ["", "0", "zz", "00ff", "é"] {
            assert!(decode(digits).is_none(), "{digits}");
        }
    }
}
