//! Records of finished games, as journals keep them.

use serde::{Deserialize, Serialize};

use crate::diagnostics::{FaultReport, PvWarnings};
use crate::end::End;
use crate::game::PlayedGame;
use crate::pair::GameOfPair;
use nullarbor_stats::GameResult;

/// A finished game as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The number of its pair, from 0.
    pub pair: u64,
    /// Game of the pair.
    #[serde(rename = "leg")]
    pub game: GameOfPair,
    /// Winner and reason.
    pub end: End,
    /// Plies after the opening.
    pub plies: usize,
    /// The fingerprint of the moves after the opening.
    pub moves: u64,
    /// Report on the fault that ended the game, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultReport>,
    /// Contradictions in the output of White and Black.
    #[serde(default, skip_serializing_if = "are_none")]
    pub pv_warnings: [PvWarnings; 2],
    /// The game as PGN, if games are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pgn: Option<String>,
}

pub(super) fn are_none(warnings: &[PvWarnings; 2]) -> bool {
    warnings.iter().all(PvWarnings::is_empty)
}

impl GameRecord {
    /// Returns the record of a game, without PGN.
    pub fn of(pair: u64, game: GameOfPair, played: &PlayedGame) -> Self {
        let moves = played.moves_fingerprint().0;
        Self {
            pair,
            game,
            end: played.end.clone(),
            plies: played.moves.len(),
            moves,
            fault: played.fault.clone(),
            pv_warnings: played.pv_warnings.0.clone(),
            pgn: None,
        }
    }

    /// Returns the number of the game, from 1.
    pub fn number(&self) -> u64 {
        Self::number_of(self.pair, self.game)
    }

    /// Returns the number of a game, from 1.
    pub fn number_of(pair: u64, game: GameOfPair) -> u64 {
        pair.saturating_mul(2).saturating_add(1 + game as u64)
    }

    /// Returns the result for the first engine of its pairing.
    pub fn result(&self) -> GameResult {
        self.end.result_for(self.game.colour_of_first())
    }
}
