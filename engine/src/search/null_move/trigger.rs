//! When to pass.

use super::Facts;
use crate::params::Params;

/// Passing must be possible and must mean something: not in check, not twice in a row (that is the same
/// position one ply later), not in pawn endings where zugzwang is common, not while a move is left
/// out, not with a lost beta (nothing to prove), not where the side is barred by a verification.
pub fn is_legal(facts: &Facts) -> bool {
    !facts.in_check
        && !facts.after_null
        && !facts.excluding
        && !facts.barred
        && facts.has_pieces
        && !facts.beta.is_loss()
}

/// Passing is worth a try where the evaluation is above beta by a margin that loosens with depth, for
/// the deeper the search, the more it saves; and where the table does not say that it fails.
pub fn by_evaluation(facts: &Facts, params: &Params) -> bool {
    let improving = i32::from(facts.improving) * params.null_move_margin_improving;
    let margin = params.null_move_margin_base
        - params.null_move_margin_depth_scale * facts.depth.0
        - improving;
    facts.depth.0 >= params.null_move_min_depth
        && facts.eval >= facts.beta
        && facts.static_eval >= facts.beta + margin
        && !facts.table_fails_low
}
