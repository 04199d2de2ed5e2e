//! The settings of self-play, and of searching its positions again.

use std::ops::Range;

use clap::builder::RangedU64ValueParser;
use serde::{Deserialize, Serialize};

use super::shard::{Counts, GameId};

/// Everything that decides the games. Together with the engine's search they decide every game, whatever the number of threads.
#[derive(Clone, Debug, PartialEq, clap::Args, Serialize, Deserialize)]
pub struct SelfPlaySettings {
    /// Seed of the openings and of random moves
    #[arg(long, default_value_t = SelfPlaySettings::default().seed)]
    pub seed: u64,
    /// Number of games
    #[arg(long, default_value_t = SelfPlaySettings::default().games, value_parser = clap::value_parser!(u64).range(1..=Self::MOST_GAMES))]
    pub games: u64,
    /// The number of positions that the default filter keeps: the game that completes it is the last one. `games` is the maximum.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
    /// Soft node limit of a search: no iteration begins after it
    #[arg(long, default_value_t = SelfPlaySettings::default().nodes, value_parser = clap::value_parser!(u64).range(1..=Self::MOST_NODES))]
    pub nodes: u64,
    /// Random plies of an opening: this many or one more
    #[arg(long, default_value_t = SelfPlaySettings::default().plies, value_parser = RangedU64ValueParser::<usize>::new().range(0..=Self::MOST_PLIES as u64), conflicts_with = "book")]
    pub plies: usize,
    /// Maximum absolute score after the opening, in centipawns
    #[arg(long, default_value_t = SelfPlaySettings::default().window, value_parser = clap::value_parser!(i32).range(1..=i64::from(Self::WIDEST_WINDOW)), conflicts_with = "book")]
    pub window: i32,
    /// Begin from the positions of a book, each once
    #[arg(long)]
    pub book: Option<String>,
    /// Percentage of games that are double Chess960: each side has its own starting rank
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=100), conflicts_with = "book")]
    pub chess960: u64,
    /// Percentage of games with natural openings: moves chosen by short searches, better ones more often. The others
    /// have random moves
    #[arg(long, default_value_t = SelfPlaySettings::default().natural, value_parser = clap::value_parser!(u64).range(0..=100), conflicts_with = "book")]
    #[serde(default, skip_serializing_if = "is_zero")]
    pub natural: u64,
    /// Playout cap randomisation (D. Wu 2019): this percentage of the searches uses --quick-nodes; their positions are
    /// not trained on
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=Self::MOST_QUICK))]
    #[serde(default, skip_serializing_if = "is_zero")]
    pub quick: u64,
    /// Soft node limit of a quick search [default: a sixth of --nodes]
    #[arg(long, requires = "quick", value_parser = clap::value_parser!(u64).range(1..=Self::MOST_NODES))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quick_nodes: Option<u64>,
    /// The maximum number of pieces of positions that tablebases decide.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<usize>,
    /// The evaluation that played the games.
    #[arg(skip)]
    pub evaluation: String,
    /// Version of what cannot be set: adjudication, natural openings, the definition of a score.
    #[arg(skip = SelfPlaySettings::RULES)]
    #[serde(default = "SelfPlaySettings::first_rules")]
    pub rules: u32,
}

/// Settings that older manifests do not name are left out where they are 0.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Default for SelfPlaySettings {
    fn default() -> Self {
        Self {
            seed: 1,
            games: 10_000,
            positions: None,
            nodes: 500,
            plies: 8,
            window: 600,
            book: None,
            chess960: 0,
            natural: 50,
            quick: 0,
            quick_nodes: None,
            tables: None,
            evaluation: String::new(),
            rules: Self::RULES,
        }
    }
}

impl SelfPlaySettings {
    /// The hard node limit of a search as a multiple of the soft one.
    pub const HARD_LIMIT: u64 = 8;
    /// The current version of [`SelfPlaySettings::rules`].
    pub const RULES: u32 = 3;
    /// Games in a shard.
    pub const SHARD: u64 = 512;

    const MOST_GAMES: u64 = 1_000_000_000_000;
    const MOST_NODES: u64 = 1_000_000_000;
    const MOST_PLIES: usize = 60;
    const MOST_QUICK: u64 = 99;
    const WIDEST_WINDOW: i32 = 10_000;

