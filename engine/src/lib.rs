//! Nullarbor, a chess engine as a library: the binary, the tuner and the tests are its equal clients.
//!
//! Rooms, from the ground up; each knows only those below it:
//! - [`types`]: squares, moves, scores and the like.
//! - [`attacks`]: where men can strike. [`params`]: every tunable number of the search.
//! - [`board`]: the rules.
//! - [`eval`], [`table`], [`clock`]: what a position is worth, what is known of it, how long to think.
//! - [`search`]: the tree. [`pool`]: the threads that search it together.
//! - [`engine`]: the only door for clients.
//! - [`uci`], [`bench`]: the protocol and the signature.

pub mod attacks;
pub mod bench;
pub mod board;
pub mod clock;
pub mod engine;
pub mod eval;
pub mod params;
pub mod pool;
pub mod search;
pub mod table;
pub mod types;
pub mod uci;
