//! Ends of games: winner and reason.

use std::fmt;

use nullarbor::board::Ending;
use nullarbor::types::Colour;
use serde::{Deserialize, Serialize};

use super::player::Fault;
use nullarbor_stats::GameResult;

/// The result of a game and its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The winner; `None` for a draw.
    pub winner: Option<Side>,
    /// The reason.
    pub reason: Reason,
}

/// A colour as files write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Side {
    White,
    Black,
}

/// The reason why a game ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Checkmate.
    Checkmate,
    /// Stalemate.
    Stalemate,
    /// The third occurrence of a position.
    Repetition,
    /// A hundred plies without a capture or pawn move.
    FiftyMoves,
    /// Neither side can mate.
    InsufficientMaterial,
    /// Draw adjudication.
    DrawAdjudication,
    /// Resign adjudication.
    ResignAdjudication,
    /// Verdict of the tablebases.
    Tablebases,
    /// The maximum number of moves: a draw.
    Length,
    /// The loser exceeded its time.
    Time,
    /// The loser's process ended.
    Crash,
    /// The loser did not answer.
    Stall,
    /// The loser's move, which is not legal.
    IllegalMove(String),
}

impl Reason {
    /// Returns the name of the way in which a game ended.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::Repetition => "repetition",
            Self::FiftyMoves => "fifty moves",
            Self::InsufficientMaterial => "insufficient material",
            Self::DrawAdjudication => "draw by adjudication",
            Self::ResignAdjudication => "win by adjudication",
            Self::Tablebases => "tablebases",
            Self::Length => "length",
            Self::Time => "time",
            Self::Crash => "crash",
            Self::Stall => "stall",
            Self::IllegalMove(_) => "illegal move",
        }
    }
}

impl From<Colour> for Side {
    fn from(colour: Colour) -> Self {
        match colour {
            Colour::White => Self::White,
            Colour::Black => Self::Black,
        }
    }
}

impl From<Side> for Colour {
    fn from(side: Side) -> Self {
        match side {
            Side::White => Self::White,
            Side::Black => Self::Black,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl End {
    /// Returns the result for the player who has this colour.
    pub fn result_for(&self, colour: Colour) -> GameResult {
        match self.winner {
            None => GameResult::Draw,
            Some(winner) if winner == Side::from(colour) => GameResult::Win,
            Some(_) => GameResult::Loss,
        }
    }

    /// Returns who lost; `None` for a draw.
    pub fn loser(&self) -> Option<Colour> {
        self.winner.map(|winner| !Colour::from(winner))
    }

    /// Returns whether a player crashed or hung.
    pub fn is_crash(&self) -> bool {
        matches!(self.reason, Reason::Crash | Reason::Stall)
    }

    /// Returns the end by a rule of chess; `mover` is the side to move.
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

    /// Returns the loss of the player of `mover` by its fault.
    pub fn by_fault(fault: Fault, mover: Colour) -> Self {
        let reason = match fault {
            Fault::Crash => Reason::Crash,
            Fault::Stall => Reason::Stall,
            Fault::Late => Reason::Time,
            Fault::IllegalMove(text) => Reason::IllegalMove(text),
        };
        Self::won(!mover, reason)
    }

    /// Returns a win.
    pub fn won(winner: Colour, reason: Reason) -> Self {
        Self { winner: Some(winner.into()), reason }
    }

    /// Returns a draw.
    pub fn drawn(reason: Reason) -> Self {
        Self { winner: None, reason }
    }

    /// Returns the result in PGN notation.
    pub fn result(&self) -> &'static str {
        match self.winner {
            Some(Side::White) => "1-0",
            Some(Side::Black) => "0-1",
            None => "1/2-1/2",
        }
    }

    /// Returns the value of the PGN tag `Termination`.
    pub fn termination(&self) -> &'static str {
        match self.reason {
            Reason::DrawAdjudication
            | Reason::ResignAdjudication
            | Reason::Tablebases
            | Reason::Length => "adjudication",
            Reason::Time => "time forfeit",
            Reason::Crash | Reason::Stall => "abandoned",
            Reason::IllegalMove(_) => "illegal move",
            _ => "normal",
        }
    }
}

/// Writes the end as fastchess and cutechess do.
impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let winner = self.winner.unwrap_or(Side::White);
        let loser = Side::from(!Colour::from(winner));
        match &self.reason {
            Reason::Checkmate => write!(f, "{winner} mates"),
            Reason::Stalemate => write!(f, "Draw by stalemate"),
            Reason::Repetition => write!(f, "Draw by 3-fold repetition"),
            Reason::FiftyMoves => write!(f, "Draw by fifty moves rule"),
            Reason::InsufficientMaterial => write!(f, "Draw by insufficient mating material"),
            Reason::DrawAdjudication => write!(f, "Draw by adjudication"),
            Reason::ResignAdjudication => write!(f, "{winner} wins by adjudication"),
            Reason::Tablebases if self.winner.is_none() => {
                write!(f, "Draw by adjudication: tablebases")
            }
            Reason::Tablebases => write!(f, "{winner} wins by adjudication: tablebases"),
            Reason::Length => write!(f, "Draw by adjudication: maximum length"),
            Reason::Time => write!(f, "{loser} loses on time"),
            Reason::Crash => write!(f, "{loser} disconnects"),
            Reason::Stall => write!(f, "{loser}'s connection stalls"),
            Reason::IllegalMove(text) => write!(f, "{loser} makes an illegal move: {text}"),
        }
    }
}
