//! The engine as a library: a position, settings, and searches that are started, stopped and waited
//! for. UCI, bench, tuner and tests are its clients.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::{self, Receiver};
use nullarbor_chess::board::{Game, Position};
use thiserror::Error;

use crate::clock::{Budget, Limits};
use crate::eval::Source;
use crate::eval::nnue::{Network, NetworkError};
use crate::eval::wdl::{is_draw, to_cp};
use crate::free_memory::free_mebibytes;
use crate::params::{ParamError, Params, SearchRule, TunedParams};
use crate::pool::{Answer, Pool, SearchResult};
use crate::search::null_move::Scheme;
use crate::search::{AttemptLog, Control, SharedSearch, Sink, TbProbing};
use crate::strength::{Handicap, Strength};
use crate::table::{TableError, TranspositionTable};
use crate::tablebase::{RootRank, Tablebases, rank};
use crate::types::{Depth, Move, Score};

/// Why a setting was refused. The old one stays.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The transposition table cannot be allocated.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The threads cannot be started.
    #[error("cannot start {wanted} threads ({source}); the old ones stay")]
    Threads {
        /// Number of threads asked for.
        wanted: usize,
        /// Reason given by the system.
        source: io::Error,
    },
    /// The threads need more than the free memory.
    #[error("{wanted} threads need {needed} MiB more, {available} MiB are free; the old ones stay")]
    ThreadMemory {
        /// Number of threads asked for.
        wanted: usize,
        /// Memory of the new threads and the old ones together, in MiB.
        needed: usize,
        /// The available memory in MiB.
        available: usize,
    },
    /// The network cannot be used.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The parameter cannot be set.
    #[error(transparent)]
    Param(#[from] ParamError),
}

/// There is no legal move: the game is over, so there is nothing to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is no legal move")]
pub struct NoLegalMoves;

/// Settings of the searches to come.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of best lines to find.
    pub multi_pv: usize,
    /// Time lost at each move between the engine and the clock.
    pub move_overhead: Duration,
    /// The scheme of the null move.
    pub scheme: Scheme,
    /// True if evaluations fade towards a draw as the halfmove clock runs; off for the labels of
    /// training games.
    pub fifty_move_damping: bool,
    /// Use of the tablebases.
    pub tb: TbSettings,
    /// True if strength is limited.
    pub limits_strength: bool,
    /// Strength to which it is limited then.
    pub strength: Strength,
}

/// The use of the tablebases.
#[derive(Clone, Copy, Debug)]
pub struct TbSettings {
    /// Minimum remaining depth at which positions with the most pieces are probed.
    pub probe_depth: Depth,
    /// Positions with more pieces are not probed.
    pub probe_limit: usize,
    /// True if the fifty-move rule holds.
    pub fifty_moves: bool,
}

impl Default for TbSettings {
    fn default() -> Self {
        Self { probe_depth: Depth::ONE, probe_limit: Tablebases::MAX_PIECES, fifty_moves: true }
    }
}

impl Settings {
    /// Move overhead by default: enough for a match runner on the same machine.
    pub const DEFAULT_OVERHEAD: Duration = Duration::from_millis(10);
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            multi_pv: 1,
            move_overhead: Self::DEFAULT_OVERHEAD,
            scheme: Scheme::default(),
            fifty_move_damping: true,
            tb: TbSettings::default(),
            limits_strength: false,
            strength: Strength::default(),
        }
    }
}

