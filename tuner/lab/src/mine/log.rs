//! Self-play in which every null-move search is logged.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nullarbor::board::{Game, KeyHistory, Position};
use nullarbor::clock::Limits;
use nullarbor::engine::{Engine, EngineError};
use nullarbor::search::null_move::Scheme;
use nullarbor::search::{AttemptLog, Logged, Silent};
use nullarbor::types::Depth;
use nullarbor_games::scheme::{EngineKind, NamedScheme, SchemeError};
use nullarbor_openings::{Book, BookError, Opening};
use nullarbor_report::table::grouped;
use nullarbor_report::terminal;
use nullarbor_runs::files::FileError;
use nullarbor_runs::paths::Named;
use nullarbor_runs::{Interrupted, Pool, Stop, worker_count};
use parking_lot::Mutex;
use thiserror::Error;

use super::columns::Attempt;
use super::log_file::LogWriter;
use crate::numbers::percent;
use crate::provenance::Provenance;

/// Settings of the games and of their log.
#[derive(Clone, Debug, clap::Args)]
pub struct Logging {
    /// Number of games
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Maximum length of a game, in plies
    #[arg(long, default_value_t = 160, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    plies: u64,
    /// Nodes per move
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "depth")]
    nodes: u64,
    /// Depth of the search of each move
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..=i64::from(Depth::MAX.0)))]
    depth: Option<i32>,
    /// The scheme whose null moves are logged, with changes such as +trigger=always, or a TOML file
    #[arg(long, alias = "policy", default_value = "nullarbor+trigger=always")]
    scheme: String,
    /// The search that tries the scheme; `no-...` is the search as it plays without one rule
    #[arg(long, value_enum, default_value_t = EngineKind::Full)]
    engine: EngineKind,
    /// Opening book
    #[arg(long, default_value = "unbalanced")]
    book: String,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    sampling: Sampling,
    /// Size of each transposition table in MiB
    #[arg(long, default_value_t = Engine::DEFAULT_HASH as u64, value_parser = clap::value_parser!(u64).range(1..))]
    hash: u64,
    /// Games at the same time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
}

/// Sampling intervals.
#[derive(Clone, Copy, Debug, clap::Args)]
struct Sampling {
    /// Log one attempt in N
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    sample: u64,
    /// Probe one cutoff in N: search its node anyway, to see what the cutoff saved; 0 for none
    #[arg(long, value_name = "N", default_value_t = 50)]
    probe: u64,
    /// Find the ground truth of one attempt in N by a full search without null moves; 0 for none
    #[arg(long, alias = "truth", value_name = "N", default_value_t = 1000)]
    ground_truth: u64,
}

/// The contents of a log.
#[derive(Debug)]
pub struct Summary {
    /// Number of complete games.
    pub games: usize,
    /// Number of rows.
    pub rows: u64,
    /// Rows of cutoffs.
    pub cutoffs: u64,
    /// Time of the games.
    pub elapsed: Duration,
    /// End of the games: [`LogError::Interrupted`] if not all were played.
    pub end: Result<(), LogError>,
}

/// Why there is no complete log.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum LogError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    #[error("interrupted; the log holds the games completed before")]
    Interrupted(#[from] Interrupted),
}

/// A search for the ground truth that takes more nodes is given up.
const GROUND_TRUTH_NODES: u64 = 20_000_000;

/// An attempt whose ground truth is to be found.
struct Query {
    row: usize,
    position: Position,
    keys: KeyHistory,
    depth: Depth,
}

#[derive(Default)]
struct Records {
    seen: u64,
    cutoffs: u64,
    rows: Vec<Attempt>,
    queries: Vec<Query>,
}

/// Records the attempts of one game.
struct Recorder {
    sampling: Sampling,
    game: u32,
    records: Mutex<Records>,
}

/// Returns whether the element with this number, from 0, is sampled.
fn is_sampled(number: u64, one_in: u64) -> bool {
    one_in > 0 && number.is_multiple_of(one_in)
}

impl AttemptLog for Recorder {
    fn wants_probe(&self) -> bool {
        let mut records = self.records.lock();
        records.cutoffs += 1;
        is_sampled(records.seen, self.sampling.sample)
            && is_sampled(records.cutoffs / self.sampling.sample.max(1), self.sampling.probe)
    }

    fn note(&self, attempt: &Logged<'_>) {
        let mut records = self.records.lock();
        let number = records.seen;
        records.seen += 1;
        if !is_sampled(number, self.sampling.sample) {
            return;
        }
        let row = records.rows.len();
        if is_sampled(number / self.sampling.sample, self.sampling.ground_truth) {
            records.queries.push(Query {
                row,
                position: attempt.position.clone(),
                keys: attempt.keys.clone(),
                depth: attempt.depth,
            });
        }
        records.rows.push(Attempt {
            features: attempt.features,
            game: self.game,
            score: attempt.score,
            cut: attempt.score >= attempt.beta,
            null_nodes: attempt.null_nodes,
            probe: attempt.probe,
            ground_truth: None,
        });
    }
}

/// The engine that plays, and the one without null moves that finds the ground truth.
struct Engines {
    player: Engine,
    full_search: Engine,
}

impl Logging {
    /// Returns the files that are read.
    pub fn inputs(&self) -> Vec<Named> {
        let book = Some(Named::new("the book", &self.book));
        let scheme = NamedScheme::file(&self.scheme).map(|file| Named::new("the scheme", file));
        book.into_iter().chain(scheme).collect()
    }

