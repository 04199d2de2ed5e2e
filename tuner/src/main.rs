//! The command line of the tuner.

#![forbid(unsafe_code)]

mod commands;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use crate::commands::datagen::DatagenArgs;
use crate::commands::lab::{LabArgs, LabError};
use crate::commands::match_args::MatchArgs;
use crate::commands::mine::MineCommand;
use crate::commands::openings::{OpeningsCommand, OpeningsError};
use crate::commands::play::MatchError;
use crate::commands::spsa::SpsaCommand;
use crate::commands::train::TrainArgs;
use clap::{Parser, Subcommand};
use nullarbor_games::tournament::Status;
use nullarbor_games::work::Stop;

/// Plays chess games by the thousand, inside this process or between any UCI engines, and says what they prove; holds
/// schemes of the null move against each other; tunes the engine's parameters.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Match(Box<MatchArgs>),
    Lab(Box<LabArgs>),
    /// Learn from logs when a null move pays
    #[command(subcommand)]
    Mine(MineCommand),
    #[command(subcommand)]
    Spsa(SpsaCommand),
    Datagen(Box<DatagenArgs>),
    Train(Box<TrainArgs>),
    /// Make and check books of openings
    #[command(subcommand)]
    Openings(OpeningsCommand),
}

/// What a shell expects of a program that was ended by Ctrl-C.
const INTERRUPTED: u8 = 130;
/// How long an orderly end may take after the second Ctrl-C.
const AT_ONCE: Duration = Duration::from_millis(700);

fn main() -> ExitCode {
    let cli = Cli::parse();
    let stop = Arc::new(Stop::new());
    if let Err(error) = listen(&stop) {
        eprintln!("error: Ctrl-C cannot be caught: {error}");
        return ExitCode::FAILURE;
    }
    match cli.command {
        Command::Match(args) => match args.run(&stop) {
            Ok(Status::Interrupted) => ExitCode::from(INTERRUPTED),
            Ok(_) => ExitCode::SUCCESS,
            Err(MatchError::Interrupted) => ExitCode::from(INTERRUPTED),
            Err(error) => fail(&error),
        },
        Command::Lab(args) => match args.run(&stop) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error @ (LabError::Interrupted | LabError::GamesInterrupted)) => {
                interrupted(&error)
            }
            Err(error) => fail(&error),
        },
        Command::Mine(command) => match command.run(&stop) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) if error.is_interruption() => interrupted(&error),
            Err(error) => fail(&error),
        },
        Command::Spsa(command) => match command.run(&stop) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) if error.is_interruption() => interrupted(&error),
            Err(error) => fail(&error),
        },
        Command::Datagen(args) => match args.run(&stop) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) if error.is_interruption() => interrupted(&error),
            Err(error) => fail(&error),
        },
        Command::Train(args) => match args.run(&stop) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) if error.is_interruption() => interrupted(&error),
            Err(error) => fail(&error),
        },
        Command::Openings(command) => match command.run(&stop) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error @ OpeningsError::Interrupted) => interrupted(&error),
            Err(error) => fail(&error),
        },
    }
}

fn interrupted(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("{error}");
    ExitCode::from(INTERRUPTED)
}

fn fail(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::FAILURE
}

/// The first Ctrl-C asks for an end, the second does not wait for one.
fn listen(stop: &Arc<Stop>) -> Result<(), ctrlc::Error> {
    let stop = Arc::clone(stop);
    ctrlc::set_handler(move || {
        if stop.ask() {
            std::thread::sleep(AT_ONCE);
            std::process::exit(INTERRUPTED.into());
        }
        eprintln!("\nWaiting for what is under way; Ctrl-C again stops at once.");
    })
}
