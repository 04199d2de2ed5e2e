//! One opening.

use nullarbor::board::{KeyHistory, Position};
use nullarbor::types::{CastlingSide, Colour, File, Move, Rank, Square};

/// Where a game starts, and the moves from there that no player chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The first position.
    pub start: Position,
    /// Legal moves from it.
    pub moves: Vec<Move>,
}

impl Opening {
    /// An opening that is just a position.
    pub fn at(start: Position) -> Self {
        Self { start, moves: Vec::new() }
    }

    /// The position from which the players choose, and the keys of those before.
    pub fn end(&self) -> (Position, KeyHistory) {
        let (mut position, mut history) = (self.start.clone(), KeyHistory::new());
        for &mv in &self.moves {
            history.push(position.key());
            position = position.make(mv);
        }
        (position, history)
    }
}

/// Whether a right to castle stands on squares that standard chess does not know.
pub fn needs_chess960(position: &Position) -> bool {
    let rights = Colour::ALL
        .into_iter()
        .flat_map(|colour| CastlingSide::ALL.map(|castling_side| (colour, castling_side)));
    rights.into_iter().any(|(colour, castling_side)| {
        position.castling().rook(colour, castling_side).is_some_and(|rook| {
            let home = |letter| {
                File::from_letter(letter)
                    .map(|file| Square::at(file, Rank::new(0).relative_to(colour)))
            };
            let corner = if castling_side == CastlingSide::King { 'h' } else { 'a' };
            Some(rook) != home(corner) || Some(position.king(colour)) != home('e')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).expect("a valid position")
    }

    #[test]
    fn standard_castling_is_told_from_chess960() {
        assert!(!needs_chess960(&Position::start()));
        assert!(!needs_chess960(&position("1k6/8/8/8/8/8/8/1K1R4 w - - 0 1")));
        assert!(needs_chess960(&position("1k6/8/8/8/8/8/8/1K1R4 w D - 0 1")));
        assert!(needs_chess960(&position("r1k5/8/8/8/8/8/8/4K2R b Ka - 0 1")));
    }

    #[test]
    fn moves_lead_to_the_end() {
        let start = Position::start();
        let mv = start.parse_uci("e2e4").expect("a legal move");
        let opening = Opening { start: start.clone(), moves: vec![mv] };
        assert_eq!(opening.end().0, start.make(mv));
    }
}
