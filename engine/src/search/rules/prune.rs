//! Pruning rules: when to give a node or a move up without searching it.

use super::node::Node;
use crate::params::{Params, scaled};
use crate::types::{Depth, Score};

/// Decision on one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// Search the move.
    Keep,
    /// Skip the move.
    Skip,
    /// Skip the move; it is assumed to be worth no more than this.
    SkipBelow(Score),
}

/// Reverse futility pruning, also called static null-move pruning: returns a score where the
/// evaluation is so far above beta that no reply will bring it down in the depth left. The
/// evaluation is a guess, so the score lies between beta and it.
pub fn reverse_futility(node: &Node, params: &Params) -> Option<Score> {
    let (evals, depth, beta) = (&node.evals, node.depth, node.window.beta);
    let margin = params.rfp_depth_scale * depth.0
        - i32::from(evals.improving) * params.rfp_improving
        + scaled(evals.correction.abs(), params.rfp_correction_scale);
    let holds = depth.0 <= params.rfp_max_depth
        && evals.eval - beta >= margin.max(0)
        && !evals.eval.is_win()
        && !beta.is_loss();
    holds.then(|| beta + scaled(evals.eval - beta, params.rfp_return_share))
}

/// Razoring (Birmingham and Kent 1977): returns whether the evaluation is so far below
/// alpha that only a capture could help, which quiescence search can tell.
pub fn razoring(node: &Node, params: &Params) -> bool {
    let (depth, alpha) = (node.depth, node.window.alpha);
    let margin = params.razor_base + params.razor_depth_scale * depth.0 * depth.0;
    depth.0 <= params.razor_max_depth && alpha - node.evals.eval > margin && !alpha.is_win()
}

/// ProbCut (Buro 1995): returns the raised beta, in centipawns. A capture that beats it in a
/// shallow search will nearly always beat beta in a deep one.
pub fn probcut_beta(node: &Node, params: &Params) -> Score {
    let improving = i32::from(node.evals.improving);
    node.window.beta + params.probcut_margin - improving * params.probcut_improving
}

/// Late move pruning, also called move-count pruning: returns whether `moves` tried are enough. A
/// good ordering has put what works first.
pub fn late_moves(node: &Node, moves: usize, params: &Params) -> bool {
    let depth = node.depth.0;
    let allowed = params.lmp_base + scaled(depth * depth, params.lmp_depth_scale);
    moves as i32 >= if node.evals.improving { allowed } else { allowed / 2 }
}

/// Futility pruning (Schaeffer 1986, Heinz 1998): returns what a quiet move can be worth at most if
/// that does not exceed alpha. `reduced` is the depth after the move's reduction.
pub fn futility(
    node: &Node,
    reduced: Depth,
    alpha: Score,
    history: i32,
    params: &Params,
) -> Option<Score> {
    let hope = node.evals.static_eval
        + params.futility_base
        + params.futility_depth_scale * reduced.0
        + history / params.futility_history_divisor;
    (reduced.0 <= params.futility_max_depth && hope <= alpha).then_some(hope)
}

/// Futility pruning of captures: returns whether not even the whole `victim` (centipawns) lifts the
/// evaluation to alpha.
pub fn noisy_futility(node: &Node, alpha: Score, victim: i32, params: &Params) -> bool {
    let hope = node.evals.static_eval
        + params.noisy_futility_base
        + params.noisy_futility_depth_scale * node.depth.0
        + scaled(victim, params.noisy_futility_victim);
    node.depth.0 <= params.noisy_futility_max_depth && hope <= alpha
}

/// History pruning: returns whether a move has failed too often elsewhere to be tried here.
pub fn bad_history(history: i32, reduced: Depth, params: &Params) -> bool {
    reduced.0 <= params.history_prune_max_depth && history < params.history_prune_scale * reduced.0
}

/// Pruning by static exchange evaluation: returns the exchange value, in centipawns, below which a
/// move is skipped. The depth left cannot win back more.
pub fn exchange_floor(
    quiet: bool,
    depth: Depth,
    reduced: Depth,
    history: i32,
    params: &Params,
) -> i32 {
    if quiet {
        params.see_quiet_scale * reduced.0.max(0) * reduced.0.max(0)
    } else {
        params.see_noisy_scale * depth.0 - history / params.see_noisy_history_divisor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::rules::node::Evals;
    use crate::search::window::Window;

    /// A node with a zero window below `beta`.
    fn node(eval: i32, depth: i32, beta: Score) -> Node {
        let evals = Evals { static_eval: Score(eval), eval: Score(eval), ..Node::EXAMPLE.evals };
        Node { depth: Depth(depth), window: Window::zero_below(beta), evals, ..Node::EXAMPLE }
    }

    #[test]
    fn reverse_futility_wants_more_at_greater_depth() {
        let params = Params::default();
        let cut = |eval, depth| reverse_futility(&node(eval, depth, Score(0)), &params);
        assert!(cut(120, 1).is_some());
        assert!(cut(120, 6).is_none());
        let score = cut(120, 1).expect("a cut");
        assert!(score >= Score(0) && score <= Score(120));
        assert!(cut(20_000, params.rfp_max_depth + 1).is_none());
    }

    #[test]
    fn proven_scores_are_never_guessed_away() {
        let params = Params::default();
        assert!(reverse_futility(&node(31_900, 1, Score(0)), &params).is_none());
        assert!(reverse_futility(&node(500, 1, Score::mated_in(4)), &params).is_none());
        assert!(!razoring(&node(0, 1, Score::mate_in(3)), &params));
    }

    #[test]
    fn improving_nodes_search_more_moves() {
        let params = Params::default();
        let worse = node(0, 2, Score(0));
        let better = Node { evals: Evals { improving: true, ..worse.evals }, ..worse };
        assert!(late_moves(&worse, 4, &params));
        assert!(!late_moves(&better, 4, &params));
    }

    #[test]
    fn good_history_saves_a_move() {
        let params = Params::default();
        assert!(bad_history(-8000, Depth(1), &params));
        assert!(!bad_history(-8000, Depth(9), &params));
        let margin = params.futility_base + params.futility_depth_scale;
        let behind = node(-margin - 100, 1, Score(1));
        let hopeless = futility(&behind, Depth(1), Score(0), 0, &params);
        assert!(hopeless.is_some_and(|score| score <= Score(0)));
        assert!(futility(&behind, Depth(1), Score(0), 30_000, &params).is_none());
    }
}
