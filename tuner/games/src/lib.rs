//! Games between chess engines.
//!
//! From the ground up: a [`Player`] chooses moves, in process or as a UCI engine over pipes; [`game`] plays one game
//! of two players by the engine's rules and clocks kept here; [`pair`] plays the two games of an opening with colours
//! swapped; [`work`] lets all cores do so and hands the results on in order; [`matches`] is a whole match, [`stats`] say what it
//! proves. [`scheme`] names schemes of the null move.

#![forbid(unsafe_code)]

pub mod adjudication;
pub mod clock;
pub mod end;
pub mod engine_config;
pub mod files;
pub mod game;
pub mod in_process;
pub mod journal;
pub mod key_value;
pub mod limit;
pub mod matches;
pub mod pair;
pub mod player;
mod rules;
pub mod scheme;
pub mod stats;
pub mod uci;
pub mod work;

pub use engine_config::EngineConfig;
pub use player::Player;
