//! Rules that search a move more deeply: is the table move the only good one (T. Anantharaman, M. Campbell,
//! F. Hsu, "Singular extensions", 1988)?

use crate::params::Params;
use crate::types::{Bound, Depth, Score};

/// What the table knows of the move in question.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The table's score of the node.
    pub score: Score,
    /// What that score means.
    pub bound: Bound,
    /// The depth it comes from.
    pub depth: Depth,
    /// Whether the move is quiet.
    pub quiet: bool,
}

/// What follows from the search without the table move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Singularity {
    /// Search the table move so many plies deeper (or less deep, if negative).
    Extend(i32),
    /// Even without it the node fails high.
    MultiCut(Score),
}

/// Whether the table move deserves the question: deep enough, and a trustworthy score that it reached.
pub fn is_candidate(table: &Candidate, depth: Depth, params: &Params) -> bool {
    depth.0 >= params.singular_min_depth
        && table.depth + params.singular_tt_depth_gap >= depth
        && table.bound.is_lower()
        && !table.score.is_decisive()
}

/// What all other moves must stay below for the table move to be singular.
pub fn singular_beta(table: &Candidate, depth: Depth, params: &Params) -> Score {
    table.score - params.singular_beta_scale * depth.0 / 1024
}

/// Depth of the search without the table move: half of what is left.
pub fn singular_depth(depth: Depth) -> Depth {
    Depth((depth.0 - 1) / 2)
}

/// The node that asks.
#[derive(Clone, Copy, Debug)]
pub struct Asking {
    /// The upper end of its window.
    pub beta: Score,
    /// Whether it is on the principal variation.
    pub pv: bool,
    /// Whether it is expected to fail high.
    pub cut_node: bool,
    /// Double extensions on the way here.
    pub double_extensions: i32,
}

/// Weighs the score of the search without the table move.
pub fn conclude(
    score: Score,
    table: &Candidate,
    depth: Depth,
    node: &Asking,
    params: &Params,
) -> Singularity {
    let limit = singular_beta(table, depth, params);
    if score < limit {
        return Singularity::Extend(plies(score, limit, table, node, params));
    }
    // Several moves reach beta: one of them will do so at full depth.
    if score >= node.beta && !score.is_decisive() {
        return Singularity::MultiCut(score);
    }
    if table.score >= node.beta {
        Singularity::Extend(-params.singular_negative)
    } else if node.cut_node {
        Singularity::Extend(-params.singular_negative_cut)
    } else {
        Singularity::Extend(0)
    }
}

/// The more the others fall behind, the deeper; but no line may explode.
fn plies(score: Score, limit: Score, table: &Candidate, node: &Asking, params: &Params) -> i32 {
    if node.pv || node.double_extensions >= params.singular_double_limit {
        return 1;
    }
    let gap = limit - score;
    let double = gap > params.singular_double_margin;
    let triple = table.quiet && gap > params.singular_triple_margin;
    1 + i32::from(double) + i32::from(double && triple)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: Candidate =
        Candidate { score: Score(50), bound: Bound::Lower, depth: Depth(8), quiet: true };
    const NODE: Asking =
        Asking { beta: Score(60), pv: false, cut_node: false, double_extensions: 0 };

    fn verdict(score: i32, node: &Asking) -> Singularity {
        conclude(Score(score), &TABLE, Depth(9), node, &Params::default())
    }

    #[test]
    fn only_trusted_lower_bounds_are_asked() {
        let params = Params::default();
        assert!(is_candidate(&TABLE, Depth(9), &params));
        assert!(!is_candidate(&Candidate { bound: Bound::Upper, ..TABLE }, Depth(9), &params));
        assert!(!is_candidate(&Candidate { depth: Depth(3), ..TABLE }, Depth(9), &params));
        assert!(!is_candidate(&Candidate { score: Score::mate_in(9), ..TABLE }, Depth(9), &params));
        assert!(!is_candidate(&TABLE, Depth(3), &params));
    }

    #[test]
    fn the_wider_the_gap_the_deeper() {
        assert_eq!(verdict(40, &NODE), Singularity::Extend(1));
        assert_eq!(verdict(0, &NODE), Singularity::Extend(2));
        assert_eq!(verdict(-200, &NODE), Singularity::Extend(3));
        assert_eq!(
            verdict(-200, &Asking { double_extensions: 99, ..NODE }),
            Singularity::Extend(1)
        );
    }

    #[test]
    fn several_good_moves_cut_or_reduce() {
        assert_eq!(verdict(70, &NODE), Singularity::MultiCut(Score(70)));
        assert!(
            matches!(verdict(49, &Asking { beta: Score(50), ..NODE }), Singularity::Extend(plies) if plies < 0)
        );
        assert_eq!(verdict(55, &NODE), Singularity::Extend(0));
    }
}
