//! The command line of the engine.

use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, Parser, Subcommand};
use nullarbor::bench::{self, Setup};
use nullarbor::board::{Position, divide};
use nullarbor::clock::nodes_per_second;
use nullarbor::engine::{Engine, EngineError};
use nullarbor::eval::nnue::{Network, NetworkError};
use nullarbor::{params, uci};

/// A UCI chess engine. Without a command it speaks UCI on standard input and output.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Search a fixed set of positions; the last line is `N nodes M nps`, and N is the build's signature
    Bench(BenchArgs),
    /// Count the legal moves of a position to a depth, by first move
    Perft(PerftArgs),
    /// Print the static evaluation of a position
    Eval {
        /// The position; the starting position if left out
        #[arg(long, default_value = Position::START_FEN, value_parser = Position::from_fen)]
        fen: Position,
        /// Evaluate by this network
        #[arg(long, value_name = "FILE")]
        evalfile: Option<PathBuf>,
    },
    /// Measure nodes per second with 1, 2, 4 ... threads
    Speedtest {
        /// Seconds for each number of threads
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
        seconds: u64,
    },
    /// List the parameters of the search
    Params {
        /// As input of OpenBench's SPSA: name, type, value, min, max, c_end, r_end
        #[arg(long)]
        openbench: bool,
    },
}

#[derive(Args)]
struct BenchArgs {
    /// Plies of each search
    #[arg(default_value_t = bench::DEPTH, value_parser = clap::value_parser!(i32).range(1..=100))]
    depth: i32,
    /// Threads; the count is a signature just with one
    #[arg(long, default_value_t = 1, value_parser = threads())]
    threads: u64,
    /// Table size in MiB
    #[arg(long, default_value_t = Engine::DEFAULT_HASH as u64, value_parser = clap::value_parser!(u64).range(1..))]
    hash: u64,
}

#[derive(Args)]
struct PerftArgs {
    /// Plies
    #[arg(value_parser = clap::value_parser!(u64).range(1..=30))]
    depth: u64,
    /// The position; the starting position if left out
    #[arg(long, default_value = Position::START_FEN, value_parser = Position::from_fen)]
    fen: Position,
    /// Write castling as the king taking its rook
    #[arg(long)]
    chess960: bool,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = threads())]
    threads: u64,
}

fn threads() -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(1..=Engine::MAX_THREADS as u64)
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        None => speak_uci(),
        Some(Command::Bench(args)) => bench(&args),
        Some(Command::Perft(args)) => {
            perft(&args);
            Ok(())
        }
        Some(Command::Eval { fen, evalfile }) => {
            evaluate(&fen, evalfile.as_deref()).map_err(|error| error.to_string())
        }
        Some(Command::Speedtest { seconds }) => {
            speedtest(seconds).map_err(|error| error.to_string())
        }
        Some(Command::Params { openbench }) => {
            params(openbench);
            Ok(())
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nullarbor: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes to standard output. A reader that leaves, as `head` does, ends the program and is no error.
fn print_line(line: std::fmt::Arguments<'_>) {
    if writeln!(std::io::stdout(), "{line}").is_err() {
        std::process::exit(0);
    }
}

fn speak_uci() -> Result<(), String> {
    // A signal ends the program as `quit` does; a search under way is not waited for.
    ctrlc::set_handler(|| std::process::exit(0)).map_err(|error| error.to_string())?;
    uci::run(Engine::new(Engine::DEFAULT_HASH, 1).map_err(|error| error.to_string())?);
    Ok(())
}

fn evaluate(position: &Position, file: Option<&Path>) -> Result<(), NetworkError> {
    let network = Network::from_file_or_embedded(file)?;
    print_line(format_args!("{}", uci::evaluation(position, &network)));
    Ok(())
}

fn bench(args: &BenchArgs) -> Result<(), String> {
    let setup =
        Setup { depth: args.depth, threads: args.threads as usize, hash: args.hash as usize };
    bench::run(&setup, &mut |line| print_line(format_args!("{line}")))
        .map_err(|error| error.to_string())
}

fn perft(args: &PerftArgs) {
    let position = &args.fen;
    let threads = NonZero::new(args.threads as usize).unwrap_or(NonZero::<usize>::MIN);
    let start = Instant::now();
    let counts = divide(position, args.depth as usize, threads);
    let elapsed = start.elapsed();
    for (mv, nodes) in &counts {
        print_line(format_args!("{}: {nodes}", position.uci(*mv, args.chess960)));
    }
    let total: u64 = counts.iter().map(|(_, nodes)| nodes).sum();
    let speed = nodes_per_second(total, elapsed);
    print_line(format_args!("\n{total} nodes, {} ms, {speed} nps", elapsed.as_millis()));
}

fn speedtest(seconds: u64) -> Result<(), EngineError> {
    print_line(format_args!("{:>7} {:>12} {:>8}", "threads", "nps", "scaling"));
    let mut single = None;
    for row in bench::speeds(std::time::Duration::from_secs(seconds)) {
        let (threads, speed) = row?;
        let base = *single.get_or_insert(speed);
        print_line(format_args!("{threads:>7} {speed:>12} {:>8.2}", speed as f64 / base as f64));
    }
    Ok(())
}

fn params(openbench: bool) {
    if !openbench {
        print_line(format_args!(
            "{:<34} {:>7} {:>7} {:>7} {:>7}  {:<22} meaning",
            "name", "default", "min", "max", "step", "unit"
        ));
    }
    let mut group = "";
    for spec in params::SPECS {
        if openbench {
            let (name, value, min, max) = (spec.name, spec.default, spec.min, spec.max);
            print_line(format_args!(
                "{name}, int, {value}, {min}, {max}, {}, {}",
                spec.step,
                params::Spec::R_END
            ));
            continue;
        }
        if group != spec.group {
            group = spec.group;
            print_line(format_args!("\n{group}"));
        }
        print_line(format_args!(
            "{:<34} {:>7} {:>7} {:>7} {:>7}  {:<22} {}",
            spec.name, spec.default, spec.min, spec.max, spec.step, spec.unit, spec.meaning
        ));
    }
}
