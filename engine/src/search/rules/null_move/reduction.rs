//! How much shallower the null search is.

use super::{Facts, Surroundings};
use crate::params::{ONE_PLY, Params};

choices! {
    /// What decides the reduction. The literature's R counts beside the ply of the null move itself.
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
        /// R = 3 above depth 6, else 2 (C. Donninger 1993, as E. Heinz tells it).
        "donninger" Donninger,
        /// R = 3 above depth 8, and above depth 6 where both sides have three pieces, else 2 (E. Heinz 1999).
        "heinz" Heinz,
        /// R = 3 from depth 6 on, else 2 (a guide to null-move pruning).
        "adaptive" Adaptive,
        /// R = 3 + (depth - 6) / 3 above depth 6, and one more where the evaluation is far above beta (the same guide).
        "guide" Guide,
        /// The engine's own formula, of tuned parameters.
        "nullarbor" Tuned,
    }
}

/// Pieces of a side from which Heinz reduces more a little deeper down.
const HEINZ_PIECES: usize = 3;
/// How far above beta the guide reduces by one more, in centipawns.
const GUIDE_EXCESS: i32 = 200;

impl Reduction {
    /// By how many plies the null search is shallower than the node, at least one; `None` for no null search.
    pub(super) fn plies(
        self,
        facts: &Facts,
        around: &impl Surroundings,
        params: &Params,
    ) -> Option<i32> {
        let depth = facts.depth.0;
        let r = match self {
            Self::Off => return None,
            Self::Fixed1 => 1,
            Self::Fixed2 => 2,
            Self::Fixed3 => 3,
            Self::Fixed4 => 4,
            Self::Donninger => 2 + i32::from(depth > 6),
            Self::Heinz => 2 + i32::from(depth > 8 || depth > 6 && both_have_pieces(around)),
            Self::Adaptive => 2 + i32::from(depth >= 6),
            Self::Guide => {
                let far_above = facts.eval - facts.beta > GUIDE_EXCESS;
                3 + (depth - 6).max(0) / 3 + i32::from(far_above)
            }
            Self::Tuned => return Some(by_formula(facts, params)),
        };
        Some(r + 1)
    }
}

fn both_have_pieces(around: &impl Surroundings) -> bool {
    around.men().iter().all(|men| men[1..].iter().sum::<usize>() >= HEINZ_PIECES)
}

/// `base + depth / divisor + min((eval - beta) / divisor, cap)`: a side that is far ahead, or a search that
/// is deep, can be checked more cheaply. Whole plies, at least one.
fn by_formula(facts: &Facts, params: &Params) -> i32 {
    let by_depth = facts.depth.0 * ONE_PLY * ONE_PLY / params.null_move_depth_divisor;
    let excess = (facts.eval - facts.beta).max(0) * ONE_PLY / params.null_move_eval_divisor;
    let by_eval = excess.min(params.null_move_eval_cap);
    let reduction = params.null_move_base
        + by_depth
        + by_eval
        + i32::from(facts.improving) * params.null_move_improving
        + i32::from(facts.table_move_is_capture) * params.null_move_tt_capture
        + i32::from(facts.quiet_board) * params.null_move_quiet_board;
    (reduction / ONE_PLY).max(1)
}
