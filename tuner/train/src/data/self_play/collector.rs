//! Finished games, which go into partial shards as they end and into shards in the order of their numbers.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::SelfPlayError;
use super::partial::PartialShards;
use crate::data::compact;
use crate::data::dataset::DatasetWriter;
use crate::data::game_record::GameRecord;
use crate::data::settings::SelfPlaySettings;
use crate::data::shard::{Counts, Format, Shard};
use nullarbor_runs::InOrder;

/// Takes games as they end and counts them in the order of their numbers, so that shards do not depend on the number of threads.
pub(super) struct Collector<'a, I: Iterator<Item = u64>, F> {
    settings: &'a SelfPlaySettings,
    writer: DatasetWriter,
    pub(super) partial: PartialShards,
    /// Games, and whether they are new.
    order: InOrder<(GameRecord, bool), I>,
    /// The games of the shard that is counted.
    games: Vec<GameRecord>,
    /// Counts of all shards and of the games that are counted.
    counts: Counts,
    played: F,
    /// `played` has broken off.
    is_stopped: bool,
}

impl<'a, I: Iterator<Item = u64>, F: FnMut(&GameRecord) -> ControlFlow<()>> Collector<'a, I, F> {
    /// Creates a collector of the games with these numbers, some of which are known.
    pub(super) fn new(
        settings: &'a SelfPlaySettings,
        writer: DatasetWriter,
        partial: PartialShards,
        known: BTreeMap<u64, GameRecord>,
        numbers: I,
        played: F,
    ) -> Self {
        let mut counts = Counts::default();
        writer.shards.values().for_each(|shard| counts.merge(&shard.counts));
        let mut order = InOrder::of(numbers);
        known.into_iter().for_each(|(number, game)| order.put(number, (game, false)));
        Self {
            settings,
            writer,
            partial,
            order,
            games: Vec::new(),
            counts,
            played,
            is_stopped: false,
        }
    }

    /// Takes a game that has ended; breaks off as [`Collector::count`] does.
    pub(super) fn take(
        &mut self,
        number: u64,
        game: GameRecord,
    ) -> Result<ControlFlow<()>, SelfPlayError> {
        self.partial.add(number / SelfPlaySettings::SHARD, number, &game)?;
        self.order.put(number, (game, true));
        self.count()
    }

    /// Counts the games for which none is missing before them. Breaks off when there are enough.
    pub(super) fn count(&mut self) -> Result<ControlFlow<()>, SelfPlayError> {
        while !self.is_enough() {
            let Some((number, (game, is_new))) = self.order.pop() else {
                return Ok(ControlFlow::Continue(()));
            };
            if is_new && (self.played)(&game).is_break() {
                self.is_stopped = true;
            }
            // Of the scores as they are stored, so that a run that is resumed counts the same.
            self.counts.add(&compact::stored(&game));
            self.games.push(game);
            let shard = number / SelfPlaySettings::SHARD;
            if number + 1 == self.settings.games_of(shard).end || self.is_enough() {
                self.write_shard(shard)?;
            }
        }
        Ok(ControlFlow::Break(()))
    }

    /// Returns whether there are as many positions as were asked for.
    fn is_enough(&self) -> bool {
        self.is_stopped
            || self.settings.positions.is_some_and(|positions| self.counts.kept >= positions)
    }

    fn write_shard(&mut self, shard: u64) -> Result<(), SelfPlayError> {
        let first = Some(self.settings.first_game(shard));
        let path = &self.writer.path;
        self.writer.add(Shard::write(path, shard, &self.games, Format::Compact, first)?)?;
        self.games.clear();
        Ok(self.partial.remove(shard)?)
    }
}
