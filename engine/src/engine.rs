//! The engine as its users see it: a position, settings, and searches that are started, stopped and waited for.
//! UCI, bench, tuner and tests all come through here.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::board::{KeyHistory, Position};
use crate::clock::Limits;
use crate::eval::nnue::{Network, NetworkError};
use crate::params::{ParamError, Params, Tuned};
use crate::pool::{Answer, Finding, Pool};
use crate::search::{AttemptLog, Control, Job, Sink, null_move};
use crate::table::{TableError, TranspositionTable};
use crate::types::Move;

/// Why a setting is refused; the old one stays.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The table cannot be had.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The threads cannot be had.
    #[error("{wanted} threads cannot be started ({source}); the old ones stay")]
    Threads {
        /// How many were asked for.
        wanted: usize,
        /// What the system says.
        source: io::Error,
    },
    /// The network cannot be used.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The parameter cannot be set.
    #[error(transparent)]
    Param(#[from] ParamError),
}

/// Settings that hold from search to search.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many best lines to find.
    pub multi_pv: usize,
    /// Time lost at each move between the engine and the clock.
    pub move_overhead: Duration,
    /// The scheme of the null move.
    pub policy: null_move::Policy,
    /// Whether evaluations fade towards a draw as the fifty-move clock runs; `false` for labels of training games.
    pub fifty_move_damping: bool,
}

impl Settings {
    /// Enough for a match runner on the same machine.
    pub const DEFAULT_OVERHEAD: Duration = Duration::from_millis(10);
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            multi_pv: 1,
            move_overhead: Self::DEFAULT_OVERHEAD,
            policy: null_move::Policy::default(),
            fifty_move_damping: true,
        }
    }
}

/// An engine: table, workers and a game.
pub struct Engine {
    position: Position,
    history: KeyHistory,
    settings: Settings,
    attempt_log: Option<Arc<dyn AttemptLog>>,
    tuned: Arc<Tuned>,
    network: Arc<Network>,
    table: Arc<TranspositionTable>,
    pool: Pool,
    control: Option<Arc<Control>>,
}

impl Engine {
    /// The size of the table unless somebody asks for another, in MiB.
    pub const DEFAULT_HASH: usize = 16;
    /// More threads than any machine of today has.
    pub const MAX_THREADS: usize = 1024;

    /// An engine at the starting position.
    ///
    /// # Errors
    /// Where the system gives too little memory or too few threads.
    pub fn new(hash: usize, threads: usize) -> Result<Self, EngineError> {
        Self::of(hash, start_pool(threads)?)
    }

    /// An engine whose only worker searches on the thread of the caller: [`Engine::go`] returns when its answer has been given.
    /// For callers that search a few hundred nodes at a time and never stop one; the deepest line takes 2 MiB of the
    /// thread's stack.
    ///
    /// # Errors
    /// Where the system gives too little memory.
    pub fn on_this_thread(hash: usize) -> Result<Self, EngineError> {
        Self::of(hash, Pool::on_this_thread())
    }

    fn of(hash: usize, pool: Pool) -> Result<Self, EngineError> {
        let table = Arc::new(TranspositionTable::new(hash, pool.len())?);
        Ok(Self {
            position: Position::start(),
            history: KeyHistory::new(),
            settings: Settings::default(),
            attempt_log: None,
            tuned: Arc::default(),
            network: Arc::clone(Network::embedded()),
            table,
            pool,
            control: None,
        })
    }

    /// The position that a search would start from.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Goes to another position with the keys of those before it.
    pub fn set_position(&mut self, position: Position, history: KeyHistory) {
        self.position = position;
        self.history = history;
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The settings, to change them for the searches to come.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Lets somebody take notes of the null moves of the searches to come, or nobody.
    pub fn log_null_moves(&mut self, log: Option<Arc<dyn AttemptLog>>) {
        self.attempt_log = log;
    }

    /// The parameters of the search.
    pub fn params(&self) -> &Params {
        &self.tuned
    }

    /// Sets a parameter for the searches to come.
    ///
    /// # Errors
    /// Where there is none of this name or the value is out of range.
    pub fn set_param(&mut self, name: &str, value: i32) -> Result<(), EngineError> {
        let mut params = self.params().clone();
        params.set(name, value)?;
        self.set_params(params);
        Ok(())
    }

    /// Sets all parameters for the searches to come, whatever their ranges.
    pub fn set_params(&mut self, params: Params) {
        self.tuned = Arc::new(Tuned::new(params));
    }

    /// What evaluates.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Evaluates by another network in the searches to come. What was learnt with the old one is forgotten.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.network = network;
        self.new_game();
    }

