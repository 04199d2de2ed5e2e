//! The signature: the number of nodes of a fixed set of searches. It changes when the search does,
//! and with nothing else.

mod positions;

use std::sync::Arc;
use std::time::{Duration, Instant};

use nullarbor_chess::board::{Game, Position};

use crate::clock::Limits;
use crate::engine::{Engine, EngineError};
use crate::search::null_move::{self, Scheme};
use crate::search::{Silent, nodes_per_second};
use crate::types::Depth;
use positions::POSITIONS;

/// Depth of the searches of the signature, in plies.
pub const DEPTH: i32 = 14;

/// The signature of the plain engine ([`Engine::make_plain`]): the nodes of [`run_plain`]. As long as
/// it stays, so do the results of `PLAIN_SCHEMES` in the null-move study; a change of another scheme
/// does not show in it.
pub const PLAIN_SIGNATURE: u64 = 29_489_820;
/// Depth of its searches, in plies.
const PLAIN_DEPTH: i32 = 6;
/// Schemes of the null move that differ in what the search does after a null search: without one, a
/// cut, a reduction, a cut by a formula.
const PLAIN_SCHEMES: [&str; 4] = ["off", "fixed-2", "verified", "nullarbor"];

/// The settings of the bench. Only the default gives the signature.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Depth of each search, in plies.
    pub depth: i32,
    /// Threads; from two on the node count varies.
    pub threads: usize,
    /// Size of the transposition table, in MiB.
    pub hash: usize,
}

impl Default for Setup {
    fn default() -> Self {
        Self { depth: DEPTH, threads: 1, hash: Engine::DEFAULT_HASH }
    }
}

/// The end of a bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// All positions were searched.
    Complete,
    /// The bench was interrupted, and has no signature.
    Interrupted,
}

/// Searches all positions, each as in a new game, and reports line by line. The last line is `N
/// nodes M nps`. Ends without it once `interrupted` says so.
///
/// # Errors
/// Fails if the system gives too little memory or too few threads.
pub fn run(
    setup: &Setup,
    interrupted: &dyn Fn() -> bool,
    say: &mut dyn FnMut(String),
) -> Result<Completion, EngineError> {
    let mut engine = Engine::new(setup.hash, setup.threads)?;
    let Some(total) = search_all(&mut engine, setup.depth, interrupted, say) else {
        return Ok(Completion::Interrupted);
    };
    total.null_move_lines().for_each(&mut *say);
    say(total.last_line());
    Ok(Completion::Complete)
}

/// Searches all positions with the plain engine and a few schemes of the null move, and reports as
/// [`run`] does.
///
/// # Errors
/// Fails if the system gives too little memory or too few threads.
pub fn run_plain(say: &mut dyn FnMut(String)) -> Result<(), EngineError> {
    let mut engine = Engine::new(Engine::DEFAULT_HASH, 1)?;
    engine.make_plain();
    let total = plain_total(&mut engine, say);
    say(total.last_line());
    Ok(())
}

/// Searches all positions with each of [`PLAIN_SCHEMES`].
fn plain_total(engine: &mut Engine, say: &mut dyn FnMut(String)) -> Total {
    let mut total = Total::default();
    for name in PLAIN_SCHEMES {
        engine.set_scheme(Scheme::named(name).unwrap_or_else(|| unreachable!("{name}")));
        let of_scheme = search_uninterrupted(engine, PLAIN_DEPTH);
        say(format!("{name}: {}", of_scheme.last_line()));
        total.nodes += of_scheme.nodes;
        total.elapsed += of_scheme.elapsed;
    }
    total
}

fn search_uninterrupted(engine: &mut Engine, depth: i32) -> Total {
    search_all(engine, depth, &|| false, &mut |_| {}).unwrap_or_default()
}

/// Returns `None` once `interrupted` says so.
fn search_all(
    engine: &mut Engine,
    depth: i32,
    interrupted: &dyn Fn() -> bool,
    say: &mut dyn FnMut(String),
) -> Option<Total> {
    let limits = Limits { depth: Some(Depth(depth)), ..Limits::default() };
    let mut total = Total::default();
    for (number, fen) in POSITIONS.iter().enumerate() {
        let position =
            Position::from_fen(fen).unwrap_or_else(|error| unreachable!("{fen}: {error}"));
        engine.new_game();
        engine.set_game(Game::new(position));
        let start = Instant::now();
        let Ok(result) = engine.search_unless(&limits, Arc::new(Silent), interrupted) else {
            continue;
        };
        if interrupted() {
            return None;
        }
        total.elapsed += start.elapsed();
        total.nodes += result.nodes;
        total.null_moves += &result.null_moves;
        say(format!("{:2}/{} {:>9} nodes  {fen}", number + 1, POSITIONS.len(), result.nodes));
    }
    Some(total)
}

