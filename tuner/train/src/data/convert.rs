//! Imports and exports games of other programs, as viriformat.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;

use super::dataset::{
    Dataset, DatasetError, DatasetWriter, ImportedFile, Provenance, for_each_shard, other_input,
};
use super::game_record::GameRecord;
use super::settings::SelfPlaySettings;
use super::shard::{Format, GameId, Shard};
use nullarbor_report::terminal;
use nullarbor_runs::Stop;
use nullarbor_runs::files::open;

/// Writes a dataset as viriformat into another folder, shard by shard; shards that it already has are not written again.
///
/// # Errors
/// If a dataset cannot be used, or the folder has other games.
pub fn export(dataset: &Dataset, out: &Path, quiet: bool, stop: &Stop) -> Result<(), DatasetError> {
    let mut writer = DatasetWriter::open(out, &dataset.provenance)?;
    for_each_shard(std::slice::from_ref(dataset), quiet, stop, |_, dataset, shard| {
        let number = shard.number;
        match writer.shards.get(&number) {
            Some(copy) if copy.counts == shard.counts && copy.format == Format::Viriformat => {
                Ok(())
            }
            Some(_) => Err(other_input(out, &shard.path(&dataset.path))),
            None => {
                let games = shard.read(&dataset.path)?;
                let first = dataset.first_game(shard);
                writer.add(Shard::write(out, number, &games, Format::Viriformat, first)?)
            }
        }
    })
}

/// Imports the games of files of viriformat into a dataset; shards that it already has are not written again. All files are
/// validated first.
///
/// # Errors
/// If a file cannot be read, or has an invalid game or an illegal move, or the dataset cannot be used or has other games.
pub fn import(files: &[PathBuf], out: &Path, quiet: bool, stop: &Stop) -> Result<(), DatasetError> {
    let bytes = |file: &PathBuf| file.metadata().map_or(0, |file| file.len());
    // Each file is read twice.
    let bytes = 2 * files.iter().map(bytes).sum::<u64>();
    terminal::with_bar(bytes, "bytes", quiet, |bar| {
        let inspected = files.iter().map(|file| inspect(file, bar, stop));
        write_imported(inspected.collect::<Result<_, _>>()?, out, bar, stop)
    })
}

/// Validates every game of a file and returns what identifies the file.
fn inspect(file: &Path, bar: &ProgressBar, stop: &Stop) -> Result<ImportedFile, DatasetError> {
    let mut games = GameReader::open(file, bar)?;
    while games.next(stop)?.is_some() {}
    let crc32 = games.reader.get_ref().checksum.clone().finalize();
    Ok(ImportedFile { file: file.to_owned(), crc32, games: games.read })
}

fn write_imported(
    files: Vec<ImportedFile>,
    out: &Path,
    bar: &ProgressBar,
    stop: &Stop,
) -> Result<(), DatasetError> {
    let mut writer = DatasetWriter::open(out, &Provenance::Imported(files.clone()))?;
    let mut shard = 0;
    for file in &files {
        let mut games = GameReader::open(&file.file, bar)?;
        for first in (0..file.games).step_by(SelfPlaySettings::SHARD as usize) {
            let last = file.games.min(first + SelfPlaySettings::SHARD);
            let mut part = Vec::new();
            while games.read < last {
                let changed = || other_input(out, &file.file);
                part.push(games.next(stop)?.ok_or_else(changed)?);
            }
            if !writer.shards.contains_key(&shard) {
                let first = Some(GameId { seed: file.crc32.into(), number: first });
                writer.add(Shard::write(out, shard, &part, Format::Compact, first)?)?;
            }
            shard += 1;
        }
    }
    Ok(())
}

/// Reads the games of a file of viriformat.
struct GameReader<'a> {
    path: &'a Path,
    reader: BufReader<ChecksumReader<'a>>,
    /// Games read so far.
    read: u64,
}

impl<'a> GameReader<'a> {
    fn open(path: &'a Path, bar: &'a ProgressBar) -> Result<Self, DatasetError> {
        let file = open(path)?;
        let reader = ChecksumReader { file, checksum: crc32fast::Hasher::new(), bar };
        Ok(Self { path, reader: BufReader::with_capacity(1 << 16, reader), read: 0 })
    }

