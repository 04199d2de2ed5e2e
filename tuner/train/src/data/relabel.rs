//! Relabels a dataset: its positions are searched again, by another network or with more nodes. The games stay.

use std::path::Path;

use nullarbor::board::Game;
use nullarbor::engine::Engine;
use nullarbor::types::Score;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::dataset::{Dataset, DatasetError, DatasetWriter, Provenance, other_input};
use super::filter::Filter;
use super::game_record::GameRecord;
use super::self_play::player::search;
use super::self_play::{Evaluation, SelfPlayError};
use super::settings::RelabelSettings;
use super::shard::{Counts, Format, GameId, Shard};
use nullarbor_report::terminal;
use nullarbor_runs::{Pool, Stop};

/// Searches the positions that the default filter keeps, and writes the games with the new scores into another folder, shard by
/// shard; shards that it already has are not searched again. Positions whose best move is now a capture or promotion have no
/// score.
///
/// # Errors
/// If a dataset or the memory for an engine is not available, the folder has other games or scores of another engine, or the user
/// interrupts it. Complete shards stay.
pub fn run(
    dataset: &Dataset,
    settings: &RelabelSettings,
    evaluation: &Evaluation,
    out: &Path,
    threads: usize,
    quiet: bool,
    stop: &Stop,
) -> Result<(), SelfPlayError> {
    let of = Box::new(dataset.provenance.clone());
    let provenance = Provenance::Relabelled { settings: settings.clone(), of };
    let mut writer = DatasetWriter::open(out, &provenance)?;
    check_source(dataset, &writer)?;
    check_engine(dataset, settings, evaluation, &writer)?;
    let missing: Vec<&Shard> =
        dataset.shards.iter().filter(|shard| !writer.shards.contains_key(&shard.number)).collect();
    let games = missing.iter().map(|shard| shard.counts.games).sum();
    let mut pool = Pool::build(threads, || Relabeller::new(settings, evaluation))?;
    terminal::with_bar(games, "games", quiet, |bar| {
        let relabel = |relabeller: &mut Relabeller<'_>, shard: &Shard| {
            let games = shard.read(&dataset.path)?;
            let first = dataset.identity(shard);
            let mut relabelled = Vec::with_capacity(games.len());
            for (number, game) in (first.number..).zip(&games) {
                stop.check()?;
                relabelled.push(relabeller.relabel(game, GameId { number, ..first }));
                bar.inc(1);
            }
            let first = dataset.first_game(shard);
            Ok(Shard::write(out, shard.number, &relabelled, Format::Compact, first)?)
        };
        pool.run(stop, missing, relabel, |_, shard| Ok(writer.add(shard)?))
    })
}

/// Compares the shards that exist already with those of the dataset now: searches change neither games nor results.
fn check_source(dataset: &Dataset, writer: &DatasetWriter) -> Result<(), DatasetError> {
    let counts = |shard: &Shard| Counts { kept: 0, ..shard.counts };
    for copy in writer.shards.values() {
        let source = source_of(copy, dataset);
        let is_same = source.is_some_and(|source| {
            let first = copy.first_game.or(dataset.first_game(source));
            counts(source) == counts(copy) && dataset.first_game(source) == first
        });
        if !is_same {
            return Err(other_input(&writer.path, &source.unwrap_or(copy).path(&dataset.path)));
        }
    }
    Ok(())
}

fn source_of<'a>(copy: &Shard, dataset: &'a Dataset) -> Option<&'a Shard> {
    dataset.shards.iter().find(|shard| shard.number == copy.number)
}

/// Searches a game of the last shard again: the search may have changed, which the settings do not record.
fn check_engine(
    dataset: &Dataset,
    settings: &RelabelSettings,
    evaluation: &Evaluation,
    writer: &DatasetWriter,
) -> Result<(), SelfPlayError> {
    let Some(copy) = writer.shards.values().next_back() else { return Ok(()) };
    let Some(source) = source_of(copy, dataset) else { return Ok(()) };
    let (known, games) = (copy.read(&writer.path)?, source.read(&dataset.path)?);
    let scores = |game: &GameRecord| game.moves.iter().filter(|(_, score)| score.is_some()).count();
    let first = dataset.identity(source);
    let numbered = (first.number..).zip(known.iter().zip(&games));
    // Most of its positions may not have been drawn.
    let Some((number, (known, game))) = numbered.max_by_key(|&(_, (known, _))| scores(known))
    else {
        return Ok(());
    };
    let relabelled =
        Relabeller::new(settings, evaluation)?.relabel(game, GameId { number, ..first });
    if Format::Compact.stored(&relabelled) == *known {
        return Ok(());
    }
    Err(DatasetError::OtherScores { path: writer.path.clone(), game: number }.into())
}

const FILTER: Filter = Filter::DEFAULT;

/// Searches positions of games.
struct Relabeller<'a> {
    settings: &'a RelabelSettings,
    engine: Engine,
}

impl<'a> Relabeller<'a> {
    fn new(settings: &'a RelabelSettings, evaluation: &Evaluation) -> Result<Self, SelfPlayError> {
        Ok(Self { settings, engine: evaluation.engine()? })
    }

