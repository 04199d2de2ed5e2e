//! Games for other programs, and games from them, in viriformat.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::folder::{Folder, FolderError, Import, Open, Source};
use super::record::Record;
use super::settings::Settings;
use super::shard::{Format, Origin, Shard};
use nullarbor_games::work::Stop;

/// Writes the games of a folder as viriformat into another one, file by file; those that it has already are not written again.
/// `done` is told of each file.
///
/// # Errors
/// Where a folder cannot be used, or the other one has other games.
pub fn export(
    folder: &Folder,
    out: &Path,
    stop: &Stop,
    mut done: impl FnMut(),
) -> Result<(), FolderError> {
    let mut open = Open::at(out, &folder.source)?;
    for shard in &folder.shards {
        if stop.is_finishing() {
            return Err(FolderError::Stopped);
        }
        match open.shards.get(&shard.number) {
            Some(known) if known.counts == shard.counts && known.format == Format::Viriformat => {}
            Some(_) => return Err(FolderError::Different { path: out.to_owned() }),
            None => {
                let games = shard.read(&folder.path)?;
                let origin = folder.origin(shard);
                let number = shard.number;
                open.note(Shard::write(out, number, &games, Format::Viriformat, origin)?)?;
            }
        }
        done();
    }
    Ok(())
}

/// Reads files of viriformat to their ends and says what they are. `done` is told of the bytes that were read.
///
/// # Errors
/// Where a file cannot be read, or a game of it is none or has an illegal move.
pub fn inspect(
    files: &[impl AsRef<Path>],
    stop: &Stop,
    mut done: impl FnMut(u64),
) -> Result<Vec<Import>, FolderError> {
    let inspect_file = |file: &_| {
        let mut games = Games::open(AsRef::<Path>::as_ref(file))?;
        while games.next(stop, &mut done)?.is_some() {}
        let crc32 = games.reader.get_ref().checksum.clone().finalize();
        Ok(Import { file: games.path.to_owned(), crc32, games: games.read })
    };
    files.iter().map(inspect_file).collect()
}

/// Writes the games of inspected files into a folder; those that it has already are not written again. `done` is told of the bytes
/// that were read.
///
/// # Errors
/// Where a file cannot be read or has changed, or the folder cannot be used or has other games.
pub fn import(
    files: Vec<Import>,
    out: &Path,
    stop: &Stop,
    mut done: impl FnMut(u64),
) -> Result<(), FolderError> {
    let source = Source::Imported(files);
    let mut open = Open::at(out, &source)?;
    let Source::Imported(files) = source else { return Ok(()) };
    let mut number = 0;
    for file in &files {
        let mut games = Games::open(&file.file)?;
        for first in (0..file.games).step_by(Settings::SHARD as usize) {
            let last = file.games.min(first + Settings::SHARD);
            let mut part = Vec::new();
            while games.read < last {
                let changed = || FolderError::Different { path: out.to_owned() };
                part.push(games.next(stop, &mut done)?.ok_or_else(changed)?);
            }
            if !open.shards.contains_key(&number) {
                let origin = Some(Origin { seed: file.crc32.into(), first });
                open.note(Shard::write(out, number, &part, Format::Compact, origin)?)?;
            }
            number += 1;
        }
    }
    Ok(())
}

/// The games of a file, one after the other.
struct Games<'a> {
    path: &'a Path,
    reader: BufReader<Summed>,
    /// How many were read.
    read: u64,
    /// Bytes that `done` was told of.
    told: u64,
}

impl<'a> Games<'a> {
    fn open(path: &'a Path) -> Result<Self, FolderError> {
        let file = File::open(path)
            .map_err(|source| FolderError::File { path: path.to_owned(), source })?;
        let summed = Summed { file, checksum: crc32fast::Hasher::new(), bytes: 0 };
        Ok(Self { path, reader: BufReader::with_capacity(1 << 16, summed), read: 0, told: 0 })
    }

    fn next(
        &mut self,
        stop: &Stop,
        done: &mut impl FnMut(u64),
    ) -> Result<Option<Record>, FolderError> {
        if stop.is_finishing() {
            return Err(FolderError::Stopped);
        }
        let (path, game) = (self.path.to_owned(), self.read + 1);
        let fails = |source| FolderError::Import { path, game, source };
        let record = Record::read(&mut self.reader).map_err(fails)?;
        self.read += u64::from(record.is_some());
        let bytes = self.reader.get_ref().bytes;
        done(bytes - self.told);
        self.told = bytes;
        Ok(record)
    }
}

/// A file with the checksum of what was read of it.
struct Summed {
    file: File,
    checksum: crc32fast::Hasher,
    bytes: u64,
}

impl Read for Summed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.checksum.update(&buffer[..read]);
        self.bytes += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nullarbor::board::Position;
    use nullarbor::types::Score;

    use super::*;
    use crate::data::record::Outcome;

    fn game(length: usize, score: i32) -> Record {
        let start = Position::start();
        let (mut position, mut moves) = (start.clone(), Vec::new());
        for ply in 0..length {
            let legal = position.legal_moves();
            let mv = legal[(7 * ply + length) % legal.len()];
            moves.push((mv, Score(score)));
            position = position.make(mv);
        }
        Record { start, moves, outcome: Outcome::Draw }
    }

    fn file(path: &Path, games: &[Record]) -> Vec<u8> {
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.write(&mut bytes).expect("memory takes it"));
        fs::write(path, &bytes).expect("room");
        bytes
    }

    fn games(folder: &Folder) -> Vec<Record> {
        folder.shards.iter().flat_map(|it| it.read(&folder.path).expect("games")).collect()
    }

    #[test]
    fn games_come_in_and_go_out_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let (stop, mut told) = (Stop::new(), 0);
        let all: Vec<Record> = (0..600).map(|number| game(number % 40, number as i32)).collect();
        let bytes = file(&at("a.vf"), &all[..580]).len() + file(&at("b.vf"), &all[580..]).len();
        let files = [at("a.vf"), at("b.vf")];
        for _again in 0..2 {
            let found = inspect(&files, &stop, |bytes| told += bytes).expect("games");
            import(found, &at("in"), &stop, |bytes| told += bytes).expect("room");
        }
        assert_eq!(told, 4 * bytes as u64);
        let imported = Folder::read(&at("in")).expect("a folder");
        let firsts: Vec<u64> =
            imported.shards.iter().filter_map(|it| it.origin).map(|it| it.first).collect();
        assert_eq!(firsts, [0, 512, 0]);
        let kept: Vec<Record> = all.iter().map(|game| Format::Compact.kept(game)).collect();
        assert_eq!(games(&imported), kept);
        for _again in 0..2 {
            export(&imported, &at("out"), &stop, || ()).expect("room");
        }
        let exported = Folder::read(&at("out")).expect("a folder");
        assert!(exported.shards.iter().all(|shard| shard.format == Format::Viriformat));
        assert_eq!(games(&exported), kept);
        assert_eq!(exported.shards[1].origin, imported.shards[1].origin);
    }

    #[test]
    fn what_is_no_viriformat_is_named_and_nothing_is_imported() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.vf");
        let whole = file(&path, &[game(30, 5), game(30, 6)]);
        let length = whole.len() / 2;
        let inspected = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("room");
            inspect(std::slice::from_ref(&path), &Stop::new(), |_| ())
        };
        for cut in length + 1..whole.len() {
            let error = inspected(&whole[..cut]).expect_err("cut").to_string();
            assert!(error.contains("a.vf, game 2: "), "{error}");
        }
        // Flipped bits of scores cannot be seen; no flipped bit may make it panic.
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
