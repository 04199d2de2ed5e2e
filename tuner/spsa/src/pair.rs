//! Games between two settings of the engine, inside this process.

use std::sync::Arc;
use std::time::Duration;

use nullarbor::engine::EngineError;
use nullarbor::params::Params;
use nullarbor::types::{ByColour, Colour};
use nullarbor_openings::Opening;

use super::perturbation::Perturbation;
use super::theta::Axis;
use nullarbor_games::adjudication::Adjudication;
use nullarbor_games::end::Side;
use nullarbor_games::game::{self, Rules, Seat};
use nullarbor_games::in_process::{InProcess, Setting};
use nullarbor_games::limit::Limit;
use nullarbor_games::pair::Leg;
use nullarbor_games::stats::GameResult;
use nullarbor_games::work::Stop;

/// What all games of a run share.
pub struct Seating<'a> {
    /// How long each move is thought about.
    pub limit: &'a Limit,
    /// How games end.
    pub rules: &'a Rules,
    /// Who may want an end of it.
    pub stop: &'a Stop,
}

/// The rules of games that tune: those of tests.
pub fn rules(chess960: bool) -> Rules {
    Rules { adjudication: Adjudication::OF_TESTS, margin: Duration::ZERO, chess960 }
}

/// Two engines that play each other with whatever settings they are given.
pub struct Duel([InProcess; 2]);

impl Duel {
    /// Starts them, each with a table of `hash` MiB.
    ///
    /// # Errors
    /// Where memory is short.
    pub fn new(hash: usize, stop: &Arc<Stop>) -> Result<Self, EngineError> {
        let setting = Setting { hash, ..Setting::default() };
        Ok(Self([InProcess::new(&setting, stop)?, InProcess::new(&setting, stop)?]))
    }

    /// Plays a pair of games; what each was worth for the first setting. `None` where it was aborted.
    pub fn play(
        &mut self,
        axes: &[Axis],
        settings: &Perturbation,
        opening: &Opening,
        seating: &Seating<'_>,
    ) -> Option<[GameResult; 2]> {
        let values = [&settings.first, &settings.second];
        for (player, values) in self.0.iter_mut().zip(values) {
            player.set_params(params(axes, values));
        }
        let mut results = [GameResult::Draw; 2];
        for leg in Leg::BOTH {
            let [first, second] = &mut self.0;
            let colour = leg.colour_of_first();
            let (white, black) =
                if colour == Colour::White { (first, second) } else { (second, first) };
            let seats = ByColour([
                Seat { player: white, limit: seating.limit },
                Seat { player: black, limit: seating.limit },
            ]);
            let game = game::play(opening, seats, seating.rules, seating.stop)?;
            let own = if colour == Colour::White { Side::White } else { Side::Black };
            results[leg as usize] = match game.end.winner {
                None => GameResult::Draw,
                Some(winner) if winner == own => GameResult::Win,
                Some(_) => GameResult::Loss,
            };
        }
        Some(results)
    }
}

/// The parameters of a setting; all that are not tuned have their defaults.
pub fn params(axes: &[Axis], values: &[i32]) -> Params {
    let mut params = Params::default();
    for (axis, &value) in axes.iter().zip(values) {
        // The run file was checked: the name is there, and the range lies in the declared one.
        let set = params.set(&axis.name, value);
        debug_assert!(set.is_ok(), "{}: {value}", axis.name);
    }
    params
}
