//! Moves in UCI notation (long algebraic notation).

use thiserror::Error;

use super::Position;
use crate::types::{CastlingSide, File, Move, MoveFlag, Square};

/// Why a text is not a legal move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum MoveError {
    #[error("move `{0}` does not have the form e2e4 or e7e8q")]
    Malformed(String),
    #[error("move `{text}` is not legal in {fen}")]
    Illegal { text: String, fen: String },
}

impl Position {
    /// Returns the move in UCI notation. Castling is written as the king's from and to squares. With
    /// `chess960` it is written as the king taking its own rook, and so is castling from other squares than
    /// those of standard chess, where the king's squares may also be those of a plain move.
    pub fn uci(&self, mv: Move, chess960: bool) -> String {
        if mv.is_none() {
            return "0000".to_owned();
        }
        if mv.is(MoveFlag::Castle) && !chess960 && is_standard_castling(mv) {
            return format!("{}{}", mv.from(), self.castling_target(mv));
        }
        format!("{mv:?}")
    }

    fn castling_target(&self, mv: Move) -> Square {
        CastlingSide::of(mv.from(), mv.to()).king_target(self.side_to_move)
    }

    /// Parses a legal move in UCI notation, in either case; both notations of castling are accepted.
    ///
    /// # Errors
    /// If the text is malformed or the move is not legal.
    ///
    /// ```
    /// use nullarbor_chess::board::{MoveError, Position};
    ///
    /// let start = Position::start();
    /// let mv = start.parse_uci("g1f3")?;
    /// assert_eq!((start.uci(mv, false), start.san(mv)), ("g1f3".to_owned(), "Nf3".to_owned()));
    /// assert!(matches!(start.parse_uci("e2e5"), Err(MoveError::Illegal { .. })));
    /// # Ok::<(), MoveError>(())
    /// ```
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let lower = text.to_ascii_lowercase();
        if !is_move_text(&lower) {
            return Err(MoveError::Malformed(text.chars().take(16).collect()));
        }
        let moves = self.legal_moves();
        let castles = |mv: Move| {
            mv.is(MoveFlag::Castle) && format!("{}{}", mv.from(), self.castling_target(mv)) == lower
        };
        // King takes own rook is no other legal move, so the Chess960 notation is always accepted. The
        // king's squares are, unless they are those of a plain move.
        let found = moves.iter().find(|&&mv| self.uci(mv, true) == lower);
        found
            .or_else(|| moves.iter().find(|&&mv| castles(mv)))
            .copied()
            .ok_or_else(|| MoveError::Illegal { text: text.to_owned(), fen: self.to_string() })
    }
}

/// Returns whether king and rook castle from where they stand in standard chess.
fn is_standard_castling(mv: Move) -> bool {
    mv.from().file() == File::E && [File::A, File::H].contains(&mv.to().file())
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
