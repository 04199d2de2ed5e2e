//! Reduction rules: when to search a move or a node less deeply at first.

use super::node::Node;
use crate::params::{ONE_PLY, TunedParams, scaled};
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
    /// True if an earlier move of the node has raised alpha.
    pub alpha_raised: bool,
}

/// Maximum rise of the evaluation, and maximum lead of the TT move, that counts, in centipawns.
const MAX_LEAD: i32 = 200;

/// Late move reduction (LMR; Fruit and Glaurung, about 2005), in 1024ths of a ply. The later a move
/// comes in a good ordering, the less likely it is best; a reduced search that beats alpha
/// nevertheless is repeated.
pub fn late_move(node: &Node, mv: &LateMove, tuned: &TunedParams) -> i32 {
    let when = |condition: bool, amount: i32| if condition { amount } else { 0 };
    let (tt, evals, was_pv) = (&node.tt, &node.evals, node.was_pv());
    let tt_is_deep = tt.depth.is_some_and(|depth| depth >= node.depth);
    let tt_above_alpha = tt.score.is_some() && tt.score > node.window.alpha;
    let divisor =
        if mv.quiet { tuned.lmr_quiet_history_divisor } else { tuned.lmr_noisy_history_divisor };
    let reduction = tuned.base_reduction(mv.quiet, node.depth.0, mv.number)
        // The first moves of a cut node fail high or none does.
        + when(node.cut_node, tuned.lmr_cut_node)
        // Getting worse: quiet moves have not helped so far.
        + when(!evals.improving, tuned.lmr_not_improving)
        - evals.improvement.clamp(-MAX_LEAD, MAX_LEAD) * tuned.lmr_improvement_scale
        // Where a capture is best, quiet moves hardly are.
        + when(tt.mv.is_capture() && mv.quiet, tuned.lmr_tt_capture)
        // No search has found a move.
        + when(node.cut_node && tt.mv.is_none(), tuned.lmr_no_tt_move)
        // A search as deep has looked already.
        + when(tt_is_deep, tuned.lmr_tt_deep)
        // Two moves seldom raise alpha, and none next to a singular move.
        + when(mv.alpha_raised, tuned.lmr_alpha_raised)
        + node.singular_gap.clamp(0, MAX_LEAD) * tuned.lmr_singular_scale
        // Replies that keep refuting what is tried will refute this too.
        + when(mv.many_cutoffs, tuned.lmr_cutoff_count)
        // Errors are expensive on and near the principal variation.
        - when(was_pv, tuned.lmr_tt_pv)
        - when(was_pv && tt_above_alpha, tuned.lmr_tt_pv_above_alpha)
        - when(was_pv && tt_is_deep, tuned.lmr_tt_pv_deep)
        - when(node.pv, tuned.lmr_pv)
        // Checks force.
        - when(mv.gives_check, tuned.lmr_check)
        // Where the evaluation is often wrong, look closer.
        - evals.correction.abs() * ONE_PLY / tuned.lmr_correction_divisor
        - mv.history * ONE_PLY / divisor;
    let all_node = !node.pv && !node.cut_node;
    let share = when(all_node, tuned.lmr_all_node_scale / (node.depth.0 + 1));
    reduction + scaled(reduction, share)
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
    use crate::params::Params;
    use crate::search::rules::node::{Evals, TtInfo};
    use crate::types::Score;

    const NODE: Node =
        Node { evals: Evals { improving: true, ..Node::EXAMPLE.evals }, ..Node::EXAMPLE };

    fn late(number: usize) -> LateMove {
        LateMove {
            number,
            quiet: true,
            history: 0,
            gives_check: false,
            many_cutoffs: false,
            alpha_raised: false,
        }
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
    fn each_input_counts_where_it_holds() {
        let tt =
            |score, depth| TtInfo { score: Score(score), depth: Some(Depth(depth)), ..NODE.tt };
        let with_tt = |tt| Node { tt, ..NODE };
        let was_pv = |tt| Node { tt: TtInfo { was_pv: true, ..tt }, ..NODE };
        let rising = Evals { improvement: 30, ..NODE.evals };
        let raised = LateMove { alpha_raised: true, ..late(10) };
        let alpha = NODE.window.alpha.0;
        // Parameter and a value; a node and a move where it counts; the difference of the reduction.
        let inputs = [
            ("lmr_tt_deep", 100, with_tt(tt(alpha + 1, 9)), late(10), 100),
            ("lmr_tt_pv_above_alpha", 100, was_pv(tt(alpha + 1, 3)), late(10), -100),
            ("lmr_tt_pv_deep", 100, was_pv(tt(alpha, 9)), late(10), -100),
            ("lmr_no_tt_move", 100, Node { cut_node: true, ..NODE }, late(10), 100),
            ("lmr_alpha_raised", 100, NODE, raised, 100),
            ("lmr_improvement_scale", 10, Node { evals: rising, ..NODE }, late(10), -300),
            ("lmr_singular_scale", 10, Node { singular_gap: 50, ..NODE }, late(10), 500),
        ];
        for (name, value, node, mv, difference) in inputs {
            assert_eq!(effect(name, value, &node, &mv), difference, "{name}");
            assert_eq!(effect(name, value, &NODE, &late(10)), 0, "{name}");
        }
        assert!(effect("lmr_all_node_scale", 4096, &NODE, &late(10)) > 0);
        assert_eq!(
            effect("lmr_all_node_scale", 4096, &Node { cut_node: true, ..NODE }, &late(10)),
            0
        );
    }

    /// Returns by how much a parameter changes a reduction.
    fn effect(name: &str, value: i32, node: &Node, mv: &LateMove) -> i32 {
        let reduction = |value| {
            let params = Params { lmr_all_node_scale: 0, ..Params::default() };
            late_move(node, mv, &TunedParams::new(params.with(name, value)))
        };
        reduction(value) - reduction(0)
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
