//! Pairs of games, and the players of a worker.

use nullarbor::types::{ByColour, Colour};
use nullarbor_openings::Opening;
use serde::{Deserialize, Serialize};

use super::affinity;
use super::end::Reason;
use super::engine_config::{EngineConfig, EngineStartError, StartContext};
use super::game::{self, PlayedGame, Rules, Seat};
use super::player::Player;
use nullarbor_runs::Interrupted;

/// Two engines, by number. The first has White in the first game of a pair, Black in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairing {
    /// The engine whose score is counted.
    pub first: usize,
    /// Opponent of the first engine.
    pub second: usize,
}

/// One of the two games of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameOfPair {
    /// The first engine has White.
    First,
    /// The first engine has Black.
    Second,
}

impl GameOfPair {
    /// Both games, in order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// Returns the colour of the first engine.
    pub fn colour_of_first(self) -> Colour {
        match self {
            Self::First => Colour::White,
            Self::Second => Colour::Black,
        }
    }
}

impl Pairing {
    /// Returns who has White and who has Black.
    pub fn seats(self, game: GameOfPair) -> ByColour<usize> {
        match game {
            GameOfPair::First => ByColour([self.first, self.second]),
            GameOfPair::Second => ByColour([self.second, self.first]),
        }
    }
}

/// The players that a worker has started, kept from game to game.
pub struct PlayerCache<'a> {
    engines: &'a [EngineConfig],
    rules: &'a Rules,
    context: &'a StartContext,
    players: Vec<Option<Box<dyn Player>>>,
    /// The processor that its thread is yet to be bound to.
    processor: Option<usize>,
}

impl<'a> PlayerCache<'a> {
    /// Creates a cache with no player started.
    pub fn new(engines: &'a [EngineConfig], rules: &'a Rules, context: &'a StartContext) -> Self {
        let players = engines.iter().map(|_| None).collect();
        Self { engines, rules, context, players, processor: None }
    }

    /// Binds the thread that plays the first game, and the players that it starts, to a processor.
    #[must_use]
    pub fn bound_to(self, processor: Option<usize>) -> Self {
        Self { processor, ..self }
    }

    /// Plays one game, starting the players that are missing. One that crashes, hangs or makes an illegal move is
    /// restarted before its next game.
    ///
    /// # Errors
    /// If a player cannot be started. The inner result is an error if the game was aborted.
    pub fn play(
        &mut self,
        pairing: Pairing,
        game: GameOfPair,
        opening: &Opening,
    ) -> Result<Result<PlayedGame, Interrupted>, EngineStartError> {
        let seats = pairing.seats(game);
        if let Some(processor) = self.processor.take()
            && !affinity::bind(processor)
        {
            let name = self.engines[seats[Colour::White]].name.clone();
            let reason = format!("its games cannot be bound to processor {processor}");
            return Err(EngineStartError::from_text((name, reason)));
        }
        // Taken out, to be put back if they can go on.
        let mut white = self.take(seats[Colour::White])?;
        let mut black = self.take(seats[Colour::Black])?;
        let limit = |colour| &self.engines[seats[colour]].limit;
        let seated = ByColour([
            Seat { player: white.as_mut(), limit: limit(Colour::White) },
            Seat { player: black.as_mut(), limit: limit(Colour::Black) },
        ]);
        let played = game::play(opening, seated, self.rules, &self.context.stop);
        if let Ok(game) = &played {
            let broken = broken_player(game);
            for (colour, player) in [(Colour::White, white), (Colour::Black, black)] {
                if broken != Some(colour) {
                    self.players[seats[colour]] = Some(player);
                }
            }
        }
        Ok(played)
    }

    fn take(&mut self, number: usize) -> Result<Box<dyn Player>, EngineStartError> {
        match self.players[number].take() {
            Some(player) => Ok(player),
            // A machine under load may fail to start an engine in time, once.
            None => {
                let engine = &self.engines[number];
                engine.start(self.context).or_else(|_| engine.start(self.context))
            }
        }
    }
}

/// Returns the side whose player cannot be used again.
pub fn broken_player(game: &PlayedGame) -> Option<Colour> {
    let broken = game.end.is_crash() || matches!(game.end.reason, Reason::IllegalMove(_));
    game.end.loser().filter(|_| broken)
}
