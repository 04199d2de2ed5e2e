//! The rules of chess and Chess960 on bitboards, without a search.
//!
//! The modules from the ground up; each imports only from those above it in this list:
//! - [`types`]: squares, pieces, moves.
//! - [`attacks`]: attack tables of the pieces.
//! - [`board`]: positions, legal moves, repetitions, notation, perft.

#![forbid(unsafe_code)]

pub mod attacks;
pub mod board;
pub mod types;
