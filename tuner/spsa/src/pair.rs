//! Pairs of games between two settings of the engine.

use std::sync::Arc;

use nullarbor::types::{ByColour, Colour};
use nullarbor_games::adjudication::Adjudication;
use nullarbor_games::end::Reason;
use nullarbor_games::game::{self, PlayedGame, Rules, Seat};
use nullarbor_games::limit::Limit;
use nullarbor_games::pair::GameOfPair;
use nullarbor_openings::{Book, Opening};
use nullarbor_runs::Stop;
use nullarbor_runs::fingerprint::Fingerprint;
use nullarbor_stats::GameResult;

use super::engine::{Engine, TunedPlayer};
use super::error::Error;
use super::parameter::Parameter;
use super::perturbation::Perturbation;
use super::run_file::RunFile;

/// Settings that the games of a run have in common.
pub struct Conditions {
    openings: Vec<Opening>,
    /// The limit of each move or game, that of the first iteration if it grows.
    pub limit: Limit,
    /// The rules of tests: no tolerance for time, adjudication as in `make sprt`.
    pub rules: Rules,
}

/// One opening of so many is kept back for `spsa verify`: a result must not be tested on what it was tuned to.
const KEPT_BACK: usize = 8;
/// The same ones in all runs, so that a run which begins where another one ended does not see them either.
const SPLIT_SEED: u64 = 47;

impl Conditions {
    /// Reads the book of a run and shuffles it by its seed. If the run keeps openings back, they are left out.
    ///
    /// # Errors
    /// If the book cannot be read or the run has no limit.
    pub fn of(run: &RunFile) -> Result<Self, Error> {
        let mut book = Book::open(&run.book, None)?;
        let chess960 = book.needs_chess960();
        if run.keep_openings_back {
            // A book may have an order.
            book.shuffle(SPLIT_SEED);
            let played = book.openings.len() - kept_back(&book);
            book.openings.truncate(played);
        }
        book.shuffle(run.seed);
        let conditions = Self::without_openings(run, chess960)?;
        Ok(Self { openings: book.openings, ..conditions })
    }

    /// Returns the conditions of a worker, whose tasks bring their openings.
    ///
    /// # Errors
    /// If the run has no limit.
    pub fn without_openings(run: &RunFile, chess960: bool) -> Result<Self, Error> {
        let limit = run.limit()?;
        let rules = Rules { adjudication: Adjudication::OF_TESTS, chess960, ..Rules::default() };
        Ok(Self { openings: Vec::new(), limit, rules })
    }

    /// Returns the opening of a pair; the book repeats when it is used up.
    pub fn opening(&self, pair: u64) -> &Opening {
        &self.openings[(pair % self.openings.len() as u64) as usize]
    }

    /// Returns the fingerprint of the openings and their order.
    pub fn order(&self) -> Fingerprint {
        Fingerprint(nullarbor_openings::fingerprint(&self.openings))
    }
}

fn kept_back(book: &Book) -> usize {
    book.openings.len() / KEPT_BACK
}

/// Returns the openings for a test of a run: those that it has kept back, or all of its book if it has none.
///
/// # Errors
/// If the book cannot be read.
pub fn openings_of_test(run: &RunFile) -> Result<Book, Error> {
    let mut book = Book::open(&run.book, None)?;
    if run.keep_openings_back && kept_back(&book) > 0 {
        book.shuffle(SPLIT_SEED);
        let first = book.openings.len() - kept_back(&book);
        book.openings.drain(..first);
    }
    Ok(book)
}

/// Two players of an engine that play each other with the settings of a perturbation.
pub struct EnginePair {
    engine: Engine,
    chess960: bool,
    /// One that is broken is started again before its next game.
    players: [Option<TunedPlayer>; 2],
    stop: Arc<Stop>,
}

/// The results of a pair.
pub struct Played {
    /// Results of the setting `plus`.
    pub results: [GameResult; 2],
    /// Fault of an engine, if there was one: a crash, an illegal move or a loss on time.
    pub fault: Option<String>,
    /// Fingerprint of all moves and their searches.
    pub fingerprint: Fingerprint,
}

impl EnginePair {
    /// Starts the players.
    ///
    /// # Errors
    /// If memory is short, or the engine cannot be started.
    pub fn new(engine: &Engine, chess960: bool, stop: &Arc<Stop>) -> Result<Self, Error> {
        let start = || engine.start(chess960, stop).map(Some);
        let players = [start()?, start()?];
        Ok(Self { engine: engine.clone(), chess960, players, stop: Arc::clone(stop) })
    }

    /// Plays both games of an opening.
    ///
    /// # Errors
    /// If a game was aborted, or an engine cannot be started again.
    pub fn play(
        &mut self,
        parameters: &[Parameter],
        settings: &Perturbation,
        opening: &Opening,
        limit: &Limit,
        rules: &Rules,
    ) -> Result<Played, Error> {
        let (results, fingerprint) = ([GameResult::Draw; 2], Fingerprint::default());
        let mut played = Played { results, fault: None, fingerprint };
        for game in GameOfPair::BOTH {
            let colour = game.colour_of_first();
            let [mut plus, mut minus] = [self.take(0)?, self.take(1)?];
            // A player that was started again has lost its setting.
            plus.set(parameters, &settings.plus);
            minus.set(parameters, &settings.minus);
            let (white, black) = match colour {
                Colour::White => (plus.player(), minus.player()),
                Colour::Black => (minus.player(), plus.player()),
            };
            let seats = ByColour([Seat { player: white, limit }, Seat { player: black, limit }]);
            let ended = game::play(opening, seats, rules, &self.stop)?;
            played.results[game as usize] = ended.end.result_for(colour);
            played.fingerprint.add(ended.moves_fingerprint().0);
            played.fingerprint.add(ended.searches_fingerprint().0);
            played.fault = played.fault.take().or_else(|| fault(&ended));
            let broken = nullarbor_games::pair::broken_player(&ended);
            self.players = [
                (broken != Some(colour)).then_some(plus),
                (broken != Some(!colour)).then_some(minus),
            ];
        }
        Ok(played)
    }

    fn take(&mut self, number: usize) -> Result<TunedPlayer, Error> {
        match self.players[number].take() {
            Some(player) => Ok(player),
            None => self.engine.start(self.chess960, &self.stop),
        }
    }
}

fn fault(game: &PlayedGame) -> Option<String> {
    let is_fault = matches!(
        game.end.reason,
        Reason::Crash | Reason::Stall | Reason::IllegalMove(_) | Reason::Time
    );
    is_fault.then(|| game.end.to_string())
}
