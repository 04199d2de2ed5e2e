//! Nullarbor, a chess engine as a library. The binary, the tuner and the tests are its equal
//! clients.
//!
//! The rules of chess are the crate [`nullarbor_chess`], whose modules [`attacks`] and [`board`] are re-exported here.
//!
//! The modules from the ground up; each imports only from those above it in this list:
//! - [`types`]: scores and depths, beside squares and moves. [`regular_file`]: reading files within
//!   limits. `free_memory`: what may be allocated. `huge_pages`: memory in huge pages. [`version`](mod@version): what this build is
//!   called.
//! - [`params`]: every tunable number of the search.
//! - [`eval`]: static evaluation by a network. [`table`]: the transposition table. [`tablebase`]:
//!   Syzygy tablebases. [`clock`]: time management.
//! - [`strength`]: limited strength. [`search`]: the tree search. [`pool`]: the threads that search together (Lazy SMP).
//! - [`engine`]: the facade for clients.
//! - [`openings`]: random openings for self-play.
//! - [`bench`](mod@bench), [`commands`], [`uci`]: the signature, the commands of the binary, the protocol.
//! - `cli`: the command line, with the feature of that name (on by default), which alone needs the crate clap.
//!
//! # The engine as a library
//!
//! A [`Engine`](engine::Engine) has a position, settings and parameters; a search takes
//! [`Limits`](clock::Limits) and gives reports to a [`Sink`](search::Sink) on its way.
//!
//! ```
//! use std::sync::Arc;
//! use nullarbor::board::{Game, Position};
//! use nullarbor::clock::Limits;
//! use nullarbor::engine::Engine;
//! use nullarbor::search::{Report, Sink};
//! use nullarbor::types::{Depth, Move};
//!
//! /// Prints each iteration.
//! struct Print;
//!
//! impl Sink for Print {
//!     fn report(&self, report: &Report<'_>) {
//!         println!("depth {}: {} after {} nodes", report.depth.0, report.score, report.nodes);
//!     }
//!     fn current_move(&self, _: Depth, _: Move, _: usize) {}
//! }
//!
//! // 16 MiB of transposition table, one thread.
//! let mut engine = Engine::new(16, 1)?;
//! engine.set_scheme("verified".parse()?);
//! engine.set_param("rfp_depth_scale", 40)?;
//!
//! // After 1. e4.
//! let mut game = Game::new(Position::start());
//! game.play(game.position().parse_uci("e2e4")?);
//! engine.set_game(game);
//!
//! let limits = Limits { depth: Some(Depth(6)), ..Limits::default() };
//! let result = engine.search(&limits, Arc::new(Print))?;
//! assert_eq!(result.outcome.depth, Depth(6));
//! assert!(engine.position().legal_moves().contains(&result.outcome.best_move()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "cli")]
mod args;
pub mod bench;
#[cfg(feature = "cli")]
pub mod cli;
pub mod clock;
pub mod commands;
pub mod engine;
pub mod eval;
mod free_memory;
mod huge_pages;
pub mod openings;
pub mod params;
pub mod pool;
pub mod regular_file;
pub mod search;
pub mod strength;
pub mod table;
pub mod tablebase;
pub mod types;
pub mod uci;
pub mod version;

pub use nullarbor_chess::{attacks, board};
