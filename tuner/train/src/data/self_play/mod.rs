//! Self-play on all cores, shard by shard.

mod collector;
mod evaluation;
mod job;
pub mod partial;
pub mod player;
pub mod progress;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use nullarbor::engine::EngineError;
use nullarbor_openings::{Book, BookError, Opening};
use thiserror::Error;

use crate::data::compact;
use crate::data::dataset::{Dataset, DatasetError, DatasetWriter, Provenance};
use crate::data::game_record::GameRecord;
use crate::data::settings::SelfPlaySettings;
use crate::data::shard::{Counts, Format, ShardError};
use collector::Collector;
pub use evaluation::Evaluation;
use job::{Games, PlayedGame};
use nullarbor_games::tablebases::TableRule;
use nullarbor_runs::{Interrupted, JobKind, Portable, RemoteError, Stop, Workers};
use partial::PartialShards;
use player::SelfPlayer;

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
    #[error("book {name} has {openings} openings, one for each game: ask for fewer games")]
    BookShort { name: String, openings: usize },
    #[error("no opening was found for game {number} in a thousand attempts: raise --window")]
    NoOpening { number: u64 },
    #[error("there is no game {number}")]
    NoGame { number: u64 },
    #[error(transparent)]
    Remote(#[from] RemoteError),
    #[error("interrupted; re-run the same command to resume")]
    Interrupted(#[from] Interrupted),
}

/// The games as work for other machines.
pub const KIND: JobKind = JobKind::of::<Games>();

/// Plays the games that are missing in a dataset, evaluated by a network. Calls `played` with each new game,
/// in the order of their numbers; if it breaks off, the game is the last one of the dataset.
///
/// # Errors
/// If a file, a book or the memory for an engine is not available, or the user interrupts it. Finished games stay.
pub fn run(
    settings: &SelfPlaySettings,
    evaluation: &Evaluation,
    tables: Option<TableRule>,
    directory: &Path,
    workers: &Workers,
    stop: &Stop,
    played: impl FnMut(&GameRecord) -> ControlFlow<()>,
) -> Result<(), SelfPlayError> {
    let book = openings(settings)?;
    let writer = DatasetWriter::open(directory, &Provenance::Played(settings.clone()))?;
    let (partial, known) = PartialShards::open(directory)?;
    let games = Games { settings: settings.clone(), book, evaluation: evaluation.clone(), tables };
    check_engine(&mut games.worker()?, settings, &writer, &known)?;
    let complete: BTreeSet<u64> = writer.shards.keys().copied().collect();
    let missing = || {
        let shards = (0..settings.shards()).filter(|shard| !complete.contains(shard));
        shards.flat_map(|shard| settings.games_of(shard))
    };
    let known_numbers: BTreeSet<u64> = known.keys().copied().collect();
    let tasks = missing().filter(|number| !known_numbers.contains(number));
    let mut collector = Collector::new(settings, writer, partial, known, missing(), played);
    if collector.count()?.is_continue() {
        let take = |_, PlayedGame { number, game }| collector.take(number, game);
        workers.run_unordered(&games, Some(directory), stop, tasks, |_| {}, take)?;
    }
    Ok(collector.partial.remove_all()?)
}

/// Returns the counts of the games that a folder already has, in complete shards or not.
///
/// # Errors
/// If its manifest is damaged.
pub fn existing(directory: &Path) -> Result<Counts, DatasetError> {
    let mut counts = match Dataset::open(directory) {
        Ok(dataset) => dataset.counts(),
        Err(DatasetError::Empty { .. }) => Counts::default(),
        Err(error) => return Err(error),
    };
    partial::games(directory)?.values().for_each(|game| counts.add(&compact::stored(game)));
    Ok(counts)
}

/// Replays a known game: the search or the book may have changed, which the settings do not record.
fn check_engine(
    player: &mut SelfPlayer<'_>,
    settings: &SelfPlaySettings,
    writer: &DatasetWriter,
    partial: &BTreeMap<u64, GameRecord>,
) -> Result<(), SelfPlayError> {
    let (number, recorded) = if let Some(shard) = writer.shards.values().next_back() {
        let first = shard.read(&writer.path)?.into_iter().next();
        (settings.games_of(shard.number).start, first)
    } else if let Some((&number, game)) = partial.first_key_value() {
        (number, Some(Format::Compact.stored(game)))
    } else {
        return Ok(());
    };
    let replayed = player.play(number).map(|game| Format::Compact.stored(&game));
    if recorded == replayed {
        return Ok(());
    }
    Err(DatasetError::OtherEngine { path: writer.path.clone(), game: number }.into())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_that_breaks_off_is_the_last_one() {
        let settings = SelfPlaySettings { nodes: 20, ..SelfPlaySettings::default() };
        let evaluation = Evaluation::open(None).expect("built in");
        let folder = tempfile::tempdir().expect("a directory");
        let mut played = Vec::new();
        let few = |game: &GameRecord| {
            played.push(game.clone());
            if played.len() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let (workers, stop) = (Workers::Threads(2), Stop::new());
        run(&settings, &evaluation, None, folder.path(), &workers, &stop, few).expect("games");
        let dataset = Dataset::open(folder.path()).expect("a dataset");
        let games = dataset.shards[0].read(folder.path()).expect("games");
        assert_eq!(games, played.iter().map(compact::stored).collect::<Vec<_>>());
        assert_eq!((dataset.shards.len(), games.len()), (1, 3));
    }
}
