//! `mine log`.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use nullarbor::clock::Limits;
use nullarbor::engine::Engine;
use nullarbor::types::Depth;
use nullarbor_openings::Book;

use super::{MineError, percent};
use nullarbor_games::scheme::{EngineKind, Scheme};
use nullarbor_games::work::{Stop, crew};
use nullarbor_lab::mine::file::LogWriter;
use nullarbor_lab::mine::log::{Logging, Sampling};
use nullarbor_report::table::grouped;
use nullarbor_report::terminal;

/// Play games of the engine against itself and write down every null search: what the node knew before it, and what came
/// of it.
///
/// The log is a Parquet file, a column of whole numbers for each thing known. Nothing in it depends on the number of
/// workers.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner mine log --out attempts.parquet --games 200 --nodes 20000 --policy nullarbor+trigger=always
  nullarbor-tuner mine log --out lea.parquet --games 100 --depth 6 --policy impchess --engine plain

Read it with any tool for data:
  python3 -c 'import pandas; print(pandas.read_parquet(\"attempts.parquet\").describe().T)'
  duckdb -c \"select depth, avg(cut), count(*) from 'attempts.parquet' group by depth order by depth\"")]
pub struct LogArgs {
    /// The log
    #[arg(long, visible_alias = "log-null-moves", value_name = "FILE")]
    out: PathBuf,
    /// Games
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Moves of a game at most, of both sides together
    #[arg(long, default_value_t = 160, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    plies: u64,
    /// Nodes for each move
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "depth")]
    nodes: u64,
    /// Plies for each move
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..=i64::from(Depth::MAX.0)))]
    depth: Option<i32>,
    /// The scheme whose null moves are logged: a preset or a file of TOML, with changes such as +trigger=always
    #[arg(long, default_value = "nullarbor+trigger=always")]
    policy: String,
    /// The search that it is tried in
    #[arg(long, value_enum, default_value_t = EngineKind::Full)]
    engine: EngineKind,
    /// Where the games begin
    #[arg(long, default_value = "unbalanced")]
    book: String,
    /// Decides which openings are played
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keep one attempt in so many
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    sample: u64,
    /// Search one cut-off in so many on, to see what it saved; 0 for none
    #[arg(long, value_name = "N", default_value_t = 50)]
    probe: u64,
    /// Ask a full search without null moves what is true of one attempt in so many; 0 for none
    #[arg(long, value_name = "N", default_value_t = 1000)]
    truth: u64,
    /// Size of the table of each engine in MiB
    #[arg(long, default_value_t = Engine::DEFAULT_HASH as u64, value_parser = clap::value_parser!(u64).range(1..))]
    hash: u64,
    /// Games at the same time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
    /// Show nothing but the result
    #[arg(long)]
    quiet: bool,
}

impl LogArgs {
    fn logging(&self) -> Result<Logging, MineError> {
        let mut book = Book::open(&self.book, None)?;
        book.shuffle(self.seed);
        book.openings.truncate(self.games as usize);
        let nodes = self.depth.is_none().then_some(self.nodes);
        Ok(Logging {
            openings: book.openings,
            plies: self.plies as usize,
            limits: Limits { depth: self.depth.map(Depth), nodes, ..Limits::default() },
            scheme: Scheme::read(&self.policy)?,
            engine: self.engine,
            hash: self.hash as usize,
            workers: crew::workers(self.concurrency),
            sampling: Sampling { rows: self.sample, probes: self.probe, truths: self.truth },
        })
    }

    /// How the log was made, to stand in it.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let limit =
            self.depth.map_or(format!("{} nodes", self.nodes), |depth| format!("depth {depth}"));
        vec![
            ("nullarbor", env!("CARGO_PKG_VERSION").to_owned()),
            ("policy", self.policy.clone()),
            ("engine", self.engine.name().to_owned()),
            ("games", format!("{} from {}, seed {}, {limit}", self.games, self.book, self.seed)),
            (
                "sampling",
                format!(
                    "rows 1 in {}, probes 1 in {}, truths 1 in {}",
                    self.sample, self.probe, self.truth
                ),
            ),
        ]
    }

    /// Plays, and writes the log.
    ///
    /// # Errors
    /// Where something that was asked for cannot be had. Games that were finished are in the log.
    pub fn run(&self, stop: &Stop) -> Result<(), MineError> {
        let logging = self.logging()?;
        let games = logging.openings.len();
        if !self.quiet && (games as u64) < self.games {
            eprintln!("The book has {games} openings, so there are as many games.");
        }
        let mut writer = LogWriter::create(&self.out, &self.facts())?;
        let bar = terminal::bar(games as u64, "games", self.quiet);
        let (mut failed, mut cutoffs, begun) = (None, 0, Instant::now());
        let done = logging.run(stop, |attempts| {
            bar.inc(1);
            cutoffs += attempts.iter().filter(|attempt| attempt.cut).count() as u64;
            if failed.is_none()
                && let Err(error) = writer.add(&attempts)
            {
                failed = Some(error);
                stop.ask();
            }
        })?;
        bar.finish_and_clear();
        if let Some(error) = failed {
            return Err(error.into());
        }
        let rows = writer.finish()?;
        let per_minute = rows as f64 * 60.0 / begun.elapsed().as_secs_f64().max(0.001);
        terminal::line(&format!(
            "{}: {} attempts of {done} games, {} % cut off, {} a minute",
            self.out.display(),
            grouped(rows),
            percent(cutoffs, rows),
            grouped(per_minute as u64),
        ));
        if done < games {
            return Err(MineError::Interrupted(format!("the log holds {done} games")));
        }
        Ok(())
    }
}
