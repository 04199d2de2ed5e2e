//! From games to a network: [`data`] are the games, [`network`] is what is trained on them.

#![forbid(unsafe_code)]

pub mod data;
pub mod network;
