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
use nullarbor_games::scheme::{EngineKind, NamedScheme};
use nullarbor_games::work::{Interrupted, Pool, Stop};
use nullarbor_openings::Opening;
use nullarbor_report::table::grouped;
use parking_lot::Mutex;
use thiserror::Error;

use super::columns::Attempt;
use super::log_file::{LogFileError, LogWriter};
use crate::numbers::percent;
use crate::provenance::Provenance;

/// What is played, and what is logged.
#[derive(Clone, Debug)]
pub struct Logging {
    /// The openings, one game each.
    pub openings: Vec<Opening>,
    /// Where the openings come from, for the metadata of the log.
    pub source: String,
    /// Greatest number of plies of a game.
    pub plies: usize,
    /// Limits of each search.
    pub limits: Limits,
    /// The scheme whose null moves are logged.
    pub scheme: NamedScheme,
    /// The search in which it is tried.
    pub engine: EngineKind,
    /// Size of each transposition table in MiB.
    pub hash: usize,
    /// Number of games at the same time.
    pub workers: usize,
    /// What is sampled.
    pub sampling: Sampling,
}

/// Sampling intervals: one in `n`; 0 for none.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// Attempts that are logged.
    pub rows: u64,
    /// Logged cutoffs whose node is searched in spite of them, to see what they saved.
    pub probes: u64,
    /// Logged attempts whose node is searched without null moves, for the ground truth.
    pub ground_truths: u64,
}

/// What a log holds.
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
    /// Whether all games were played; [`LogError::Interrupted`] otherwise.
    pub end: Result<(), LogError>,
}

/// Why there is no complete log.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum LogError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    File(#[from] LogFileError),
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
        is_sampled(records.seen, self.sampling.rows)
            && is_sampled(records.cutoffs / self.sampling.rows.max(1), self.sampling.probes)
    }

    fn note(&self, attempt: &Logged<'_>) {
        let mut records = self.records.lock();
        let number = records.seen;
        records.seen += 1;
        if !is_sampled(number, self.sampling.rows) {
            return;
        }
        let row = records.rows.len();
        if is_sampled(number / self.sampling.rows, self.sampling.ground_truths) {
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
    /// Plays all games, writes the log and calls `done` after each game. After an interruption the log holds the games
    /// completed before. The log does not depend on the number of workers.
    ///
    /// # Errors
    /// If there is not enough memory, or the log cannot be written.
    pub fn write(
        &self,
        path: &Path,
        stop: &Stop,
        mut done: impl FnMut(),
    ) -> Result<Summary, LogError> {
        let mut writer = LogWriter::create(path, &self.metadata())?;
        let (mut games, mut cutoffs, start) = (0, 0, Instant::now());
        let end = self.run(stop, |attempts| {
            done();
            games += 1;
            cutoffs += attempts.iter().filter(|attempt| attempt.cut).count() as u64;
            Ok(writer.add(&attempts)?)
        });
        if let Err(error @ (LogError::Engine(_) | LogError::File(_))) = end {
            return Err(error);
        }
        Ok(Summary { games, rows: writer.finish()?, cutoffs, elapsed: start.elapsed(), end })
    }

    /// Plays all games and hands the attempts of each to `take`, in order.
    fn run(
        &self,
        stop: &Stop,
        mut take: impl FnMut(Vec<Attempt>) -> Result<(), LogError>,
    ) -> Result<(), LogError> {
        Pool::build(self.workers, || self.engines())?.run(
            stop,
            (0..).zip(&self.openings),
            |engines, (game, opening)| self.play(engines, game, opening, stop),
            |_, attempts| take(attempts),
        )
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        let Provenance { version, bench, network, search } = Provenance::of(self.engine);
        let Sampling { rows, probes, ground_truths } = self.sampling;
        let limit = match (self.limits.depth, self.limits.nodes) {
            (Some(depth), _) => format!("depth {}", depth.0),
            (None, nodes) => format!("{} nodes", nodes.unwrap_or(0)),
        };
        vec![
            ("nullarbor", version.to_owned()),
            ("bench", bench.to_owned()),
            ("network", network),
            ("scheme", self.scheme.name.clone()),
            ("engine", search.to_owned()),
            ("games", format!("{} from {}, {limit}", self.openings.len(), self.source)),
            (
                "sampling",
                format!(
                    "rows 1 in {rows}, probes 1 in {probes}, ground truths 1 in {ground_truths}"
                ),
            ),
        ]
    }

    fn engines(&self) -> Result<Engines, EngineError> {
        let [mut player, mut full_search] =
            [self.engine.engine(self.hash)?, self.engine.engine(self.hash)?];
        player.set_scheme(self.scheme.scheme);
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
            let Ok(finding) = player.search(&self.limits, Arc::new(Silent)) else { break };
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
