//! Whom to ask before a null search cuts a node off.

use super::{Attempt, CutScore, Facts, Surroundings, Verdict};
use crate::params::Params;
use crate::types::Depth;

choices! {
    /// Who confirms a null search that failed high.
    Verification, "verification" {
        /// Nobody.
        "none" None,
        /// Where zugzwang is likely, a search of the same depth without null moves of our side (a guide to
        /// null-move pruning).
        "zugzwang" LikelyZugzwang,
        /// The rest of the node, a ply shallower: a cut needs a fail-high here and one above. If then nothing fails high,
        /// it is zugzwang, and the node is searched again (O. David-Tabibi and N. Netanyahu 2002).
        "reduce" Reduce,
        /// From a depth on, a search without null moves of our side: deep down a wrong cut-off is cheap and soon
        /// corrected; near the root it decides the game.
        "deep" Deep,
    }
}

/// A side with no more pieces than this may well be in zugzwang.
const FEW_PIECES: usize = 1;

impl Verification {
    /// A null search whose fail-high could not be verified any more proves nothing.
    pub(super) fn has_room(self, facts: &Facts) -> bool {
        self != Self::Reduce || !facts.verifies || facts.depth > Depth::ONE
    }

    pub(super) fn verdict(
        self,
        attempt: Attempt,
        cut: CutScore,
        facts: &Facts,
        around: &impl Surroundings,
        params: &Params,
    ) -> Verdict {
        let verify = Verdict::Verify(attempt.depth.max(Depth::ONE), cut);
        match self {
            Self::None => Verdict::Cut(cut),
            Self::LikelyZugzwang if has_few_pieces(around) => verify,
            Self::LikelyZugzwang => Verdict::Cut(cut),
            Self::Reduce if facts.verifies => Verdict::Reduce,
            Self::Reduce => Verdict::Cut(cut),
            Self::Deep if facts.depth.0 >= params.null_move_verify_depth => verify,
            Self::Deep => Verdict::Cut(cut),
        }
    }
}

fn has_few_pieces(around: &impl Surroundings) -> bool {
    around.men()[0][1..].iter().sum::<usize>() <= FEW_PIECES
}
