//! Rules that search a move or a node less deeply at first.

use crate::params::{ONE_PLY, Tuned};
use crate::types::Depth;

/// What speaks for and against a late move.
#[derive(Clone, Copy, Debug)]
pub struct LateMove {
    /// Depth left at the node.
    pub depth: Depth,
    /// How many moves have been tried, this one included.
    pub moves: usize,
    /// Whether it is quiet.
    pub quiet: bool,
    /// What history says of it.
    pub history: i32,
    /// Whether it gives check.
    pub gives_check: bool,
    /// The facts of its node.
    pub node: NodeOutlook,
}

/// What the moves of a node have in common.
#[derive(Clone, Copy, Debug)]
pub struct NodeOutlook {
    /// On the principal variation.
    pub pv: bool,
    /// A principal variation has passed here before.
    pub was_pv: bool,
    /// Expected to fail high.
    pub cut_node: bool,
    /// The evaluation has risen since our last move.
    pub improving: bool,
    /// The table move is a capture.
    pub table_move_is_capture: bool,
    /// Children fail high here often.
    pub many_cutoffs: bool,
    /// The size of the correction to the evaluation.
    pub correction: i32,
}

/// Late move reduction in 1024ths of a ply: the later a move comes in a good ordering, the less likely it
/// is best; a reduced search that beats alpha all the same is repeated.
pub fn late_move(mv: &LateMove, tuned: &Tuned) -> i32 {
    let node = &mv.node;
    let when = |condition: bool, amount: i32| if condition { amount } else { 0 };
    let divisor =
        if mv.quiet { tuned.lmr_quiet_history_divisor } else { tuned.lmr_noisy_history_divisor };
    tuned.base_reduction(mv.quiet, mv.depth.0, mv.moves)
        // A cut-node's first moves fail high or none does.
        + when(node.cut_node, tuned.lmr_cut_node)
        // Getting worse: quiet moves have not helped so far.
        + when(!node.improving, tuned.lmr_not_improving)
        // If a capture is best, quiet moves hardly are.
        + when(node.table_move_is_capture && mv.quiet, tuned.lmr_tt_capture)
        // Replies that keep refuting what is tried will refute this too.
        + when(node.many_cutoffs, tuned.lmr_cutoff_count)
        // Errors are dear on and near the principal variation.
        - when(node.was_pv, tuned.lmr_tt_pv)
        - when(node.pv, tuned.lmr_pv)
        // Checks force.
        - when(mv.gives_check, tuned.lmr_check)
        // Where the evaluation is often wrong, look closer.
        - node.correction.abs() * ONE_PLY / tuned.lmr_correction_divisor
        - mv.history * ONE_PLY / divisor
}

/// Internal iterative reduction (E. Schröder's idea, 2020): without a table move the ordering is poor, and
/// this visit is better spent on finding one.
pub fn without_table_move(
    depth: Depth,
    table_depth: Option<Depth>,
    expected: bool,
    tuned: &Tuned,
) -> bool {
    let stale = table_depth.is_none_or(|table| table + tuned.iir_tt_depth_gap <= depth);
    expected && depth.0 >= tuned.iir_min_depth && stale
}

#[cfg(test)]
mod tests {
    use super::*;

    fn late(moves: usize) -> LateMove {
        LateMove {
            depth: Depth(10),
            moves,
            quiet: true,
            history: 0,
            gives_check: false,
            node: NodeOutlook {
                pv: false,
                was_pv: false,
                cut_node: false,
                improving: true,
                table_move_is_capture: false,
                many_cutoffs: false,
                correction: 0,
            },
        }
    }

    #[test]
    fn later_and_worse_moves_are_reduced_more() {
        let tuned = Tuned::default();
        let base = late_move(&late(10), &tuned);
        assert!(late_move(&late(20), &tuned) > base);
        assert!(late_move(&LateMove { history: -9000, ..late(10) }, &tuned) > base);
        assert!(late_move(&LateMove { gives_check: true, ..late(10) }, &tuned) < base);
        assert!(late_move(&LateMove { quiet: false, ..late(10) }, &tuned) < base);
        let cut = NodeOutlook { cut_node: true, ..late(10).node };
        assert!(late_move(&LateMove { node: cut, ..late(10) }, &tuned) > base);
    }

    #[test]
    fn a_deep_table_move_prevents_internal_reduction() {
        let tuned = Tuned::default();
        assert!(without_table_move(Depth(9), None, true, &tuned));
        assert!(!without_table_move(Depth(9), Some(Depth(8)), true, &tuned));
        assert!(without_table_move(Depth(9), Some(Depth(2)), true, &tuned));
        assert!(!without_table_move(Depth(9), None, false, &tuned));
    }
}
