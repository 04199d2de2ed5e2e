//! The players of one worker, and pairs of games between them.

use nullarbor::types::{ByColour, Colour};
use nullarbor_openings::Opening;
use serde::{Deserialize, Serialize};

use super::end::Reason;
use super::engine_config::{EngineConfig, EngineStartError, Start};
use super::game::{self, Game, Rules, Seat};
use super::player::Player;

/// The players that one worker has started, kept from game to game.
pub struct Table<'a> {
    engines: &'a [EngineConfig],
    rules: &'a Rules,
    start: &'a Start,
    players: Vec<Option<Box<dyn Player>>>,
}

/// Two engines, by number. In the first game of the pair the first one has White, in the second Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Whose score is counted.
    pub first: usize,
    /// The other.
    pub second: usize,
}

/// One of the two games of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Leg {
    /// The first engine has White.
    First,
    /// It has Black.
    Second,
}

impl Leg {
    /// Both, in order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The colour of the first engine.
    pub fn colour_of_first(self) -> Colour {
        match self {
            Self::First => Colour::White,
            Self::Second => Colour::Black,
        }
    }
}

impl Pairing {
    /// Who has White and who has Black.
    pub fn seats(self, leg: Leg) -> ByColour<usize> {
        match leg {
            Leg::First => ByColour([self.first, self.second]),
            Leg::Second => ByColour([self.second, self.first]),
        }
    }
}

impl<'a> Table<'a> {
    /// A table at which nobody sits yet.
    pub fn new(engines: &'a [EngineConfig], rules: &'a Rules, start: &'a Start) -> Self {
        let players = engines.iter().map(|_| None).collect();
        Self { engines, rules, start, players }
    }

    /// Plays one game; `None` where it was aborted. A player that has left, hangs, or does not know the rules is
    /// replaced before its next game.
    ///
    /// # Errors
    /// Where a player cannot be started.
    pub fn play(
        &mut self,
        pairing: Pairing,
        leg: Leg,
        opening: &Opening,
    ) -> Result<Option<Game>, EngineStartError> {
        let seats = pairing.seats(leg);
        // Both are taken from the table and come back if they can play on.
        let mut white = self.seat(seats[Colour::White])?;
        let mut black = self.seat(seats[Colour::Black])?;
        let limit = |colour| &self.engines[seats[colour]].limit;
        let seated = ByColour([
            Seat { player: white.as_mut(), limit: limit(Colour::White) },
            Seat { player: black.as_mut(), limit: limit(Colour::Black) },
        ]);
        let game = game::play(opening, seated, self.rules, &self.start.stop);
        let failed = game.as_ref().and_then(failed);
        for (colour, player) in [(Colour::White, white), (Colour::Black, black)] {
            if game.is_some() && failed != Some(colour) {
                self.players[seats[colour]] = Some(player);
            }
        }
        Ok(game)
    }

    fn seat(&mut self, number: usize) -> Result<Box<dyn Player>, EngineStartError> {
        match self.players[number].take() {
            Some(player) => Ok(player),
            // A machine under load may fail to start an engine in time, once.
            None => {
                let engine = &self.engines[number];
                engine.start(self.start).or_else(|_| engine.start(self.start))
            }
        }
    }
}

/// The side whose player cannot be trusted any more.
fn failed(game: &Game) -> Option<Colour> {
    let broken = matches!(game.end.reason, Reason::Crash | Reason::Stall | Reason::IllegalMove(_));
    let loser = match game.end.winner? {
        super::end::Side::White => Colour::Black,
        super::end::Side::Black => Colour::White,
    };
    broken.then_some(loser)
}
