//! Verification: what confirms that a null search fails high for good reason.

use super::feature::{PIECES, own_pieces, weighted};
use super::{Attempt, CutScore, NodeContext, Verdict};
use crate::params::Params;
use crate::types::Depth;

choices! {
    /// The confirmation of a null search that failed high.
    Verification, "verification" {
        /// Nothing.
        "none" None,
        /// A search of the depth of the null search without null moves of the side to move, if that
        /// side has at most one piece.
        "zugzwang" LikelyZugzwang,
        /// An ordinary search of depth - R, in which the side to move may pass again, if neither side
        /// has more than 300 centipawns in pieces (a guide to null-move pruning).
        "guide" Guide,
        /// The rest of the node, searched a ply shallower: a cut needs a fail-high here and one
        /// above. If then no move fails high, it is zugzwang, and the node is searched again (O.
        /// David-Tabibi and N. Netanyahu 2002).
        "reduce" Reduce,
        /// The rest of each node is searched a ply shallower; nothing is cut. The same authors tried
        /// this and the next two, and dropped them.
        "reduce-1" ReduceBy1,
        /// The same, two plies shallower.
        "reduce-2" ReduceBy2,
        /// A ply shallower, and two plies below a node whose null search failed high.
        "reduce-1-2" ReduceBy1Then2,
        /// Four plies shallower (extended null-move reductions, O. David-Tabibi and N. Netanyahu 2008,
        /// as the Chess Programming Wiki describes them).
        "reduce-4" ReduceBy4,
        /// From `null_move_verify_depth` on, a search without null moves of the side to move: deep
        /// down a wrong cut is cheap and soon corrected; near the root it decides the game.
        "deep" Deep,
    }
}

/// A side with no more pieces than this is likely to get into zugzwang.
const FEW_PIECES: usize = 1;
/// The guide: the most that a side with likely zugzwang has in pieces, in centipawns.
const LITTLE_MATERIAL: i32 = 300;

impl Verification {
    /// Returns whether a fail-high could still be verified at the node's depth.
    pub(super) fn has_room(self, context: &impl NodeContext) -> bool {
        self != Self::Reduce || !context.verification_pending() || context.node().depth > Depth::ONE
    }

    /// Returns whether a node that was searched less deep, and then did not fail high, is searched again.
    pub fn repeats(self) -> bool {
        self == Self::Reduce
    }

    pub(super) fn verdict(
        self,
        attempt: Attempt,
        cut: CutScore,
        context: &impl NodeContext,
        params: &Params,
    ) -> Verdict {
        let verify =
            |depth: Depth| Verdict::Verify { depth: depth.max(Depth::ONE), cut, ordinary: false };
        if let Some(plies) = self.reduction(|| context.verification_pending()) {
            return Verdict::Reduce(plies);
        }
        match self {
            Self::LikelyZugzwang if own_pieces(context) <= FEW_PIECES => verify(attempt.depth),
            Self::Guide if has_little_material(context) => {
                // Its R does not count the ply of the null move. An R of 0 would verify for ever.
                let depth = (attempt.depth + 1).min(context.node().depth - 1);
                Verdict::Verify { depth, cut, ordinary: true }
            }
            Self::Deep if context.node().depth.0 >= params.null_move_verify_depth => {
                verify(attempt.depth)
            }
            _ => Verdict::Cut(cut),
        }
    }

    /// Returns by how many plies the rest of the node is searched less deep, if that is how this
    /// verifies there; `pending` as in [`NodeContext::verification_pending`].
    fn reduction(self, pending: impl FnOnce() -> bool) -> Option<i32> {
        match self {
            Self::None | Self::LikelyZugzwang | Self::Guide | Self::Deep => None,
            Self::Reduce => pending().then_some(1),
            Self::ReduceBy1 => Some(1),
            Self::ReduceBy2 => Some(2),
            Self::ReduceBy1Then2 => Some(if pending() { 1 } else { 2 }),
            Self::ReduceBy4 => Some(4),
        }
    }

    /// Returns by how many plies a verification is shallower than its node, at least, where the null
    /// search is by `null_plies`: for estimates of what verifications cost.
    pub fn shallower(self, null_plies: i32) -> i32 {
        let search = if self == Self::Guide { null_plies - 1 } else { null_plies };
        self.reduction(|| true).unwrap_or(search)
    }

    /// Returns whether this verifies by searching the node less deep, and not by another search.
    pub fn reduces(self) -> bool {
        self.reduction(|| true).is_some()
    }
}

fn has_little_material(context: &impl NodeContext) -> bool {
    weighted(context, PIECES).into_iter().all(|value| value <= LITTLE_MATERIAL)
}
