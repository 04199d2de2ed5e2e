//! Statistics of matches: pentanomial counts, Elo, SPRT, ratings, significance, trends, the bootstrap.
//! Pure functions; nothing here knows of threads, files or chess.
//!
//! The unit is the pair, two games from one opening with colours reversed. Their scores are correlated, so the variance is
//! taken over pairs (the pentanomial model), not over games.

#![forbid(unsafe_code)]

mod bootstrap;
mod elo;
mod likelihood;
mod normal;
mod pairs;
mod ratings;
mod significance;
mod sprt;
mod trend;
mod unbiased;

pub use bootstrap::Interval;
pub use elo::{Estimate, Strength, decimals, expected_score};
pub use normal::distribution as normal_distribution;
pub use pairs::{GameResult, PairCounts};
pub use ratings::{Encounter, ratings};
pub use significance::{ChiSquare, holm, sign_test};
pub use sprt::{Bounds, Model, Sprt, SprtArgs, SprtError, Verdict};
pub use trend::Line;
pub use unbiased::Unbiased;

/// Normalised Elo of one standard deviation of a game: 800 / ln 10.
pub const NORMALISED_ELO: f64 = 347.435_585_522_601_46;
