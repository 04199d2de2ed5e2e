//! Verification: what confirms that a null search fails high for good reason.

use super::feature::own_pieces;
use super::{Attempt, CutScore, NodeContext, Verdict};
use crate::params::Params;
use crate::types::Depth;

choices! {
    /// The confirmation of a null search that failed high.
    Verification, "verification" {
        /// Nothing.
        "none" None,
        /// A search of the same depth without null moves of the side to move, if zugzwang is likely
        /// (a guide to null-move pruning).
        "zugzwang" LikelyZugzwang,
        /// The rest of the node, searched a ply shallower: a cut needs a fail-high here and one
        /// above. If then no move fails high, it is zugzwang, and the node is searched again (O.
        /// David-Tabibi and N. Netanyahu 2002).
        "reduce" Reduce,
        /// From `null_move_verify_depth` on, a search without null moves of the side to move: deep
        /// down a wrong cut is cheap and soon corrected; near the root it decides the game.
        "deep" Deep,
    }
}

/// A side with no more pieces than this is likely to get into zugzwang.
const FEW_PIECES: usize = 1;

impl Verification {
    /// Returns whether a fail-high could still be verified at the node's depth.
    pub(super) fn has_room(self, context: &impl NodeContext) -> bool {
        self != Self::Reduce || !context.verification_pending() || context.node().depth > Depth::ONE
    }

    pub(super) fn verdict(
        self,
        attempt: Attempt,
        cut: CutScore,
        context: &impl NodeContext,
        params: &Params,
    ) -> Verdict {
        let verify = Verdict::Verify(attempt.depth.max(Depth::ONE), cut);
        match self {
            Self::LikelyZugzwang if own_pieces(context) <= FEW_PIECES => verify,
            Self::Deep if context.node().depth.0 >= params.null_move_verify_depth => verify,
            Self::Reduce if context.verification_pending() => Verdict::Reduce,
            Self::None | Self::LikelyZugzwang | Self::Reduce | Self::Deep => Verdict::Cut(cut),
        }
    }
}
