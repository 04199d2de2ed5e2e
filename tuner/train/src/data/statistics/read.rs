//! The statistics of whole folders, on all cores.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crossbeam::channel::Sender;

use super::{KeySample, Statistics};
use crate::data::filter::Filter;
use crate::data::folder::Folder;
use crate::data::shard::{Shard, ShardError};
use nullarbor_games::work::{Stop, crew};

/// Counts all games of some folders, on so many threads; `done` is called after each file. `None` where it was stopped. The result
/// does not depend on the number of threads.
///
/// # Errors
/// Where a file is not what its manifest says: the first one of them.
pub fn read(
    folders: &[Folder],
    filter: Filter,
    threads: usize,
    stop: &Stop,
    mut done: impl FnMut(),
) -> Result<Option<Statistics>, ShardError> {
    let shards: Vec<(&Folder, &Shard)> = folders
        .iter()
        .flat_map(|folder| folder.shards.iter().map(move |shard| (folder, shard)))
        .collect();
    // What the sample of keys has grown to: a file need not hold keys that would be dropped. Like the word that a file is
    // damaged it hands nothing over and may be seen late, so it is relaxed.
    let (bits, failed) = (AtomicU32::new(0), AtomicBool::new(false));
    let work = |_: &mut (), number: usize, sender: &Sender<_>| {
        let (folder, shard) = shards[number];
        let counted = shard.read(&folder.path).map(|games| {
            let keys = KeySample::after(bits.load(Ordering::Relaxed));
            let mut statistics = Statistics::sampled(filter, keys);
            games.iter().for_each(|game| statistics.add(game));
            statistics
        });
        failed.fetch_or(counted.is_err(), Ordering::Relaxed);
        // The receiver outlives all workers.
        let _ = sender.send((number, counted));
    };
    let (mut all, mut counted) = (Statistics::new(filter), 0);
    let mut first: Option<(usize, ShardError)> = None;
    crew::run(
        threads,
        // Files are begun in their order, so those before the first damaged one are read whatever happens.
        (0..shards.len()).take_while(|_| !failed.load(Ordering::Relaxed)),
        stop,
        || (),
        work,
        |(number, part)| {
            match part {
                Ok(part) => {
                    all.merge(&part);
                    bits.store(all.keys.bits(), Ordering::Relaxed);
                    counted += 1;
                }
                Err(error) if first.as_ref().is_none_or(|(before, _)| number < *before) => {
                    first = Some((number, error));
                }
                Err(_) => (),
            }
            done();
        },
    );
    match first {
        Some((_, error)) => Err(error),
        None => Ok((counted == shards.len()).then_some(all)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::folder::Source;
    use crate::data::record::{Outcome, Record};
    use crate::data::shard::Format;
    use nullarbor::board::Position;
    use nullarbor::types::Score;
    use std::fs;
    use std::path::Path;

    /// Two games a file, of as many plies as its number says, and one more.
    fn folder(path: &Path) -> Folder {
        let game = |plies: u64| {
            let start = Position::start();
            let (mut position, mut moves) = (start.clone(), Vec::new());
            for ply in 0..plies {
                let mv = position.legal_moves()[0];
                moves.push((mv, Score(ply as i32 * 10)));
                position = position.make(mv);
            }
            Record { start, moves, outcome: Outcome::Draw }
        };
        let shard = |number| {
            let games = [game(number), game(number + 1)];
            Shard::write(path, number, &games, Format::Compact, None).expect("room")
        };
        let shards = (0..12).map(shard).collect();
        Folder { path: path.to_owned(), source: Source::Merged(Vec::new()), shards }
    }

    #[test]
    fn threads_change_nothing() {
        let path = tempfile::tempdir().expect("a folder");
        let folders = [folder(path.path())];
        let count = |threads| {
            let mut files = 0;
            let found = read(&folders, Filter::default(), threads, &Stop::new(), || files += 1);
            assert_eq!(files, 12);
            found.expect("whole").expect("not stopped")
        };
        let one = count(1);
        assert_eq!(one.counts, folders[0].counts());
        assert_eq!(count(3), one);
        let stop = Stop::new();
        stop.ask();
        assert_eq!(read(&folders, Filter::default(), 2, &stop, || ()).expect("whole"), None);
    }

    #[test]
    fn the_first_damaged_file_is_named() {
        let path = tempfile::tempdir().expect("a folder");
        let folders = [folder(path.path())];
        for number in [9, 4, 5] {
            fs::write(folders[0].shards[number].path(path.path()), "no games").expect("room");
        }
        for threads in [1, 4] {
            let error = read(&folders, Filter::default(), threads, &Stop::new(), || ());
            let error = error.expect_err("damaged").to_string();
            assert!(error.contains("000004.games"), "{error}");
        }
    }
}
