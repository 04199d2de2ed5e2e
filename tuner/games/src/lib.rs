//! Games between chess engines.
//!
//! From the bottom up: a [`Player`] chooses moves, in this process or as a UCI engine over pipes; [`game`] plays one game of
//! two players by the engine's rules and the clocks kept here; [`pair`] plays the two games of an opening with colours
//! reversed; [`mod@matches`] plays whole matches. [`scheme`] reads null-move schemes, [`portable`] describes engines for other
//! machines.

#![forbid(unsafe_code)]

pub mod adjudication;
pub mod affinity;
pub mod clock;
pub mod diagnostics;
pub mod end;
pub mod engine_config;
pub mod engine_spec;
pub mod game;
pub mod in_process;
pub mod limit;
pub mod matches;
pub mod pair;
pub mod player;
pub mod portable;
pub mod scheme;
pub mod tablebases;
pub mod uci;
pub mod wdl;

pub use engine_config::EngineConfig;
pub use player::Player;
