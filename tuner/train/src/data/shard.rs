//! A shard: a file of games with a checksum. It is complete, or it does not exist under its name.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::compact::{self, DecodeError, EncodeError};
use super::filter::Filter;
use super::game_record::{GameRecord, Outcome, ViriformatError};
use nullarbor_runs::files::{FileError, check_regular, read, replace};

/// The entry of a shard in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Number of the shard in the dataset.
    pub number: u64,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// CRC-32 of the file.
    pub crc32: u32,
    /// The format of the file. Manifests from before there was a choice do not name one.
    #[serde(default)]
    pub format: Format,
    /// The identity of its first game, if known.
    #[serde(default, rename = "origin", skip_serializing_if = "Option::is_none")]
    pub first_game: Option<GameId>,
    /// Counts of its games and positions.
    #[serde(flatten)]
    pub counts: Counts,
}

/// A file format of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Viriformat, for other programs: see [`GameRecord::write`].
    #[default]
    Viriformat,
    /// The format of [`compact`].
    Compact,
}

impl Format {
    /// Returns the extension of file names.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Viriformat => "vf",
            Self::Compact => "games",
        }
    }

    /// Returns the game that is read after `game` was written in this format: [`compact`] rounds scores.
    pub fn stored(self, game: &GameRecord) -> GameRecord {
        match self {
            Self::Viriformat => game.clone(),
            Self::Compact => compact::stored(game),
        }
    }
}

/// The identity of a game, in whatever dataset it is. The games of a shard have consecutive numbers and the same seed. Two games
/// with the same identity are the same game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameId {
    /// The seed of the run that played the game, or the CRC-32 of the file it was imported from.
    pub seed: u64,
    /// The number of the game in that run or file, from 0.
    #[serde(rename = "first")]
    pub number: u64,
}

/// Counts of games and positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Games.
    pub games: u64,
    /// Positions.
    pub positions: u64,
    /// Positions that the default filter keeps.
    pub kept: u64,
    /// Games won by White.
    #[serde(rename = "white")]
    pub white_wins: u64,
    /// Games drawn.
    #[serde(rename = "drawn")]
    pub draws: u64,
    /// Games won by Black.
    #[serde(rename = "black")]
    pub black_wins: u64,
}

/// Why a shard cannot be read or written.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ShardError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{path} has {found} bytes instead of {expected}: it is truncated or another file", path = path.display())]
    Length { path: PathBuf, found: u64, expected: u64 },
    #[error("{path} is damaged: its checksum is {found:08x} instead of {expected:08x}", path = path.display())]
    Checksum { path: PathBuf, found: u32, expected: u32 },
    #[error("{path}, game {game}: {source}", path = path.display())]
    Viriformat { path: PathBuf, game: u64, source: ViriformatError },
    #[error("{path} {source}", path = path.display())]
    Decode { path: PathBuf, source: DecodeError },
    #[error("{path} cannot be written: {source}", path = path.display())]
    Encode { path: PathBuf, source: EncodeError },
    #[error("{path} has other games than the manifest says", path = path.display())]
    Counts { path: PathBuf },
}

impl Counts {
    /// Adds a game, with the positions that the default filter keeps.
    pub fn add(&mut self, game: &GameRecord) {
        self.positions += game.moves.len() as u64;
        self.kept += game.kept_by(&Filter::default()).count() as u64;
        self.add_result(game.outcome);
    }

    /// Adds the result of a game.
    pub fn add_result(&mut self, outcome: Outcome) {
        self.games += 1;
        match outcome {
            Outcome::Win => self.white_wins += 1,
            Outcome::Draw => self.draws += 1,
            Outcome::Loss => self.black_wins += 1,
        }
    }

    /// Adds other counts.
    pub fn merge(&mut self, other: &Self) {
        self.games += other.games;
        self.positions += other.positions;
        self.kept += other.kept;
        self.white_wins += other.white_wins;
        self.draws += other.draws;
        self.black_wins += other.black_wins;
    }
}

impl Shard {
    /// Returns the path of the file in a dataset's folder.
    pub fn path(&self, directory: &Path) -> PathBuf {
        path(directory, self.number, self.format)
    }

