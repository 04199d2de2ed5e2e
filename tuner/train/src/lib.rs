//! From games to a network: [`data`] are the games, [`trainer`] is what is trained on them.

#![forbid(unsafe_code)]

pub mod data;
pub mod trainer;
