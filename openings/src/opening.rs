//! Openings.

use nullarbor_chess::board::{Game, Position};
use nullarbor_chess::types::{CastlingSide, Colour, File, Move, Rank, Square};
use serde::{Deserialize, Serialize};

/// An opening: a start position and moves that are played before the players choose.
///
/// ```
/// use nullarbor_chess::board::Position;
/// use nullarbor_openings::Opening;
///
/// let start = Position::start();
/// let mv = start.parse_san("c4").expect("a legal move");
/// let game = Opening { moves: vec![mv], ..Opening::at(start) }.game();
/// assert_eq!(game.position().legal_moves().len(), 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The start position.
    pub start: Position,
    /// Legal moves from it.
    pub moves: Vec<Move>,
    /// Origin in a book.
    pub origin: Origin,
}

/// The origin of an opening, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The line of its book, from 1.
    pub line: Option<usize>,
    /// Code in the Encyclopaedia of Chess Openings, if the book has it.
    pub eco: Option<String>,
    /// Name of the opening, if the book has it.
    pub name: Option<String>,
}

impl Opening {
    /// Returns an opening without moves.
    pub fn at(start: Position) -> Self {
        Self { start, moves: Vec::new(), origin: Origin::default() }
    }

    /// Returns the game after the moves.
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.start.clone());
        self.moves.iter().for_each(|&mv| game.play(mv));
        game
    }
}

/// Returns whether castling needs the rules of Chess960: a king or rook with a castling right is
/// not on its square of standard chess.
pub fn needs_chess960(position: &Position) -> bool {
    Colour::ALL.into_iter().any(|colour| {
        let rank = Rank::new(0).relative_to(colour);
        let home = |letter| File::from_letter(letter).map(|file| Square::at(file, rank));
        let is_displaced = |(side, corner)| {
            let rook = position.castling().rook(colour, side);
            rook.is_some() && (rook != home(corner) || Some(position.king(colour)) != home('e'))
        };
        [(CastlingSide::King, 'h'), (CastlingSide::Queen, 'a')].into_iter().any(is_displaced)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).expect("a valid position")
    }

    #[test]
    fn chess960_castling_is_recognised() {
        assert!(!needs_chess960(&Position::start()));
        assert!(!needs_chess960(&position("1k6/8/8/8/8/8/8/1K1R4 w - - 0 1")));
        assert!(needs_chess960(&position("1k6/8/8/8/8/8/8/1K1R4 w D - 0 1")));
        assert!(needs_chess960(&position("r1k5/8/8/8/8/8/8/4K2R b Ka - 0 1")));
    }

    #[test]
    fn the_game_of_an_opening_has_its_moves() {
        let start = Position::start();
        let mv = start.parse_uci("e2e4").expect("a legal move");
        let opening = Opening { moves: vec![mv], ..Opening::at(start.clone()) };
        assert_eq!(*opening.game().position(), start.make(mv));
    }
}