    /// Writes games as a shard. The file gets its name when all of it is on the disk.
    ///
    /// # Errors
    /// If a game does not fit the format or the disk fails; no partial file is left then.
    pub fn write(
        directory: &Path,
        number: u64,
        games: &[GameRecord],
        format: Format,
        first_game: Option<GameId>,
    ) -> Result<Self, ShardError> {
        let path = path(directory, number, format);
        let bytes = match format {
            Format::Viriformat => viriformat(games).map_err(FileError::at(&path))?,
            Format::Compact => compact::encode(games)
                .map_err(|source| ShardError::Encode { path: path.clone(), source })?,
        };
        replace(&path, |file| file.write_all(&bytes))?;
        let mut counts = Counts::default();
        games.iter().for_each(|game| counts.add(&format.stored(game)));
        let crc32 = crc32fast::hash(&bytes);
        Ok(Self { number, bytes: bytes.len() as u64, crc32, format, first_game, counts })
    }

    /// Copies the file of another dataset unchanged, under a new number.
    ///
    /// # Errors
    /// If the file is not the one in the manifest, or the disk fails.
    pub fn copy(&self, from: &Path, to: &Path, number: u64) -> Result<Self, ShardError> {
        let bytes = self.verified_bytes(from)?;
        replace(&path(to, number, self.format), |file| file.write_all(&bytes))?;
        Ok(Self { number, ..self.clone() })
    }

    /// Returns whether the file exists with the right length.
    pub fn exists(&self, directory: &Path) -> bool {
        fs::metadata(self.path(directory)).is_ok_and(|file| file.len() == self.bytes)
    }

    /// Reads the games.
    ///
    /// # Errors
    /// If the file is not the one in the manifest.
    pub fn read(&self, directory: &Path) -> Result<Vec<GameRecord>, ShardError> {
        let bytes = self.verified_bytes(directory)?;
        match self.format {
            Format::Viriformat => self.read_viriformat(&bytes, directory),
            Format::Compact => compact::decode(&bytes)
                .map_err(|source| ShardError::Decode { path: self.path(directory), source }),
        }
    }

    fn read_viriformat(
        &self,
        mut bytes: &[u8],
        directory: &Path,
    ) -> Result<Vec<GameRecord>, ShardError> {
        let mut games = Vec::new();
        loop {
            match GameRecord::read(&mut bytes) {
                Ok(Some(game)) => games.push(game),
                Ok(None) => return Ok(games),
                Err(source) => {
                    let (path, game) = (self.path(directory), games.len() as u64 + 1);
                    return Err(ShardError::Viriformat { path, game, source });
                }
            }
        }
    }

    /// Reads all games and compares their counts with the manifest.
    ///
    /// # Errors
    /// If the file is not the one in the manifest.
    pub fn check(&self, directory: &Path) -> Result<(), ShardError> {
        let mut counts = Counts::default();
        self.read(directory)?.iter().for_each(|game| counts.add(game));
        if counts == self.counts {
            return Ok(());
        }
        Err(ShardError::Counts { path: self.path(directory) })
    }

    fn verified_bytes(&self, directory: &Path) -> Result<Vec<u8>, ShardError> {
        let path = self.path(directory);
        check_regular(&path)?;
        let found = fs::metadata(&path).map_err(FileError::at(&path))?.len();
        if found != self.bytes {
            return Err(ShardError::Length { path, found, expected: self.bytes });
        }
        let bytes = read(&path, self.bytes)?;
        let found = crc32fast::hash(&bytes);
        if found != self.crc32 {
            return Err(ShardError::Checksum { path, found, expected: self.crc32 });
        }
        Ok(bytes)
    }
}

fn path(directory: &Path, number: u64, format: Format) -> PathBuf {
    directory.join(format!("{number:06}.{}", format.extension()))
}

