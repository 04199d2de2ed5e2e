//! `openings`: generates and checks books.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::num::NonZero;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, Subcommand};
use nullarbor::engine::{Engine, EngineError};
use nullarbor::openings::{Collector, OpeningConfig, Playout, RandomMoves, StartPosition};
use nullarbor_openings::check::CheckedBook;
use nullarbor_openings::{Book, BookError, is_polyglot};

use super::CommandResult;
use nullarbor_report::terminal::{self, printable};
use nullarbor_runs::files::FileError;
use nullarbor_runs::{Interrupted, Pool, Stop, worker_count};

/// Transposition table of the engine that evaluates openings, in MiB: its searches are short.
const HASH: usize = 8;
/// Candidates in a row without a new opening after which the search for more ends.
const MAX_REJECTED: u64 = 100_000;

/// Generate and check books of openings.
#[derive(Subcommand)]
pub enum OpeningsCommand {
    /// Generate a book: random legal moves, kept if the evaluation lies in a window
    #[command(after_long_help = "Examples:
  nullarbor-tuner openings generate --count 2000 --window 60,120 --out unbalanced.epd
  nullarbor-tuner openings generate --count 2000 --chess960 --plies 6,7 --window 0,60 --out chess960.epd
  nullarbor-tuner openings generate --count 2000 --pieces 14 --playout-nodes 300 --out endgames.epd")]
    Generate(GenerateArgs),
    /// Check a book for unreadable lines, finished games and duplicates
    #[command(after_long_help = "Examples:
  nullarbor-tuner openings check unbalanced.epd
  nullarbor-tuner openings check games.pgn --book-plies 16")]
    Check(CheckArgs),
}

/// Arguments of `openings generate`.
#[derive(Args)]
pub struct GenerateArgs {
    /// Seed; the book depends on it, not on the number of threads
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of openings
    #[arg(long, default_value_t = 4000, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// Minimum and maximum number of random plies
    #[arg(long, value_name = "MIN,MAX", default_value = "8,9", value_parser = range)]
    plies: RangeInclusive<i32>,
    /// Evaluation window: minimum and maximum advantage of either side, in centipawns
    #[arg(long, value_name = "MIN,MAX", default_value = "0,50", value_parser = range)]
    window: RangeInclusive<i32>,
    /// Nodes of the search that evaluates an opening
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Start from Chess960 positions
    #[arg(long)]
    chess960: bool,
    /// Let the engine play on until at most this many pieces are left
    #[arg(long, alias = "men", value_parser = clap::value_parser!(u64).range(3..=32))]
    pieces: Option<u64>,
    /// Choose moves by short searches, better ones more often, instead of any legal moves
    #[arg(long)]
    natural: bool,
    /// Nodes per move while it plays on
    #[arg(long, default_value_t = 1000, requires = "pieces", value_parser = clap::value_parser!(u64).range(1..))]
    playout_nodes: u64,
    /// Threads [default: the number of cores]
    #[arg(long)]
    threads: Option<NonZero<usize>>,
    /// File to write the book to; it must not exist
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print only the result, no progress
    #[arg(long)]
    quiet: bool,
}

/// Arguments of `openings check`.
#[derive(Args)]
pub struct CheckArgs {
    /// balanced, unbalanced, chess960, endgames, or a file (.epd, .fen, .pgn, .bin)
    book: String,
    /// Plies of each game of a PGN book [default: all]
    #[arg(long)]
    book_plies: Option<usize>,
}

/// Why too few openings were found.
#[derive(Debug, thiserror::Error)]
enum CollectError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(
        "only {0} openings were found before {MAX_REJECTED} candidates in a row were rejected; widen --window or --plies"
    )]
    TooFew(usize),
    #[error("interrupted; nothing was written")]
    Interrupted(#[from] Interrupted),
}

/// Parses `MIN,MAX`, neither negative.
fn range(text: &str) -> Result<RangeInclusive<i32>, String> {
    let parsed = text.split_once(',').and_then(|(min, max)| {
        let (min, max) = (min.trim().parse().ok()?, max.trim().parse().ok()?);
        (0 <= min && min <= max).then_some(min..=max)
    });
    parsed.ok_or_else(|| format!("`{text}` is not of the form MIN,MAX with MIN <= MAX"))
}

