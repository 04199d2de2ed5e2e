//! Games of the engine against itself in which every null search is written down.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossbeam::channel::Sender;
use nullarbor::board::{KeyHistory, Position};
use nullarbor::clock::Limits;
use nullarbor::engine::{Engine, EngineError};
use nullarbor::search::null_move::Scheme as NullMoveScheme;
use nullarbor::search::{AttemptLog, Logged, Silent};
use nullarbor::types::{Depth, Score};
use nullarbor_openings::Opening;

use super::attempts::Attempt;
use nullarbor_games::scheme::{EngineKind, Scheme};
use nullarbor_games::work::in_order::InOrder;
use nullarbor_games::work::{Stop, crew};

/// What is logged, and how much of it.
#[derive(Clone, Debug)]
pub struct Logging {
    /// Where the games begin; one game each.
    pub openings: Vec<Opening>,
    /// Moves of a game at most, of both sides together.
    pub plies: usize,
    /// How long each move is thought about.
    pub limits: Limits,
    /// The scheme whose null moves are logged.
    pub scheme: Scheme,
    /// The search it is tried in.
    pub engine: EngineKind,
    /// Size of the table in MiB.
    pub hash: usize,
    /// Games at the same time.
    pub workers: usize,
    /// What is kept and what is looked into.
    pub sampling: Sampling,
}

/// Each of these is "one in so many"; 0 is none.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// Attempts that are kept.
    pub rows: u64,
    /// Kept cut-offs whose nodes are searched on, to see what the cut-off saved.
    pub probes: u64,
    /// Kept attempts of which a full search without null moves says what is true.
    pub truths: u64,
}

/// A full search that is larger than this is given up, in nodes.
const LONGEST_TRUTH: u64 = 20_000_000;

/// An attempt about which the truth is asked.
struct Question {
    row: usize,
    position: Position,
    keys: KeyHistory,
    depth: Depth,
}

#[derive(Default)]
struct Notes {
    seen: u64,
    cutoffs: u64,
    rows: Vec<Attempt>,
    questions: Vec<Question>,
}

/// Takes notes for one game.
struct NoteTaker {
    sampling: Sampling,
    game: u32,
    notes: Mutex<Notes>,
}

impl NoteTaker {
    fn notes(&self) -> MutexGuard<'_, Notes> {
        // A search that panicked has left whole rows.
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the one with this number, from 0, is one in so many.
fn is_chosen(number: u64, one_in: u64) -> bool {
    one_in > 0 && number.is_multiple_of(one_in)
}

impl AttemptLog for NoteTaker {
    fn wants_probe(&self) -> bool {
        let mut notes = self.notes();
        notes.cutoffs += 1;
        is_chosen(notes.seen, self.sampling.rows)
            && is_chosen(notes.cutoffs / self.sampling.rows.max(1), self.sampling.probes)
    }

    fn note(&self, attempt: &Logged<'_>) {
        let mut notes = self.notes();
        let number = notes.seen;
        notes.seen += 1;
        if !is_chosen(number, self.sampling.rows) {
            return;
        }
        let row = notes.rows.len();
        if is_chosen(number / self.sampling.rows, self.sampling.truths) {
            notes.questions.push(Question {
                row,
                position: attempt.position.clone(),
                keys: attempt.keys.clone(),
                depth: attempt.depth,
            });
        }
        notes.rows.push(Attempt {
            features: attempt.features,
            game: self.game,
            score: attempt.score,
            cut: attempt.score >= attempt.beta,
            null_nodes: attempt.null_nodes,
            probe: attempt.probe,
            truth: None,
        });
    }
}

/// The engine that plays and the one that knows better.
struct Pair {
    player: Engine,
    judge: Engine,
}

impl Logging {
    /// Plays all games; `take` gets the attempts of each, in order, whatever the number of workers. What was finished
    /// before a stop is taken too; the result says how many games that is.
    ///
    /// # Errors
    /// Where there is not enough memory.
    pub fn run(
        &self,
        stop: &Stop,
        mut take: impl FnMut(Vec<Attempt>),
    ) -> Result<usize, EngineError> {
        let pairs = (0..self.workers).map(|_| self.pair()).collect::<Result<Vec<_>, _>>()?;
        let pairs = Mutex::new(pairs);
        let begin = || pairs.lock().ok().and_then(|mut pairs| pairs.pop());
        let games = self.openings.iter().enumerate();
        let work = |pair: &mut Option<Pair>,
                    (game, opening): (usize, &Opening),
                    sender: &Sender<(usize, Vec<Attempt>)>| {
            if let Some(pair) = pair {
                // The receiver lives as long as the crew.
                let _ = sender.send((game, self.play(pair, game as u32, opening, stop)));
            }
        };
        let (mut order, mut done) = (InOrder::default(), 0);
        crew::run(self.workers, games, stop, begin, work, |(game, attempts)| {
            order.put(game as u64, attempts);
            while let Some((_, attempts)) = order.pop() {
                done += 1;
                take(attempts);
            }
        });
        Ok(done)
    }

    fn pair(&self) -> Result<Pair, EngineError> {
        let mut player = Engine::new(self.hash, 1)?;
        player.set_params(self.engine.params());
        player.set_scheme(self.scheme.policy);
        let mut judge = Engine::new(self.hash, 1)?;
        judge.set_params(self.engine.params());
        judge.set_scheme(NullMoveScheme::named("off").unwrap_or_default());
        Ok(Pair { player, judge })
    }

    fn play(&self, pair: &mut Pair, game: u32, opening: &Opening, stop: &Stop) -> Vec<Attempt> {
        let (mut position, mut history) = opening.game().into_parts();
        let taker = Arc::new(NoteTaker { sampling: self.sampling, game, notes: Mutex::default() });
        pair.player.log_null_moves(Some(Arc::clone(&taker) as Arc<dyn AttemptLog>));
        pair.player.new_game();
        for _ in 0..self.plies {
            if stop.is_aborting() || position.ending(&history).is_some() {
                break;
            }
            pair.player.set_position(position.clone(), history.clone());
            let Ok(finding) = pair.player.search(&self.limits, Arc::new(Silent)) else { break };
            let mv = finding.outcome.best_move();
            history.push(position.key());
            position = position.make(mv);
            answer(&mut pair.judge, &mut taker.notes());
        }
        pair.player.log_null_moves(None);
        std::mem::take(&mut taker.notes().rows)
    }
}

/// Searches without null moves what is asked, from nothing each time.
fn answer(judge: &mut Engine, notes: &mut Notes) {
    for Question { row, position, keys, depth } in std::mem::take(&mut notes.questions) {
        judge.new_game();
        judge.set_position(position, keys);
        let limits = Limits { depth: Some(depth), nodes: Some(LONGEST_TRUTH), ..Limits::default() };
        let finding = judge.search(&limits, Arc::new(Silent));
        let finished = finding.ok().filter(|found| found.outcome.depth >= depth);
        notes.rows[row].truth = finished.map(|found| -> Score { found.outcome.best.score });
    }
}
