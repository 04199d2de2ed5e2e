//! Whether the game is over, decided in this one place.

use super::{KeyHistory, Position};
use crate::types::{Bitboard, Colour, PieceType};

const LIGHT_SQUARES: Bitboard = Bitboard(0x55aa_55aa_55aa_55aa);

/// How a game ended on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// The position stood three times.
    ThreefoldRepetition,
    /// A hundred plies without capture and pawn move.
    FiftyMoves,
    /// Nobody can mate.
    InsufficientMaterial,
}

impl Position {
    /// Whether neither side has the men to mate: bare kings, one minor piece, or bishops that all stand
    /// on squares of one colour.
    pub fn is_insufficient_material(&self) -> bool {
        let mating = self.pieces_of_type(PieceType::Pawn)
            | self.pieces_of_type(PieceType::Rook)
            | self.pieces_of_type(PieceType::Queen);
        if mating.is_any() {
            return false;
        }
        let (knights, bishops) =
            (self.pieces_of_type(PieceType::Knight), self.pieces_of_type(PieceType::Bishop));
        let one_colour =
            (bishops & LIGHT_SQUARES).is_empty() || bishops.without(LIGHT_SQUARES).is_empty();
        (knights | bishops).count() <= 1 || knights.is_empty() && one_colour
    }

    /// Whether the fifty-move rule ends the game: a mate on the last ply comes before it.
    pub fn is_fifty_moves_draw(&self) -> bool {
        self.halfmove_clock >= 100 && (!self.in_check() || self.has_moves())
    }

    /// How the game is over, if it is.
    pub fn ending(&self, history: &KeyHistory) -> Option<Ending> {
        if !self.has_moves() {
            Some(if self.in_check() { Ending::Checkmate } else { Ending::Stalemate })
        } else if self.is_insufficient_material() {
            Some(Ending::InsufficientMaterial)
        } else if self.is_fifty_moves_draw() {
            Some(Ending::FiftyMoves)
        } else if history.count(self) >= 2 {
            Some(Ending::ThreefoldRepetition)
        } else {
            None
        }
    }

    /// Whether a side has nothing but king and pawns.
    pub fn has_only_pawns(&self, colour: Colour) -> bool {
        self.non_pawns(colour).is_empty()
    }
}
