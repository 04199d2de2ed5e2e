//! The parameters of a plain search, as in the papers on null moves.

use super::ablation::SearchRule;
use super::{Params, UNIT};

impl Params {
    /// Changes any parameters to those of a search as in the literature: principal variation search,
    /// transposition table, histories for move ordering, quiescence of captures, a check extension
    /// at the leaves, and nothing else that prunes, reduces or extends, except null moves.
    ///
    /// Every number that this search reads is written down here or in [`Params::without`], so that its
    /// results stay when defaults are tuned.
    pub fn made_plain(self) -> Self {
        self.made_plain_with(&[])
    }

    /// The same, but these rules stay as they are.
    pub fn made_plain_with(self, rules: &[SearchRule]) -> Self {
        self.without_pruning_but(rules).with_fixed_null_moves().with_fixed_order()
    }

    /// Switches off what prunes, reduces or extends, but these rules. Moves are ordered by histories.
    fn without_pruning_but(self, rules: &[SearchRule]) -> Self {
        let stays = |rule: &SearchRule| *rule == SearchRule::Histories || rules.contains(rule);
        let off = SearchRule::ALL.into_iter().filter(|rule| !stays(rule));
        Self { leaf_check_extension: 1, ..off.fold(self, Self::without) }
    }

    /// The numbers of the engine's own scheme, as tuned in November 2026.
    fn with_fixed_null_moves(self) -> Self {
        Self {
            null_move_base: 3263,
            null_move_depth_divisor: 2954,
            null_move_eval_divisor: 180,
            null_move_eval_cap: 4056,
            null_move_improving: 256,
            null_move_tt_capture: 768,
            null_move_quiet_board: 256,
            null_move_min_depth: 4,
            null_move_margin_base: 97,
            null_move_margin_depth_scale: 12,
            null_move_margin_improving: 40,
            null_move_margin_all_node: 0,
            null_move_guard_material: 300,
            null_move_verify_depth: 17,
            ..self
        }
    }

    /// The numbers that order moves, scale evaluations and soften scores.
    fn with_fixed_order(self) -> Self {
        Self {
            tt_trust_depth: 5,
            bonus_depth_scale: 160,
            bonus_base: -70,
            bonus_cap: 1700,
            malus_depth_scale: 170,
            malus_base: -60,
            malus_cap: 1200,
            continuation_bonus: 1024,
            prior_bonus: 512,
            refuted_malus: 700,
            eval_change_scale: 40,
            eval_change_offset: 15,
            eval_change_cap: 50,
            tt_cutoff_bonus: 90,
            order_check_bonus: 8000,
            order_check_margin: -50,
            order_escape_scale: 14,
            order_victim_scale: 14,
            order_good_noisy_divisor: 36,
            qs_return_share: 512,
            qs_capture_bonus: 110,
            ..self.unscaled()
        }
    }

    /// Counts evaluations in the unit of the network, with any number of pieces.
    pub fn unscaled(self) -> Self {
        Self {
            eval_scale_0: UNIT,
            eval_scale_1: UNIT,
            eval_scale_2: UNIT,
            eval_scale_3: UNIT,
            eval_scale_4: UNIT,
            eval_scale_5: UNIT,
            eval_scale_6: UNIT,
            eval_scale_7: UNIT,
            ..self
        }
    }
}
