//! A game to be played, as data.

use nullarbor::board::Position;
use nullarbor_openings::Opening;
use serde::{Deserialize, Serialize};

use crate::pair::{GameOfPair, Pairing};

/// A game to be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameTask {
    /// The number of its pair.
    pub pair: u64,
    /// Game of the pair.
    pub game: GameOfPair,
    /// The engines, by number.
    pub pairing: Pairing,
    /// The opening.
    #[serde(with = "opening_text")]
    pub opening: Opening,
}

/// An opening as text: FEN and moves of UCI.
pub mod opening_text {
    use serde::de::Error;
    use serde::{Deserializer, Serializer};

    use nullarbor_openings::Origin;

    use super::{Deserialize, Opening, Position, Serialize};

    #[derive(Serialize, Deserialize)]
    struct Text {
        fen: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        moves: Vec<String>,
        origin: Origin,
    }

    /// Writes an opening.
    ///
    /// # Errors
    /// Those of the serialiser.
    pub fn serialize<S: Serializer>(opening: &Opening, to: S) -> Result<S::Ok, S::Error> {
        let mut position = opening.start.clone();
        let mut moves = Vec::new();
        for &mv in &opening.moves {
            moves.push(position.uci(mv, true));
            position = position.make(mv);
        }
        Text { fen: opening.start.to_string(), moves, origin: opening.origin.clone() }.serialize(to)
    }

    /// Reads an opening.
    ///
    /// # Errors
    /// If the position or a move is illegal.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Opening, D::Error> {
        let text = Text::deserialize(from)?;
        let start = Position::from_fen(&text.fen).map_err(D::Error::custom)?;
        let mut position = start.clone();
        let mut moves = Vec::new();
        for mv in &text.moves {
            let mv = position.parse_uci(mv).map_err(D::Error::custom)?;
            moves.push(mv);
            position = position.make(mv);
        }
        Ok(Opening { start, moves, origin: text.origin })
    }
}

#[cfg(test)]
mod tests {
    use nullarbor_openings::Book;

    use super::*;

    #[test]
    fn openings_come_back() {
        for name in ["unbalanced", "chess960", "endgames"] {
            let book = Book::open(name, None).expect("built in");
            for opening in book.openings.into_iter().step_by(97) {
                let pairing = Pairing { first: 0, second: 1 };
                let task = GameTask { pair: 3, game: GameOfPair::Second, pairing, opening };
                let text = serde_json::to_string(&task).expect("plain data");
                assert_eq!(serde_json::from_str::<GameTask>(&text).expect(&text), task);
            }
        }
    }
}
