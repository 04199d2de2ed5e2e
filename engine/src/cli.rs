//! The command line: arguments to commands, errors to exit codes.

use std::error::Error;
use std::io::Write;
use std::num::NonZero;
use std::process::ExitCode;
use std::time::Duration;

use clap::CommandFactory;

use crate::args::{BenchArgs, Cli, Command, Invocation, PerftArgs};
use crate::engine::Engine;
use crate::eval::nnue::Network;
use crate::params::Params;
use crate::version::VERSION;
use crate::{bench, commands, uci};

/// Returns the declaration of the command line, of which completions and manual pages are made.
pub fn declaration() -> clap::Command {
    Cli::command().version(VERSION)
}

/// Does what the arguments ask for.
pub fn main() -> ExitCode {
    let done = match Invocation::from_arguments() {
        Invocation::Command(command) => run(*command).map(|()| true),
        Invocation::Lines(lines) => run_lines(lines),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "nullarbor: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Lets a signal end the program as `quit` does; a search under way is not waited for.
fn end_by_signals() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| std::process::exit(0))
}

/// Carries out lines of the protocol; returns whether all of them were right.
fn run_lines(lines: Vec<String>) -> Result<bool, Box<dyn Error>> {
    end_by_signals()?;
    Ok(uci::run_lines(Engine::new(Engine::DEFAULT_HASH, 1)?, lines))
}

fn run(command: Option<Command>) -> Result<(), Box<dyn Error>> {
    let mut say = |line: String| print_line(&line);
    match command {
        None => {
            end_by_signals()?;
            uci::run(Engine::new(Engine::DEFAULT_HASH, 1)?)?;
        }
        Some(Command::Bench(BenchArgs { plain: true, .. })) => bench::run_plain(&mut say)?,
        Some(Command::Bench(BenchArgs { depth, threads, hash, .. })) => {
            let setup = bench::Setup { depth, threads: threads as usize, hash: hash as usize };
            bench::run(&setup, &|| false, &mut say)?;
        }
        Some(Command::Perft(PerftArgs { depth, fen, chess960, threads })) => {
            let threads = NonZero::new(threads as usize).unwrap_or(NonZero::<usize>::MIN);
            commands::perft(&fen, depth as usize, threads, chess960, &mut say);
        }
        Some(Command::Eval { fen, evalfile }) => {
            let network = Network::from_file_or_embedded(evalfile.as_deref())?;
            say(commands::evaluation(&fen, &network, &Params::default()));
        }
        Some(Command::Speedtest { seconds }) => {
            commands::speedtest(Duration::from_secs(seconds), &mut say)?;
        }
        Some(Command::Params { openbench: true }) => commands::params_openbench(&mut say),
        Some(Command::Params { openbench: false }) => commands::params_table(&mut say),
    }
    Ok(())
}

/// Writes to standard output. A reader that leaves, as `head` does, ends the program and is no
/// error.
fn print_line(line: &str) {
    if writeln!(std::io::stdout(), "{line}").is_err() {
        std::process::exit(0);
    }
}
