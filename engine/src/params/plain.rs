//! The parameters of a plain search, as in the papers on null moves.

use super::Params;

/// A least depth that no search has.
const NEVER: i32 = 1000;
/// A greatest depth that no node has.
const NOWHERE: i32 = -1;
/// A margin in centipawns, or a number of moves, that is never reached.
const UNLIMITED: i32 = 1_000_000;

impl Params {
    /// Returns the parameters of a search as in the literature: principal variation search,
    /// transposition table, histories for move ordering, quiescence of captures, a check extension
    /// at the leaves, and nothing else that prunes, reduces or extends, except null moves.
    ///
    /// Most of these values lie outside of the ranges for tuning, which keep every rule alive.
    pub fn plain() -> Self {
        Self {
            leaf_check_extension: 1,
            // An open window at the root: a search that fails high there would be repeated at a
            // smaller depth.
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
