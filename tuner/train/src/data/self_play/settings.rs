//! The settings of self-play.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Everything that decides the games. Together with the engine's search they decide every game, whatever the number of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfPlaySettings {
    /// The seed of the openings and of the random moves.
    pub seed: u64,
    /// The number of games.
    pub games: u64,
    /// Soft node limit of a search: no iteration begins after it.
    pub nodes: u64,
    /// Random plies of an opening; every other opening has one more.
    pub plies: usize,
    /// The largest absolute score after the opening, in centipawns.
    pub window: i32,
    /// The book that games begin from instead of random plies.
    pub book: Option<String>,
    /// Games per hundred that are double Chess960.
    pub chess960: u64,
    /// The evaluation that played the games.
    pub evaluation: String,
    /// Version of what cannot be set: adjudication, random moves during the game, the definition of a score.
    #[serde(default = "SelfPlaySettings::first_rules")]
    pub rules: u32,
}

impl Default for SelfPlaySettings {
    fn default() -> Self {
        Self {
            seed: 1,
            games: 10_000,
            nodes: 250,
            plies: 8,
            window: 600,
            book: None,
            chess960: 0,
            evaluation: String::new(),
            rules: Self::RULES,
        }
    }
}

impl SelfPlaySettings {
    /// The hard node limit of a search as a multiple of the soft one.
    pub const HARD_LIMIT: u64 = 8;
    /// The current version of [`SelfPlaySettings::rules`].
    pub const RULES: u32 = 2;
    /// Games in a shard.
    pub const SHARD: u64 = 512;

    /// The version of manifests that do not name one.
    fn first_rules() -> u32 {
        1
    }

    /// Returns the number of shards.
    pub fn shards(&self) -> u64 {
        self.games.div_ceil(Self::SHARD)
    }

    /// Returns the numbers of the games in a shard.
    pub fn games_of(&self, shard: u64) -> Range<u64> {
        shard * Self::SHARD..((shard + 1) * Self::SHARD).min(self.games)
    }
}
