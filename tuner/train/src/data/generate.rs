//! Games for training on all cores, file by file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam::channel::Sender;
use nullarbor::engine::EngineError;
use nullarbor::eval::nnue::Network;
use nullarbor_openings::{Book, BookError, Opening};
use thiserror::Error;

use super::folder::{FolderError, Open, Source};
use super::player::SelfPlayer;
use super::record::Record;
use super::settings::Settings;
use super::shard::{Counts, Format, Origin, Shard};
use nullarbor_games::work::{Stop, crew};

/// Why games were not played, or not to their end.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum GenerateError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(
        "book {name} has {openings} openings, and each gives just one game: no more than that can be had from it"
    )]
    BookShort { name: String, openings: usize },
    #[error("no opening was found for game {number} in a thousand attempts: widen the window")]
    Barren { number: u64 },
}

/// What is told of games as they are played.
pub trait Watch {
    /// A game was played.
    fn played(&mut self, game: &Record);
}

/// A game that was played, or for which there was no opening.
struct Played {
    number: u64,
    game: Option<Record>,
}

/// Plays what is missing in a folder, evaluated by a network; says whether it is complete.
///
/// # Errors
/// Where something cannot be had. Files that were whole stay.
pub fn generate(
    settings: &Settings,
    network: &Arc<Network>,
    folder: &Path,
    workers: usize,
    stop: &Stop,
    watch: &mut impl Watch,
) -> Result<bool, GenerateError> {
    let book = openings(settings)?;
    let open = Open::at(folder, &Source::Played(settings.clone()))?;
    let player = || SelfPlayer::new(settings, &book, network);
    let mut players = (0..workers).map(|_| player()).collect::<Result<Vec<_>, _>>()?;
    if let (Some(player), Some(shard)) = (players.first_mut(), open.shards.values().next_back()) {
        plays_alike(player, settings, folder, shard)?;
    }
    let players = Mutex::new(players);
    let begin = || players.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let known: BTreeSet<u64> = open.shards.keys().copied().collect();
    let missing = (0..settings.shards()).filter(|shard| !known.contains(shard));
    let tasks = missing.flat_map(|shard| settings.games_of(shard));
    let work = |player: &mut Option<SelfPlayer<'_>>, number: u64, sender: &Sender<Played>| {
        let Some(player) = player else { return };
        // The receiver lives as long as the crew.
        let _ = sender.send(Played { number, game: player.play(number) });
    };
    let mut keeper = Keeper { settings, open, unfinished: BTreeMap::new(), error: None };
    crew::run(workers, tasks, stop, begin, work, |played| {
        if let Some(game) = &played.game {
            watch.played(game);
        }
        if let Err(error) = keeper.take(played) {
            keeper.error.get_or_insert(error);
            stop.ask();
        }
    });
    match keeper.error {
        Some(error) => Err(error),
        None => Ok(keeper.open.shards.len() as u64 == settings.shards()),
    }
}

/// The settings do not say all: the search and the files of books change.
fn plays_alike(
    player: &mut SelfPlayer<'_>,
    settings: &Settings,
    folder: &Path,
    shard: &Shard,
) -> Result<(), GenerateError> {
    let game = settings.games_of(shard.number).start;
    let known = shard.read(folder).map_err(FolderError::from)?;
    let played = player.play(game).map(|game| shard.format.kept(&game));
    if known.first() == played.as_ref() {
        return Ok(());
    }
    Err(FolderError::Otherwise { path: folder.to_owned(), game }.into())
}

fn openings(settings: &Settings) -> Result<Vec<Opening>, GenerateError> {
    let Some(name) = &settings.book else { return Ok(Vec::new()) };
    let mut book = Book::open(name, None)?;
    book.shuffle(settings.seed);
    if (book.openings.len() as u64) < settings.games {
        return Err(GenerateError::BookShort { name: name.clone(), openings: book.openings.len() });
    }
    Ok(book.openings)
}

/// Puts games into files, in the order of their numbers, and writes a file when it is full.
struct Keeper<'a> {
    settings: &'a Settings,
    open: Open,
    /// Games of each file that is not full, by number.
    unfinished: BTreeMap<u64, BTreeMap<u64, Record>>,
    error: Option<GenerateError>,
}

impl Keeper<'_> {
    fn take(&mut self, played: Played) -> Result<(), GenerateError> {
        let Played { number, game } = played;
        let game = game.ok_or(GenerateError::Barren { number })?;
        let shard = number / Settings::SHARD;
        let games = self.unfinished.entry(shard).or_default();
        games.insert(number, game);
        let range = self.settings.games_of(shard);
        if (games.len() as u64) < range.end - range.start {
            return Ok(());
        }
        let games: Vec<Record> =
            self.unfinished.remove(&shard).unwrap_or_default().into_values().collect();
        let origin = Some(Origin::played(self.settings, shard));
        let written = Shard::write(self.open.path(), shard, &games, Format::Compact, origin);
        Ok(self.open.note(written.map_err(FolderError::from)?)?)
    }
}

/// What a folder holds already of the games of some settings.
///
/// # Errors
/// Where its manifest is damaged.
pub fn known(folder: &Path) -> Result<Counts, FolderError> {
    match super::folder::Folder::read(folder) {
        Ok(folder) => Ok(folder.counts()),
        Err(FolderError::Empty { .. }) => Ok(Counts::default()),
        Err(error) => Err(error),
    }
}
