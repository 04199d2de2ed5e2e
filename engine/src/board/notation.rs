//! Moves as UCI writes them.

use thiserror::Error;

use super::Position;
use crate::types::{CastlingSide, Move, MoveFlag, Square};

/// Why a text is not a legal move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum MoveError {
    #[error("move `{0}` is not of the form e2e4 or e7e8q")]
    Malformed(String),
    #[error("move `{text}` is not legal in {fen}")]
    Illegal { text: String, fen: String },
}

impl Position {
    /// The move as UCI writes it: castling as the king's two squares in standard chess, as the king
    /// taking its own rook in Chess960.
    pub fn uci(&self, mv: Move, chess960: bool) -> String {
        if mv.is_none() {
            return "0000".to_owned();
        }
        if mv.is(MoveFlag::Castle) && !chess960 {
            return format!("{}{}", mv.from(), self.castling_target(mv));
        }
        format!("{mv:?}")
    }

    fn castling_target(&self, mv: Move) -> Square {
        CastlingSide::of(mv.from(), mv.to()).king_target(self.side_to_move)
    }

    /// The legal move that a text in either notation of castling names.
    ///
    /// # Errors
    /// Where the text is no move, or none of this position.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        if !is_move_text(text) {
            return Err(MoveError::Malformed(text.chars().take(16).collect()));
        }
        let moves = self.legal_moves();
        let written_as = |chess960| moves.iter().find(|&&mv| self.uci(mv, chess960) == text);
        // King takes rook is never another legal move, so the notation of Chess960 always fits.
        written_as(true)
            .or_else(|| written_as(false))
            .copied()
            .ok_or_else(|| MoveError::Illegal { text: text.to_owned(), fen: self.to_string() })
    }
}

fn is_move_text(text: &str) -> bool {
    let square = |range| text.get(range).and_then(Square::parse).is_some();
    let promotes = match text.get(4..) {
        None => false,
        Some("") => true,
        Some(letter) => ["n", "b", "r", "q"].contains(&letter),
    };
    square(0..2) && square(2..4) && promotes
}
