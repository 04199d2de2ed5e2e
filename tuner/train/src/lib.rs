//! From games to a network: [`data`] are the games, [`trainer`] is what is trained on them, [`label`] makes sets to judge it by, [`probe`]
//! measures what labels are worth.

#![forbid(unsafe_code)]

pub mod data;
pub mod label;
pub mod probe;
pub mod trainer;
