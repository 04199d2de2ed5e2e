//! Computes the statistics of datasets on all cores.

use std::sync::atomic::{AtomicU32, Ordering};

use super::{KeySample, Statistics};
use crate::data::dataset::{Dataset, DatasetError, read_games};
use crate::data::filter::Filter;
use crate::data::game_record::GameRecord;
use crate::data::shard::Shard;
use nullarbor_runs::Stop;

/// Computes the statistics of all games of some datasets. The result does not depend on the number of threads.
///
/// # Errors
/// If a shard is damaged (the first one is reported), or the user interrupts it.
pub fn read(
    datasets: &[Dataset],
    filter: Filter,
    threads: usize,
    quiet: bool,
    stop: &Stop,
) -> Result<Statistics, DatasetError> {
    let mut all = Statistics::new(filter);
    // The bits of the merged key sample: keys that it would drop need not be kept for a shard. The value hands nothing over and
    // may be read late, so it is relaxed.
    let bits = AtomicU32::new(0);
    let count = |_: &Dataset, _: &Shard, games: Vec<GameRecord>| {
        let keys = KeySample::with_bits(bits.load(Ordering::Relaxed));
        let mut statistics = Statistics::sampled(filter, keys);
        games.iter().for_each(|game| statistics.add(game));
        statistics
    };
    read_games(datasets, threads, quiet, stop, count, |part| {
        all.merge(&part);
        bits.store(all.keys.bits, Ordering::Relaxed);
    })?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::dataset::Provenance;
    use crate::data::game_record::Outcome;
    use crate::data::shard::Format;
    use nullarbor::board::Position;
    use nullarbor::types::Score;
    use std::fs;
    use std::path::Path;

    /// A dataset with two games in each shard: as many plies as the number of the shard, and one more.
    fn dataset(path: &Path) -> Dataset {
        let game = |plies: u64| {
            let start = Position::start();
            let (mut position, mut moves) = (start.clone(), Vec::new());
            for ply in 0..plies {
                let mv = position.legal_moves()[0];
                moves.push((mv, Score(ply as i32 * 10)));
                position = position.make(mv);
            }
            GameRecord { start, moves, outcome: Outcome::Draw }
        };
        let shard = |number| {
            let games = [game(number), game(number + 1)];
            Shard::write(path, number, &games, Format::Compact, None).expect("room")
        };
        let shards = (0..12).map(shard).collect();
        Dataset { path: path.to_owned(), provenance: Provenance::Merged(Vec::new()), shards }
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let path = tempfile::tempdir().expect("a directory");
        let datasets = [dataset(path.path())];
        let count = |threads| {
            let found = read(&datasets, Filter::default(), threads, true, &Stop::new());
            found.expect("undamaged")
        };
        let one = count(1);
        assert_eq!(one.counts, datasets[0].counts());
        assert_eq!(count(3), one);
        let stop = Stop::new();
        stop.request_stop();
        let error = read(&datasets, Filter::default(), 2, true, &stop).expect_err("interrupted");
        assert!(matches!(error, DatasetError::Interrupted(_)), "{error}");
    }

    #[test]
    fn the_first_damaged_shard_is_named() {
        let path = tempfile::tempdir().expect("a directory");
        let datasets = [dataset(path.path())];
        for number in [9, 4, 5] {
            fs::write(datasets[0].shards[number].path(path.path()), "no games").expect("room");
        }
        for threads in [1, 4] {
            let error = read(&datasets, Filter::default(), threads, true, &Stop::new());
            let error = error.expect_err("damaged").to_string();
            assert!(error.contains("000004.games"), "{error}");
        }
    }
}
