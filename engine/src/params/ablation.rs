//! Searches without one rule.

use super::Params;

/// A minimum depth that no search has.
const NEVER: i32 = 1000;
/// A maximum depth that no node has.
const NOWHERE: i32 = -1;
/// A margin in centipawns, or a number of moves, that is never reached.
const UNLIMITED: i32 = 1_000_000;

/// A rule of the search that can be switched off; SEARCH.md describes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SearchRule {
    AspirationWindows,
    Hindsight,
    Razoring,
    ReverseFutility,
    ProbCut,
    InternalIterativeReduction,
    LateMovePruning,
    HistoryPruning,
    Futility,
    FutilityOfCaptures,
    SeePruning,
    SingularExtensions,
    LateMoveReductions,
    QuiescencePruning,
    CorrectionHistory,
    Histories,
}

impl SearchRule {
    /// All rules, in the order of the search. The plain engine ([`Params::made_plain`]) lacks all but
    /// the last.
    pub const ALL: [Self; Self::Histories as usize + 1] = [
        Self::AspirationWindows,
        Self::Hindsight,
        Self::Razoring,
        Self::ReverseFutility,
        Self::ProbCut,
        Self::InternalIterativeReduction,
        Self::LateMovePruning,
        Self::HistoryPruning,
        Self::Futility,
        Self::FutilityOfCaptures,
        Self::SeePruning,
        Self::SingularExtensions,
        Self::LateMoveReductions,
        Self::QuiescencePruning,
        Self::CorrectionHistory,
        Self::Histories,
    ];

    /// Returns the name of the search without this rule: `no-razoring`, `no-late-move-pruning`...
    pub fn ablation(self) -> &'static str {
        match self {
            Self::AspirationWindows => "no-aspiration-windows",
            Self::Hindsight => "no-hindsight",
            Self::Razoring => "no-razoring",
            Self::ReverseFutility => "no-reverse-futility",
            Self::ProbCut => "no-probcut",
            Self::InternalIterativeReduction => "no-internal-iterative-reduction",
            Self::LateMovePruning => "no-late-move-pruning",
            Self::HistoryPruning => "no-history-pruning",
            Self::Futility => "no-futility",
            Self::FutilityOfCaptures => "no-futility-of-captures",
            Self::SeePruning => "no-see-pruning",
            Self::SingularExtensions => "no-singular-extensions",
            Self::LateMoveReductions => "no-late-move-reductions",
            Self::QuiescencePruning => "no-quiescence-pruning",
            Self::CorrectionHistory => "no-correction-history",
            Self::Histories => "no-histories",
        }
    }
}

impl Params {
    /// Changes any parameters so that a rule is off. Most values lie outside of the ranges for
    /// tuning, which keep every rule alive.
    pub fn without(self, rule: SearchRule) -> Self {
        match rule {
            // An open window at the root.
            SearchRule::AspirationWindows => Self { aspiration_delta: UNLIMITED, ..self },
            SearchRule::Hindsight => Self { hindsight_min_reduction: NEVER, ..self },
            SearchRule::Razoring => Self { razor_max_depth: NOWHERE, ..self },
            SearchRule::ReverseFutility => Self { rfp_max_depth: NOWHERE, ..self },
            SearchRule::ProbCut => Self { probcut_min_depth: NEVER, ..self },
            SearchRule::InternalIterativeReduction => Self { iir_min_depth: NEVER, ..self },
            SearchRule::LateMovePruning => Self { lmp_base: UNLIMITED, ..self },
            SearchRule::HistoryPruning => Self { history_prune_max_depth: NOWHERE, ..self },
            SearchRule::Futility => Self { futility_max_depth: NOWHERE, ..self },
            SearchRule::FutilityOfCaptures => Self { noisy_futility_max_depth: NOWHERE, ..self },
            SearchRule::SeePruning => Self { see_max_depth: NOWHERE, ..self },
            SearchRule::SingularExtensions => Self { singular_min_depth: NEVER, ..self },
            SearchRule::LateMoveReductions => Self { lmr_min_depth: NEVER, ..self },
            SearchRule::QuiescencePruning => Self {
                qs_futility_margin: UNLIMITED,
                qs_see_margin: -UNLIMITED,
                qs_max_moves: UNLIMITED,
                ..self
            },
            SearchRule::CorrectionHistory => Self {
                correction_pawn_weight: 0,
                correction_non_pawn_weight: 0,
                correction_continuation_weight: 0,
                ..self
            },
            // No history learns; what orders moves besides stays.
            SearchRule::Histories => Self {
                bonus_cap: 0,
                malus_cap: 0,
                eval_change_scale: 0,
                qs_capture_bonus: 0,
                ..self
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nullarbor_chess::board::{Game, Position};

    use super::*;
    use crate::clock::Limits;
    use crate::engine::Engine;
    use crate::search::Silent;
    use crate::types::Depth;

    #[test]
    fn a_search_without_a_rule_has_another_tree() {
        // Two from the bench.
        let fens = [
            "3r2k1/pb4p1/1pqb1NB1/2p5/2ppP1P1/P7/1P2Q1PP/4RRK1 b - - 0 26",
            "5k2/p4pbp/2rn2p1/1p6/1P6/P1NRPP2/1B3P1P/5K2 w - - 3 24",
        ];
        let limits = Limits { depth: Some(Depth(9)), ..Limits::default() };
        let nodes = |params| {
            let mut engine = Engine::new(1, 1).expect("a small engine");
            engine.set_params(params);
            fens.map(|fen| {
                engine.set_game(Game::new(Position::from_fen(fen).expect(fen)));
                engine.search(&limits, Arc::new(Silent)).expect("there are moves").nodes
            })
        };
        let all = nodes(Params::default());
        for rule in SearchRule::ALL {
            assert_ne!(nodes(Params::default().without(rule)), all, "{}", rule.ablation());
        }
    }
}
