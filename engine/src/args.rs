//! The arguments of the binary.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, value_parser};
use nullarbor::bench;
use nullarbor::board::Position;
use nullarbor::engine::Engine;

/// A UCI chess engine. Without a command it speaks UCI on standard input and output.
#[derive(Parser)]
#[command(version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Search a fixed set of positions; the last line is `N nodes M nps`, and N is the build's
    /// signature
    Bench(BenchArgs),
    /// Count the leaves of the tree of legal moves to a depth, by first move
    Perft(PerftArgs),
    /// Print the static evaluation of a position
    Eval {
        /// The position; the starting position if left out
        #[arg(long, default_value = Position::START_FEN, value_parser = Position::from_fen)]
        fen: Position,
        /// Evaluate with this network
        #[arg(long, value_name = "FILE")]
        evalfile: Option<PathBuf>,
    },
    /// Measure nodes per second with 1, 2, 4 ... threads
    Speedtest {
        /// Seconds for each number of threads
        #[arg(long, default_value_t = 5, value_parser = value_parser!(u64).range(1..=600))]
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
pub struct BenchArgs {
    /// Search with the plain engine of the null-move study instead: its own depth, schemes, evaluation
    /// and signature
    #[arg(long, conflicts_with_all = ["depth", "threads", "hash"])]
    pub plain: bool,
    /// Depth of each search, in plies
    #[arg(default_value_t = bench::DEPTH, value_parser = value_parser!(i32).range(1..=100))]
    pub depth: i32,
    /// Threads; the node count is a signature only with one
    #[arg(long, default_value_t = 1, value_parser = threads())]
    pub threads: u64,
    /// Size of the transposition table, in MiB
    #[arg(long, default_value_t = Engine::DEFAULT_HASH as u64, value_parser = value_parser!(u64).range(1..))]
    pub hash: u64,
}

#[derive(Args)]
pub struct PerftArgs {
    /// Depth in plies
    #[arg(value_parser = value_parser!(u64).range(1..=30))]
    pub depth: u64,
    /// The position; the starting position if left out
    #[arg(long, default_value = Position::START_FEN, value_parser = Position::from_fen)]
    pub fen: Position,
    /// Write castling as the king taking its rook
    #[arg(long)]
    pub chess960: bool,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = threads())]
    pub threads: u64,
}

fn threads() -> clap::builder::RangedU64ValueParser<u64> {
    value_parser!(u64).range(1..=Engine::MAX_THREADS as u64)
}
