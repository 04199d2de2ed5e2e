//! This engine as a player in this process, without pipes and text.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::{self, RecvTimeoutError};
use nullarbor::board::Position;
use nullarbor::clock::{Limits, time_of};
use nullarbor::engine::{Engine, EngineError};
use nullarbor::eval::nnue::Network;
use nullarbor::params::Params;
use nullarbor::pool::SearchResult;
use nullarbor::search::null_move::Scheme;
use nullarbor::search::{Silent, Sink};
use nullarbor::types::Move;

use super::diagnostics::PvWarnings;
use super::player::{Details, GameLine, MoveInfo, NoMove, Player};
use crate::scheme::{EngineKind, NamedScheme};
use nullarbor_runs::Stop;

/// Interval at which a wait for the search checks whether the game is aborted.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The options of this engine as a player. They may differ between players of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Size of the transposition table in MiB.
    pub hash: usize,
    /// The search, before its parameters are changed.
    pub engine: EngineKind,
    /// The null-move scheme.
    pub null_move: NamedScheme,
    /// The file that the scheme was read from, if any.
    pub scheme_file: Option<PathBuf>,
    /// Parameters by name; the others have their defaults.
    pub params: Vec<(String, i32)>,
    /// The network file; `None` is the built-in network.
    pub network: Option<PathBuf>,
}

impl Default for EngineOptions {
    fn default() -> Self {
        let scheme = Scheme::default();
        let name = scheme.name().unwrap_or_default().to_owned();
        Self {
            hash: Engine::DEFAULT_HASH,
            engine: EngineKind::default(),
            null_move: NamedScheme { name, scheme },
            scheme_file: None,
            params: Vec::new(),
            network: None,
        }
    }
}

/// This engine as a player. It keeps its memory from game to game, but not what it holds.
pub struct InProcess {
    engine: Engine,
    sink: Arc<dyn Sink>,
    stop: Arc<Stop>,
}

impl InProcess {
    /// Creates the engine.
    ///
    /// # Errors
    /// If memory is short, a parameter has no such name or value, or the network cannot be loaded.
    pub fn new(options: &EngineOptions, stop: &Arc<Stop>) -> Result<Self, EngineError> {
        let mut engine = options.engine.engine(options.hash)?;
        engine.set_scheme(options.null_move.scheme);
        if let Some(path) = &options.network {
            engine.set_network(Arc::new(Network::read(path)?));
        }
        for (name, value) in &options.params {
            engine.set_param(name, *value)?;
        }
        Ok(Self { engine, sink: Arc::new(Silent), stop: Arc::clone(stop) })
    }

    /// Sets the parameters, from the next search on.
    pub fn set_params(&mut self, params: Params) {
        self.engine.set_params(params);
    }

    fn search(&mut self, limits: &Limits, start: Instant) -> Result<SearchResult, NoMove> {
        let (sender, result) = channel::bounded(1);
        let answer = Box::new(move |result: &SearchResult| {
            // The receiver waits below.
            let _ = sender.send(result.clone());
        });
        let sink = Arc::clone(&self.sink);
        let started = self.engine.go(limits, Vec::new(), start, sink, answer);
        assert!(started.is_ok(), "the position has a legal move");
        loop {
            match result.recv_timeout(POLL_INTERVAL) {
                // What was cut short is no move of the game.
                Ok(_) if self.stop.is_aborting() => return Err(NoMove::Aborted),
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Disconnected) => return Err(NoMove::Aborted),
                Err(RecvTimeoutError::Timeout) if self.stop.is_aborting() => self.engine.stop(),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn variation(root: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = root.clone();
    let written = moves.iter().map(|&mv| {
        let text = position.uci(mv, true);
        position = position.make(mv);
        text
    });
    written.collect()
}

impl Player for InProcess {
    fn new_game(&mut self) -> Result<(), NoMove> {
        self.engine.new_game();
        Ok(())
    }

    fn think(
        &mut self,
        line: &GameLine,
        limits: &Limits,
        _: Option<Duration>,
    ) -> Result<MoveInfo, NoMove> {
        let start = Instant::now();
        self.engine.set_game(line.game.clone());
        let result = self.search(limits, start)?;
        let outcome = &result.outcome;
        Ok(MoveInfo {
            mv: outcome.best_move(),
            elapsed: match limits.nodestime {
                Some(rate) => time_of(result.nodes, rate),
                None => start.elapsed(),
            },
            score: Some(self.engine.centipawns(outcome.best.score)),
            depth: outcome.depth.0.unsigned_abs(),
            selective_depth: outcome.selective_depth as u32,
            nodes: result.nodes,
            details: Details {
                hashfull: Some(self.engine.hashfull() as u32),
                tbhits: Some(result.tb_hits),
                pv: variation(line.game.position(), &outcome.best.moves),
                ..Details::default()
            },
            pv_warnings: PvWarnings::default(),
        })
    }
}
