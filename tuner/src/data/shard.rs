//! A file of games with a checksum: it is complete, or it is not there.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::filter::Filter;
use super::record::{Outcome, Record, RecordError};
use crate::files::replace;

/// What the manifest says of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Its number.
    pub number: u64,
    /// Bytes.
    pub bytes: u64,
    /// CRC-32 of them.
    pub crc32: u32,
    /// What is in it.
    #[serde(flatten)]
    pub counts: Counts,
}

/// What games hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Games.
    pub games: u64,
    /// Positions.
    pub positions: u64,
    /// Positions that the usual filter keeps.
    pub kept: u64,
    /// Games that White won.
    pub white: u64,
    /// Games that nobody won.
    pub drawn: u64,
    /// Games that Black won.
    pub black: u64,
}

/// Why a file of games cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ShardError {
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{path} has {found} bytes and should have {expected}: it was cut short or is another file", path = path.display())]
    Length { path: PathBuf, found: u64, expected: u64 },
    #[error("{path} is damaged: its checksum is {found:08x} and should be {expected:08x}", path = path.display())]
    Checksum { path: PathBuf, found: u32, expected: u32 },
    #[error("{path}, game {game}: {source}", path = path.display())]
    Game { path: PathBuf, game: u64, source: RecordError },
    #[error("{path} holds other games than the manifest says", path = path.display())]
    Counts { path: PathBuf },
}

impl Counts {
    /// Counts a game.
    pub fn add(&mut self, game: &Record) {
        let filter = Filter::default();
        let kept = |(ply, (position, mv, score))| filter.keeps(ply, &position, mv, score);
        self.games += 1;
        self.positions += game.moves.len() as u64;
        self.kept +=
            game.positions().enumerate().filter(|place| kept(place.clone())).count() as u64;
        match game.outcome {
            Outcome::Win => self.white += 1,
            Outcome::Draw => self.drawn += 1,
            Outcome::Loss => self.black += 1,
        }
    }

    /// Counts others, too.
    pub fn merge(&mut self, other: &Self) {
        self.games += other.games;
        self.positions += other.positions;
        self.kept += other.kept;
        self.white += other.white;
        self.drawn += other.drawn;
        self.black += other.black;
    }
}

impl Shard {
    /// Where it lies in its folder.
    pub fn path(folder: &Path, number: u64) -> PathBuf {
        folder.join(format!("{number:06}.vf"))
    }

    /// Writes a file of games. It has its name not before all of it is on the disk.
    ///
    /// # Errors
    /// Where the disk does not take it; then nothing is left of it.
    pub fn write(folder: &Path, number: u64, games: &[Record]) -> Result<Self, ShardError> {
        let path = Self::path(folder, number);
        let mut counts = Counts::default();
        let mut bytes = Vec::new();
        let written = games.iter().try_for_each(|game| {
            counts.add(game);
            game.write(&mut bytes)
        });
        let written = written.and_then(|()| replace(&path, |file| file.write_all(&bytes)));
        written.map_err(|source| ShardError::File { path: path.clone(), source })?;
        Ok(Self { number, bytes: bytes.len() as u64, crc32: crc32fast::hash(&bytes), counts })
    }

    /// Takes over the file of another folder, under a number of its own.
    ///
    /// # Errors
    /// Where it is not what the manifest says, or the disk does not take it.
    pub fn adopt(&self, from: &Path, to: &Path, number: u64) -> Result<Self, ShardError> {
        let bytes = self.bytes_in(from)?;
        let path = Self::path(to, number);
        replace(&path, |file| file.write_all(&bytes))
            .map_err(|source| ShardError::File { path, source })?;
        Ok(Self { number, ..self.clone() })
    }

    /// Whether there is a file of this length.
    pub fn is_there(&self, folder: &Path) -> bool {
        fs::metadata(Self::path(folder, self.number)).is_ok_and(|file| file.len() == self.bytes)
    }

    /// Reads its games.
    ///
    /// # Errors
    /// Where the file is not what the manifest says.
    pub fn read(&self, folder: &Path) -> Result<Vec<Record>, ShardError> {
        let bytes = self.bytes_in(folder)?;
        let (mut reader, mut games) = (&bytes[..], Vec::new());
        loop {
            match Record::read(&mut reader) {
                Ok(Some(game)) => games.push(game),
                Ok(None) => return Ok(games),
                Err(source) => {
                    let (path, game) = (Self::path(folder, self.number), games.len() as u64 + 1);
                    return Err(ShardError::Game { path, game, source });
                }
            }
        }
    }

    /// Reads all of it and counts again.
    ///
    /// # Errors
    /// Where the file is not what the manifest says.
    pub fn check(&self, folder: &Path) -> Result<(), ShardError> {
        let mut counts = Counts::default();
        self.read(folder)?.iter().for_each(|game| counts.add(game));
        if counts == self.counts {
            return Ok(());
        }
        Err(ShardError::Counts { path: Self::path(folder, self.number) })
    }

    fn bytes_in(&self, folder: &Path) -> Result<Vec<u8>, ShardError> {
        let path = Self::path(folder, self.number);
        let fails = |source| ShardError::File { path: path.clone(), source };
        let found = fs::metadata(&path).map_err(fails)?.len();
        if found != self.bytes {
            return Err(ShardError::Length { path, found, expected: self.bytes });
        }
        let mut bytes = Vec::new();
        File::open(&path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(fails)?;
        let found = crc32fast::hash(&bytes);
        if found != self.crc32 {
            return Err(ShardError::Checksum { path, found, expected: self.crc32 });
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::board::Position;
    use nullarbor::types::Score;

    fn games() -> Vec<Record> {
        let start = Position::start();
        let mv = start.parse_uci("e2e4").expect("legal");
        let game = |outcome| Record { start: start.clone(), moves: vec![(mv, Score(20))], outcome };
        vec![game(Outcome::Win), game(Outcome::Draw), game(Outcome::Draw)]
    }

    #[test]
    fn what_is_written_is_read_and_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let shard = Shard::write(folder.path(), 3, &games()).expect("room");
        let Counts { games: all, white, drawn, black, positions, kept } = shard.counts;
        assert_eq!((all, white, drawn, black, positions, kept), (3, 1, 2, 0, 3, 0));
        assert_eq!(shard.read(folder.path()).expect("games"), games());
        shard.check(folder.path()).expect("whole");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let shard = Shard::write(folder.path(), 0, &games()).expect("room");
        let path = Shard::path(folder.path(), 0);
        let whole = fs::read(&path).expect("bytes");
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &bytes).expect("room");
            let error = shard.read(folder.path()).expect_err("damaged");
            assert!(matches!(error, ShardError::Checksum { .. }), "{error}");
        }
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).expect("room");
            let error = shard.read(folder.path()).expect_err("cut");
            assert!(matches!(error, ShardError::Length { .. }), "{error}");
        }
        fs::remove_file(&path).expect("it was there");
        assert!(matches!(shard.read(folder.path()), Err(ShardError::File { .. })));
    }

    #[test]
    fn a_folder_that_takes_nothing_is_left_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = Shard::write(&folder.path().join("none"), 0, &games()).expect_err("no folder");
        assert!(error.to_string().contains("000000.vf"), "{error}");
    }
}
