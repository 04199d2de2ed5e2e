//! Harness of the black-box suites: it starts the real binary, speaks UCI with it over pipes, and reads what comes back.
//!
//! The suites in `tests/` know no chess of their own. Where one needs the legal moves of a position it asks an
//! engine process with `go perft 1`, whose answers `tests/perft.rs` holds against published counts.

#![allow(clippy::print_stderr)]

mod binary;
mod clock_game;
mod cluster;
mod credentials;
mod dialogue;
mod forger;
mod info;
mod journal;
mod page;
mod process;
mod repository;
mod source;
mod tournament;

pub use binary::{engine, tuner};
pub use clock_game::{ClockGame, Control};
pub use cluster::{LateWorker, Server};
pub use credentials::Operator;
pub use dialogue::{Board, Dialogue, PATIENCE, Perft, Search, divide, is_error};
pub use forger::{Client, Forged, Forger};
pub use info::{Info, Score};
pub use journal::{sealed, unsealed};
pub use page::offline_page;
pub use process::{Exit, Line, Process, interrupt, run};
pub use repository::{repository_root, tracked_files};
pub use source::{Crate, Module, Source, before_tests, sources};
pub use tournament::{Files, Tournament};

/// FEN of the initial position.
pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A middle game with castling, pins, en passant and promotions near at hand ("Kiwipete").
pub const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
