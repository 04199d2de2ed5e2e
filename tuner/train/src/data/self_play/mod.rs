//! Self-play on all cores, shard by shard.

pub mod player;
pub mod progress;
pub mod settings;

use std::path::Path;
use std::sync::Arc;

use nullarbor::engine::EngineError;
use nullarbor::eval::nnue::Network;
use nullarbor_openings::{Book, BookError, Opening};
use thiserror::Error;

use crate::data::dataset::{Dataset, DatasetError, DatasetWriter, Provenance};
use crate::data::game_record::GameRecord;
use crate::data::shard::{Counts, Format, GameId, Shard, ShardError};
use nullarbor_games::work::{Interrupted, Pool, Stop};
use player::SelfPlayer;
use settings::SelfPlaySettings;

/// Why self-play failed.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum SelfPlayError {
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Shard(#[from] ShardError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error("book {name} has {openings} openings, and each begins one game: ask for fewer games")]
    BookShort { name: String, openings: usize },
    #[error("no opening was found for game {number} in a thousand attempts: widen the window")]
    NoOpening { number: u64 },
    #[error("interrupted; re-run the same command to resume")]
    Interrupted(#[from] Interrupted),
}

/// Plays the games that are missing in a dataset, evaluated by `network`, on `threads` threads. Calls `played` with each game, in
/// the order of their numbers.
///
/// # Errors
/// If a file, a book or the memory for an engine is not available, or the user interrupts it. Complete shards stay.
pub fn run(
    settings: &SelfPlaySettings,
    network: &Arc<Network>,
    directory: &Path,
    threads: usize,
    stop: &Stop,
    mut played: impl FnMut(&GameRecord),
) -> Result<(), SelfPlayError> {
    let book = openings(settings)?;
    let mut writer = DatasetWriter::open(directory, &Provenance::Played(settings.clone()))?;
    let mut player = SelfPlayer::new(settings, &book, network)?;
    if let Some(shard) = writer.shards.values().next_back() {
        check_engine(&mut player, settings, directory, shard)?;
    }
    let others = (1..threads).map(|_| SelfPlayer::new(settings, &book, network));
    let players = std::iter::once(Ok(player)).chain(others).collect::<Result<Vec<_>, _>>()?;
    let missing: Vec<u64> =
        (0..settings.shards()).filter(|shard| !writer.shards.contains_key(shard)).collect();
    let tasks = missing.into_iter().flat_map(|shard| settings.games_of(shard));
    let play = |player: &mut SelfPlayer<'_>, number| {
        let game = player.play(number).ok_or(SelfPlayError::NoOpening { number })?;
        Ok((number, game))
    };
    let mut games = Vec::new();
    Pool::new(players).run(stop, tasks, play, |_, (number, game)| {
        played(&game);
        games.push(game);
        let shard = number / SelfPlaySettings::SHARD;
        if number + 1 == settings.games_of(shard).end {
            let first = Some(GameId::played(settings, shard));
            writer.add(Shard::write(&writer.path, shard, &games, Format::Compact, first)?)?;
            games.clear();
        }
        Ok(())
    })
}

/// Replays a game of an existing shard: the search or the book may have changed, which the settings do not record.
fn check_engine(
    player: &mut SelfPlayer<'_>,
    settings: &SelfPlaySettings,
    directory: &Path,
    shard: &Shard,
) -> Result<(), SelfPlayError> {
    let game = settings.games_of(shard.number).start;
    let recorded = shard.read(directory)?;
    let replayed = player.play(game).map(|game| shard.format.stored(&game));
    if recorded.first() == replayed.as_ref() {
        return Ok(());
    }
    Err(DatasetError::OtherEngine { path: directory.to_owned(), game }.into())
}

fn openings(settings: &SelfPlaySettings) -> Result<Vec<Opening>, SelfPlayError> {
    let Some(name) = &settings.book else { return Ok(Vec::new()) };
    let mut book = Book::open(name, None)?;
    book.shuffle(settings.seed);
    if (book.openings.len() as u64) < settings.games {
        return Err(SelfPlayError::BookShort { name: name.clone(), openings: book.openings.len() });
    }
    Ok(book.openings)
}

/// Returns the counts of the games that a directory already has.
///
/// # Errors
/// If its manifest is damaged.
pub fn existing(directory: &Path) -> Result<Counts, DatasetError> {
    match Dataset::open(directory) {
        Ok(dataset) => Ok(dataset.counts()),
        Err(DatasetError::Empty { .. }) => Ok(Counts::default()),
        Err(error) => Err(error),
    }
}
