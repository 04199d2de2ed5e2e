//! The commands: each parses its arguments, calls the crate whose subject it is, and prints.

pub mod breed;
pub mod compliance;
pub mod dashboard;
pub mod datagen;
mod dataset_stats;
pub mod fastchess;
pub mod judge;
pub mod lab;
pub mod label;
pub mod match_command;
mod match_report;
pub mod mine;
pub mod openings;
pub mod shell;
pub mod spsa;
pub mod train;
pub mod wdl;
pub mod worker;

use nullarbor_cluster::ClusterArgs;

/// The result of a command. An error whose sources hold [`nullarbor_runs::Interrupted`] ends the process with
/// the exit code of an interruption, any other with 1.
pub type CommandResult = Result<(), Box<dyn std::error::Error>>;

/// Returns the words of the command line after the program as they are kept and shown.
fn arguments() -> impl Iterator<Item = String> {
    without_passwords(arguments_with_passwords().collect()).into_iter()
}

/// Returns the words of the command line after the program, those of fastchess translated. One that is not UTF-8 is only shown, so
/// it may be mangled.
fn arguments_with_passwords() -> impl Iterator<Item = String> {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.collect();
    // What cannot be translated was refused before.
    fastchess::command(&words).ok().flatten().unwrap_or(words).into_iter()
}

/// Returns the words of a command line without passwords and tokens: journals and pages are read by others.
fn without_passwords(words: Vec<String>) -> Vec<String> {
    let is_password = |word: &String| word == "--password" || word.starts_with("--password=");
    let has_password =
        std::env::var_os(ClusterArgs::PASSWORD).is_some() || words.iter().any(is_password);
    let mut shown = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let url = |url: &str| ClusterArgs::without_secret(url, has_password);
        match word.split_once('=') {
            Some(("--password", _)) => {}
            Some(("--cluster", it)) => shown.push(format!("--cluster={}", url(it))),
            _ if word == "--password" => _ = words.next(),
            _ => {
                let is_cluster = word == "--cluster";
                shown.push(word);
                if is_cluster {
                    shown.extend(words.next().map(|it| url(&it)));
                }
            }
        }
    }
    shown
}

/// A command that ended as it should, but has something else to tell than success or failure.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ExitWith {
    /// The exit code.
    pub code: u8,
    /// Message to the user.
    pub message: String,
}
