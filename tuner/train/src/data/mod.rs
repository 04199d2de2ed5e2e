//! Training data: games of the engine against itself.
//!
//! From the bottom up: a [`game_record`] is one game, [`compact`] and viriformat are the formats of files of games, [`filter`]
//! selects the positions that are trained on, a [`shard`] is a file of games with a checksum and a [`dataset`] a folder of
//! shards with a manifest. [`self_play`] plays games, [`relabel`] searches their positions again, [`convert`] exchanges them with other programs, and [`statistics`]
//! describes what a dataset consists of.

pub mod compact;
pub mod convert;
pub mod dataset;
pub mod filter;
pub mod game_record;
pub mod relabel;
pub mod self_play;
pub mod settings;
pub mod shard;
pub mod statistics;

pub use dataset::{Dataset, DatasetError};
pub use filter::Filter;
pub use game_record::{GameRecord, Outcome};
pub use settings::{RelabelSettings, SelfPlaySettings};
