//! Rules that give a node or a move up. Each is a pure function: facts in, decision out.

use crate::params::{ONE_PLY, Params};
use crate::types::{Depth, Score};

/// What is known of a node before its moves are searched.
#[derive(Clone, Copy, Debug)]
pub struct Assessment {
    /// Corrected static evaluation; `Score::NONE` in check.
    pub static_eval: Score,
    /// The same, replaced by the table's score where its bound allows.
    pub eval: Score,
    /// The size of the correction: large where the evaluation is often wrong.
    pub correction: i32,
    /// The evaluation has risen since our last move.
    pub improving: bool,
}

/// Reverse futility: so far above beta that no quiet reply in the depth left will bring it down.
/// The score returned lies between beta and the evaluation, for that is only a guess.
pub fn reverse_futility(
    node: &Assessment,
    depth: Depth,
    beta: Score,
    params: &Params,
) -> Option<Score> {
    let margin = params.rfp_depth_scale * depth.0
        - i32::from(node.improving) * params.rfp_improving
        + node.correction.abs() * params.rfp_correction_scale / 1024;
    let holds = depth.0 <= params.rfp_max_depth
        && node.eval - margin.max(0) >= beta
        && !node.eval.is_win()
        && !beta.is_loss();
    holds.then(|| beta + (node.eval - beta) / 3)
}

/// Razoring: so far below alpha that just a capture could help; quiescence will tell.
pub fn razoring(node: &Assessment, depth: Depth, alpha: Score, params: &Params) -> bool {
    let margin = params.razor_base + params.razor_depth_scale * depth.0 * depth.0;
    depth.0 <= params.razor_max_depth && node.eval + margin < alpha && !alpha.is_win()
}

/// ProbCut (M. Buro 1995): a capture that beats this much more than beta in a shallow search
/// will nearly always beat beta in a deep one.
pub fn probcut_beta(node: &Assessment, beta: Score, params: &Params) -> Score {
    beta + params.probcut_margin - i32::from(node.improving) * params.probcut_improving
}

/// Late moves: a good ordering has put what works first, so after so many failures none will.
pub fn late_moves(moves: usize, depth: Depth, improving: bool, params: &Params) -> bool {
    let allowed = params.lmp_base + depth.0 * depth.0 * params.lmp_depth_scale / ONE_PLY;
    moves as i32 >= allowed / if improving { 1 } else { 2 }
}

/// Futility of a quiet move: it will not lift the evaluation to alpha in the depth left. Gives the
/// score that the node has at least, if so.
pub fn futility(
    node: &Assessment,
    depth: Depth,
    alpha: Score,
    history: i32,
    params: &Params,
) -> Option<Score> {
    let hope = node.static_eval
        + params.futility_base
        + params.futility_depth_scale * depth.0
        + history / params.futility_history_divisor;
    (depth.0 <= params.futility_max_depth && hope <= alpha).then_some(hope)
}

/// Futility of a capture: not even its whole victim lifts the evaluation to alpha.
pub fn noisy_futility(
    node: &Assessment,
    depth: Depth,
    alpha: Score,
    victim: i32,
    params: &Params,
) -> bool {
    let hope = node.static_eval
        + params.noisy_futility_base
        + params.noisy_futility_depth_scale * depth.0
        + victim;
    depth.0 <= params.noisy_futility_max_depth && hope <= alpha
}

/// History: a move that has failed everywhere else will fail here.
pub fn bad_history(history: i32, depth: Depth, params: &Params) -> bool {
    depth.0 <= params.history_prune_max_depth && history < params.history_prune_scale * depth.0
}

/// The exchange value, in centipawns, below which a move is given up: the depth left cannot win back
/// what it loses.
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

    fn node(eval: i32) -> Assessment {
        Assessment { static_eval: Score(eval), eval: Score(eval), correction: 0, improving: false }
    }

    #[test]
    fn reverse_futility_wants_more_at_greater_depth() {
        let params = Params::default();
        let cut = |eval, depth| reverse_futility(&node(eval), Depth(depth), Score(0), &params);
        assert!(cut(120, 1).is_some());
        assert!(cut(120, 6).is_none());
        let score = cut(120, 1).expect("a cut");
        assert!(score >= Score(0) && score <= Score(120));
        assert!(cut(20_000, params.rfp_max_depth + 1).is_none());
    }

    #[test]
    fn proven_scores_are_never_guessed_away() {
        let params = Params::default();
        assert!(reverse_futility(&node(31_900), Depth(1), Score(0), &params).is_none());
        assert!(reverse_futility(&node(500), Depth(1), Score::mated_in(4), &params).is_none());
        assert!(!razoring(&node(0), Depth(1), Score::mate_in(3), &params));
    }

    #[test]
    fn improving_nodes_search_more_moves() {
        let params = Params::default();
        assert!(late_moves(4, Depth(2), false, &params));
        assert!(!late_moves(4, Depth(2), true, &params));
    }

    #[test]
    fn good_history_saves_a_move() {
        let params = Params::default();
        assert!(bad_history(-8000, Depth(1), &params));
        assert!(!bad_history(-8000, Depth(9), &params));
        let hopeless = futility(&node(-300), Depth(1), Score(0), 0, &params);
        assert!(hopeless.is_some_and(|score| score <= Score(0)));
        assert!(futility(&node(-300), Depth(1), Score(0), 30_000, &params).is_none());
    }
}
