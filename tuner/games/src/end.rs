//! How games end.

use std::fmt;

use nullarbor::board::Ending;
use nullarbor::types::Colour;
use serde::{Deserialize, Serialize};

use super::player::Fault;

/// Who won and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The winner; `None` for a draw.
    pub winner: Option<Side>,
    /// Why.
    pub reason: Reason,
}

/// A colour, for files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Side {
    White,
    Black,
}

/// Why a game is over.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Mate.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// The position stood three times.
    Repetition,
    /// A hundred plies without capture and pawn move.
    FiftyMoves,
    /// Nobody can mate.
    InsufficientMaterial,
    /// Both players saw an even game for long.
    DrawAdjudication,
    /// A player saw itself lost for long.
    ResignAdjudication,
    /// The game was longer than allowed: a draw.
    Length,
    /// The loser used more time than it had.
    Time,
    /// The loser went away.
    Crash,
    /// The loser did not answer.
    Stall,
    /// The loser named a move that is none.
    IllegalMove(String),
}

impl From<Colour> for Side {
    fn from(colour: Colour) -> Self {
        match colour {
            Colour::White => Self::White,
            Colour::Black => Self::Black,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl End {
    /// An end by the rules; `mover` is the side to move.
    pub fn by_rule(ending: Ending, mover: Colour) -> Self {
        let reason = match ending {
            Ending::Checkmate => return Self::won(!mover, Reason::Checkmate),
            Ending::Stalemate => Reason::Stalemate,
            Ending::ThreefoldRepetition => Reason::Repetition,
            Ending::FiftyMoves => Reason::FiftyMoves,
            Ending::InsufficientMaterial => Reason::InsufficientMaterial,
        };
        Self::drawn(reason)
    }

    /// An end by a fault of the side to move.
    pub fn by_fault(fault: Fault, mover: Colour) -> Self {
        let reason = match fault {
            Fault::Crash => Reason::Crash,
            Fault::Stall => Reason::Stall,
            Fault::Late => Reason::Time,
            Fault::IllegalMove(text) => Reason::IllegalMove(text),
        };
        Self::won(!mover, reason)
    }

    /// A win.
    pub fn won(winner: Colour, reason: Reason) -> Self {
        Self { winner: Some(winner.into()), reason }
    }

    /// A draw.
    pub fn drawn(reason: Reason) -> Self {
        Self { winner: None, reason }
    }

    /// The result as PGN writes it.
    pub fn result(&self) -> &'static str {
        match self.winner {
            Some(Side::White) => "1-0",
            Some(Side::Black) => "0-1",
            None => "1/2-1/2",
        }
    }

    /// The word of PGN for the manner of the end.
    pub fn termination(&self) -> &'static str {
        match self.reason {
            Reason::DrawAdjudication | Reason::ResignAdjudication | Reason::Length => {
                "adjudication"
            }
            Reason::Time => "time forfeit",
            Reason::Crash | Reason::Stall => "abandoned",
            Reason::IllegalMove(_) => "illegal move",
            _ => "normal",
        }
    }

    fn loser(&self) -> Side {
        if self.winner == Some(Side::White) { Side::Black } else { Side::White }
    }
}

/// The end in words, those that match runners commonly use.
impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loser = self.loser();
        let winner = if loser == Side::White { Side::Black } else { Side::White };
        match &self.reason {
            Reason::Checkmate => write!(f, "{winner} mates"),
            Reason::Stalemate => write!(f, "Draw by stalemate"),
            Reason::Repetition => write!(f, "Draw by 3-fold repetition"),
            Reason::FiftyMoves => write!(f, "Draw by fifty moves rule"),
            Reason::InsufficientMaterial => write!(f, "Draw by insufficient mating material"),
            Reason::DrawAdjudication => write!(f, "Draw by adjudication"),
            Reason::ResignAdjudication => write!(f, "{winner} wins by adjudication"),
            Reason::Length => write!(f, "Draw by adjudication: maximum length"),
            Reason::Time => write!(f, "{loser} loses on time"),
            Reason::Crash => write!(f, "{loser} disconnects"),
            Reason::Stall => write!(f, "{loser}'s connection stalls"),
            Reason::IllegalMove(text) => write!(f, "{loser} makes an illegal move: {text}"),
        }
    }
}
