//! The commands: each parses its arguments, calls the crate whose subject it is, and prints.

pub mod breed;
pub mod dashboard;
pub mod datagen;
mod dataset_stats;
pub mod judge;
pub mod lab;
pub mod label;
pub mod match_command;
pub mod mine;
pub mod openings;
pub mod spsa;
pub mod study;
pub mod train;
pub mod wdl;
pub mod worker;

/// What a command returns. An error whose sources hold [`nullarbor_games::work::Interrupted`] ends the process with the
/// exit code of an interruption, any other with 1.
pub type CommandResult = Result<(), Box<dyn std::error::Error>>;

/// Returns the words of the command line after the program. One that is not UTF-8 is only shown, so it may be mangled.
fn arguments() -> impl Iterator<Item = String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned())
}

/// A command that ended as it should, but has something else to tell than success or failure.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ExitWith {
    /// The exit code.
    pub code: u8,
    /// What is told.
    pub message: String,
}