    /// Checks settings that came as data as the command line does.
    ///
    /// # Errors
    /// The setting that is out of its range.
    pub fn check(&self) -> Result<(), String> {
        let ranges = [
            ("games", (1..=Self::MOST_GAMES).contains(&self.games)),
            ("nodes", (1..=Self::MOST_NODES).contains(&self.nodes)),
            ("plies", self.plies <= Self::MOST_PLIES),
            ("window", (1..=Self::WIDEST_WINDOW).contains(&self.window)),
            ("chess960", self.chess960 <= 100),
            ("natural", self.natural <= 100),
            ("quick", self.quick <= Self::MOST_QUICK),
            ("quick_nodes", self.quick_nodes.is_none_or(|it| (1..=Self::MOST_NODES).contains(&it))),
        ];
        match ranges.into_iter().find(|(_, is_within)| !is_within) {
            Some((name, _)) => Err(format!("{name} is out of its range")),
            None => Ok(()),
        }
    }

    /// The version of manifests that do not name one.
    fn first_rules() -> u32 {
        1
    }

    /// Describes how many games or positions are asked for.
    pub fn amount(&self) -> String {
        match self.positions {
            Some(positions) => format!("games until {positions} positions are kept"),
            None => format!("{} games", self.games),
        }
    }

    /// Returns the soft node limit of a quick search.
    pub fn quick_nodes(&self) -> u64 {
        self.quick_nodes.unwrap_or(self.nodes / 6).max(1)
    }

    /// Describes the openings.
    pub fn openings(&self) -> String {
        let Self { plies, window, chess960, natural, .. } = self;
        match &self.book {
            Some(book) => format!("book {book}"),
            None => format!(
                "{natural} % natural openings, else {plies} or {} random plies, window {window} cp, {chess960} % double Chess960",
                plies + 1
            ),
        }
    }

    /// Returns whether these are all the games or positions that are asked for.
    pub fn is_complete(&self, counts: &Counts) -> bool {
        counts.games >= self.games
            || self.positions.is_some_and(|positions| counts.kept >= positions)
    }

    /// Returns the number of shards.
    pub fn shards(&self) -> u64 {
        self.games.div_ceil(Self::SHARD)
    }

    /// Returns the identity of the first game in a shard.
    pub fn first_game(&self, shard: u64) -> GameId {
        GameId { seed: self.seed, number: self.games_of(shard).start }
    }

    /// Returns the numbers of the games in a shard.
    pub fn games_of(&self, shard: u64) -> Range<u64> {
        shard * Self::SHARD..((shard + 1) * Self::SHARD).min(self.games)
    }
}

/// How positions are searched again.
#[derive(Clone, Debug, PartialEq, clap::Args, Serialize, Deserialize)]
pub struct RelabelSettings {
    /// Soft node limit of a search: no iteration begins after it
    #[arg(long, default_value_t = 1500, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: u64,
    /// Percentage of the kept positions to search, drawn at random; the others get no score and are not trained on.
    /// Fewer positions from each game differ more from one another
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub share: u64,
    /// The evaluation of the searches.
    #[arg(skip)]
    pub evaluation: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_as_data_is_within_the_ranges_of_the_command_line() {
        let good = SelfPlaySettings::default();
        assert_eq!(good.check(), Ok(()));
        for (name, bad) in [
            ("games", SelfPlaySettings { games: 0, ..good.clone() }),
            ("games", SelfPlaySettings { games: u64::MAX, ..good.clone() }),
            ("nodes", SelfPlaySettings { nodes: 0, ..good.clone() }),
            ("nodes", SelfPlaySettings { nodes: u64::MAX, ..good.clone() }),
            ("plies", SelfPlaySettings { plies: usize::MAX, ..good.clone() }),
            ("window", SelfPlaySettings { window: i32::MIN, ..good.clone() }),
            ("chess960", SelfPlaySettings { chess960: 101, ..good.clone() }),
            ("natural", SelfPlaySettings { natural: u64::MAX, ..good.clone() }),
            ("quick", SelfPlaySettings { quick: 100, ..good.clone() }),
            ("quick_nodes", SelfPlaySettings { quick_nodes: Some(0), ..good.clone() }),
        ] {
            assert_eq!(bad.check(), Err(format!("{name} is out of its range")));
        }
    }
}
