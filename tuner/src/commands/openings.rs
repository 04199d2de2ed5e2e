//! `openings`: books made and checked.

use std::fs;
use std::io::Write;
use std::num::NonZero;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use nullarbor::engine::{Engine, EngineError};
use nullarbor_openings::check::CheckedBook;
use nullarbor_openings::generate::{Collector, OpeningConfig, Playout, RandomMoves, StartPosition};
use nullarbor_openings::{Book, BookError};
use thiserror::Error;

use super::CommandResult;
use nullarbor_games::work::{Interrupted, Pool, Stop, worker_count};
use nullarbor_report::terminal;

/// The table of the engine that judges openings, in MiB: its searches are short.
const HASH: usize = 8;
/// Where so many candidates in a row give nothing new, the recipe gives no more.
const BARREN: u64 = 100_000;

/// Make books, and check them.
#[derive(Subcommand)]
pub enum OpeningsCommand {
    /// Make a book: random legal moves, kept where the engine's own evaluation lies in a window
    Generate(GenerateArgs),
    /// Say what is wrong with a book: lines that cannot be read, games that are over, positions that come twice
    Check(CheckArgs),
}

/// How to make a book.
#[derive(Args)]
pub struct GenerateArgs {
    /// Decides everything: one seed gives one book, with any number of threads
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many openings to make
    #[arg(long, default_value_t = 4000, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// Least and most random plies
    #[arg(long, value_name = "LEAST,MOST", default_value = "8,9", value_parser = range)]
    plies: RangeInclusive<i32>,
    /// How far one side must be ahead, in centipawns, at least and at most
    #[arg(long, value_name = "LEAST,MOST", default_value = "0,50", value_parser = range)]
    window: RangeInclusive<i32>,
    /// Nodes of the search that says how far
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Start from the 960 arrays
    #[arg(long)]
    chess960: bool,
    /// Let the engine play on until no more men than this are left
    #[arg(long, value_parser = clap::value_parser!(u64).range(3..=32))]
    men: Option<u64>,
    /// Nodes for each of these moves
    #[arg(long, default_value_t = 1000, requires = "men", value_parser = clap::value_parser!(u64).range(1..))]
    playout_nodes: u64,
    /// Threads [default: the number of cores]
    #[arg(long)]
    threads: Option<NonZero<usize>>,
    /// Where to write the book; it must not be there yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Show no progress
    #[arg(long)]
    quiet: bool,
}

/// What to check.
#[derive(Args)]
pub struct CheckArgs {
    /// balanced, unbalanced, chess960, endgames, or a file (.epd, .fen, .pgn)
    book: String,
    /// Plies of each game of a PGN book [default: all]
    #[arg(long)]
    book_plies: Option<usize>,
}

/// Why there is no book, or no good one.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum OpeningsError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error(
        "only {found} openings were found before {BARREN} candidates in a row gave nothing; widen the window or the plies"
    )]
    Barren { found: usize },
    #[error("interrupted; nothing was written")]
    Interrupted(#[from] Interrupted),
    #[error("book {name}: {count} of its entries are bad")]
    Bad { name: String, count: usize },
    #[error("book {name}: it has no opening")]
    Empty { name: String },
    #[error(transparent)]
    Book(#[from] BookError),
}

/// `LEAST,MOST`, neither negative.
fn range(text: &str) -> Result<RangeInclusive<i32>, String> {
    let parsed = text.split_once(',').and_then(|(least, most)| {
        let (least, most) = (least.trim().parse().ok()?, most.trim().parse().ok()?);
        (0 <= least && least <= most).then_some(least..=most)
    });
    parsed.ok_or_else(|| format!("`{text}` is not of the form LEAST,MOST with LEAST <= MOST"))
}

impl OpeningsCommand {
    /// Does it.
    ///
    /// # Errors
    /// Where there is no good book at the end.
    pub fn run(&self, stop: &Stop) -> CommandResult {
        match self {
            Self::Generate(args) => args.run(stop)?,
            Self::Check(args) => args.run()?,
        }
        Ok(())
    }
}

impl GenerateArgs {
    fn config(&self) -> OpeningConfig {
        let playout =
            self.men.map(|men| Playout { nodes: self.playout_nodes, pieces: men as usize });
        OpeningConfig {
            seed: self.seed,
            start: if self.chess960 { StartPosition::Chess960 } else { StartPosition::Standard },
            plies: *self.plies.start() as usize..=*self.plies.end() as usize,
            moves: RandomMoves::Uniform,
            playout,
            window: self.window.clone(),
            nodes: self.nodes,
        }
    }

    fn run(&self, stop: &Stop) -> Result<(), OpeningsError> {
        let fails = |source| OpeningsError::File { path: self.out.clone(), source };
        // Opened first: after an hour of work is too late to find that it cannot be written.
        let mut file = fs::File::create_new(&self.out).map_err(fails)?;
        let found = self.collect(stop).and_then(|found| {
            let lines = found.openings.iter().map(|candidate| candidate.line(self.chess960) + "\n");
            file.write_all(lines.collect::<String>().as_bytes()).map_err(fails)?;
            Ok(found)
        });
        if found.is_err() {
            // An empty file would be taken for a book.
            let _ = fs::remove_file(&self.out);
        }
        let found = found?;
        let (count, duplicates) = (found.openings.len(), found.duplicates);
        println!("{count} openings in {}; {duplicates} duplicates dropped", self.out.display());
        Ok(())
    }

    fn collect(&self, stop: &Stop) -> Result<Collector, OpeningsError> {
        let config = self.config();
        let workers = worker_count(self.threads.map(|threads| threads.get() as u64));
        let bar = terminal::bar(self.count, "openings", self.quiet);
        let mut pool = Pool::build(workers, || Engine::new(HASH, 1))?;
        let mut collector = Collector::default();
        let mut last_gain = 0;
        let work = |engine: &mut Engine, number| Ok(config.candidate(number, engine));
        let ended = pool.run(stop, 0.., work, |number, found| {
            let before = collector.openings.len();
            if let Some(candidate) = found {
                collector.offer(candidate);
            }
            let count = collector.openings.len();
            if count > before {
                last_gain = number;
            }
            bar.set_position(count as u64);
            match count {
                _ if count as u64 == self.count => Err(Ended::Full),
                _ if number - last_gain > BARREN => Err(Ended::Barren),
                _ => Ok(()),
            }
        });
        bar.finish_and_clear();
        match ended {
            Ok(()) | Err(Ended::Full) => Ok(collector),
            Err(Ended::Barren) => Err(OpeningsError::Barren { found: collector.openings.len() }),
            Err(Ended::Interrupted) => Err(Interrupted.into()),
        }
    }
}

/// Why no further candidate is wanted.
enum Ended {
    Full,
    Barren,
    Interrupted,
}

impl From<Interrupted> for Ended {
    fn from(Interrupted: Interrupted) -> Self {
        Self::Interrupted
    }
}

impl CheckArgs {
    fn run(&self) -> Result<(), OpeningsError> {
        let name = self.book.clone();
        let (text, format) = nullarbor_openings::text(&self.book)?;
        let CheckedBook { openings, problems } =
            CheckedBook::of(format.entries(&text, self.book_plies));
        problems.iter().for_each(|problem| println!("{problem}"));
        if !problems.is_empty() {
            return Err(OpeningsError::Bad { name, count: problems.len() });
        }
        if openings.is_empty() {
            return Err(OpeningsError::Empty { name });
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
        println!(
            "{count} openings of {kind}, all different and playable; Black moves first in {black}"
        );
        Ok(())
    }
}
