//! The command line of the tuner.

#![forbid(unsafe_code)]

mod commands;
mod help;
mod signals;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use crate::commands::ExitWith;
use crate::commands::breed::BreedArgs;
use crate::commands::compliance::ComplianceArgs;
use crate::commands::dashboard::DashboardArgs;
use crate::commands::datagen::DatagenArgs;
use crate::commands::fastchess;
use crate::commands::judge::JudgeArgs;
use crate::commands::lab::LabArgs;
use crate::commands::label::LabelArgs;
use crate::commands::match_command::MatchCommand;
use crate::commands::mine::MineCommand;
use crate::commands::openings::OpeningsCommand;
use crate::commands::shell::{CompletionsArgs, ManArgs};
use crate::commands::spsa::SpsaCommand;
use crate::commands::train::TrainArgs;
use crate::commands::wdl::WdlArgs;
use crate::commands::worker::WorkerArgs;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use nullarbor::version::VERSION;
use nullarbor_report::terminal::{self, printable};
use nullarbor_runs::{Interrupted, Stop};
use nullarbor_study::command::StudyCommand;

/// Play matches between chess engines, tune parameters by SPSA, train networks and compare null-move schemes.
#[derive(Parser)]
#[command(
    version = VERSION,
    after_help = "Examples:
  Test one engine against another:
    nullarbor-tuner match --engine cmd=./new,name=new --engine cmd=./old,name=old --tc 10+0.1 --sprt 0,10
  Tune parameters of this engine:
    nullarbor-tuner spsa init --group null_move > run.toml && nullarbor-tuner spsa run run.toml --dir run
  Train a network on games of this engine:
    nullarbor-tuner datagen --out data --games 100000 && nullarbor-tuner train --data data --out net.nnue

`nullarbor-tuner help COMMAND` describes a command."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Match(Box<MatchCommand>),
    Compliance(ComplianceArgs),
    #[command(subcommand)]
    Openings(OpeningsCommand),
    Wdl(WdlArgs),
    #[command(subcommand)]
    Spsa(SpsaCommand),
    Datagen(Box<DatagenArgs>),
    Train(Box<TrainArgs>),
    Judge(JudgeArgs),
    Label(Box<LabelArgs>),
    Breed(Box<BreedArgs>),
    Lab(Box<LabArgs>),
    #[command(subcommand)]
    Mine(MineCommand),
    #[command(subcommand)]
    Study(StudyCommand),
    Worker(Box<WorkerArgs>),
    Dashboard(Box<DashboardArgs>),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

fn main() -> ExitCode {
    let cli = parse(std::env::args_os().collect()).unwrap_or_else(|error| error.exit());
    let stop = Arc::new(Stop::new());
    if let Err(error) = signals::listen(&stop) {
        terminal::message(format_args!("error: Ctrl-C cannot be caught: {error}"));
        return ExitCode::FAILURE;
    }
    let result = match cli.command {
        Command::Match(args) => args.run(&stop),
        Command::Compliance(args) => args.run(&stop),
        Command::Openings(command) => command.run(&stop),
        Command::Wdl(args) => args.run(&stop),
        Command::Spsa(command) => command.run(&stop),
        Command::Datagen(args) => args.run(&stop),
        Command::Train(args) => args.run(&stop),
        Command::Judge(args) => args.run(&stop),
        Command::Label(args) => args.run(&stop),
        Command::Breed(args) => args.run(&stop),
        Command::Lab(args) => args.run(&stop),
        Command::Mine(command) => command.run(&stop),
        Command::Study(command) => command.run(&stop),
        Command::Worker(args) => args.run(&stop),
        Command::Dashboard(args) => args.run(&stop),
        Command::Completions(args) => args.run(Cli::command()),
        Command::Man(args) => args.run(Cli::command()),
    };
    let Err(error) = result else { return ExitCode::SUCCESS };
    if Interrupted::is_cause_of(&*error) {
        terminal::message(printable(&error.to_string()));
        return ExitCode::from(signals::INTERRUPTED);
    }
    if let Some(exit) = error.downcast_ref::<ExitWith>() {
        terminal::message(printable(&exit.to_string()));
        return ExitCode::from(exit.code);
    }
    terminal::message(format_args!("error: {}", printable(&error.to_string())));
    ExitCode::FAILURE
}

/// Parses a command line.
fn parse(words: Vec<OsString>) -> Result<Cli, clap::Error> {
    let command = Cli::command()
        .mut_subcommand("worker", commands::worker::described)
        .mut_subcommand("dashboard", commands::dashboard::described);
    let words = translated(words)?;
    let parsed = help::by_task(command).try_get_matches_from(&words);
    let cli = parsed.and_then(|matches| Cli::from_arg_matches(&matches));
    cli.map_err(|error| with_two_dashes(error, &words))
}

/// Returns a command line of `match` in the words of fastchess in ours, and tells how it is read.
fn translated(words: Vec<OsString>) -> Result<Vec<OsString>, clap::Error> {
    let text = |word: &OsString| word.to_str().map(str::to_owned);
    let Some(texts) = words.iter().skip(1).map(text).collect::<Option<Vec<_>>>() else {
        return Ok(words);
    };
    let ours = fastchess::command(&texts);
    let ours = ours.map_err(|it| Cli::command().error(ErrorKind::ValueValidation, it))?;
    let Some(ours) = ours else { return Ok(words) };
    if !ours.iter().any(|word| word == "--quiet") {
        terminal::message(format_args!("As: nullarbor-tuner {}", fastchess::shown(&ours)));
    }
    Ok(words.into_iter().take(1).chain(ours.into_iter().map(OsString::from)).collect())
}

/// Names an option of one dash, as other match runners have them, instead of its first letter.
fn with_two_dashes(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let named = words.iter().filter_map(|word| word.to_str()).find(|word| {
        let name = word.strip_prefix('-').unwrap_or_default();
        name.len() > 1 && name.starts_with(|first: char| first.is_ascii_alphabetic())
    });
    if let Some(word) = named {
        let name = word.split('=').next().unwrap_or(word);
        error.insert(ContextKind::InvalidArg, ContextValue::String(name.to_owned()));
        error.insert(ContextKind::Suggested, ContextValue::None);
        error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("-{name}")));
    }
    error
}
