//! The rules of chess and Chess960 on bitboards, without a search.
//!
//! The modules from the ground up; each imports only from those above it in this list:
//! - [`types`]: squares, pieces, moves.
//! - [`attacks`]: attack tables of the pieces.
//! - [`board`]: positions, legal moves, repetitions, notation, perft.
//!
//! ```
//! use nullarbor_chess::board::{Ending, Game, Position};
//!
//! let mut game = Game::new(Position::from_fen("7k/8/6KP/8/8/8/8/R7 w - - 0 1")?);
//! let moves = game.position().legal_moves();
//! let mates = |next: Position| next.in_check() && !next.has_moves();
//! let mate = moves.iter().copied().find(|&mv| mates(game.position().make(mv)));
//! let mate = mate.expect("a mate in one");
//! assert_eq!(game.position().san(mate), "Ra8#");
//! game.play(mate);
//! assert_eq!(game.ending(), Some(Ending::Checkmate));
//! # Ok::<(), nullarbor_chess::board::FenError>(())
//! ```

#![forbid(unsafe_code)]

pub mod attacks;
pub mod board;
pub mod types;
