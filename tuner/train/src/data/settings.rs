//! How games for training are played.

use serde::{Deserialize, Serialize};

/// Everything that decides the games; with the engine it decides them all, whatever the number of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Decides openings.
    pub seed: u64,
    /// Games in all.
    pub games: u64,
    /// No new iteration of a search after so many nodes.
    pub nodes: u64,
    /// Random plies before a game: so many, or one more.
    pub plies: usize,
    /// How far a side may be ahead after them, in centipawns.
    pub window: i32,
    /// A book to begin from, instead of random plies.
    pub book: Option<String>,
    /// Of a hundred games, so many are double Chess960.
    pub chess960: u64,
    /// Who evaluates.
    pub evaluation: String,
    /// The version of everything about the games that cannot be set: when they stop, random moves, what a score is.
    #[serde(default = "Settings::first_rules")]
    pub rules: u32,
}

impl Default for Settings {
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

impl Settings {
    /// A search ends for good after so many times its nodes.
    pub const HARD: u64 = 8;
    /// The present version of [`Settings::rules`].
    pub const RULES: u32 = 2;
    /// Games in a file.
    pub const SHARD: u64 = 512;

    /// The version of manifests that name none.
    fn first_rules() -> u32 {
        1
    }

    /// How many files it takes.
    pub fn shards(&self) -> u64 {
        self.games.div_ceil(Self::SHARD)
    }

    /// The numbers of the games in a file.
    pub fn games_of(&self, shard: u64) -> std::ops::Range<u64> {
        shard * Self::SHARD..((shard + 1) * Self::SHARD).min(self.games)
    }
}
