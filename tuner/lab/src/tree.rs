//! Sizes of trees: the minimal tree, and an estimate of the nodes that null moves saved.

use nullarbor::search::null_move::Scheme;
use nullarbor::types::Depth;

use crate::trial::Trial;

/// Returns the leaves of the minimal tree: what alpha-beta visits if the best move is always first (D. Knuth and R. Moore,
/// "An analysis of alpha-beta pruning", Artificial Intelligence 6(4), 1975). Every node has so many moves.
pub fn minimal_leaves(moves: f64, depth: usize) -> f64 {
    let half = |depth: usize| moves.powi((depth / 2) as i32);
    half(depth + 1) + half(depth) - 1.0
}

/// Estimates the nodes that null moves saved in a search with so many moves at the root; `None` if the depth of its null
/// searches is not known, or they are no null searches.
///
/// A fail-high that no verification has overturned is credited with a search of the depth of its node, every null search is
/// charged with one of its own depth, and so is a verification; a node searched again is charged with another search. Null
/// moves may cut within all of them.
pub fn saved(trial: &Trial, moves: usize, scheme: &Scheme) -> Option<f64> {
    let sizes = sizes(trial, moves);
    let size = |depth: usize| sizes.get(depth).or(sizes.last()).copied().unwrap_or(0.0);
    let mut saved = 0.0;
    for (depth, counts) in trial.null_moves.by_depth().iter().enumerate() {
        if counts.attempts > 0 {
            let plies = scheme.reduction.least(Depth(depth as i32));
            let plies = plies.filter(|_| scheme.multi_cut_moves == 0)?;
            let shallower = |plies: i32| size(depth.saturating_sub(plies.unsigned_abs() as usize));
            let believed = counts.fail_highs.saturating_sub(counts.overturned);
            let verification = shallower(scheme.verification.shallower(plies));
            saved += (believed as f64 - counts.zugzwangs as f64) * size(depth)
                - counts.attempts as f64 * shallower(plies)
                - counts.verifications as f64 * verification;
        }
    }
    Some(saved)
}

/// Returns the mean size of a search by its depth, from 0: the iteration of the next depth searches every root move so.
fn sizes(trial: &Trial, moves: usize) -> Vec<f64> {
    let before = std::iter::once(0).chain(trial.samples.iter().map(|sample| sample.nodes));
    let iterations = trial.samples.iter().zip(before);
    let nodes = iterations.map(|(sample, before)| sample.nodes.saturating_sub(before));
    nodes.map(|nodes| nodes as f64 / moves.max(1) as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::Sample;
    use nullarbor::search::null_move::{Counts, Reduction, Verification};
    use std::time::Duration;

    #[test]
    fn the_minimal_tree_has_the_leaves_of_knuth_and_moore() {
        // 2 b^(d/2) - 1 at even depths.
        assert_eq!(
            [0, 1, 2, 3, 4].map(|depth| minimal_leaves(3.0, depth)),
            [1.0, 3.0, 5.0, 11.0, 17.0]
        );
        assert_eq!(minimal_leaves(35.0, 8), 3_001_249.0);
    }

    /// Iterations of 20, 60, 200, 600 and 2,000 nodes with 10 moves at the root: searches of 2 to 200 nodes.
    fn trial(depth: i32, counts: Counts) -> Trial {
        let mut nodes = 0;
        let sample = |iteration| {
            nodes += iteration;
            Sample { nodes, elapsed: Duration::ZERO, solved: false }
        };
        let samples = [20, 60, 200, 600, 2000].map(sample).to_vec();
        let mut trial = Trial { samples, ..Trial::default() };
        *trial.null_moves.at(Depth(depth)) = counts;
        trial
    }

    fn scheme(reduction: Reduction, verification: Verification) -> Scheme {
        Scheme { reduction, verification, ..Scheme::default() }
    }

    #[test]
    fn a_cut_off_saves_its_search_and_every_null_search_costs_its_own() {
        let counts = Counts { attempts: 4, cutoffs: 3, fail_highs: 3, ..Counts::default() };
        let of = |reduction| scheme(reduction, Verification::None);
        let by = |depth, reduction| {
            saved(&trial(depth, counts), 10, &of(reduction)).expect("a known depth")
        };
        // Null searches of depths 0 (R = 3), 2 (R = 1) and below 0.
        assert_eq!(by(4, Reduction::Fixed3), 3.0 * 200.0 - 4.0 * 2.0);
        assert_eq!(by(4, Reduction::Fixed1), 3.0 * 200.0 - 4.0 * 20.0);
        assert_eq!(by(1, Reduction::Fixed2), 3.0 * 6.0 - 4.0 * 2.0);
        // Deeper than the last iteration.
        assert_eq!(by(9, Reduction::Fixed4), 3.0 * 200.0 - 4.0 * 200.0);
        assert_eq!(saved(&trial(4, counts), 10, &of(Reduction::Formula)), None);
        let multi_cut = Scheme { multi_cut_moves: 6, ..of(Reduction::Fixed2) };
        assert_eq!(saved(&trial(4, counts), 10, &multi_cut), None);
        assert_eq!(saved(&Trial::default(), 10, &of(Reduction::Off)), Some(0.0));
    }

    #[test]
    fn verifications_and_repeated_searches_are_costs() {
        let counts = Counts { attempts: 1, fail_highs: 1, verifications: 1, ..Counts::default() };
        let by = |verification, counts| {
            saved(&trial(4, counts), 10, &scheme(Reduction::Fixed3, verification))
        };
        let of = |counts| by(Verification::Reduce, counts);
        assert_eq!(of(counts), Some(200.0 - 2.0 - 60.0));
        assert_eq!(of(Counts { zugzwangs: 1, ..counts }), Some(-2.0 - 60.0));
        // Verifications of depths 2 and 0; another search, of depth 1 or 0, may overturn the cut.
        assert_eq!(by(Verification::ReduceBy2, counts), Some(200.0 - 2.0 - 20.0));
        assert_eq!(by(Verification::ReduceBy4, counts), Some(200.0 - 2.0 - 2.0));
        let overturned = Counts { overturned: 1, ..counts };
        assert_eq!(by(Verification::Guide, overturned), Some(-2.0 - 6.0));
        assert_eq!(by(Verification::Deep, overturned), Some(-2.0 - 2.0));
    }
}
