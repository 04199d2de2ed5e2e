//! How much shallower the null search is.

use super::Facts;
use crate::params::{ONE_PLY, Params};

/// `base + depth / divisor + min((eval - beta) / divisor, cap)`: a side that is far ahead, or a search that
/// is deep, can be checked more cheaply. Whole plies, at least one.
pub fn by_formula(facts: &Facts, params: &Params) -> i32 {
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
