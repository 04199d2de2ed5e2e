//! Reductions: how much shallower the null search is.

use super::NodeContext;
use crate::params::{ONE_PLY, Params};
use crate::search::rules::node::Node;
use crate::types::{Depth, Score};

choices! {
    /// The reduction of the null search. R is the literature's: it does not count the ply of the
    /// null move itself.
    Reduction, "reduction" {
        /// No null moves at all.
        "off" Off,
        /// R = 1.
        "fixed-1" Fixed1,
        /// R = 2.
        "fixed-2" Fixed2,
        /// R = 3.
        "fixed-3" Fixed3,
        /// R = 4.
        "fixed-4" Fixed4,
        /// R = 3 above depth 6, else 2 (C. Donninger 1993, as reported by E. Heinz).
        "donninger" Donninger,
        /// R = 3 above depth 8, and above depth 6 where both sides have three pieces, else 2 (E.
        /// Heinz 1999).
        "heinz" Heinz,
        /// R = 3 from depth 6 on, else 2 (a guide to null-move pruning).
        "adaptive" Adaptive,
        /// R = 4 above depth 6, else 3 (O. David-Tabibi and N. Netanyahu 2008).
        "extended" Extended,
        /// R = 3 + (depth - 6) / 3 above depth 6, and one more where the evaluation is far above
        /// beta (the same guide).
        "guide" Guide,
        /// The same with the static evaluation, which the guide's trigger asks, too; above, a TT score
        /// may have replaced it.
        "guide-static" GuideStatic,
        /// The engine's own formula of tuned parameters, see [`NULLARBOR`](super::NULLARBOR).
        "nullarbor" Formula,
    }
}

/// Heinz: pieces of each side from which R = 3 begins two plies earlier.
const HEINZ_PIECES: usize = 3;
/// The guide: how far above beta R is one more, in centipawns.
const GUIDE_EXCESS: i32 = 200;

impl Reduction {
    /// Returns by how many plies the null search is shallower than the node, at least one; `None`
    /// for no null search.
    pub(super) fn plies(self, context: &impl NodeContext, params: &Params) -> Option<i32> {
        let node = context.node();
        let depth = node.depth.0;
        let r = match self {
            Self::Off => return None,
            Self::Fixed1 => 1,
            Self::Fixed2 => 2,
            Self::Fixed3 => 3,
            Self::Fixed4 => 4,
            Self::Donninger => 2 + i32::from(depth > 6),
            Self::Heinz => 2 + i32::from(depth > 8 || depth > 6 && both_have_pieces(context)),
            Self::Extended => 3 + i32::from(depth > 6),
            Self::Adaptive => 2 + i32::from(depth >= 6),
            Self::Guide => by_guide(node, node.evals.eval),
            Self::GuideStatic => by_guide(node, node.evals.static_eval),
            Self::Formula => return Some(by_formula(node, context.threatened() == 0, params)),
        };
        Some(r + 1)
    }

    /// Returns the minimum of these plies at a depth, for estimates of what null searches cost;
    /// `None` if there is none that the depth alone decides.
    pub fn least(self, depth: Depth) -> Option<i32> {
        let depth = depth.0;
        let r = match self {
            Self::Off | Self::Formula => return None,
            Self::Fixed1 => 1,
            Self::Fixed2 => 2,
            Self::Fixed3 => 3,
            Self::Fixed4 => 4,
            Self::Donninger => 2 + i32::from(depth > 6),
            Self::Heinz => 2 + i32::from(depth > 8),
            Self::Extended => 3 + i32::from(depth > 6),
            Self::Adaptive => 2 + i32::from(depth >= 6),
            Self::Guide | Self::GuideStatic => 3 + (depth - 6).max(0) / 3,
        };
        Some(r + 1)
    }
}

fn both_have_pieces(context: &impl NodeContext) -> bool {
    context.piece_counts().iter().all(|counts| counts[1..].iter().sum::<usize>() >= HEINZ_PIECES)
}

/// The R of the guide.
fn by_guide(node: &Node, eval: Score) -> i32 {
    let far_above = eval - node.window.beta > GUIDE_EXCESS;
    3 + (node.depth.0 - 6).max(0) / 3 + i32::from(far_above)
}

/// The reduction of the default scheme, in whole plies.
fn by_formula(node: &Node, quiet_board: bool, params: &Params) -> i32 {
    let by_depth = node.depth.0 * ONE_PLY * ONE_PLY / params.null_move_depth_divisor;
    let excess = (node.evals.eval - node.window.beta).max(0);
    let by_eval = (excess * ONE_PLY / params.null_move_eval_divisor).min(params.null_move_eval_cap);
    let reduction = params.null_move_base
        + by_depth
        + by_eval
        + i32::from(node.evals.improving) * params.null_move_improving
        + i32::from(node.tt.mv.is_capture()) * params.null_move_tt_capture
        + i32::from(quiet_board) * params.null_move_quiet_board;
    (reduction / ONE_PLY).max(1)
}
