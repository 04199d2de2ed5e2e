//! Guards against zugzwang, where passing would be the best move.

use super::NodeContext;
use super::feature::{PIECES, own_pieces, their_pieces, weigh, weighted};
use crate::params::Params;

choices! {
    /// The pieces that must be on the board for a null move to be trusted.
    Guard, "guard" {
        /// Nothing.
        "none" None,
        /// A piece of the side to move: zugzwang is common where there are only pawns.
        "piece" OwnPiece,
        /// A piece of each side: no null move where one side or both are left with king and pawns (O.
        /// David-Tabibi and N. Netanyahu 2002, section 2).
        "both-have-piece" BothHavePiece,
        /// Pieces of both sides worth more than a parameter.
        "both-pieces" BothWorthMore,
        /// More than two minor pieces in all, counted by what was captured (H. G. Muller, micro-Max
        /// 4).
        "captured" Captured,
        /// The same, counted at the root, where a promotion counts as the capture of a queen:
        /// micro-Max counts when a move is played in the game.
        "captured-at-root" CapturedAtRoot,
        /// A piece of the side to move, none of the last four positions in check, and no own piece
        /// attacked by one of less value: where a mate is unlikely (J. Pettersson 2007 names the idea
        /// without a test; this one is ours).
        "quiet" Quiet,
    }
}

/// Values of the pieces in the units of micro-Max, 40 for all pieces of both sides.
const MICROMAX_UNITS: [i32; 5] = [0, 2, 2, 3, 6];
/// Two minor pieces of both sides together.
const FEW_UNITS: i32 = 4;
/// The same as the most that may have been captured.
const MOST_CAPTURED: i32 = 35;
/// Pieces of a side at the beginning of the game.
const AT_FIRST: [usize; 5] = [8, 2, 2, 2, 1];
/// Units that a promotion, always to a queen, counts in micro-Max.
const PROMOTION_UNITS: i32 = 6;

impl Guard {
    pub(super) fn allows(self, context: &impl NodeContext, params: &Params) -> bool {
        match self {
            Self::None => true,
            Self::OwnPiece => own_pieces(context) > 0,
            Self::BothHavePiece => own_pieces(context) > 0 && their_pieces(context) > 0,
            Self::BothWorthMore => {
                let least = params.null_move_guard_material;
                weighted(context, PIECES).into_iter().all(|value| value > least)
            }
            Self::Captured => units(context.piece_counts()) > FEW_UNITS,
            Self::CapturedAtRoot => captured_units(context.root_piece_counts()) <= MOST_CAPTURED,
            Self::Quiet => {
                own_pieces(context) > 0 && context.recent_checks() == 0 && context.threatened() == 0
            }
        }
    }
}

/// Returns pieces of both sides in the units of micro-Max.
fn units(counts: [[usize; 5]; 2]) -> i32 {
    weigh(counts, MICROMAX_UNITS).iter().sum()
}

/// Returns what micro-Max has counted as captured in a game that came to these pieces, as far as the
/// pieces tell: a promoted one shows where a side has more of its kind than at the beginning.
fn captured_units(counts: [[usize; 5]; 2]) -> i32 {
    let missing =
        counts.map(|side| std::array::from_fn(|it| AT_FIRST[it].saturating_sub(side[it])));
    let promoted = counts.iter().flat_map(|side| side.iter().zip(AT_FIRST));
    let promoted: usize = promoted.map(|(&count, first)| count.saturating_sub(first)).sum();
    units(missing) + promoted as i32 * PROMOTION_UNITS
}
