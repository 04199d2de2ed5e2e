//! Playing the games of a match.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::error::RunError;
use super::finished::FinishedGame;
use super::job::{Games, started};
use super::pgn::{self, Heading, PgnFile};
use super::plan::Plan;
use super::record::GameRecord;
use super::standings::Standings;
use super::task::GameTask;
use crate::engine_config::{EngineStartError, StartContext};
use crate::pair::GameOfPair;
use nullarbor_runs::files::FileError;
use nullarbor_runs::journal::Journal;
use nullarbor_runs::{InOrder, RemoteError, Workers};
use nullarbor_stats::Verdict;

/// The way in which a match was completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// All games were played.
    AllGames,
    /// The test was decided.
    Decided(Verdict),
}

/// A match that ended.
#[derive(Debug)]
pub struct Outcome {
    /// The results of all finished pairs.
    pub standings: Standings,
    /// Completion of the match, or the error that ended it early. The results count all the same.
    pub end: Result<Completion, RunError>,
}

/// An observer of a match. Other threads may call it, too.
pub trait Watch: Sync {
    /// A game begins.
    fn game_begins(&self, _pair: u64, _game: GameOfPair) {}
    /// A game has ended.
    fn game_ended(&self, _game: &GameRecord) {}
    /// Returns whether the match goes on after a game.
    fn goes_on_after(&self, _game: &GameRecord) -> bool {
        true
    }
    /// More pairs were counted.
    fn counted(&self, _standings: &Standings) {}
}

/// Shows nothing.
impl Watch for () {}

/// The files that games are written to.
#[derive(Debug, Default)]
pub struct Files {
    /// Journal from which the match is resumed.
    pub journal: Option<Journal>,
    /// Games for people to read.
    pub pgn: Option<PgnFile>,
}

/// Plays a match, or what is left of it after the games in `known`.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use nullarbor_games::engine_config::StartContext;
/// use nullarbor_games::engine_spec::{EngineSpec, engines};
/// use nullarbor_games::game::Rules;
/// use nullarbor_games::matches::{self, Completion, Format, Plan};
/// use nullarbor_runs::{Stop, Workers};
/// use nullarbor_openings::Book;
///
/// let specs: [EngineSpec; 2] = ["self,Hash=1,depth=2".parse()?, "self,Hash=1,depth=1".parse()?];
/// let plan = Plan {
///     engines: engines(&specs, None)?,
///     format: Format::RoundRobin,
///     games: 2,
///     book: Book::open("endgames", None)?,
///     seed: 1,
///     rules: Rules::default(),
///     sprt: None,
///     pgn: None,
/// };
/// let stop = Arc::new(Stop::new());
/// let timeout = Duration::from_secs(60);
/// let processors = Vec::new();
/// let context = StartContext { chess960: false, timeout, stop, log: None, processors };
/// let (plan, workers) = (plan.checked()?, Workers::Threads(1));
/// let outcome = matches::run(&plan, &workers, &context, Vec::new(), Default::default(), &());
/// assert!(matches!(outcome.end, Ok(Completion::AllGames)));
/// assert_eq!(outcome.standings.games(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(
    plan: &Plan,
    workers: &Workers,
    context: &StartContext,
    known: Vec<GameRecord>,
    files: Files,
    watch: &dyn Watch,
) -> Outcome {
    let games = (0..plan.pairs()).flat_map(|pair| GameOfPair::BOTH.map(|game| (pair, game)));
    let known_games: HashSet<u64> = known.iter().map(GameRecord::number).collect();
    let missing =
        games.filter(|&(pair, game)| !known_games.contains(&GameRecord::number_of(pair, game)));
    let mut scorer = Scorer {
        plan,
        files,
        watch,
        order: InOrder::of(1..),
        first_game: None,
        standings: Standings::new(plan),
        verdict: None,
    };
    let known = known.into_iter().filter(|record| record.pair < plan.pairs());
    known.for_each(|record| scorer.order.put(record.number(), record));
    let tasks = missing.map(|(pair, game)| GameTask {
        pair,
        game,
        pairing: plan.pairing(pair),
        opening: plan.opening(pair).clone(),
    });
    let journal = scorer.files.journal.as_ref().map(|journal| journal.path().to_owned());
    let begun = |task: &GameTask| watch.game_begins(task.pair, task.game);
    let played = scorer.count().and_then(|counted| {
        if counted.is_break() {
            return Ok(());
        }
        let (work, stop) = (Games::of(plan, context), &context.stop);
        let take = |_, game| {
            let taken = scorer.take(started(game));
            if matches!(taken, Ok(ControlFlow::Break(()))) {
                // Games under way do not count any more.
                stop.abort();
            }
            taken
        };
        workers.run_unordered(&work, journal.as_deref(), stop, tasks, begun, take)
    });
    scorer.finish(played)
}

