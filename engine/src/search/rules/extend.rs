//! Extension rules: singular extensions (Anantharaman, Campbell and Hsu 1990). The TT move is
//! searched deeper if all other moves stay well below it.

use super::node::Node;
use crate::params::{Params, scaled};
use crate::types::{Depth, Score};

/// Decision after the search without the TT move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Singularity {
    /// Search the TT move deeper by this number of plies, or less deep if it is negative.
    Extend(i32),
    /// The node fails high even without the TT move: return this score (multi-cut, Björnsson and
    /// Marsland 1999).
    MultiCut(Score),
}

/// Returns whether the TT move is worth a singular search: the node is deep enough, and the
/// entry has a lower bound from a search of nearly that depth.
pub fn is_candidate(node: &Node, params: &Params) -> bool {
    node.depth.0 >= params.singular_min_depth
        && node.tt.score.is_some()
        && node.tt.depth.unwrap_or(Depth::ZERO) + params.singular_tt_depth_gap >= node.depth
        && node.tt.bound.is_lower()
        && !node.tt.score.is_decisive()
}

/// Returns the score that all other moves must stay below for the TT move to be singular.
pub fn singular_beta(node: &Node, params: &Params) -> Score {
    let was_pv = i32::from(node.tt.was_pv && !node.pv);
    let scale = params.singular_beta_scale + was_pv * params.singular_beta_was_pv_scale;
    node.tt.score - scaled(scale.max(0), node.depth.0)
}

/// Returns the depth of the search without the TT move: half of what is left.
pub fn singular_depth(depth: Depth) -> Depth {
    Depth((depth.0 - 1) / 2)
}

/// Decides from the `score` of the search without the TT move. `double_extensions` is their
/// number on the way from the root.
pub fn conclude(score: Score, node: &Node, double_extensions: i32, params: &Params) -> Singularity {
    let (limit, beta) = (singular_beta(node, params), node.window.beta);
    if score < limit {
        return Singularity::Extend(plies(limit - score, node, double_extensions, params));
    }
    // Several moves reach beta: one of them will do so at full depth.
    if score >= beta && !score.is_decisive() {
        return Singularity::MultiCut(score);
    }
    if node.tt.score >= beta {
        Singularity::Extend(-params.singular_negative)
    } else if node.cut_node {
        Singularity::Extend(-params.singular_negative_cut)
    } else {
        Singularity::Extend(0)
    }
}

/// Returns 1 to 3 plies: the further the other moves fall behind (`gap`, centipawns), the deeper,
/// but no line may explode.
fn plies(gap: i32, node: &Node, double_extensions: i32, params: &Params) -> i32 {
    if node.pv || double_extensions >= params.singular_double_limit {
        return 1;
    }
    let quiet = node.tt.mv.is_quiet();
    let gap = gap
        + i32::from(quiet) * params.singular_quiet_margin
        + scaled(node.evals.correction.abs(), params.singular_correction_scale);
    let double = gap > params.singular_double_margin;
    let triple = quiet && gap > params.singular_triple_margin;
    1 + i32::from(double) + i32::from(double && triple)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::rules::node::{Evals, TtInfo};
    use crate::search::window::Window;
    use crate::types::{Bound, Move, MoveFlag, Square};

    fn tt() -> TtInfo {
        let mv = Move::new(Square::new(12), Square::new(28), MoveFlag::Quiet);
        let (score, bound, depth) = (Score(50), Bound::Lower, Some(Depth(8)));
        TtInfo { mv, score, bound, depth, ..TtInfo::MISS }
    }

    fn node(beta: i32) -> Node {
        Node { tt: tt(), window: Window::zero_below(Score(beta)), ..Node::EXAMPLE }
    }

    /// Parameters under which only the gap counts: singular beta is 45 at depth 8, the double margin 10.
    fn by_gap() -> Params {
        Params {
            singular_beta_scale: 640,
            singular_quiet_margin: 0,
            singular_correction_scale: 0,
            singular_double_margin: 10,
            ..Params::default()
        }
    }

    fn verdict(score: i32, beta: i32) -> Singularity {
        conclude(Score(score), &node(beta), 0, &by_gap())
    }

    #[test]
    fn only_trusted_lower_bounds_are_asked() {
        let asked = |node: Node| is_candidate(&node, &Params::default());
        assert!(asked(node(60)));
        assert!(!asked(Node { tt: TtInfo { bound: Bound::Upper, ..tt() }, ..node(60) }));
        assert!(!asked(Node { tt: TtInfo { depth: Some(Depth(3)), ..tt() }, ..node(60) }));
        assert!(!asked(Node { tt: TtInfo { score: Score::mate_in(9), ..tt() }, ..node(60) }));
        assert!(!asked(Node { depth: Depth(3), ..node(60) }));
    }

    #[test]
    fn the_wider_the_gap_the_deeper() {
        assert_eq!(verdict(40, 60), Singularity::Extend(1));
        assert_eq!(verdict(0, 60), Singularity::Extend(2));
        assert_eq!(verdict(-200, 60), Singularity::Extend(3));
        let often = conclude(Score(-200), &node(60), 99, &by_gap());
        assert_eq!(often, Singularity::Extend(1));
    }

    #[test]
    fn margins_can_depend_on_move_correction_and_past() {
        let unsure = Node { evals: Evals { correction: -40, ..node(60).evals }, ..node(60) };
        let plies =
            |node: &Node, name, value| conclude(Score(40), node, 0, &by_gap().with(name, value));
        assert_eq!(plies(&unsure, "singular_correction_scale", 0), Singularity::Extend(1));
        assert_eq!(plies(&unsure, "singular_correction_scale", 1024), Singularity::Extend(2));
        assert_eq!(plies(&unsure, "singular_quiet_margin", 0), Singularity::Extend(1));
        assert_eq!(plies(&unsure, "singular_quiet_margin", 20), Singularity::Extend(2));
        let was_pv = Node { tt: TtInfo { was_pv: true, ..tt() }, ..node(60) };
        let beta = |node, value| {
            singular_beta(&node, &Params::default().with("singular_beta_was_pv_scale", value))
        };
        assert!(beta(was_pv, 1024) < beta(was_pv, 0));
        assert_eq!(beta(node(60), 1024), beta(node(60), 0));
        assert_eq!(beta(Node { pv: true, ..was_pv }, 1024), beta(was_pv, 0));
    }

    #[test]
    fn several_good_moves_cut_or_reduce() {
        assert_eq!(verdict(70, 60), Singularity::MultiCut(Score(70)));
        assert!(matches!(verdict(49, 50), Singularity::Extend(plies) if plies < 0));
        assert_eq!(verdict(55, 60), Singularity::Extend(0));
    }
}