    fn next(&mut self, stop: &Stop) -> Result<Option<GameRecord>, DatasetError> {
        stop.check()?;
        let (path, game) = (self.path.to_owned(), self.read + 1);
        let failed = |source| DatasetError::Import { path, game, source };
        let record = GameRecord::read(&mut self.reader).map_err(failed)?;
        self.read += u64::from(record.is_some());
        Ok(record)
    }
}

/// Computes the CRC-32 of a file while it is read.
struct ChecksumReader<'a> {
    file: File,
    checksum: crc32fast::Hasher,
    bar: &'a ProgressBar,
}

impl Read for ChecksumReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.checksum.update(&buffer[..read]);
        self.bar.inc(read as u64);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nullarbor::board::Position;
    use nullarbor::types::Score;

    use super::*;
    use crate::data::game_record::Outcome;

    fn game(length: usize, score: i32) -> GameRecord {
        let start = Position::start();
        let (mut position, mut moves) = (start.clone(), Vec::new());
        for ply in 0..length {
            let legal = position.legal_moves();
            let mv = legal[(7 * ply + length) % legal.len()];
            moves.push((mv, Score(score)));
            position = position.make(mv);
        }
        GameRecord { start, moves, outcome: Outcome::Draw }
    }

    fn file(path: &Path, games: &[GameRecord]) -> Vec<u8> {
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.write(&mut bytes).expect("written to memory"));
        fs::write(path, &bytes).expect("room");
        bytes
    }

    fn games(dataset: &Dataset) -> Vec<GameRecord> {
        dataset.shards.iter().flat_map(|it| it.read(&dataset.path).expect("games")).collect()
    }

    #[test]
    fn imported_games_can_be_exported() {
        let directory = tempfile::tempdir().expect("a directory");
        let at = |name: &str| directory.path().join(name);
        let stop = Stop::new();
        let all: Vec<GameRecord> =
            (0..600).map(|number| game(number % 40, number as i32)).collect();
        file(&at("a.vf"), &all[..580]);
        file(&at("b.vf"), &all[580..]);
        let files = [at("a.vf"), at("b.vf")];
        for _again in 0..2 {
            import(&files, &at("in"), true, &stop).expect("room");
        }
        let imported = Dataset::open(&at("in")).expect("a directory");
        let firsts: Vec<u64> =
            imported.shards.iter().filter_map(|it| it.first_game).map(|it| it.number).collect();
        assert_eq!(firsts, [0, 512, 0]);
        let kept: Vec<GameRecord> = all.iter().map(|game| Format::Compact.stored(game)).collect();
        assert_eq!(games(&imported), kept);
        for _again in 0..2 {
            export(&imported, &at("out"), true, &stop).expect("room");
        }
        let exported = Dataset::open(&at("out")).expect("a directory");
        assert!(exported.shards.iter().all(|shard| shard.format == Format::Viriformat));
        assert_eq!(games(&exported), kept);
        assert_eq!(exported.shards[1].first_game, imported.shards[1].first_game);
    }

    #[test]
    fn an_invalid_file_is_named_and_nothing_is_imported() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.vf");
        let whole = file(&path, &[game(30, 5), game(30, 6)]);
        let length = whole.len() / 2;
        let inspected = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("room");
            inspect(&path, &ProgressBar::hidden(), &Stop::new())
        };
        for cut in length + 1..whole.len() {
            let error = inspected(&whole[..cut]).expect_err("truncated").to_string();
            assert!(error.contains("a.vf, game 2: "), "{error}");
        }
        // Flipped bits of scores go unnoticed; none may cause a panic.
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let _ = inspected(&bytes);
        }
        let mut illegal = whole.clone();
        illegal[length + 32] ^= 1;
        let error = inspected(&illegal).expect_err("illegal").to_string();
        assert!(error.contains("a.vf, game 2: ") && error.contains("nothing was"), "{error}");
    }
}