fn viriformat(games: &[GameRecord]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    games.iter().try_for_each(|game| game.write(&mut bytes))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor::board::Position;
    use nullarbor::types::Score;

    fn games() -> Vec<GameRecord> {
        let start = Position::start();
        let mv = start.parse_uci("e2e4").expect("legal");
        let game =
            |outcome| GameRecord { start: start.clone(), moves: vec![(mv, Score(20))], outcome };
        vec![game(Outcome::Win), game(Outcome::Draw), game(Outcome::Draw)]
    }

    const FORMATS: [Format; 2] = [Format::Viriformat, Format::Compact];

    fn written(directory: &Path, format: Format) -> Shard {
        Shard::write(directory, 3, &games(), format, None).expect("room")
    }

    #[test]
    fn shards_are_written_read_and_counted() {
        for format in FORMATS {
            let directory = tempfile::tempdir().expect("a directory");
            let shard = written(directory.path(), format);
            let Counts { games: all, white_wins, draws, black_wins, positions, kept } =
                shard.counts;
            assert_eq!((all, positions, kept), (3, 3, 0));
            assert_eq!((white_wins, draws, black_wins), (1, 2, 0));
            let kept: Vec<GameRecord> = games().iter().map(|game| format.stored(game)).collect();
            assert_eq!(shard.read(directory.path()).expect("games"), kept);
            shard.check(directory.path()).expect("whole");
            assert_eq!(fs::read_dir(directory.path()).expect("a directory").count(), 1);
        }
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_is_found() {
        for format in FORMATS {
            let directory = tempfile::tempdir().expect("a directory");
            let shard = written(directory.path(), format);
            let path = shard.path(directory.path());
            let whole = fs::read(&path).expect("bytes");
            for bit in 0..8 * whole.len() {
                let mut bytes = whole.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                fs::write(&path, &bytes).expect("room");
                let error = shard.read(directory.path()).expect_err("damaged");
                assert!(matches!(error, ShardError::Checksum { .. }), "{error}");
            }
            for length in 0..whole.len() {
                fs::write(&path, &whole[..length]).expect("room");
                let error = shard.read(directory.path()).expect_err("truncated");
                assert!(matches!(error, ShardError::Length { .. }), "{error}");
            }
            fs::remove_file(&path).expect("it was there");
            assert!(matches!(shard.read(directory.path()), Err(ShardError::File(_))));
        }
    }

    #[test]
    fn damage_behind_a_right_checksum_is_reported() {
        for format in FORMATS {
            let directory = tempfile::tempdir().expect("a directory");
            let shard = written(directory.path(), format);
            let path = shard.path(directory.path());
            let whole = fs::read(&path).expect("bytes");
            let mut refused = 0;
            for (at, value) in (0..whole.len()).flat_map(|at| [0, 6, 0x77, 0xff].map(|it| (at, it)))
            {
                let mut bytes = whole.clone();
                bytes[at] = value;
                fs::write(&path, &bytes).expect("room");
                let repaired = Shard { crc32: crc32fast::hash(&bytes), ..shard.clone() };
                if let Err(error) = repaired.check(directory.path()) {
                    assert!(error.to_string().contains("000003."), "{error}");
                    refused += 1;
                }
            }
            assert!(refused > whole.len(), "{format:?}: {refused}");
        }
    }

    #[test]
    fn a_file_of_another_format_is_named() {
        let directory = tempfile::tempdir().expect("a directory");
        let foreign =
            Shard { format: Format::Compact, ..written(directory.path(), Format::Viriformat) };
        fs::rename(directory.path().join("000003.vf"), foreign.path(directory.path()))
            .expect("room");
        let error = foreign.read(directory.path()).expect_err("foreign").to_string();
        assert!(error.contains("000003.games is not a game file"), "{error}");
    }

    #[test]
    fn a_manifest_without_formats_is_viriformat() {
        let line = r#"{"number":7,"bytes":40,"crc32":1,"games":1,"positions":1,"kept":0,"white":1,"drawn":0,"black":0}"#;
        let shard: Shard = serde_json::from_str(line).expect("an entry");
        assert_eq!((shard.format, shard.first_game), (Format::Viriformat, None));
        assert!(shard.path(Path::new("games")).ends_with("000007.vf"));
    }

    #[test]
    fn a_failed_write_names_the_file() {
        let directory = tempfile::tempdir().expect("a directory");
        let none = directory.path().join("none");
        let error =
            Shard::write(&none, 0, &games(), Format::Compact, None).expect_err("no directory");
        assert!(error.to_string().contains("000000.games"), "{error}");
    }
}
