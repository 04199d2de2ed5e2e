//! The command line of the tuner.

#![forbid(unsafe_code)]

mod commands;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use crate::commands::ExitWith;
use crate::commands::breed::BreedArgs;
use crate::commands::dashboard::DashboardArgs;
use crate::commands::datagen::DatagenArgs;
use crate::commands::judge::JudgeArgs;
use crate::commands::lab::LabArgs;
use crate::commands::label::LabelArgs;
use crate::commands::match_command::MatchArgs;
use crate::commands::mine::MineCommand;
use crate::commands::openings::OpeningsCommand;
use crate::commands::spsa::SpsaCommand;
use crate::commands::study::StudyCommand;
use crate::commands::train::TrainArgs;
use crate::commands::wdl::WdlArgs;
use crate::commands::worker::WorkerArgs;
use clap::{Parser, Subcommand};
use nullarbor_games::work::{Interrupted, Stop};
use nullarbor_report::terminal::printable;

/// Plays matches between chess engines, tunes parameters by SPSA, trains networks and compares null-move schemes.
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
    #[command(subcommand)]
    Mine(MineCommand),
    #[command(subcommand)]
    Study(StudyCommand),
    #[command(subcommand)]
    Spsa(SpsaCommand),
    Datagen(Box<DatagenArgs>),
    Train(Box<TrainArgs>),
    Judge(JudgeArgs),
    Label(Box<LabelArgs>),
    Breed(Box<BreedArgs>),
    #[command(subcommand)]
    Openings(OpeningsCommand),
    Wdl(WdlArgs),
    Worker(Box<WorkerArgs>),
    Dashboard(Box<DashboardArgs>),
}

/// Exit code of a program that was ended by Ctrl-C.
const INTERRUPTED: u8 = 130;
/// Time for an orderly end after the second Ctrl-C.
const ABORT_TIMEOUT: Duration = Duration::from_millis(700);

fn main() -> ExitCode {
    let cli = Cli::parse();
    let stop = Arc::new(Stop::new());
    if let Err(error) = listen(&stop) {
        eprintln!("error: Ctrl-C cannot be caught: {error}");
        return ExitCode::FAILURE;
    }
    let result = match cli.command {
        Command::Match(args) => args.run(&stop),
        Command::Lab(args) => args.run(&stop),
        Command::Mine(command) => command.run(&stop),
        Command::Study(command) => command.run(&stop),
        Command::Spsa(command) => command.run(&stop),
        Command::Datagen(args) => args.run(&stop),
        Command::Train(args) => args.run(&stop),
        Command::Judge(args) => args.run(&stop),
        Command::Label(args) => args.run(&stop),
        Command::Breed(args) => args.run(&stop),
        Command::Openings(command) => command.run(&stop),
        Command::Wdl(args) => args.run(&stop),
        Command::Worker(args) => args.run(&stop),
        Command::Dashboard(args) => args.run(&stop),
    };
    let Err(error) = result else { return ExitCode::SUCCESS };
    if Interrupted::is_cause_of(&*error) {
        eprintln!("{}", printable(&error.to_string()));
        return ExitCode::from(INTERRUPTED);
    }
    if let Some(exit) = error.downcast_ref::<ExitWith>() {
        eprintln!("{}", printable(&exit.to_string()));
        return ExitCode::from(exit.code);
    }
    eprintln!("error: {}", printable(&error.to_string()));
    ExitCode::FAILURE
}

/// Handles Ctrl-C: the first requests a stop, the second ends the process.
fn listen(stop: &Arc<Stop>) -> Result<(), ctrlc::Error> {
    let stop = Arc::clone(stop);
    ctrlc::set_handler(move || {
        if stop.request_stop() {
            std::thread::sleep(ABORT_TIMEOUT);
            std::process::exit(INTERRUPTED.into());
        }
        eprintln!("\nFinishing what is in progress; press Ctrl-C again to stop at once.");
    })
}