    /// Plays all games and writes the log. After an interruption it holds the games completed before. The log does not
    /// depend on the number of workers.
    ///
    /// # Errors
    /// If the book or the scheme cannot be read, there is not enough memory, or the log cannot be written.
    pub fn write(&self, path: &Path, quiet: bool, stop: &Stop) -> Result<Summary, LogError> {
        let mut book = Book::open(&self.book, None)?;
        book.shuffle(self.seed);
        book.openings.truncate(self.games as usize);
        let openings = book.openings.len();
        if !quiet && (openings as u64) < self.games {
            terminal::message(format_args!(
                "The book has {openings} openings: {openings} games will be played."
            ));
        }
        let scheme = NamedScheme::read(&self.scheme)?;
        let mut writer = LogWriter::create(path, &self.metadata(&scheme, openings))?;
        let (mut games, mut cutoffs, start) = (0, 0, Instant::now());
        let bar = terminal::bar(openings as u64, "games", quiet);
        let mut pool = Pool::build(worker_count(self.concurrency), || self.engines(scheme.scheme))?;
        let play = |engines: &mut Engines, (game, opening): (u32, &Opening)| {
            self.play(engines, game, opening, stop)
        };
        let end = pool.run(stop, (0..).zip(&book.openings), play, |_, attempts| {
            bar.inc(1);
            games += 1;
            cutoffs += attempts.iter().filter(|attempt| attempt.cut).count() as u64;
            Ok(writer.add(&attempts)?)
        });
        bar.finish_and_clear();
        if let Err(error @ LogError::File(_)) = end {
            return Err(error);
        }
        Ok(Summary { games, rows: writer.finish()?, cutoffs, elapsed: start.elapsed(), end })
    }

    fn metadata(&self, scheme: &NamedScheme, games: usize) -> Vec<(&'static str, String)> {
        let Provenance { version, bench, network, search } = Provenance::of(self.engine);
        let Self { book, seed, nodes, .. } = self;
        let Sampling { sample, probe, ground_truth } = self.sampling;
        let limit =
            self.depth.map_or_else(|| format!("{nodes} nodes"), |depth| format!("depth {depth}"));
        let sampling =
            format!("rows 1 in {sample}, probes 1 in {probe}, ground truths 1 in {ground_truth}");
        vec![
            ("nullarbor", version.to_owned()),
            ("bench", bench.to_owned()),
            ("network", network.unwrap_or_default()),
            ("scheme", scheme.name.clone()),
            ("engine", search.to_owned()),
            ("games", format!("{games} from {book}, seed {seed}, {limit}")),
            ("sampling", sampling),
        ]
    }

    fn engines(&self, scheme: Scheme) -> Result<Engines, EngineError> {
        let engine = || self.engine.engine(self.hash as usize);
        let (mut player, mut full_search) = (engine()?, engine()?);
        player.set_scheme(scheme);
        full_search.set_scheme(Scheme::named("off").unwrap_or_default());
        Ok(Engines { player, full_search })
    }

    fn play(
        &self,
        engines: &mut Engines,
        game: u32,
        opening: &Opening,
        stop: &Stop,
    ) -> Result<Vec<Attempt>, LogError> {
        let Engines { player, full_search } = engines;
        let mut played = opening.game();
        let nodes = self.depth.is_none().then_some(self.nodes);
        let limits = Limits { depth: self.depth.map(Depth), nodes, ..Limits::default() };
        let recorder =
            Arc::new(Recorder { sampling: self.sampling, game, records: Mutex::default() });
        player.log_null_moves(Some(Arc::clone(&recorder) as Arc<dyn AttemptLog>));
        player.new_game();
        for _ in 0..self.plies {
            if stop.is_aborting() {
                return Err(Interrupted.into());
            }
            if played.ending().is_some() {
                break;
            }
            player.set_game(played.clone());
            let Ok(finding) = player.search(&limits, Arc::new(Silent)) else { break };
            played.play(finding.outcome.best_move());
            find_ground_truths(full_search, &mut recorder.records.lock());
        }
        player.log_null_moves(None);
        let mut records = recorder.records.lock();
        Ok(std::mem::take(&mut records.rows))
    }
}

/// Searches the queried positions without null moves, each with an empty transposition table.
fn find_ground_truths(engine: &mut Engine, records: &mut Records) {
    for Query { row, position, keys, depth } in std::mem::take(&mut records.queries) {
        engine.new_game();
        engine.set_game(Game::with_history(position, keys));
        let nodes = Some(GROUND_TRUTH_NODES);
        let limits = Limits { depth: Some(depth), nodes, ..Limits::default() };
        let finding = engine.search(&limits, Arc::new(Silent));
        let finished = finding.ok().filter(|found| found.outcome.depth >= depth);
        records.rows[row].ground_truth = finished.map(|found| found.outcome.best.score);
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self { games, rows, cutoffs, elapsed, .. } = self;
        let per_minute = rows as f64 * 60.0 / elapsed.as_secs_f64().max(0.001);
        write!(
            f,
            "{} attempts in {games} games, {} % cut off, {} a minute",
            grouped(rows),
            percent(cutoffs, rows),
            grouped(per_minute as u64)
        )
    }
}