/// Takes games as they end, and counts them in the order of the openings: short games are drawn less often than long
/// ones, so whatever has ended first is no fair sample, and would depend on the number of workers.
struct Scorer<'a> {
    plan: &'a Plan,
    files: Files,
    watch: &'a dyn Watch,
    order: InOrder<GameRecord>,
    /// The first game of the pair that is counted next.
    first_game: Option<GameRecord>,
    standings: Standings,
    /// Once the test is decided, no further game counts.
    verdict: Option<Verdict>,
}

impl Scorer<'_> {
    fn take(
        &mut self,
        game: Result<FinishedGame, EngineStartError>,
    ) -> Result<ControlFlow<()>, RunError> {
        let record = self.record(game?)?;
        self.watch.game_ended(&record);
        if let Some(journal) = &mut self.files.journal {
            journal.add(&record)?;
        }
        let crash = (!self.watch.goes_on_after(&record)).then(|| RunError::Crash(record.number()));
        self.order.put(record.number(), record);
        match (self.count()?, crash) {
            (ControlFlow::Continue(()), Some(crash)) => Err(crash),
            (flow, _) => Ok(flow),
        }
    }

    /// Returns the record of a game, with its PGN if games are written.
    fn record(&self, game: FinishedGame) -> Result<GameRecord, RunError> {
        let GameRecord { pair, game: which, .. } = game.record;
        let opening = self.plan.opening(pair);
        let illegal = |problem| RemoteError::Result { number: game.record.number(), problem };
        let played = game.played(opening).map_err(illegal)?;
        let players = self.plan.players(pair, which);
        let text = Heading::of(self.plan)
            .zip(played)
            .map(|(heading, played)| pgn::text(players, &heading, opening, &game.record, &played));
        Ok(GameRecord { pgn: text, ..game.record })
    }

    fn count(&mut self) -> Result<ControlFlow<()>, RunError> {
        while let Some((_, record)) = self.order.pop() {
            let Some(first) = self.first_game.take() else {
                self.first_game = Some(record);
                continue;
            };
            self.add(&[first, record])?;
            self.watch.counted(&self.standings);
            self.verdict = self.plan.sprt.and_then(|it| it.verdict(&self.standings.counts[0]));
            if self.verdict.is_some() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn add(&mut self, games: &[GameRecord; 2]) -> Result<(), FileError> {
        self.standings.add(games);
        games.iter().try_for_each(|game| self.write_pgn(game))
    }

    fn write_pgn(&mut self, game: &GameRecord) -> Result<(), FileError> {
        match (&mut self.files.pgn, &game.pgn) {
            (Some(file), Some(text)) => file.add(text),
            _ => Ok(()),
        }
    }

    fn finish(mut self, played: Result<(), RunError>) -> Outcome {
        let synced = self.files.journal.as_mut().map_or(Ok(()), Journal::sync);
        let mut end = match self.verdict {
            Some(verdict) => Ok(Completion::Decided(verdict)),
            None => played.map(|()| Completion::AllGames),
        };
        if end.is_err() {
            let added = self.add_rest().map_err(RunError::from);
            end = end.map_err(|error| first_failure(error, added));
        }
        let end = match end {
            Ok(completion) => synced.map(|()| completion).map_err(RunError::from),
            Err(error) => Err(first_failure(error, synced.map_err(RunError::from))),
        };
        Outcome { standings: self.standings, end }
    }

    /// Adds the games behind the first one that is missing. Games without the other one of their pair are not counted.
    fn add_rest(&mut self) -> Result<(), FileError> {
        let rest = self.first_game.take().into_iter().chain(self.order.rest().into_values());
        let mut rest = rest.peekable();
        while let Some(record) = rest.next() {
            match rest.next_if(|next| next.pair == record.pair) {
                Some(second) => self.add(&[record, second])?,
                None => {
                    self.standings.note_faults(&record);
                    self.write_pgn(&record)?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the error that ended the match; an interruption is told only if nothing failed.
fn first_failure(error: RunError, later: Result<(), RunError>) -> RunError {
    match (error, later) {
        (RunError::Interrupted(_), Err(later)) => later,
        (error, _) => error,
    }
}
