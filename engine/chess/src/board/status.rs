//! The end of a game.

use super::{KeyHistory, Position};
use crate::types::{Bitboard, Colour, PieceType};

const LIGHT_SQUARES: Bitboard = Bitboard(0x55aa_55aa_55aa_55aa);

/// The end of a game by the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side to move is checkmated.
    Checkmate,
    /// The side to move is not in check and has no legal move.
    Stalemate,
    /// The position has occurred three times.
    ThreefoldRepetition,
    /// A hundred plies without a capture or pawn move.
    FiftyMoves,
    /// Neither side can mate.
    InsufficientMaterial,
}

impl Position {
    /// Returns whether neither side has the material to mate: bare kings, one minor piece, or only
    /// bishops on squares of one colour.
    #[inline]
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

    /// Returns whether the game is a draw by the fifty-move rule; a checkmate on the last ply takes
    /// precedence.
    #[inline]
    pub fn is_fifty_moves_draw(&self) -> bool {
        self.halfmove_clock >= 100 && (!self.in_check() || self.has_moves())
    }

    /// Returns how the game has ended; `None` while it goes on.
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

    /// Returns whether a side has only its king and pawns.
    #[inline]
    pub fn has_only_pawns(&self, colour: Colour) -> bool {
        self.non_pawns(colour).is_empty()
    }
}