    /// Makes a new table of so many MiB, empty.
    ///
    /// # Errors
    /// Where the memory cannot be had; the old table stays.
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), EngineError> {
        self.wait();
        self.table = Arc::new(TranspositionTable::new(mebibytes, self.pool.len())?);
        Ok(())
    }

    /// Starts so many workers in place of the old ones. What those have learnt is lost.
    ///
    /// # Errors
    /// Where the system does not give them; the old ones stay.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.wait();
        self.pool = start_pool(threads)?;
        Ok(())
    }

    /// Empties the table.
    pub fn clear_hash(&mut self) {
        self.wait();
        self.table.clear(self.pool.len());
    }

    /// Forgets everything that was learnt from earlier games.
    pub fn new_game(&mut self) {
        self.clear_hash();
        self.pool.forget();
    }

    /// Starts a search. `moves` are those to choose from; empty stands for all. The `answer` comes on
    /// another thread; where there is no legal move it never comes and this says `false`.
    pub fn go(
        &mut self,
        limits: &Limits,
        moves: Vec<Move>,
        start: Instant,
        sink: Arc<dyn Sink>,
        answer: Answer,
    ) -> bool {
        self.wait();
        let root_moves =
            if moves.is_empty() { self.position.legal_moves().to_vec() } else { moves };
        if root_moves.is_empty() {
            return false;
        }
        let (us, fullmove) = (self.position.side_to_move(), self.position.fullmove());
        let control = Arc::new(Control::new(self.pool.len(), limits.ponder));
        self.table.new_search();
        let job = Job {
            position: self.position.clone(),
            history: self.history.clone(),
            root_moves,
            budget: limits.budget(start, us, fullmove, self.settings.move_overhead),
            multi_pv: self.settings.multi_pv,
            tuned: Arc::clone(&self.tuned),
            policy: self.settings.policy,
            fifty_move_damping: self.settings.fifty_move_damping,
            attempt_log: self.attempt_log.clone(),
            network: Arc::clone(&self.network),
            table: Arc::clone(&self.table),
            control: Arc::clone(&control),
            sink,
            hold: limits.waits_for_stop() && !limits.ponder,
        };
        self.control = Some(control);
        self.pool.start(Arc::new(job), answer);
        true
    }

    /// Searches and waits for the result; `None` where there is no legal move.
    pub fn search(&mut self, limits: &Limits, sink: Arc<dyn Sink>) -> Option<Finding> {
        let (sender, receiver) = crossbeam::channel::bounded(1);
        let answer: Answer = Box::new(move |finding: &Finding| {
            let _ = sender.send(finding.clone());
        });
        let started = self.go(limits, Vec::new(), Instant::now(), sink, answer);
        started.then(|| receiver.recv().ok()).flatten()
    }

    /// Ends the search; its answer is still to come.
    pub fn stop(&self) {
        if let Some(control) = &self.control {
            control.stop();
        }
    }

    /// The opponent has made the move that the engine ponders on.
    pub fn ponder_hit(&self) {
        if let Some(control) = &self.control {
            control.ponder_hit();
        }
    }

    /// Whether a search is under way that nobody has stopped.
    pub fn is_searching(&self) -> bool {
        self.pool.is_busy() && self.control.as_ref().is_some_and(|control| !control.is_stopped())
    }

    /// Waits until the search is over and its answer given.
    pub fn wait(&mut self) {
        self.pool.wait();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
    }
}

fn start_pool(threads: usize) -> Result<Pool, EngineError> {
    Pool::new(threads).map_err(|source| EngineError::Threads { wanted: threads, source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Silent;
    use crate::types::Bound;

    fn search(engine: &mut Engine, fen: &str, limits: &Limits) -> Finding {
        engine.new_game();
        engine.set_position(Position::from_fen(fen).expect(fen), KeyHistory::new());
        engine.search(limits, Arc::new(Silent)).expect("there are moves")
    }

    const QUIET: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    const CHECK: &str = "rnbqk1nr/pppp1ppp/8/4p3/1b2P3/3P4/PPP2PPP/RNBQKBNR w KQkq - 1 3";
    const CAPTURE: &str = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";

    #[test]
    fn the_thread_that_searches_does_not_matter() {
        let limits = Limits { soft_nodes: Some(3000), ..Limits::default() };
        let mut pool = Engine::new(1, 1).expect("a small engine");
        let mut here = Engine::on_this_thread(1).expect("a small engine");
        for fen in [QUIET, CHECK, CAPTURE] {
            let (one, two) = (search(&mut pool, fen, &limits), search(&mut here, fen, &limits));
            assert_eq!((one.nodes, one.outcome.best), (two.nodes, two.outcome.best), "{fen}");
        }
    }

    #[test]
    fn noisy_positions_get_fewer_nodes_where_that_is_asked_for() {
        let mut engine = Engine::on_this_thread(1).expect("a small engine");
        let (all, few) = (8000, 400);
        let usual = Limits { soft_nodes: Some(all), ..Limits::default() };
        let limits = Limits { noisy_soft_nodes: Some(few), ..usual.clone() };
        for fen in [CHECK, CAPTURE] {
            assert!(search(&mut engine, fen, &limits).nodes < all / 2, "{fen}");
            assert!(search(&mut engine, fen, &usual).nodes >= all, "{fen}");
        }
        assert!(search(&mut engine, QUIET, &limits).nodes >= all);
    }

    #[test]
    fn the_completed_score_is_that_of_the_last_whole_iteration() {
        let mut engine = Engine::on_this_thread(1).expect("a small engine");
        for nodes in [700, 1500, 3100, 6300] {
            let hard = Limits { nodes: Some(nodes), ..Limits::default() };
            let outcome = search(&mut engine, QUIET, &hard).outcome;
            let whole = Limits { depth: Some(outcome.depth), ..Limits::default() };
            let completed = search(&mut engine, QUIET, &whole).outcome;
            assert_eq!(completed.bound, Bound::Exact);
            assert_eq!(outcome.completed_score, completed.best.score, "{nodes} nodes");
        }
    }
}
