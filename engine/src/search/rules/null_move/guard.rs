//! Guards against zugzwang, where passing would be the best move.

use super::NodeContext;
use super::feature::{own_pieces, weighted};
use crate::types::PieceType;

choices! {
    /// The pieces that must be on the board for a null move to be trusted.
    Guard, "guard" {
        /// Nothing.
        "none" None,
        /// A piece of the side to move: zugzwang is common where there are only pawns.
        "piece" OwnPiece,
        /// Pieces of both sides worth more than one minor piece.
        "both-pieces" BothMoreThanMinor,
        /// More than two minor pieces in all, counted by what was captured (H. G. Muller, micro-Max
        /// 4).
        "captured" Captured,
    }
}

/// Values of the pieces without pawns, in centipawns.
const PIECES: [i32; 5] = {
    let [_, knight, bishop, rook, queen] = PieceType::VALUES;
    [0, knight, bishop, rook, queen]
};
const MINOR: i32 = PIECES[1];
/// The same in the units of micro-Max, 40 for all pieces of both sides.
const MICROMAX_UNITS: [i32; 5] = [0, 2, 2, 3, 6];
/// Two minor pieces of both sides together.
const FEW_UNITS: i32 = 4;

impl Guard {
    pub(super) fn allows(self, context: &impl NodeContext) -> bool {
        match self {
            Self::None => true,
            Self::OwnPiece => own_pieces(context) > 0,
            Self::BothMoreThanMinor => {
                weighted(context, PIECES).into_iter().all(|value| value > MINOR)
            }
            Self::Captured => weighted(context, MICROMAX_UNITS).iter().sum::<i32>() > FEW_UNITS,
        }
    }
}
