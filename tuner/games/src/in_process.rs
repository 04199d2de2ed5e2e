//! This engine as a player inside this process: no pipe and no text.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::{self, RecvTimeoutError};
use nullarbor::clock::Limits;
use nullarbor::engine::{Engine, EngineError};
use nullarbor::eval::nnue::Network;
use nullarbor::params::Params;
use nullarbor::pool::SearchResult;
use nullarbor::search::{Silent, Sink, null_move};

use super::player::{GameLine, NoThought, Player, Thought};
use crate::scheme::EngineKind;
use crate::work::Stop;

/// How often a wait looks whether it is still wanted.
const GLANCE: Duration = Duration::from_millis(50);

/// What one setting of the engine has that another may not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Size of the table in MiB.
    pub hash: usize,
    /// The search, before its parameters are changed.
    pub engine: EngineKind,
    /// The scheme of the null move.
    pub scheme: null_move::Scheme,
    /// Parameters by name; all others have their defaults.
    pub params: Vec<(String, i32)>,
    /// The file of a network, instead of the built-in one.
    pub network: Option<PathBuf>,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            hash: Engine::DEFAULT_HASH,
            engine: EngineKind::default(),
            scheme: null_move::Scheme::default(),
            params: Vec::new(),
            network: None,
        }
    }
}

/// The engine, with its table and histories, kept from game to game.
pub struct InProcess {
    engine: Engine,
    sink: Arc<dyn Sink>,
    stop: Arc<Stop>,
}

impl InProcess {
    /// Starts it.
    ///
    /// # Errors
    /// Where memory is short, a parameter has no such name or value, or the network cannot be used.
    pub fn new(setting: &Setting, stop: &Arc<Stop>) -> Result<Self, EngineError> {
        let mut engine = Engine::new(setting.hash, 1)?;
        engine.set_params(setting.engine.params());
        engine.set_scheme(setting.scheme);
        if let Some(path) = &setting.network {
            engine.set_network(Arc::new(Network::read(path)?));
        }
        for (name, value) in &setting.params {
            engine.set_param(name, *value)?;
        }
        Ok(Self { engine, sink: Arc::new(Silent), stop: Arc::clone(stop) })
    }

    /// Gives it other parameters, from its next search on.
    pub fn set_params(&mut self, params: Params) {
        self.engine.set_params(params);
    }

    fn search(&mut self, limits: &Limits, start: Instant) -> Result<SearchResult, NoThought> {
        let (sender, finding) = channel::bounded(1);
        let answer = Box::new(move |finding: &SearchResult| {
            // Whoever waits for it waits below.
            let _ = sender.send(finding.clone());
        });
        let sink = Arc::clone(&self.sink);
        let started = self.engine.go(limits, Vec::new(), start, sink, answer);
        assert!(started.is_ok(), "a game goes on where there is no move");
        loop {
            match finding.recv_timeout(GLANCE) {
                Ok(finding) => return Ok(finding),
                Err(RecvTimeoutError::Disconnected) => return Err(NoThought::Aborted),
                Err(RecvTimeoutError::Timeout) if self.stop.is_aborting() => self.engine.stop(),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Player for InProcess {
    fn new_game(&mut self) -> Result<(), NoThought> {
        self.engine.new_game();
        Ok(())
    }

    fn think(
        &mut self,
        line: &GameLine,
        limits: &Limits,
        _: Option<Duration>,
    ) -> Result<Thought, NoThought> {
        let start = Instant::now();
        self.engine.set_position(line.position.clone(), line.history.clone());
        let finding = self.search(limits, start)?;
        let outcome = &finding.outcome;
        Ok(Thought {
            mv: outcome.best_move(),
            elapsed: start.elapsed(),
            score: Some(outcome.best.score),
            depth: outcome.depth.0.unsigned_abs(),
            selective_depth: outcome.selective_depth as u32,
            nodes: finding.nodes,
        })
    }
}
