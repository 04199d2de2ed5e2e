//! A file of games with a checksum: it is complete, or it is not there.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::compact::{self, ReadError, WriteError};
use super::filter::Filter;
use super::record::{Outcome, Record, RecordError};
use super::settings::Settings;
use nullarbor_games::files::replace;

/// What the manifest says of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Its number.
    pub number: u64,
    /// Bytes.
    pub bytes: u64,
    /// CRC-32 of them.
    pub crc32: u32,
    /// How its games are written. Manifests from before there was a choice say nothing.
    #[serde(default)]
    pub format: Format,
    /// Which games they are, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What is in it.
    #[serde(flatten)]
    pub counts: Counts,
}

/// How the games of a file are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// As [`Record::write`] does, for other programs.
    #[default]
    Viriformat,
    /// As [`compact`] does.
    Compact,
}

impl Format {
    /// What names of files end with.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Viriformat => "vf",
            Self::Compact => "games",
        }
    }

    /// A game as it is read again after it was written.
    pub fn kept(self, game: &Record) -> Record {
        match self {
            Self::Viriformat => game.clone(),
            Self::Compact => compact::rounded(game),
        }
    }
}

/// Which games a file holds: the one that follows has the same seed and the next number. No two games have both in common, unless
/// they are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The seed of the run that played them, or the CRC-32 of the file from which they were imported.
    pub seed: u64,
    /// The number of the first one in that run or file, from 0 on.
    pub first: u64,
}

impl Origin {
    /// Which games a file of a run holds.
    pub fn played(settings: &Settings, shard: u64) -> Self {
        Self { seed: settings.seed, first: settings.games_of(shard).start }
    }
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
    #[error("{path} {source}", path = path.display())]
    Compact { path: PathBuf, source: ReadError },
    #[error("{path} cannot be written: {source}", path = path.display())]
    Unwritten { path: PathBuf, source: WriteError },
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
    pub fn path(&self, folder: &Path) -> PathBuf {
        path(folder, self.number, self.format)
    }

    /// Writes a file of games. It has its name not before all of it is on the disk.
    ///
    /// # Errors
    /// Where a game does not fit the format, or the disk does not take it; then nothing is left of it.
    pub fn write(
        folder: &Path,
        number: u64,
        games: &[Record],
        format: Format,
        origin: Option<Origin>,
    ) -> Result<Self, ShardError> {
        let path = path(folder, number, format);
        let fails = |source| ShardError::File { path: path.clone(), source };
        let bytes = match format {
            Format::Viriformat => viriformat(games).map_err(fails)?,
            Format::Compact => compact::write(games)
                .map_err(|source| ShardError::Unwritten { path: path.clone(), source })?,
        };
        replace(&path, |file| file.write_all(&bytes)).map_err(fails)?;
        let mut counts = Counts::default();
        games.iter().for_each(|game| counts.add(&format.kept(game)));
        let crc32 = crc32fast::hash(&bytes);
        Ok(Self { number, bytes: bytes.len() as u64, crc32, format, origin, counts })
    }

    /// Takes over the file of another folder as it is, under a number of its own.
    ///
    /// # Errors
    /// Where it is not what the manifest says, or the disk does not take it.
    pub fn adopt(&self, from: &Path, to: &Path, number: u64) -> Result<Self, ShardError> {
        let bytes = self.bytes_in(from)?;
        let path = path(to, number, self.format);
        replace(&path, |file| file.write_all(&bytes))
            .map_err(|source| ShardError::File { path, source })?;
        Ok(Self { number, ..self.clone() })
    }

    /// Whether there is a file of this length.
    pub fn is_there(&self, folder: &Path) -> bool {
        fs::metadata(self.path(folder)).is_ok_and(|file| file.len() == self.bytes)
    }

    /// Reads its games.
    ///
    /// # Errors
    /// Where the file is not what the manifest says.
    pub fn read(&self, folder: &Path) -> Result<Vec<Record>, ShardError> {
        let bytes = self.bytes_in(folder)?;
        match self.format {
            Format::Viriformat => self.read_viriformat(&bytes, folder),
            Format::Compact => compact::read(&bytes)
                .map_err(|source| ShardError::Compact { path: self.path(folder), source }),
        }
    }

    fn read_viriformat(&self, mut bytes: &[u8], folder: &Path) -> Result<Vec<Record>, ShardError> {
        let mut games = Vec::new();
        loop {
            match Record::read(&mut bytes) {
                Ok(Some(game)) => games.push(game),
                Ok(None) => return Ok(games),
                Err(source) => {
                    let (path, game) = (self.path(folder), games.len() as u64 + 1);
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
        Err(ShardError::Counts { path: self.path(folder) })
    }

    fn bytes_in(&self, folder: &Path) -> Result<Vec<u8>, ShardError> {
        let path = self.path(folder);
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

fn path(folder: &Path, number: u64, format: Format) -> PathBuf {
    folder.join(format!("{number:06}.{}", format.extension()))
}

fn viriformat(games: &[Record]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    games.iter().try_for_each(|game| game.write(&mut bytes))?;
    Ok(bytes)
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

    const FORMATS: [Format; 2] = [Format::Viriformat, Format::Compact];

    fn written(folder: &Path, format: Format) -> Shard {
        Shard::write(folder, 3, &games(), format, None).expect("room")
    }

    #[test]
    fn what_is_written_is_read_and_counted() {
        for format in FORMATS {
            let folder = tempfile::tempdir().expect("a folder");
            let shard = written(folder.path(), format);
            let Counts { games: all, white, drawn, black, positions, kept } = shard.counts;
            assert_eq!((all, white, drawn, black, positions, kept), (3, 1, 2, 0, 3, 0));
            let kept: Vec<Record> = games().iter().map(|game| format.kept(game)).collect();
            assert_eq!(shard.read(folder.path()).expect("games"), kept);
            shard.check(folder.path()).expect("whole");
            assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        }
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_found() {
        for format in FORMATS {
            let folder = tempfile::tempdir().expect("a folder");
            let shard = written(folder.path(), format);
            let path = shard.path(folder.path());
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
    }

    #[test]
    fn another_file_than_the_manifest_means_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let foreign =
            Shard { format: Format::Compact, ..written(folder.path(), Format::Viriformat) };
        fs::rename(folder.path().join("000003.vf"), foreign.path(folder.path())).expect("room");
        let error = foreign.read(folder.path()).expect_err("foreign").to_string();
        assert!(error.contains("000003.games is no file of games"), "{error}");
    }

    #[test]
    fn a_manifest_without_formats_is_one_of_viriformat() {
        let line = r#"{"number":7,"bytes":40,"crc32":1,"games":1,"positions":1,"kept":0,"white":1,"drawn":0,"black":0}"#;
        let shard: Shard = serde_json::from_str(line).expect("an entry");
        assert_eq!((shard.format, shard.origin), (Format::Viriformat, None));
        assert!(shard.path(Path::new("games")).ends_with("000007.vf"));
    }

    #[test]
    fn a_folder_that_takes_nothing_is_left_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let none = folder.path().join("none");
        let error = Shard::write(&none, 0, &games(), Format::Compact, None).expect_err("no folder");
        assert!(error.to_string().contains("000000.games"), "{error}");
    }
}