/// Searches the starting position with 1, 2, 4 ... threads, up to those of the machine, for `each`
/// duration; returns the number of threads and the nodes per second.
pub fn speeds(each: Duration) -> impl Iterator<Item = Result<(usize, u64), EngineError>> {
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    let doubling = std::iter::successors(Some(1), |threads| Some(threads * 2));
    let mut counts: Vec<usize> = doubling.take_while(|&threads| threads < most).collect();
    counts.push(most);
    counts.into_iter().map(move |threads| speed(threads, each).map(|speed| (threads, speed)))
}

fn speed(threads: usize, duration: Duration) -> Result<u64, EngineError> {
    const HASH_PER_THREAD: usize = 64;
    let mut engine = Engine::new(HASH_PER_THREAD * threads, threads)?;
    engine.set_move_overhead(Duration::ZERO);
    let limits = Limits { move_time: Some(duration), ..Limits::default() };
    let start = Instant::now();
    let nodes = engine.search(&limits, Arc::new(Silent)).map_or(0, |result| result.nodes);
    Ok(nodes_per_second(nodes, start.elapsed()))
}

#[derive(Default)]
struct Total {
    nodes: u64,
    elapsed: Duration,
    null_moves: null_move::Stats,
}

impl Total {
    fn last_line(&self) -> String {
        format!("{} nodes {} nps", self.nodes, nodes_per_second(self.nodes, self.elapsed))
    }

    /// Returns the statistics of null moves at each depth at which there were any, and in all.
    fn null_move_lines(&self) -> impl Iterator<Item = String> {
        let by_depth = self.null_moves.by_depth().iter().enumerate();
        let by_depth = by_depth
            .filter(|(_, counts)| counts.attempts > 0)
            .map(|(depth, counts)| format!("depth {depth:2}: {}", line(counts)));
        by_depth.chain([format!("null moves: {}", line(&self.null_moves.total()))])
    }
}

fn line(counts: &null_move::Counts) -> String {
    let null_move::Counts {
        attempts, cutoffs, verifications, overturned, zugzwangs, threats, ..
    } = counts;
    let percent = 100.0 * *cutoffs as f64 / (*attempts).max(1) as f64;
    format!(
        "{attempts} attempts, {cutoffs} cutoffs ({percent:.1} %), {verifications} verifications, \
         {overturned} failed verifications, {zugzwangs} zugzwang re-searches, {threats} mate threats"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::Network;
    use crate::eval::nnue::format::NetworkFile;
    use crate::params::{Params, SPECS, Spec};

    fn plain_nodes(engine: &mut Engine) -> u64 {
        engine.make_plain();
        plain_total(engine, &mut |_| {}).nodes
    }

    #[test]
    fn the_plain_engine_searches_the_trees_of_the_study() {
        let mut engine = Engine::new(Engine::DEFAULT_HASH, 1).expect("a small engine");
        assert_eq!(plain_nodes(&mut engine), PLAIN_SIGNATURE, "NULL_MOVE.md must be made again");
    }

    #[test]
    fn tuning_and_training_do_not_change_the_plain_engine() {
        let mut engine = Engine::new(1, 1).expect("a small engine");
        let mut file = NetworkFile::parse(Network::embedded_file()).expect("the built-in network");
        file.output_biases.iter_mut().for_each(|bias| *bias += 9999);
        let other = Network::parse(&file.to_bytes().expect("a sound network")).expect("a network");
        engine.set_network(Arc::new(other));
        let nodes = |engine: &mut Engine, value: fn(&Spec) -> i32| {
            let mut params = Params::default();
            for spec in SPECS {
                params.set(spec.name, value(spec)).expect("within its range");
            }
            engine.set_params(params);
            plain_some(engine)
        };
        let own = plain_some(&mut Engine::new(1, 1).expect("a small engine"));
        assert_eq!(nodes(&mut engine, |spec| spec.min), own);
        assert_eq!(nodes(&mut engine, |spec| spec.max), own);
    }

    /// Returns the nodes of a search with the engine's own scheme, which reads most parameters.
    fn plain_some(engine: &mut Engine) -> u64 {
        engine.make_plain();
        search_uninterrupted(engine, PLAIN_DEPTH - 1).nodes
    }

    #[test]
    fn all_positions_are_legal_and_can_be_played_on() {
        assert!(POSITIONS.len() >= 50);
        for fen in POSITIONS {
            let position = Position::from_fen(fen).expect(fen);
            assert!(position.has_moves(), "{fen}");
        }
    }
}
