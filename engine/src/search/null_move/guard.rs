//! Where passing would be the best move: zugzwang.

use super::{Facts, Surroundings};
use crate::types::PieceType;

choices! {
    /// What must be on the board for a null move to be trusted.
    Guard, "guard" {
        /// Nothing.
        "none" None,
        /// The side to move has a piece: zugzwang is common where there are just pawns.
        "piece" OwnPiece,
        /// Both sides have pieces worth more than a minor one.
        "both-pieces" BothMoreThanMinor,
        /// More than little is left of all pieces, counted by what was captured (H. G. Muller, micro-Max 4).
        "captured" Captured,
    }
}

/// Knight, bishop, rook and queen in centipawns.
const WORTH: [usize; 4] = {
    let [_, knight, bishop, rook, queen] = PieceType::VALUES;
    [knight as usize, bishop as usize, rook as usize, queen as usize]
};
const MINOR: usize = WORTH[0];
/// The same in the whole units of micro-Max, 40 for all pieces of both sides.
const UNITS: [usize; 4] = [2, 2, 3, 6];
/// Two minor pieces for both sides together.
const FEW_UNITS: usize = 4;

impl Guard {
    pub(super) fn allows(self, facts: &Facts, around: &impl Surroundings) -> bool {
        match self {
            Self::None => true,
            Self::OwnPiece => facts.has_pieces,
            Self::BothMoreThanMinor => pieces(around, WORTH).into_iter().all(|worth| worth > MINOR),
            Self::Captured => pieces(around, UNITS).into_iter().sum::<usize>() > FEW_UNITS,
        }
    }
}

/// The worth of the pieces of each side.
pub(super) fn pieces(around: &impl Surroundings, worth: [usize; 4]) -> [usize; 2] {
    around.men().map(|men| men[1..].iter().zip(worth).map(|(count, worth)| count * worth).sum())
}
