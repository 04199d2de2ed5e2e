//! Pairs of games between two settings of the engine, inside this process.

use std::sync::Arc;

use nullarbor::engine::EngineError;
use nullarbor::params::Params;
use nullarbor::types::{ByColour, Colour};
use nullarbor_games::adjudication::Adjudication;
use nullarbor_games::game::{self, Rules, Seat};
use nullarbor_games::in_process::{EngineOptions, InProcess};
use nullarbor_games::limit::Limit;
use nullarbor_games::pair::GameOfPair;
use nullarbor_games::stats::GameResult;
use nullarbor_games::work::{Interrupted, Stop};
use nullarbor_openings::{Book, Opening};

use super::error::Error;
use super::perturbation::Perturbation;
use super::run_file::RunFile;
use super::theta::Parameter;

/// What the games of a run have in common.
pub struct Conditions {
    openings: Vec<Opening>,
    /// The limit of each move or game.
    pub limit: Limit,
    /// The rules of tests: no tolerance for time, adjudication as in `make sprt`.
    pub rules: Rules,
}

impl Conditions {
    /// Reads the book of a run and shuffles it by its seed.
    ///
    /// # Errors
    /// If the book cannot be read or the run has no limit.
    pub fn of(run: &RunFile) -> Result<Self, Error> {
        let mut book = Book::open(&run.book, None)?;
        book.shuffle(run.seed);
        let conditions = Self::without_openings(run, book.needs_chess960())?;
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
}

/// Two engines that play each other with the settings of a perturbation.
pub struct EnginePair {
    engines: [InProcess; 2],
    stop: Arc<Stop>,
}

impl EnginePair {
    /// Starts the engines, each with a transposition table of `hash` MiB.
    ///
    /// # Errors
    /// If memory is short.
    pub fn new(hash: usize, stop: &Arc<Stop>) -> Result<Self, EngineError> {
        let options = EngineOptions { hash, ..EngineOptions::default() };
        let engines = [InProcess::new(&options, stop)?, InProcess::new(&options, stop)?];
        Ok(Self { engines, stop: Arc::clone(stop) })
    }

    /// Plays both games of an opening and returns the results of the setting `plus`.
    ///
    /// # Errors
    /// [`Interrupted`] where a game was aborted.
    pub fn play(
        &mut self,
        parameters: &[Parameter],
        settings: &Perturbation,
        opening: &Opening,
        conditions: &Conditions,
    ) -> Result<[GameResult; 2], Interrupted> {
        let values = [&settings.plus, &settings.minus];
        for (engine, values) in self.engines.iter_mut().zip(values) {
            engine.set_params(params(parameters, values));
        }
        let mut results = [GameResult::Draw; 2];
        for game in GameOfPair::BOTH {
            let [plus, minus] = &mut self.engines;
            let colour = game.colour_of_first();
            let (white, black) =
                if colour == Colour::White { (plus, minus) } else { (minus, plus) };
            let seats = ByColour([
                Seat { player: white, limit: &conditions.limit },
                Seat { player: black, limit: &conditions.limit },
            ]);
            let played = game::play(opening, seats, &conditions.rules, &self.stop)?;
            results[game as usize] = played.end.result_for(colour);
        }
        Ok(results)
    }
}

/// Returns the parameters of a setting; those that are not tuned have their defaults.
pub fn params(parameters: &[Parameter], values: &[i32]) -> Params {
    let mut params = Params::default();
    for (parameter, &value) in parameters.iter().zip(values) {
        // The run file was checked: the name exists, and its range lies in the declared one.
        let set = params.set(&parameter.name, value);
        debug_assert!(set.is_ok(), "{}: {value}", parameter.name);
    }
    params
}
