//! What is kept of a game.

use serde::{Deserialize, Serialize};

use super::fingerprint::Fingerprint;
use crate::end::{End, Side};
use crate::game::Game;
use crate::pair::Leg;
use crate::stats::GameResult;

/// A finished game, as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The number of its pair, from 0.
    pub pair: u64,
    /// Which game of the pair.
    pub leg: Leg,
    /// How it ended.
    pub end: End,
    /// Plies that the players chose.
    pub plies: usize,
    /// A number that tells the moves from others.
    pub moves: u64,
    /// The game as PGN, where somebody wants it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pgn: Option<String>,
}

impl Record {
    /// Keeps what matters of a game.
    pub fn of(pair: u64, leg: Leg, game: &Game, pgn: Option<String>) -> Self {
        Self {
            pair,
            leg,
            end: game.end.clone(),
            plies: game.thoughts.len(),
            moves: Fingerprint::of(game.thoughts.iter().map(|thought| thought.mv.bits().into())).0,
            pgn,
        }
    }

    /// The number of the game, from 1, as people count.
    pub fn number(&self) -> u64 {
        2 * self.pair + if self.leg == Leg::First { 1 } else { 2 }
    }

    /// What the game was worth for the first engine of its pairing.
    pub fn result(&self) -> GameResult {
        match self.end.winner {
            None => GameResult::Draw,
            Some(winner) if winner == Side::from(self.leg.colour_of_first()) => GameResult::Win,
            Some(_) => GameResult::Loss,
        }
    }
}