/// An engine: a game, a transposition table and threads that search.
///
/// ```
/// use std::sync::Arc;
/// use nullarbor::board::{Game, Position};
/// use nullarbor::clock::Limits;
/// use nullarbor::engine::Engine;
/// use nullarbor::search::Silent;
///
/// let mut engine = Engine::new(16, 1)?;
/// // White mates on the back rank.
/// let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1")?;
/// engine.set_game(Game::new(position));
/// let limits = Limits { nodes: Some(2000), ..Limits::default() };
/// let result = engine.search(&limits, Arc::new(Silent))?;
/// assert_eq!(engine.position().uci(result.outcome.best_move(), false), "d1d8");
/// assert_eq!(result.outcome.best.score.mate_moves(), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    game: Game,
    settings: Settings,
    attempt_log: Option<Arc<dyn AttemptLog>>,
    tuned: Arc<TunedParams>,
    network: Arc<Network>,
    tablebases: Option<Arc<Tablebases>>,
    is_plain: bool,
    table: Arc<TranspositionTable>,
    pool: Pool,
    control: Option<Arc<Control>>,
    /// Games begun before this one.
    games: u64,
}

impl Engine {
    /// Size of the transposition table by default, in MiB.
    pub const DEFAULT_HASH: usize = 16;
    /// Maximum number of threads.
    pub const MAX_THREADS: usize = 1024;

    /// Makes an engine at the starting position, with `hash` MiB of table.
    ///
    /// # Errors
    /// Fails if the system gives too little memory or too few threads.
    pub fn new(hash: usize, threads: usize) -> Result<Self, EngineError> {
        // Before the threads: the allocator of each reserves address space, of which there may be little.
        let table = TranspositionTable::new(hash, threads)?;
        Ok(Self::with(table, start_pool(threads)?))
    }

    /// Makes an engine that searches on the thread of the caller: [`Engine::go`] returns after its
    /// answer has been given. It is for callers that search a few hundred nodes at a time and never
    /// stop a search; the deepest line takes 2 MiB of the thread's stack.
    ///
    /// # Errors
    /// Fails if the system gives too little memory.
    pub fn on_this_thread(hash: usize) -> Result<Self, EngineError> {
        let pool = Pool::on_this_thread();
        Ok(Self::with(TranspositionTable::new(hash, pool.threads())?, pool))
    }

    fn with(table: TranspositionTable, pool: Pool) -> Self {
        Self {
            game: Game::new(Position::start()),
            settings: Settings::default(),
            attempt_log: None,
            tuned: Arc::default(),
            network: Arc::clone(Network::embedded()),
            tablebases: None,
            is_plain: false,
            table: Arc::new(table),
            pool,
            control: None,
            games: 0,
        }
    }

    /// Returns the position that a search would start from.
    pub fn position(&self) -> &Position {
        self.game.position()
    }

    /// Sets the game whose position is searched; its earlier positions count for repetitions.
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Sets the number of best lines to find.
    pub fn set_multi_pv(&mut self, lines: usize) {
        self.settings.multi_pv = lines;
    }

    /// Sets the time lost at each move between the engine and the clock.
    pub fn set_move_overhead(&mut self, overhead: Duration) {
        self.settings.move_overhead = overhead;
    }

    /// Sets whether strength is limited. A limited search uses one thread and no tablebases.
    pub fn limit_strength(&mut self, limits: bool) {
        self.settings.limits_strength = limits;
    }

    /// Sets to what strength is limited.
    pub fn set_strength(&mut self, strength: Strength) {
        self.settings.strength = strength;
    }

    /// Sets the scheme of the null move.
    pub fn set_scheme(&mut self, scheme: Scheme) {
        self.settings.scheme = scheme;
    }

    /// Sets whether evaluations fade towards a draw as the halfmove clock runs.
    pub fn set_fifty_move_damping(&mut self, damping: bool) {
        self.settings.fifty_move_damping = damping;
    }

    /// Sets the log that receives the null searches of the searches to come; `None` for no log.
    pub fn log_null_moves(&mut self, log: Option<Arc<dyn AttemptLog>>) {
        self.attempt_log = log;
    }

    /// Returns the parameters of the search.
    pub fn params(&self) -> &Params {
        &self.tuned
    }

    /// Sets a parameter of the search.
    ///
    /// # Errors
    /// Fails if there is none of this name or the value is out of range.
    pub fn set_param(&mut self, name: &str, value: i32) -> Result<(), EngineError> {
        let mut params = self.params().clone();
        params.set(name, value)?;
        self.set_params(params);
        Ok(())
    }

