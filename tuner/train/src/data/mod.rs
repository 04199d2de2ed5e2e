//! Games of the engine against itself, kept to train an evaluation.
//!
//! From the ground up: [`record`] is a game, [`compact`] the format of files of games, [`filter`] says which of its positions
//! teach something, [`shard`] is a file of games and [`folder`] many of them with a manifest; [`settings`] say how games are played,
//! [`player`] plays one, [`generate`] lets all cores do so, [`convert`] exchanges games with other programs, and [`statistics`] say what a
//! dataset is made of.

pub mod compact;
pub mod convert;
pub mod filter;
pub mod folder;
pub mod generate;
pub mod player;
pub mod record;
pub mod settings;
pub mod shard;
pub mod statistics;
