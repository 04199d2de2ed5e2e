//! The arguments of the binary.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, value_parser};
use nullarbor_chess::board::Position;

use crate::engine::Engine;
use crate::version::WITH_INSTRUCTIONS;
use crate::{bench, uci};

/// A UCI chess engine. Without a command it speaks UCI on standard input and output. Arguments can
/// also be lines of UCI
#[derive(Parser)]
#[command(
    version = WITH_INSTRUCTIONS,
    after_help = "Examples:
  nullarbor
  nullarbor go depth 9
  nullarbor \"position startpos moves e2e4\" \"go depth 9\" quit
  nullarbor bench"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The request of the arguments.
pub enum Invocation {
    /// A command, or `None` for a session on standard input and output.
    Command(Box<Option<Command>>),
    /// Lines of the protocol.
    Lines(Vec<String>),
}

impl Invocation {
    /// Reads the arguments of the program; ends it with an explanation if they are wrong.
    pub fn from_arguments() -> Self {
        let mut arguments: Vec<OsString> = std::env::args_os().collect();
        let words: Vec<String> =
            arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        if is_protocol(&words) {
            return Self::Lines(lines(words));
        }
        // `bench quit`, as test frameworks may say.
        if let [_, .., last] = &words[..]
            && last == "quit"
        {
            arguments.pop();
        }
        Self::Command(Box::new(Cli::parse_from(arguments).command))
    }
}

/// Returns whether arguments are lines of the protocol: the first one is, and is no command.
fn is_protocol(words: &[String]) -> bool {
    words.first().is_some_and(|first| {
        let is_command =
            Cli::command().get_subcommands().any(|it| it.get_name() == first) || first == "help";
        !is_command && uci::is_command(first)
    })
}

/// Joins arguments to lines of the protocol. An argument of several words is a line; one of a single word
/// continues the line of single words before it (`go depth 5`), unless it is a whole command itself.
fn lines(words: Vec<String>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // Whether the last line may go on: its first argument was a single word.
    let mut is_open = false;
    for word in words {
        let has_spaces = word.contains(char::is_whitespace);
        let begins = if has_spaces { uci::is_command(&word) } else { uci::is_whole_command(&word) };
        match lines.last_mut().filter(|_| is_open && !begins) {
            Some(line) => {
                line.push(' ');
                line.push_str(&word);
            }
            None => {
                is_open = !has_spaces;
                lines.push(word);
            }
        }
    }
    lines
}

#[derive(Subcommand)]
pub enum Command {
    /// Search a fixed set of positions. The last line is `N nodes M nps`; N is the signature of the
    /// build
    Bench(BenchArgs),
    /// Count leaf nodes at a depth, per root move and in total
    Perft(PerftArgs),
    /// Print the static evaluation of a position
    #[command(after_help = "Examples:
  nullarbor eval
  nullarbor eval --fen \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"
  nullarbor eval --evalfile net.nnue")]
    Eval {
        /// The position; the starting position if left out
        #[arg(long, default_value = Position::START_FEN, value_parser = Position::from_fen)]
        fen: Position,
        /// Evaluate with this network instead of the built-in one
        #[arg(long, value_name = "FILE")]
        evalfile: Option<PathBuf>,
    },
    /// Measure nodes per second with 1, 2, 4 ... threads
    #[command(after_help = "Example:
  nullarbor speedtest --seconds 2")]
    Speedtest {
        /// Seconds for each number of threads
        #[arg(long, default_value_t = 5, value_parser = value_parser!(u64).range(1..=600))]
        seconds: u64,
    },
    /// List the search parameters: name, value, range, step, unit, meaning
    #[command(after_help = "Examples:
  nullarbor params
  nullarbor params --openbench > spsa.txt")]
    Params {
        /// Print input for OpenBench's SPSA: name, type, value, min, max, c_end, r_end
        #[arg(long)]
        openbench: bool,
    },
}

#[derive(Args)]
#[command(after_help = "Examples:
  nullarbor bench
  nullarbor bench 16 --threads 4 --hash 64
  nullarbor bench --plain")]
pub struct BenchArgs {
    /// Search with the plain engine of the null-move study instead: its own depth, schemes, evaluation
    /// and signature
    #[arg(long, conflicts_with_all = ["depth", "threads", "hash"])]
    pub plain: bool,
    /// Depth of each search, in plies
    #[arg(default_value_t = bench::DEPTH, value_parser = value_parser!(i32).range(1..=100))]
    pub depth: i32,
    /// Threads; the node count is a signature only with one thread
    #[arg(long, default_value_t = 1, value_parser = threads())]
    pub threads: u64,
    /// Size of the transposition table, in MiB
    #[arg(long, default_value_t = Engine::DEFAULT_HASH as u64, value_parser = value_parser!(u64).range(1..))]
    pub hash: u64,
}

#[derive(Args)]
#[command(after_help = "Examples:
  nullarbor perft 5
  nullarbor perft 4 --fen \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\"")]
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

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(words: &[&str]) -> Vec<String> {
        lines(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn words_become_lines() {
        assert_eq!(joined(&["go", "depth", "5"]), ["go depth 5"]);
        assert_eq!(joined(&["go", "perft", "5"]), ["go perft 5"]);
        assert_eq!(joined(&["go", "infinite", "quit"]), ["go infinite", "quit"]);
        assert_eq!(
            joined(&["position", "startpos", "moves", "e2e4", "d", "go", "nodes", "9", "isready"]),
            ["position startpos moves e2e4", "d", "go nodes 9", "isready"]
        );
        assert_eq!(
            joined(&[
                "position",
                "fen",
                "8/8/8/8/8/8/8/8 w - - 0 1",
                "moves",
                "e2e4",
                "go depth 2"
            ]),
            ["position fen 8/8/8/8/8/8/8/8 w - - 0 1 moves e2e4", "go depth 2"]
        );
        assert_eq!(
            joined(&["setoption", "name", "Hash", "value", "8", "eval"]),
            ["setoption name Hash value 8", "eval"]
        );
    }

    #[test]
    fn lines_stay_as_they_are() {
        let words = ["position startpos", "go depth 9", "nonsense", "isready", "quit"];
        assert_eq!(joined(&words), words);
    }
}