    /// Counts evaluations in the unit of the network, with any number of pieces: that of labels and of
    /// the windows of openings.
    pub fn set_unscaled(&mut self) {
        self.set_params(self.params().clone().unscaled());
    }

    /// Sets all parameters of the search. Their ranges are not checked.
    pub fn set_params(&mut self, params: Params) {
        self.tuned = Arc::new(TunedParams::new(params));
    }

    /// Returns the evaluation network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Sets the evaluation network and clears table and histories.
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.network = network;
        self.new_game();
    }

    /// Returns the tablebases, if there are any.
    pub fn tablebases(&self) -> Option<&Arc<Tablebases>> {
        self.tablebases.as_ref()
    }

    /// Sets the tablebases, or `None` to do without. Clears the transposition table, whose
    /// scores may come from others.
    pub fn set_tablebases(&mut self, tablebases: Option<Arc<Tablebases>>) {
        self.tablebases = tablebases;
        self.clear_hash();
    }

    /// Sets how the tablebases are used.
    pub fn set_tb(&mut self, tb: TbSettings) {
        self.settings.tb = tb;
    }

    /// Makes this the plain engine of the null-move study: [`Params::made_plain`] and the evaluation of
    /// [`plain`](crate::eval::plain), whatever the parameters and the network are. Clears table and
    /// histories.
    pub fn make_plain(&mut self) {
        self.make_plain_with(&[]);
    }

    /// The same with rules of the search as it plays, whose parameters stay.
    pub fn make_plain_with(&mut self, rules: &[SearchRule]) {
        self.set_params(self.params().clone().made_plain_with(rules));
        self.is_plain = true;
        self.new_game();
    }

    /// Returns a score of the search in centipawns, as it is printed. The plain engine's scores are centipawns already.
    pub fn centipawns(&self, score: Score) -> Score {
        let is_in_unit = self.is_plain && !is_draw(score);
        if is_in_unit { score } else { to_cp(score) }
    }

    /// Replaces the transposition table by an empty one of this size in MiB.
    ///
    /// # Errors
    /// Fails if the memory cannot be allocated; the old size stays.
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), EngineError> {
        self.wait();
        let (old, threads) = (self.table.mebibytes(), self.pool.threads());
        let allocate = |mebibytes| TranspositionTable::new(mebibytes, threads).map(Arc::new);
        match allocate(mebibytes) {
            Ok(table) => {
                self.table = table;
                return Ok(());
            }
            // It does not fit without the old one either.
            Err(error @ TableError::TooLarge(_)) => return Err(error.into()),
            Err(error @ TableError::NotAvailable { available, .. })
                if mebibytes > available + old - old / 16 =>
            {
                return Err(error.into());
            }
            // Perhaps it fits without the old one.
            Err(_) => {}
        }
        self.table = allocate(1)?;
        match allocate(mebibytes) {
            Ok(table) => self.table = table,
            Err(error) => {
                self.table = allocate(old)?;
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// Changes the number of threads. The histories of the old ones are lost.
    ///
    /// # Errors
    /// Fails if they need more than the free memory or the system does not give them; the old ones stay.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.wait();
        if threads != self.pool.threads() {
            self.pool = start_pool(threads)?;
        }
        Ok(())
    }

    /// Clears the transposition table.
    pub fn clear_hash(&mut self) {
        self.wait();
        self.table.clear(self.pool.threads());
    }

    /// Clears the transposition table and all histories.
    pub fn new_game(&mut self) {
        self.clear_hash();
        self.pool.clear();
        self.games += 1;
    }

    /// Starts a search of `moves`, or of all legal moves if there are none. The clock runs from
    /// `start` on. Progress goes to `sink`; `answer` is called once, on another thread.
    ///
    /// # Errors
    /// Fails if there is no legal move; `answer` is not called then.
    pub fn go(
        &mut self,
        limits: &Limits,
        moves: Vec<Move>,
        start: Instant,
        sink: Arc<dyn Sink>,
        answer: Answer,
    ) -> Result<(), NoLegalMoves> {
        self.wait();
        let position = self.position();
        let root_moves = if moves.is_empty() { position.legal_moves().to_vec() } else { moves };
        if root_moves.is_empty() {
            return Err(NoLegalMoves);
        }
        let (us, fullmove) = (position.side_to_move(), position.fullmove());
        let control = Arc::new(Control::new(self.pool.threads(), limits.ponder));
        let handicap = self.handicap();
        let wait_for_stop = limits.infinite || !limits.ends_by_itself();
        let limits = handicap.map_or_else(|| limits.clone(), |handicap| handicap.limit(limits));
        let budget = limits.budget(start, us, fullmove, self.settings.move_overhead, &self.tuned);
        let tb = match handicap {
            None => self.tb_probing(&root_moves, &budget, &control, &*sink),
            Some(_) => None,
        };
        self.table.new_search();
        let search = SharedSearch {
            game: self.game.clone(),
            root_moves,
            budget,
            multi_pv: self.settings.multi_pv,
            handicap,
            tuned: Arc::clone(&self.tuned),
            scheme: self.settings.scheme,
            fifty_move_damping: self.settings.fifty_move_damping,
            attempt_log: self.attempt_log.clone(),
            evaluation: if self.is_plain {
                Source::Plain
            } else {
                Source::Network(Arc::clone(&self.network))
            },
            table: Arc::clone(&self.table),
            tb,
            control: Arc::clone(&control),
            sink,
            wait_for_stop,
        };
        self.control = Some(control);
        self.pool.start(Arc::new(search), answer);
        Ok(())
    }

    /// Returns the handicap of the next search, if strength is limited. The position and the number of
    /// the game decide its choice, so that one game can be repeated and the next one differs.
    fn handicap(&self) -> Option<Handicap> {
        let Settings { limits_strength, strength, .. } = self.settings;
        let seed = self.position().key() ^ self.games;
        limits_strength.then(|| strength.handicap(seed))
    }

    /// Returns how a search uses the tablebases. Where they know the root, they rank its moves,
    /// and where they do so by distance to zeroing, the search need not probe.
    fn tb_probing(
        &self,
        moves: &[Move],
        budget: &Budget,
        control: &Control,
        sink: &dyn Sink,
    ) -> Option<TbProbing> {
        let tablebases = Arc::clone(self.tablebases.as_ref()?);
        let TbSettings { probe_depth: depth, probe_limit, fifty_moves } = self.settings.tb;
        let limit = probe_limit.min(tablebases.max_pieces());
        let known = self.position().occupied().count() <= limit;
        // Tables on a slow disk may take longer than the move has: then they are probed in the tree.
        let is_late = || budget.search_is_due();
        let ranked =
            if known { rank(&tablebases, &self.game, moves, fifty_moves, &is_late) } else { None };
        tablebases.new_faults().iter().for_each(|fault| sink.report_fault(fault));
        let (root, by_dtz) = ranked.unwrap_or_default();
        control.add_tb_hits(0, root.len() as u64);
        let is_no_win = |best: &RootRank| best.score.is_some_and(|score| score <= Score::DRAW);
        let is_settled = by_dtz || root.first().is_some_and(is_no_win);
        let pieces = if is_settled { 0 } else { limit };
        Some(TbProbing { tablebases, pieces, depth, fifty_moves, root })
    }

    /// Searches and waits for the result. The limits must end the search.
    ///
    /// # Errors
    /// Fails if there is no legal move.
    pub fn search(
        &mut self,
        limits: &Limits,
        sink: Arc<dyn Sink>,
    ) -> Result<SearchResult, NoLegalMoves> {
        let receiver = self.begin(limits, sink)?;
        // The sender goes without an answer only if the main thread of the search panics.
        Ok(receiver.recv().expect("an answer"))
    }

    /// Searches, waits for the result, and stops once `interrupted` says so.
    ///
    /// # Errors
    /// Fails if there is no legal move.
    pub fn search_unless(
        &mut self,
        limits: &Limits,
        sink: Arc<dyn Sink>,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<SearchResult, NoLegalMoves> {
        const INTERVAL: Duration = Duration::from_millis(20);
        let receiver = self.begin(limits, sink)?;
        loop {
            match receiver.recv_timeout(INTERVAL) {
                Ok(result) => return Ok(result),
                Err(_) if interrupted() => self.stop(),
                Err(_) => {}
            }
        }
    }

    /// Starts a search and returns the channel of its result.
    fn begin(
        &mut self,
        limits: &Limits,
        sink: Arc<dyn Sink>,
    ) -> Result<Receiver<SearchResult>, NoLegalMoves> {
        let (sender, receiver) = channel::bounded(1);
        let answer: Answer = Box::new(move |result: &SearchResult| {
            let _ = sender.send(result.clone());
        });
        self.go(limits, Vec::new(), Instant::now(), sink, answer)?;
        Ok(receiver)
    }

    /// Returns the flags of the last search, by which another thread can stop it.
    pub fn control(&self) -> Option<&Arc<Control>> {
        self.control.as_ref()
    }

    /// Stops the search. Its answer is still to come.
    pub fn stop(&self) {
        if let Some(control) = &self.control {
            control.stop();
        }
    }

    /// Returns how full the transposition table is with entries of the last search, in thousandths.
    pub fn hashfull(&self) -> usize {
        self.table.hashfull()
    }

    /// Ends pondering: the opponent has made the expected move.
    pub fn ponder_hit(&self) {
        if let Some(control) = &self.control {
            control.ponder_hit();
        }
    }

    /// Returns whether a search is under way that was not stopped.
    pub fn is_searching(&self) -> bool {
        self.pool.is_busy() && self.control.as_ref().is_some_and(|control| !control.is_stopped())
    }

    /// Waits until the search is over and its answer has been given.
    pub fn wait(&mut self) {
        self.pool.wait();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Starts a pool.
fn start_pool(wanted: usize) -> Result<Pool, EngineError> {
    // The old ones stay until the new ones are there.
    let needed = wanted.saturating_mul(Pool::MEBIBYTES_PER_THREAD);
    // One thread takes little, and without it there is no engine.
    if let Some(available) = free_mebibytes().filter(|free| needed > *free && wanted > 1) {
        return Err(EngineError::ThreadMemory { wanted, needed, available });
    }
    Pool::new(wanted).map_err(|source| EngineError::Threads { wanted, source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Silent;
    use crate::types::Bound;

    fn search(engine: &mut Engine, fen: &str, limits: &Limits) -> SearchResult {
        engine.new_game();
        engine.set_game(Game::new(Position::from_fen(fen).expect(fen)));
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
    #[cfg(all(target_os = "linux", not(miri)))]
    fn threads_that_need_more_than_the_free_memory_are_refused() {
        let mut engine = Engine::new(1, 2).expect("a small engine");
        let error = engine.set_threads(1 << 30).expect_err("more than there is");
        assert!(matches!(error, EngineError::ThreadMemory { .. }), "{error}");
        assert_eq!(engine.pool.threads(), 2);
        let limits = Limits { depth: Some(Depth(3)), ..Limits::default() };
        assert!(search(&mut engine, QUIET, &limits).nodes > 0);
    }

    #[test]
    fn a_finished_game_is_not_searched() {
        const MATE: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        let mut engine = Engine::on_this_thread(1).expect("a small engine");
        engine.set_game(Game::new(Position::from_fen(MATE).expect("a position")));
        let answer: Answer = Box::new(|_| panic!("an answer"));
        let (limits, start, sink) = (Limits::default(), Instant::now(), Arc::new(Silent));
        assert_eq!(engine.go(&limits, Vec::new(), start, sink, answer), Err(NoLegalMoves));
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
