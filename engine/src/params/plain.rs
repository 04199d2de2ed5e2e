//! The search of the papers.

use super::Params;

/// Deeper than any search.
const NEVER: i32 = 1000;
/// No depth is so small.
const NOWHERE: i32 = -1;
/// More than any margin of centipawns, or number of moves.
const UNLIMITED: i32 = 1_000_000;

impl Params {
    /// The search that the literature's experiments were made with: principal variation search, table, histories for
    /// the order of moves, quiescence of captures, a ply more where the depth ends in check, and nothing else that
    /// prunes, reduces or extends. Null moves stay, for they are what is studied.
    ///
    /// Most of these values lie outside of the ranges for tuning, which keep every rule alive.
    pub fn plain() -> Self {
        Self {
            leaf_check_extension: 1,
            // An open window at the root: a search that fails high there would be repeated at a smaller depth.
            aspiration_delta: UNLIMITED,
            rfp_max_depth: NOWHERE,
            razor_max_depth: NOWHERE,
            futility_max_depth: NOWHERE,
            noisy_futility_max_depth: NOWHERE,
            history_prune_max_depth: NOWHERE,
            see_max_depth: NOWHERE,
            lmp_base: UNLIMITED,
            probcut_min_depth: NEVER,
            iir_min_depth: NEVER,
            singular_min_depth: NEVER,
            lmr_min_depth: NEVER,
            qs_futility_margin: UNLIMITED,
            qs_see_margin: -UNLIMITED,
            qs_max_moves: UNLIMITED,
            correction_pawn_weight: 0,
            correction_non_pawn_weight: 0,
            correction_continuation_weight: 0,
            ..Self::default()
        }
    }
}
