//! Reduction rules: when to search a move or a node less deeply at first.

use super::node::Node;
use crate::params::{ONE_PLY, TunedParams};
use crate::types::Depth;

/// A move after the first ones of its node.
#[derive(Clone, Copy, Debug)]
pub struct LateMove {
    /// Number of the move in the order of search, from 1.
    pub number: usize,
    /// Neither a capture nor a promotion to a queen.
    pub quiet: bool,
    /// History score of the move.
    pub history: i32,
    /// True if the move gives check.
    pub gives_check: bool,
    /// True if the node's children have failed high often.
    pub many_cutoffs: bool,
}

/// Late move reduction (LMR; Fruit and Glaurung, about 2005), in 1024ths of a ply. The later a move
/// comes in a good ordering, the less likely it is best; a reduced search that beats alpha
/// nevertheless is repeated.
pub fn late_move(node: &Node, mv: &LateMove, tuned: &TunedParams) -> i32 {
    let when = |condition: bool, amount: i32| if condition { amount } else { 0 };
    let divisor =
        if mv.quiet { tuned.lmr_quiet_history_divisor } else { tuned.lmr_noisy_history_divisor };
    tuned.base_reduction(mv.quiet, node.depth.0, mv.number)
        // The first moves of a cut node fail high or none does.
        + when(node.cut_node, tuned.lmr_cut_node)
        // Getting worse: quiet moves have not helped so far.
        + when(!node.evals.improving, tuned.lmr_not_improving)
        // Where a capture is best, quiet moves hardly are.
        + when(node.tt.mv.is_capture() && mv.quiet, tuned.lmr_tt_capture)
        // Replies that keep refuting what is tried will refute this too.
        + when(mv.many_cutoffs, tuned.lmr_cutoff_count)
        // Errors are expensive on and near the principal variation.
        - when(node.was_pv(), tuned.lmr_tt_pv)
        - when(node.pv, tuned.lmr_pv)
        // Checks force.
        - when(mv.gives_check, tuned.lmr_check)
        // Where the evaluation is often wrong, look closer.
        - node.evals.correction.abs() * ONE_PLY / tuned.lmr_correction_divisor
        - mv.history * ONE_PLY / divisor
}

/// Returns the depth that a move would be searched to, for the rules that prune it: less what late
/// move reduction subtracts by the number of the move and by its history.
pub fn depth_for_pruning(
    depth: Depth,
    quiet: bool,
    number: usize,
    history: i32,
    tuned: &TunedParams,
) -> Depth {
    let by_history = if quiet { history * ONE_PLY / tuned.prune_history_divisor } else { 0 };
    let reduction = tuned.base_reduction(quiet, depth.0, number) - by_history;
    Depth((depth.0 - reduction.div_euclid(ONE_PLY)).max(0))
}

/// Hindsight: returns how many plies to subtract from the depth of a node that its parent reduced.
/// A move after which its side's static evaluation has fallen needs no deep search to be refuted;
/// `eval_change` is in centipawns.
pub fn hindsight(depth: Depth, reduction: i32, eval_change: i32, tuned: &TunedParams) -> i32 {
    let reduced = reduction >= tuned.hindsight_min_reduction && depth > Depth::ONE;
    i32::from(reduced && eval_change < -tuned.hindsight_margin)
}

/// Internal iterative reduction (E. Schröder 2020): returns whether a node of `depth` is searched
/// one ply less because it has no good TT move. Its ordering is poor, and this visit is better
/// spent on finding a move. `expected` says whether the node is likely to be searched again.
pub fn internal_iterative(
    depth: Depth,
    tt_depth: Option<Depth>,
    expected: bool,
    tuned: &TunedParams,
) -> bool {
    let stale = tt_depth.is_none_or(|stored| stored + tuned.iir_tt_depth_gap <= depth);
    expected && depth.0 >= tuned.iir_min_depth && stale
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::rules::node::Evals;

    const NODE: Node =
        Node { evals: Evals { improving: true, ..Node::EXAMPLE.evals }, ..Node::EXAMPLE };

    fn late(number: usize) -> LateMove {
        LateMove { number, quiet: true, history: 0, gives_check: false, many_cutoffs: false }
    }

    #[test]
    fn later_and_worse_moves_are_reduced_more() {
        let tuned = TunedParams::default();
        let reduction = |mv: LateMove| late_move(&NODE, &mv, &tuned);
        let base = reduction(late(10));
        assert!(reduction(late(20)) > base);
        assert!(reduction(LateMove { history: -9000, ..late(10) }) > base);
        assert!(reduction(LateMove { gives_check: true, ..late(10) }) < base);
        assert!(reduction(LateMove { quiet: false, ..late(10) }) < base);
        let cut_node = Node { cut_node: true, ..NODE };
        assert!(late_move(&cut_node, &late(10), &tuned) > base);
    }

    #[test]
    fn good_history_keeps_a_move_deep_enough_not_to_be_pruned() {
        let tuned = TunedParams::default();
        let depth = |quiet, history| depth_for_pruning(Depth(10), quiet, 20, history, &tuned);
        assert!(depth(true, 16_000) > depth(true, 0) && depth(true, 0) > depth(true, -16_000));
        assert_eq!(depth(false, 16_000), depth(false, -16_000));
        assert_eq!(depth_for_pruning(Depth(1), true, 60, -32_000, &tuned), Depth::ZERO);
    }

    #[test]
    fn only_a_reduced_node_that_is_better_than_expected_is_reduced_by_hindsight() {
        let tuned = TunedParams::default();
        let (least, below) = (tuned.hindsight_min_reduction, -tuned.hindsight_margin - 1);
        assert_eq!(hindsight(Depth(8), least, below, &tuned), 1);
        assert_eq!(hindsight(Depth(8), least - 1, below, &tuned), 0);
        assert_eq!(hindsight(Depth(8), least, below + 1, &tuned), 0);
        assert_eq!(hindsight(Depth::ONE, least, below, &tuned), 0, "no depth is left to take off");
    }

    #[test]
    fn a_deep_table_move_prevents_internal_reduction() {
        let tuned = TunedParams::default();
        assert!(internal_iterative(Depth(9), None, true, &tuned));
        assert!(!internal_iterative(Depth(9), Some(Depth(8)), true, &tuned));
        assert!(internal_iterative(Depth(9), Some(Depth(2)), true, &tuned));
        assert!(!internal_iterative(Depth(9), None, false, &tuned));
    }
}