    /// Returns the game with new scores. They depend on the game and its identity alone.
    fn relabel(&mut self, record: &GameRecord, id: GameId) -> GameRecord {
        let mut rng = ChaCha8Rng::seed_from_u64(id.seed);
        rng.set_stream(id.number);
        self.engine.new_game();
        let mut game = Game::new(record.start.clone());
        let mut moves = Vec::with_capacity(record.moves.len());
        for (ply, &(mv, score)) in record.moves.iter().enumerate() {
            let is_drawn = rng.random_range(0..100) < self.settings.share;
            let is_kept = is_drawn && FILTER.keeps(ply, game.position(), mv, score);
            moves.push((mv, if is_kept { self.label(&game, ply) } else { Score::NONE }));
            game.play(mv);
        }
        GameRecord { moves, ..record.clone() }
    }

    fn label(&mut self, game: &Game, ply: usize) -> Score {
        let found = search(&mut self.engine, game, self.settings.nodes);
        let quiet = found.filter(|&(best, score)| FILTER.keeps(ply, game.position(), best, score));
        quiet.map_or(Score::NONE, |(_, score)| score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::self_play::player::SelfPlayer;
    use crate::data::settings::SelfPlaySettings;

    #[test]
    fn kept_positions_get_new_scores_and_the_others_none() {
        let settings = SelfPlaySettings { nodes: 60, ..SelfPlaySettings::default() };
        let evaluation = Evaluation::open(None).expect("built in");
        let mut player =
            SelfPlayer::new(&settings, &[], None, &evaluation).expect("a small engine");
        let game = player.play(5).expect("an opening");
        let label = |nodes, share| {
            let settings = RelabelSettings { nodes, share, evaluation: String::new() };
            let mut relabeller = Relabeller::new(&settings, &evaluation).expect("a small engine");
            let id = GameId { seed: 1, number: 5 };
            relabeller.relabel(&game, id)
        };
        let all = label(300, 100);
        assert_eq!(all, label(300, 100));
        assert_eq!((&all.start, all.outcome), (&game.start, game.outcome));
        let kept = |record: &GameRecord| record.kept_by(&FILTER).count();
        assert!(kept(&all) * 10 > kept(&game) * 7 && kept(&all) <= kept(&game));
        let scored = all.moves.iter().filter(|it| it.1.is_some()).count();
        assert_eq!(scored, kept(&all));
        assert_ne!(all, label(600, 100));
        let some = kept(&label(300, 30));
        assert!(some > 0 && some < kept(&all), "{some} of {}", kept(&all));
    }

    #[test]
    fn a_run_is_resumed_only_with_the_same_engine_and_games() {
        let folder = tempfile::tempdir().expect("a directory");
        let played = SelfPlaySettings { games: 3, nodes: 20, ..SelfPlaySettings::default() };
        let evaluation = Evaluation::open(None).expect("built in");
        let mut player = SelfPlayer::new(&played, &[], None, &evaluation).expect("small");
        let games: Vec<GameRecord> =
            (0..3).map(|number| player.play(number).expect("an opening")).collect();
        let dataset = |name: &str, games: &[GameRecord]| {
            let (path, first) = (folder.path().join(name), Some(played.first_game(0)));
            let provenance = Provenance::Played(played.clone());
            let mut writer = DatasetWriter::open(&path, &provenance).expect("empty");
            let shard = Shard::write(&path, 0, games, Format::Compact, first).expect("room");
            writer.add(shard).expect("room");
            Dataset::open(&path).expect("games")
        };
        let again = |dataset: &Dataset, nodes, out: &str| {
            let settings = RelabelSettings { nodes, share: 100, evaluation: String::new() };
            run(dataset, &settings, &evaluation, &folder.path().join(out), 1, true, &Stop::new())
        };
        let all = dataset("all", &games);
        for nodes in [40, 90] {
            again(&all, nodes, &nodes.to_string()).expect("new");
            again(&all, nodes, &nodes.to_string()).expect("nothing to do");
        }
        let error =
            |dataset: &Dataset, out| again(dataset, 40, out).expect_err("other").to_string();
        let fewer = error(&dataset("fewer", &games[..2]), "40");
        assert!(fewer.contains("fewer/000000.games has changed since"), "{fewer}");
        let mut rotated = games.clone();
        rotated.rotate_left(1);
        let rotated = error(&dataset("rotated", &rotated), "40");
        assert!(rotated.contains("or of other games: game "), "{rotated}");
        // As if an engine that searches differently had been asked for 40 nodes.
        let [forged, other] = ["forged", "90"].map(|name| folder.path().join(name));
        let provenance = Dataset::open(&folder.path().join("40")).expect("scores").provenance;
        let mut writer = DatasetWriter::open(&forged, &provenance).expect("empty");
        let searched = Dataset::open(&other).expect("scores");
        let copy = searched.shards[0].copy(&other, &forged, 0).expect("room");
        writer.add(copy).expect("room");
        drop(writer);
        let forged = error(&all, "forged");
        assert!(forged.contains("has scores of another engine"), "{forged}");
    }
}