impl OpeningsCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If the book cannot be generated, or is not valid.
    pub fn run(&self, stop: &Stop) -> CommandResult {
        match self {
            Self::Generate(args) => args.run(stop),
            Self::Check(args) => args.run(),
        }
    }
}

impl GenerateArgs {
    fn config(&self) -> OpeningConfig {
        let playout = self
            .pieces
            .map(|pieces| Playout { nodes: self.playout_nodes, pieces: pieces as usize });
        OpeningConfig {
            seed: self.seed,
            start: if self.chess960 { StartPosition::Chess960 } else { StartPosition::Standard },
            plies: *self.plies.start() as usize..=*self.plies.end() as usize,
            moves: if self.natural { RandomMoves::Natural } else { RandomMoves::Uniform },
            playout,
            window: self.window.clone(),
            nodes: self.nodes,
        }
    }

    fn run(&self, stop: &Stop) -> CommandResult {
        // Opened first: an error after an hour of work would come too late.
        let mut file = fs::File::create_new(&self.out).map_err(FileError::at(&self.out))?;
        let write = |found: Collector| -> Result<Collector, Box<dyn Error>> {
            let lines = found.openings.iter().map(|candidate| candidate.line(self.chess960) + "\n");
            let written = file.write_all(lines.collect::<String>().as_bytes());
            written.map_err(FileError::at(&self.out))?;
            Ok(found)
        };
        let found = self.collect(stop).map_err(Into::into).and_then(write);
        if found.is_err() {
            // An empty file is no book.
            let _ = fs::remove_file(&self.out);
        }
        let Collector { openings, duplicates, .. } = found?;
        let (count, out) = (openings.len(), self.out.display());
        terminal::line(&format!("{count} openings in {out}; {duplicates} duplicates dropped"));
        terminal::line(&format!("next: nullarbor-tuner match --book {out} ..."));
        Ok(())
    }

    fn collect(&self, stop: &Stop) -> Result<Collector, CollectError> {
        let engine = || -> Result<Engine, EngineError> {
            let mut engine = Engine::new(HASH, 1)?;
            engine.set_unscaled();
            Ok(engine)
        };
        let config = self.config();
        let workers = worker_count(self.threads.map(|threads| threads.get() as u64));
        let mut pool = Pool::build(workers, engine)?;
        let mut collector = Collector::default();
        let (wanted, mut last_gain) = (self.count as usize, 0);
        let is_full = AtomicBool::new(false);
        let numbers = (0..).take_while(|_| !is_full.load(Ordering::Relaxed));
        let work = |engine: &mut Engine, number| Ok(config.candidate(number, engine));
        terminal::with_bar(self.count, "openings", self.quiet, |bar| {
            pool.run(stop, numbers, work, |number, found| {
                let found = found.filter(|_| collector.openings.len() < wanted);
                if found.is_some_and(|candidate| collector.offer(candidate)) {
                    last_gain = number;
                    bar.inc(1);
                    is_full.store(collector.openings.len() == wanted, Ordering::Relaxed);
                }
                let count = collector.openings.len();
                if count < wanted && number - last_gain > MAX_REJECTED {
                    return Err(CollectError::TooFew(count));
                }
                Ok(())
            })
        })?;
        Ok(collector)
    }
}

impl CheckArgs {
    fn run(&self) -> CommandResult {
        let name = self.book.clone();
        if is_polyglot(&name) {
            let count = Book::open(&name, self.book_plies)?.openings.len();
            terminal::line(&format!("{count} lines of a Polyglot book"));
            return Ok(());
        }
        let (text, format) = nullarbor_openings::text(&self.book)?;
        let CheckedBook { openings, problems } =
            CheckedBook::of(format.entries(&text, self.book_plies));
        problems.iter().for_each(|problem| terminal::line(&printable(&problem.to_string())));
        if !problems.is_empty() {
            return Err(format!("book {name}: {} invalid entries", problems.len()).into());
        }
        if openings.is_empty() {
            return Err(BookError::Empty { name }.into());
        }
        let book = Book { name, openings };
        let black = book
            .openings
            .iter()
            .filter(|opening| {
                opening.game().position().side_to_move() == nullarbor::types::Colour::Black
            })
            .count();
        let kind = if book.needs_chess960() { "Chess960" } else { "standard chess" };
        let count = book.openings.len();
        terminal::line(&format!(
            "{count} openings of {kind}, valid and without duplicates; Black to move in {black}"
        ));
        Ok(())
    }
}
