//! The list of parameters. Each row: name, default, range, SPSA step, unit, meaning.
//!
//! A name ends in what the number is: `base`, `scale` (a factor), `divisor`, `margin`, `depth`,
//! `cap`.

use super::{ParamError, Spec};

declare! {
    null_move {
        null_move_base: 3840 in 2048..=7168, 256.0, "1/1024 ply", "least reduction of the null search";
        null_move_depth_divisor: 2241 in 1024..=8192, 256.0, "1/1024", "depth left over this is added to the reduction";
        null_move_eval_divisor: 175 in 30..=400, 17.0, "centipawns", "evaluation above beta that adds a ply";
        null_move_eval_cap: 4056 in 0..=8192, 350.0, "1/1024 ply", "most that the evaluation adds";
        null_move_improving: 310 in 0..=1536, 75.0, "1/1024 ply", "added when improving";
        null_move_tt_capture: 768 in 0..=2048, 100.0, "1/1024 ply", "added when the TT move is a capture";
        null_move_quiet_board: 256 in 0..=1536, 75.0, "1/1024 ply", "added when no own piece is attacked by one of less value";
        null_move_min_depth: 4 in 1..=6, 0.5, "plies", "least depth for a null move";
        null_move_margin_base: 80 in 0..=400, 20.0, "centipawns", "least evaluation above beta at depth 0";
        null_move_margin_depth_scale: 9 in 0..=40, 2.0, "centipawns/ply", "loosens the margin with depth";
        null_move_margin_improving: 40 in 0..=150, 7.5, "centipawns", "loosens the margin when improving";
        null_move_margin_all_node: 0 in -100..=250, 15.0, "centipawns", "added to the margin outside of expected cut-nodes";
        null_move_guard_material: 300 in 0..=1100, 120.0, "centipawns", "both sides must have pieces, pawns aside, worth more";
        null_move_verify_depth: 17 in 6..=30, 1.0, "plies", "a cut-off is verified from this depth on";
    }
    reverse_futility {
        rfp_max_depth: 9 in 4..=14, 0.5, "plies", "greatest depth";
        rfp_depth_scale: 43 in 5..=150, 6.0, "centipawns/ply", "margin above beta";
        rfp_improving: 42 in 0..=150, 7.5, "centipawns", "taken off the margin when improving";
        rfp_correction_scale: 853 in 0..=2048, 100.0, "1/1024", "share of the correction's size added to the margin";
        rfp_tt_miss_scale: 0 in -20..=30, 2.5, "centipawns/ply", "taken off the margin in expected cut-nodes that the table does not know";
        rfp_return_share: 409 in 0..=1024, 50.0, "1/1024", "share of the evaluation's excess over beta in the score returned";
    }
    razoring {
        razor_max_depth: 6 in 1..=8, 0.5, "plies", "greatest depth";
        razor_base: 114 in 20..=500, 22.0, "centipawns", "margin below alpha";
        razor_depth_scale: 55 in 20..=400, 17.0, "centipawns/ply²", "margin by depth squared";
    }
    futility {
        futility_max_depth: 9 in 4..=14, 0.5, "plies", "greatest reduced depth";
        futility_base: 11 in -100..=300, 14.0, "centipawns", "margin below alpha";
        futility_depth_scale: 11 in 0..=180, 7.5, "centipawns/ply", "margin by reduced depth";
        futility_history_divisor: 128 in 32..=512, 24.0, "1/centipawn", "history that shifts the margin by a centipawn";
        noisy_futility_max_depth: 7 in 3..=12, 0.5, "plies", "greatest depth for captures";
        noisy_futility_base: 224 in 10..=500, 22.0, "centipawns", "margin for captures";
        noisy_futility_depth_scale: 116 in 10..=400, 17.0, "centipawns/ply", "margin for captures by depth";
        noisy_futility_victim: 1024 in 400..=1600, 60.0, "1/1024", "share of the victim's value";
    }
    hindsight {
        hindsight_min_reduction: 2 in 1..=5, 0.5, "plies", "a node reduced by this is looked at again";
        hindsight_margin: 37 in 0..=150, 7.5, "centipawns", "one ply less if the evaluation of the side that moved fell by more";
    }
    late_moves {
        lmp_base: 3 in 1..=8, 0.5, "moves", "moves searched at depth 0";
        lmp_depth_scale: 1207 in 400..=2000, 80.0, "moves/1024 ply²", "moves more by depth squared";
        prune_history_divisor: 11450 in 2500..=30000, 1400.0, "history/ply", "quiet history that takes a ply off the reduction used in pruning";
        history_prune_max_depth: 5 in 2..=10, 0.5, "plies", "greatest reduced depth of pruning by history";
        history_prune_scale: -4404 in -8000..=-1000, 350.0, "history/ply", "history below this is pruned";
    }
    see {
        see_quiet_scale: -16 in -80..=-5, 4.0, "centipawns/ply²", "loss allowed to a quiet move";
        see_noisy_scale: -85 in -200..=-30, 8.5, "centipawns/ply", "loss allowed to a capture";
        see_noisy_history_divisor: 24 in 8..=128, 6.0, "1/centipawn", "capture history that allows a centipawn more";
        see_max_depth: 10 in 6..=14, 0.5, "plies", "greatest depth";
    }
    probcut {
        probcut_min_depth: 5 in 3..=8, 0.5, "plies", "least depth";
        probcut_margin: 143 in 30..=350, 14.0, "centipawns", "above beta";
        probcut_improving: 55 in 0..=150, 7.5, "centipawns", "taken off when improving";
        probcut_all_node: 0 in -80..=250, 14.0, "centipawns", "added outside of expected cut-nodes";
        probcut_reduction: 4 in 3..=6, 0.5, "plies", "depth of the proof is less by this";
    }
    table {
        tt_trust_depth: 5 in 0..=12, 0.75, "plies", "above this the table cuts a node of whatever expected type";
    }
    internal_reduction {
        iir_min_depth: 5 in 3..=9, 0.5, "plies", "without a TT move, one ply less from here on";
        iir_tt_depth_gap: 4 in 2..=8, 0.5, "plies", "a TT move shallower by this counts as none";
    }
    singular {
        singular_min_depth: 6 in 4..=10, 0.5, "plies", "least depth";
        singular_tt_depth_gap: 3 in 2..=5, 0.5, "plies", "the table entry may be shallower by this";
        singular_beta_scale: 623 in 256..=3072, 140.0, "1/1024 centipawn/ply", "below the TT score";
        singular_beta_was_pv_scale: 0 in -512..=2048, 128.0, "1/1024 centipawn/ply", "more where a principal variation has passed, outside of the present one";
        singular_quiet_margin: 0 in -60..=150, 8.0, "centipawns", "taken off the margins of further plies for a quiet move";
        singular_correction_scale: 0 in 0..=2048, 120.0, "1/1024", "share of the correction's size taken off these margins";
        singular_double_margin: 7 in 0..=60, 3.0, "centipawns", "fail low by more: two plies";
        singular_triple_margin: 100 in 10..=250, 10.0, "centipawns", "fail low by more with a quiet move: three plies";
        singular_double_limit: 10 in 4..=20, 1.0, "extensions", "double extensions on one line";
        singular_negative: 2 in 1..=4, 0.5, "plies", "taken off where the TT move is not singular but fails high";
        singular_negative_cut: 2 in 0..=3, 0.5, "plies", "taken off in a cut-node otherwise";
    }
    extension {
        leaf_check_extension: 0 in 0..=1, 0.5, "plies", "searched on where the depth ends in check";
    }
    lmr {
        lmr_min_depth: 2 in 2..=4, 0.5, "plies", "least depth";
        lmr_quiet_base: 839 in 0..=2048, 100.0, "1/1024 ply", "reduction of quiet moves";
        lmr_quiet_divisor: 2660 in 1500..=4000, 125.0, "1/1024", "ln depth times ln moves over this is added";
        lmr_noisy_base: -185 in -1024..=1024, 100.0, "1/1024 ply", "reduction of noisy moves";
        lmr_noisy_divisor: 2416 in 1500..=4500, 150.0, "1/1024", "the same for noisy moves";
        lmr_cut_node: 1632 in 512..=3072, 128.0, "1/1024 ply", "added in expected cut-nodes";
        lmr_not_improving: 578 in 0..=1536, 75.0, "1/1024 ply", "added when not improving";
        lmr_tt_capture: 842 in 0..=2048, 100.0, "1/1024 ply", "added when the TT move is a capture";
        lmr_tt_pv: 965 in 256..=2560, 115.0, "1/1024 ply", "taken off where a principal variation has passed";
        lmr_tt_pv_above_alpha: 0 in -1024..=1536, 115.0, "1/1024 ply", "taken off besides where the TT score is above alpha";
        lmr_tt_pv_deep: 0 in -1024..=1536, 115.0, "1/1024 ply", "taken off besides where the TT entry is at least as deep as the node";
        lmr_pv: 668 in 0..=2048, 100.0, "1/1024 ply", "taken off on the principal variation";
        lmr_check: 933 in 0..=2048, 100.0, "1/1024 ply", "taken off for a check";
        lmr_cutoff_count: 574 in 0..=2048, 100.0, "1/1024 ply", "added where children fail high often";
        lmr_many_cutoffs: 2 in 1..=6, 0.5, "nodes", "fail high often: more than this";
        lmr_tt_fails_low: 0 in -1024..=2048, 115.0, "1/1024 ply", "added where the TT score is at most alpha";
        lmr_tt_deep: 0 in -1024..=1536, 100.0, "1/1024 ply", "taken off where the TT entry is at least as deep as the node";
        lmr_no_tt_move: 0 in -1024..=3072, 150.0, "1/1024 ply", "added in expected cut-nodes without a TT move";
        lmr_alpha_raised: 0 in -1024..=2048, 115.0, "1/1024 ply", "added once a move of the node has raised alpha";
        lmr_improvement_scale: 0 in -10..=20, 1.5, "1/1024 ply/centipawn", "taken off by how much the static evaluation has risen";
        lmr_parent_scale: 0 in -512..=512, 40.0, "1/1024", "share of the node's own reduction that is taken off";
        lmr_all_node_scale: 0 in -2048..=6144, 350.0, "1/1024", "share of the reduction, over depth plus one, added in expected all-nodes";
        lmr_singular_scale: 0 in -10..=20, 1.5, "1/1024 ply/centipawn", "added by how far the other moves fell behind the TT move in the singular search";
        lmr_correction_divisor: 81 in 16..=256, 12.0, "centipawns/ply", "a correction of this size takes a ply off";
        lmr_quiet_history_divisor: 8265 in 2500..=20000, 850.0, "history/ply", "quiet history that takes a ply off";
        lmr_noisy_history_divisor: 4235 in 2000..=20000, 850.0, "history/ply", "capture history that takes a ply off";
        lmr_deeper_margin: 44 in 10..=150, 7.0, "centipawns", "a reduced search that beats alpha by more is repeated deeper";
        lmr_shallower_margin: 8 in 0..=40, 2.0, "centipawns", "one that gains less on the best score is repeated shallower";
    }
    history {
        bonus_depth_scale: 162 in 50..=350, 15.0, "history/ply", "bonus for the move that failed high";
        bonus_base: -70 in -300..=200, 25.0, "history", "bonus at depth 0";
        bonus_cap: 1667 in 600..=3500, 145.0, "history", "greatest bonus";
        malus_depth_scale: 202 in 50..=400, 17.0, "history/ply", "malus for moves tried before";
        malus_base: -60 in -300..=200, 25.0, "history", "malus at depth 0";
        malus_cap: 858 in 400..=3500, 145.0, "history", "greatest malus";
        malus_order_scale: 0 in 0..=256, 16.0, "1/1024", "share by which the malus of each further move is less";
        continuation_bonus: 1044 in 512..=1536, 50.0, "1/1024", "share of a bonus that goes to continuation history";
        prior_bonus: 477 in 0..=1024, 60.0, "1/1024", "share of the bonus for the opponent's last quiet move where nothing helped against it";
        refuted_malus: 700 in 0..=2048, 100.0, "1/1024", "share of the malus for the first quiet move of a node when it is refuted";
        eval_change_scale: 26 in 0..=120, 8.0, "history/centipawn", "bonus or malus for a quiet move by how the evaluation changed";
        eval_change_offset: 15 in -40..=60, 5.0, "centipawns", "added to that change";
        eval_change_cap: 50 in 10..=200, 10.0, "centipawns", "greatest change that counts";
        tt_cutoff_bonus: 90 in 0..=250, 12.0, "history/ply", "bonus for a quiet TT move that cuts at once";
    }
    ordering {
        order_check_bonus: 8000 in 0..=20000, 1000.0, "history", "quiet checks that lose little";
        order_check_margin: -50 in -200..=50, 12.0, "centipawns", "exchange that such a check must reach";
        order_escape_scale: 14 in 0..=40, 2.0, "history/centipawn", "leaving the attack of a piece of less value, by the value at stake";
        order_victim_scale: 14 in 6..=30, 1.2, "history/centipawn", "captures by the value of their victim";
        order_good_noisy_divisor: 36 in 12..=128, 6.0, "history/centipawn", "a good capture may lose its score over this in an exchange";
    }
    quiescence {
        qs_futility_margin: 55 in 20..=350, 15.0, "centipawns", "stand-pat plus victim plus this must reach alpha";
        qs_futility_victim: 1024 in 400..=1600, 60.0, "1/1024", "share of the victim's value";
        qs_return_share: 512 in 0..=1024, 50.0, "1/1024", "share of a fail-high score's excess over beta in the score returned";
        qs_capture_bonus: 110 in 0..=500, 25.0, "history", "bonus for a capture that fails high";
        qs_see_margin: 26 in -150..=150, 10.0, "centipawns", "exchange that a capture must reach";
        qs_max_moves: 3 in 1..=8, 0.5, "moves", "moves tried unless they recapture or give check";
    }
    correction {
        correction_pawn_weight: 1024 in 256..=2048, 90.0, "1/1024", "share of the pawn table";
        correction_non_pawn_weight: 1024 in 256..=2048, 90.0, "1/1024", "share of each side's piece table";
        correction_continuation_weight: 900 in 0..=2048, 100.0, "1/1024", "share of the last two moves";
        correction_bonus_scale: 134 in 40..=300, 13.0, "1/1024", "difference times depth that enters a table";
    }
    eval_scale {
        eval_scale_0: 1024 in 512..=2048, 60.0, "1/1024", "share of the evaluation that counts with 2 to 5 pieces on the board, as in output bucket 0";
        eval_scale_1: 1024 in 512..=2048, 60.0, "1/1024", "the same with 6 to 9 pieces";
        eval_scale_2: 1024 in 512..=2048, 60.0, "1/1024", "the same with 10 to 13 pieces";
        eval_scale_3: 1024 in 512..=2048, 60.0, "1/1024", "the same with 14 to 17 pieces";
        eval_scale_4: 1024 in 512..=2048, 60.0, "1/1024", "the same with 18 to 21 pieces";
        eval_scale_5: 1024 in 512..=2048, 60.0, "1/1024", "the same with 22 to 25 pieces";
        eval_scale_6: 1024 in 512..=2048, 60.0, "1/1024", "the same with 26 to 29 pieces";
        eval_scale_7: 1024 in 512..=2048, 60.0, "1/1024", "the same with 30 to 32 pieces";
    }
    aspiration {
        aspiration_delta: 15 in 2..=40, 1.75, "centipawns", "half of the first window";
        aspiration_score_divisor: 24000 in 5000..=60000, 2750.0, "centipawns²", "mean score squared over this widens it";
        aspiration_growth: 380 in 100..=1024, 46.0, "1/1024", "share by which it widens after a failure";
        aspiration_max_reduction: 3 in 0..=6, 0.5, "plies", "most that repeated fail-highs at the root take off";
    }
    clock {
        clock_first_share: 29 in 5..=60, 2.5, "1/1024", "share of the time left for the first move in sudden death";
        clock_late_share: 59 in 10..=120, 5.0, "1/1024", "the same for late moves";
        clock_moves_to_late: 26 in 10..=60, 2.5, "moves", "how fast the share of the first move turns into that of late ones";
        clock_increment_share: 768 in 256..=1024, 38.0, "1/1024", "share of the increment spent at once";
        clock_cyclic_share: 870 in 512..=1024, 25.0, "1/1024", "share of the equal part of each move with moves to go";
        clock_hard_share: 563 in 100..=700, 25.0, "1/1024", "greatest share of the time left that one move may take";
        clock_effort_base: 2355 in 1024..=4096, 150.0, "1/1024", "factor where no node went into the best move";
        clock_effort_scale: 1792 in 0..=4096, 200.0, "1/1024", "less by the share of nodes that went into the best move";
        clock_effort_min: 563 in 200..=1024, 40.0, "1/1024", "least factor by effort";
        clock_age_base: 1331 in 1024..=2048, 50.0, "1/1024", "factor when the best move has just changed";
        clock_age_scale: 51 in 0..=200, 10.0, "1/1024", "less by each iteration since";
        clock_age_min: 819 in 400..=1024, 30.0, "1/1024", "least factor by age";
        clock_fall_base: 973 in 700..=1200, 25.0, "1/1024", "factor at an unchanged score";
        clock_fall_scale: 8 in 0..=60, 3.0, "1/1024 per centipawn", "more by the fall of the score since earlier iterations";
        clock_fall_min: 819 in 400..=1024, 30.0, "1/1024", "least factor by the fall of the score";
        clock_fall_max: 1485 in 1024..=2560, 75.0, "1/1024", "greatest factor by the fall of the score";
    }
}

impl Params {
    /// Sets a parameter by name.
    ///
    /// # Errors
    /// Fails if there is no such parameter or the value is outside its range.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), ParamError> {
        let unknown = || ParamError::Unknown(name.to_owned());
        let spec = Spec::find(name).ok_or_else(unknown)?;
        let (min, max) = (spec.min, spec.max);
        if !(min..=max).contains(&value) {
            return Err(ParamError::OutOfRange { name: spec.name, value, min, max });
        }
        *self.slot(name).ok_or_else(unknown)? = value;
        Ok(())
    }
}
