//! A folder of games: files, and a manifest that says which of them are whole.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::record::RecordError;
use super::settings::Settings;
use super::shard::{Counts, Origin, Shard, ShardError};
use nullarbor_games::journal::{Journal, JournalError, Kind};
use nullarbor_games::work::Stop;

const GAMES: Kind = Kind { key: "nullarbor_games", name: "set of games" };
const MANIFEST: &str = "manifest.jsonl";

/// Where the games of a folder come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// They were played.
    Played(Settings),
    /// They were put together.
    Merged(Vec<Source>),
    /// They come from files of other programs.
    Imported(Vec<Import>),
}

/// A file from which games were imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// Its path, as it was given.
    pub file: PathBuf,
    /// CRC-32 of all of it.
    pub crc32: u32,
    /// How many games it has.
    pub games: u64,
}

/// Why a folder of games cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum FolderError {
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Shard(#[from] ShardError),
    #[error("{path} holds no games: `datagen --out {path}` makes some", path = path.display())]
    Empty { path: PathBuf },
    #[error("{path} holds games of other settings, or has files from before there were more; use another folder", path = path.display())]
    Different { path: PathBuf },
    #[error("{path} holds games of another engine or book: this one plays game {game} otherwise; use another folder", path = path.display())]
    Otherwise { path: PathBuf, game: u64 },
    #[error("{path}, game {game}: {source}; nothing was imported", path = path.display())]
    Import { path: PathBuf, game: u64, source: RecordError },
    #[error("interrupted")]
    Stopped,
}

/// A folder that is read.
#[derive(Clone, Debug)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    /// Where its games come from.
    pub source: Source,
    /// Its files, by number.
    pub shards: Vec<Shard>,
}

impl Folder {
    /// Reads the manifest.
    ///
    /// # Errors
    /// Where there is none, or it is damaged.
    pub fn read(path: &Path) -> Result<Self, FolderError> {
        let manifest = path.join(MANIFEST);
        let empty = || FolderError::Empty { path: path.to_owned() };
        if !manifest.is_file() {
            return Err(empty());
        }
        let (source, shards) = Journal::read(GAMES, &manifest)?;
        let shards = by_number(shards).into_values().collect();
        Ok(Self { path: path.to_owned(), source: source.ok_or_else(empty)?, shards })
    }

    /// Which games a file of it holds, where that is known.
    pub fn origin(&self, shard: &Shard) -> Option<Origin> {
        match &self.source {
            _ if shard.origin.is_some() => shard.origin,
            Source::Played(settings) => Some(Origin::played(settings, shard.number)),
            _ => None,
        }
    }

    /// What all its files hold.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.shards.iter().for_each(|shard| counts.merge(&shard.counts));
        counts
    }

    /// Bytes of all its files.
    pub fn bytes(&self) -> u64 {
        self.shards.iter().map(|shard| shard.bytes).sum()
    }
}

/// A file that was lost and played again has two entries; the last one holds.
fn by_number(shards: Vec<Shard>) -> BTreeMap<u64, Shard> {
    shards.into_iter().map(|shard| (shard.number, shard)).collect()
}

/// A folder that games are added to.
#[derive(Debug)]
pub struct Open {
    path: PathBuf,
    journal: Journal,
    /// Files that are there, by number.
    pub shards: BTreeMap<u64, Shard>,
}

impl Open {
    /// Opens a folder for the games of a source, or makes it.
    ///
    /// # Errors
    /// Where it cannot be had, or holds games of another source.
    pub fn at(path: &Path, source: &Source) -> Result<Self, FolderError> {
        fs::create_dir_all(path)
            .map_err(|source| FolderError::File { path: path.to_owned(), source })?;
        let opened = Journal::open::<Source, Shard>(GAMES, &path.join(MANIFEST))?;
        if opened.subject.is_some_and(|then| then != *source) {
            return Err(FolderError::Different { path: path.to_owned() });
        }
        let mut shards = by_number(opened.pieces);
        shards.retain(|_, shard| shard.is_there(path));
        let mut journal = opened.journal;
        journal.begin(source)?;
        Ok(Self { path: path.to_owned(), journal, shards })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notes a file that is whole.
    ///
    /// # Errors
    /// Where the disk does not take it.
    pub fn note(&mut self, shard: Shard) -> Result<(), FolderError> {
        self.journal.add(&shard)?;
        self.journal.sync()?;
        self.shards.insert(shard.number, shard);
        Ok(())
    }
}

/// Puts the games of some folders into one; those that it has already are not copied again.
///
/// # Errors
/// Where a folder cannot be used, or has other files than when the same was begun.
pub fn merge(
    out: &Path,
    folders: &[Folder],
    stop: &Stop,
    mut done: impl FnMut(),
) -> Result<(), FolderError> {
    let sources = folders.iter().map(|folder| folder.source.clone()).collect();
    let mut open = Open::at(out, &Source::Merged(sources))?;
    let all = folders.iter().flat_map(|folder| folder.shards.iter().map(move |it| (folder, it)));
    for (number, (folder, shard)) in (0..).zip(all) {
        if stop.is_finishing() {
            return Err(FolderError::Stopped);
        }
        match open.shards.get(&number) {
            Some(known) if known.crc32 == shard.crc32 && known.bytes == shard.bytes => (),
            Some(_) => return Err(FolderError::Different { path: out.to_owned() }),
            None => {
                let adopted = shard.adopt(&folder.path, out, number)?;
                open.note(Shard { origin: folder.origin(shard), ..adopted })?;
            }
        }
        done();
    }
    Ok(())
}
