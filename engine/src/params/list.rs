//! The list of parameters. Each row: name, default, range, SPSA step, unit, meaning.
//!
//! A name ends in what the number is: `base`, `scale` (a factor), `divisor`, `margin`, `depth`,
//! `cap`. A meaning says what the rule does with it, for readers of `nullarbor params`.

use super::{ParamError, Spec};

declare! {
    null_move {
        null_move_base: 4486 in 2048..=7168, 256.0, "1/1024 ply", "reduction of every null search before the additions below; it counts the ply of the null move itself";
        null_move_depth_divisor: 3035 in 1024..=8192, 256.0, "1/1024", "added to the reduction: depth divided by this";
        null_move_eval_divisor: 44 in 10..=400, 17.0, "centipawns", "evaluation above beta that adds a ply to the reduction";
        null_move_eval_cap: 4056 in 0..=8192, 350.0, "1/1024 ply", "maximum that the evaluation adds to the reduction";
        null_move_improving: 518 in 0..=1536, 75.0, "1/1024 ply", "added to the reduction if improving: the static evaluation has risen since the side's previous move";
        null_move_tt_capture: 516 in 0..=2048, 100.0, "1/1024 ply", "added to the reduction if the TT move is a capture";
        null_move_quiet_board: 526 in 0..=1536, 75.0, "1/1024 ply", "added to the reduction if no own piece is attacked by one of less value";
        null_move_min_depth: 4 in 1..=6, 0.5, "plies", "minimum depth for a null move";
        null_move_margin_base: 85 in 0..=400, 20.0, "centipawns", "margin at depth 0: a null move needs a static evaluation of at least beta plus margin";
        null_move_margin_depth_scale: 7 in 0..=40, 2.0, "centipawns/ply", "subtracted from the margin, per ply of depth";
        null_move_margin_improving: 40 in 0..=150, 7.5, "centipawns", "subtracted from the margin if improving";
        null_move_margin_all_node: -59 in -100..=250, 15.0, "centipawns", "added to the margin outside of expected cut-nodes";
        null_move_guard_material: 250 in 0..=1100, 120.0, "centipawns", "each side's pieces, pawns aside, must be worth more than this for a null move";
        null_move_verify_depth: 17 in 6..=30, 1.0, "plies", "minimum depth at which a cutoff is verified by a search without null moves";
    }
    reverse_futility {
        rfp_max_depth: 9 in 4..=14, 0.5, "plies", "maximum depth at which reverse futility pruning is tried";
        rfp_depth_scale: 39 in 5..=150, 6.0, "centipawns/ply", "margin, per ply of depth: the node is cut if the evaluation is at least beta plus margin";
        rfp_improving: 11 in 0..=150, 7.5, "centipawns", "subtracted from the margin if improving";
        rfp_correction_scale: 1013 in 0..=2048, 100.0, "1/1024", "added to the margin: this share of the absolute correction by correction history";
        rfp_return_share: 739 in 0..=1024, 50.0, "1/1024", "score returned: beta plus this share of the evaluation's excess over beta";
    }
    razoring {
        razor_max_depth: 6 in 1..=8, 0.5, "plies", "maximum depth at which razoring is tried";
        razor_base: 23 in 0..=500, 22.0, "centipawns", "margin at depth 0: quiescence search decides if the evaluation is below alpha by more than the margin";
        razor_depth_scale: 108 in 20..=400, 17.0, "centipawns/ply²", "added to the margin, per ply² of depth";
    }
    futility {
        futility_max_depth: 9 in 4..=14, 0.5, "plies", "maximum pruning depth (depth after the expected reduction) for futility pruning of quiet moves";
        futility_base: 61 in -100..=300, 14.0, "centipawns", "margin at pruning depth 0: a quiet move is pruned unless static evaluation plus margin exceeds alpha";
        futility_depth_scale: 21 in 0..=180, 7.5, "centipawns/ply", "added to the margin, per ply of pruning depth";
        futility_history_divisor: 284 in 32..=512, 24.0, "1/centipawn", "history score of the move that adds a centipawn to the margin";
        noisy_futility_max_depth: 7 in 3..=12, 0.5, "plies", "maximum depth for futility pruning of captures that lose material";
        noisy_futility_base: 224 in 10..=500, 22.0, "centipawns", "margin at depth 0: such a capture is pruned unless static evaluation, victim and margin exceed alpha";
        noisy_futility_depth_scale: 116 in 10..=400, 17.0, "centipawns/ply", "added to the margin, per ply of depth";
        noisy_futility_victim: 1024 in 400..=1600, 60.0, "1/1024", "share of the victim's value that counts in this sum";
    }
    hindsight {
        hindsight_min_reduction: 2 in 1..=5, 0.5, "plies", "minimum reduction by its parent with which a node may lose another ply";
        hindsight_margin: 67 in 0..=150, 7.5, "centipawns", "the ply is lost if the last move lowered its side's static evaluation by more than this";
    }
    late_moves {
        lmp_base: 3 in 1..=8, 0.5, "moves", "moves allowed at depth 0; after them the remaining quiet moves are skipped; half as many if not improving";
        lmp_depth_scale: 917 in 400..=2000, 80.0, "moves/1024 ply²", "moves allowed in addition, per ply² of depth";
        prune_history_divisor: 9566 in 2500..=30000, 1400.0, "history/ply", "history score of a quiet move that adds a ply to its pruning depth";
        history_prune_max_depth: 5 in 2..=10, 0.5, "plies", "maximum pruning depth for history pruning";
        history_prune_scale: -5513 in -8000..=-1000, 350.0, "history/ply", "a quiet move is pruned if its history score is below this, per ply of pruning depth";
    }
    see {
        see_quiet_scale: -5 in -80..=0, 4.0, "centipawns/ply²", "a quiet move is pruned if its static exchange (SEE) is below this, per ply² of pruning depth";
        see_noisy_scale: -74 in -200..=-30, 8.5, "centipawns/ply", "a capture or check is pruned if its static exchange (SEE) is below this, per ply of depth";
        see_noisy_history_divisor: 24 in 8..=128, 6.0, "1/centipawn", "history score with which a capture or check may lose a centipawn more";
        see_max_depth: 10 in 6..=14, 0.5, "plies", "maximum depth for pruning by static exchange (SEE)";
    }
    probcut {
        probcut_min_depth: 5 in 3..=8, 0.5, "plies", "minimum depth at which ProbCut is tried";
        probcut_margin: 143 in 30..=350, 14.0, "centipawns", "raised beta: beta plus this";
        probcut_improving: 55 in 0..=150, 7.5, "centipawns", "subtracted from the raised beta if improving";
        probcut_reduction: 4 in 3..=6, 0.5, "plies", "a capture must beat the raised beta in a search of the node's depth minus this";
    }
    table {
        tt_trust_depth: 5 in 0..=12, 0.75, "plies", "up to this depth a TT score cuts only if it fails as expected: high in cut-nodes, low elsewhere";
    }
    internal_reduction {
        iir_min_depth: 5 in 3..=9, 0.5, "plies", "minimum depth at which a PV or cut-node without a TT move loses a ply";
        iir_tt_depth_gap: 4 in 2..=8, 0.5, "plies", "a TT move counts as none if its entry is shallower than the node by at least this";
    }
    singular {
        singular_min_depth: 6 in 4..=10, 0.5, "plies", "minimum depth at which singular extensions are tried";
        singular_tt_depth_gap: 3 in 2..=5, 0.5, "plies", "maximum by which the TT entry may be shallower than the node";
        singular_beta_scale: 1496 in 256..=3072, 140.0, "1/1024 centipawn/ply", "singular beta: TT score minus this, per ply of depth";
        singular_beta_was_pv_scale: 392 in -512..=2048, 128.0, "1/1024 centipawn/ply", "subtracted as well, per ply of depth, outside of PV nodes if the TT entry was on a PV";
        singular_quiet_margin: 16 in -60..=150, 8.0, "centipawns", "subtracted from the double and triple margins if the TT move is quiet";
        singular_correction_scale: 702 in 0..=2048, 120.0, "1/1024", "subtracted from these margins: this share of the absolute correction";
        singular_double_margin: 14 in 0..=60, 3.0, "centipawns", "extension of two plies if all other moves stay below singular beta by more than this";
        singular_triple_margin: 100 in 10..=250, 10.0, "centipawns", "extension of three plies if they stay below it by more than this and the TT move is quiet";
        singular_double_limit: 10 in 4..=20, 1.0, "extensions", "maximum number of double extensions in one line";
        singular_negative: 2 in 1..=4, 0.5, "plies", "reduction of a TT move that is not singular but whose TT score reaches beta";
        singular_negative_cut: 2 in 0..=3, 0.5, "plies", "reduction of a TT move that is not singular, in other cut-nodes";
    }
    extension {
        leaf_check_extension: 0 in 0..=1, 0.5, "plies", "extension of a node that is in check at depth 0, instead of quiescence search";
    }
    lmr {
        lmr_min_depth: 2 in 2..=4, 0.5, "plies", "minimum depth at which late moves are reduced";
        lmr_quiet_base: 868 in 0..=2048, 100.0, "1/1024 ply", "reduction of a late quiet move before all other terms";
        lmr_quiet_divisor: 2966 in 1500..=4000, 125.0, "1/1024", "added to it: ln(depth) times ln(move number), divided by this";
        lmr_noisy_base: 14 in -1024..=1024, 100.0, "1/1024 ply", "reduction of a late capture or queen promotion before all other terms";
        lmr_noisy_divisor: 2172 in 1500..=4500, 150.0, "1/1024", "added to it: ln(depth) times ln(move number), divided by this";
        lmr_cut_node: 1140 in 512..=3072, 128.0, "1/1024 ply", "added to the reduction in expected cut-nodes";
        lmr_not_improving: 580 in 0..=1536, 75.0, "1/1024 ply", "added to the reduction if not improving";
        lmr_tt_capture: 1217 in 0..=2048, 100.0, "1/1024 ply", "added to the reduction of a quiet move if the TT move is a capture";
        lmr_tt_pv: 681 in 256..=2560, 115.0, "1/1024 ply", "subtracted from the reduction in ttPv nodes: on a PV, or with a TT entry that was";
        lmr_tt_pv_above_alpha: 685 in -1024..=1536, 115.0, "1/1024 ply", "also subtracted in ttPv nodes if the TT score is above alpha";
        lmr_tt_pv_deep: 364 in -1024..=1536, 115.0, "1/1024 ply", "also subtracted in ttPv nodes if the TT entry is at least as deep as the node";
        lmr_pv: 1081 in 0..=2048, 100.0, "1/1024 ply", "subtracted from the reduction in PV nodes";
        lmr_check: 878 in 0..=2048, 100.0, "1/1024 ply", "subtracted from the reduction of a move that gives check";
        lmr_cutoff_count: 564 in 0..=2048, 100.0, "1/1024 ply", "added to the reduction if child nodes have failed high often";
        lmr_many_cutoffs: 2 in 1..=6, 0.5, "nodes", "fail-highs of child nodes that count as often: more than this";
        lmr_tt_deep: 324 in -1536..=1024, 100.0, "1/1024 ply", "added to the reduction if the TT entry is at least as deep as the node";
        lmr_no_tt_move: 126 in -1024..=3072, 150.0, "1/1024 ply", "added to the reduction in expected cut-nodes without a TT move";
        lmr_alpha_raised: 181 in -1024..=2048, 115.0, "1/1024 ply", "added to the reduction once a move of the node has raised alpha";
        lmr_improvement_scale: 7 in -10..=20, 1.5, "1/1024 ply/centipawn", "subtracted from the reduction, per centipawn that the static evaluation has risen since the side's previous move";
        lmr_all_node_scale: 1013 in -2048..=6144, 350.0, "1/1024", "added in expected all-nodes: this share of the reduction, divided by depth plus one";
        lmr_singular_scale: 3 in -10..=20, 1.5, "1/1024 ply/centipawn", "added to the reduction, per centipawn that all other moves were below the TT score in the singular search";
        lmr_correction_divisor: 77 in 16..=256, 12.0, "centipawns/ply", "absolute correction that subtracts a ply from the reduction";
        lmr_quiet_history_divisor: 6037 in 2500..=20000, 850.0, "history/ply", "history score of a quiet move that subtracts a ply from its reduction";
        lmr_noisy_history_divisor: 7833 in 2000..=20000, 850.0, "history/ply", "history score of a capture that subtracts a ply from its reduction";
        lmr_deeper_margin: 49 in 10..=150, 7.0, "centipawns", "a reduced move that beats the best score by more than this is searched again a ply deeper";
        lmr_shallower_margin: 8 in 0..=40, 2.0, "centipawns", "a reduced move that beats the best score by less than this is searched again a ply shallower";
    }
    history {
        bonus_depth_scale: 162 in 50..=350, 15.0, "history/ply", "bonus for the best move of a node, per ply of depth";
        bonus_base: -70 in -300..=200, 25.0, "history", "added to the bonus, whatever the depth";
        bonus_cap: 1667 in 600..=3500, 145.0, "history", "maximum bonus";
        malus_depth_scale: 202 in 50..=400, 17.0, "history/ply", "malus for moves that were tried before the best one, per ply of depth";
        malus_base: -60 in -300..=200, 25.0, "history", "added to the malus, whatever the depth";
        malus_cap: 858 in 400..=3500, 145.0, "history", "maximum malus";
        continuation_bonus: 1044 in 512..=1536, 50.0, "1/1024", "share of a quiet move's bonus or malus that goes to continuation history";
        prior_bonus: 477 in 0..=1024, 60.0, "1/1024", "share of the bonus that the opponent's last quiet move gets if no move of the node beats alpha";
        refuted_malus: 700 in 0..=2048, 100.0, "1/1024", "share of the malus that the opponent's last move gets on a fail-high, if it was quiet and the first of its node";
        eval_change_scale: 15 in 0..=120, 8.0, "history/centipawn", "bonus for the opponent's last quiet move, per centipawn that it raised its side's static evaluation";
        eval_change_offset: 15 in -40..=60, 5.0, "centipawns", "added to that rise, which is negative for a fall";
        eval_change_cap: 50 in 10..=200, 10.0, "centipawns", "maximum rise or fall that counts";
        tt_cutoff_bonus: 90 in 0..=250, 12.0, "history/ply", "bonus for a quiet TT move whose entry cuts the node, per ply of depth";
    }
    ordering {
        order_check_bonus: 8000 in 0..=20000, 1000.0, "history", "added to the ordering score of a quiet check that loses little";
        order_check_margin: -50 in -200..=50, 12.0, "centipawns", "minimum static exchange (SEE) of such a check";
        order_escape_scale: 14 in 0..=40, 2.0, "history/centipawn", "added for leaving the attack of a piece of less value, subtracted for entering it, per centipawn of the moved piece";
        order_victim_scale: 14 in 6..=30, 1.2, "history/centipawn", "added to the ordering score of a capture, per centipawn of its victim";
        order_good_noisy_divisor: 36 in 12..=128, 6.0, "history/centipawn", "a capture comes before the quiet moves if its exchange loses at most its ordering score divided by this";
    }
    quiescence {
        qs_futility_margin: 54 in 20..=350, 15.0, "centipawns", "a capture is skipped unless static evaluation, victim and this margin exceed alpha";
        qs_futility_victim: 1024 in 400..=1600, 60.0, "1/1024", "share of the victim's value that counts in this sum";
        qs_return_share: 512 in 0..=1024, 50.0, "1/1024", "score returned on a fail-high: beta plus this share of the excess over beta";
        qs_capture_bonus: 110 in 0..=500, 25.0, "history", "history bonus for a capture that fails high";
        qs_see_margin: -20 in -150..=150, 10.0, "centipawns", "minimum static exchange (SEE) of a capture that is tried";
        qs_max_moves: 3 in 1..=8, 0.5, "moves", "moves after which only recaptures and direct checks are tried";
    }
    correction {
        correction_pawn_weight: 1024 in 256..=2048, 90.0, "1/1024", "weight of the correction by pawn structure";
        correction_non_pawn_weight: 1024 in 256..=2048, 90.0, "1/1024", "weight of the correction by the pieces of each side";
        correction_continuation_weight: 1418 in 0..=2048, 100.0, "1/1024", "weight of the correction by the last two moves";
        correction_bonus_scale: 172 in 40..=300, 13.0, "1/1024", "update of the correction tables: this share of depth times (score minus static evaluation)";
    }
    eval_scale {
        eval_scale_0: 1024 in 512..=2048, 60.0, "1/1024", "factor of the evaluation with 2 to 5 pieces on the board, as in output bucket 0";
        eval_scale_1: 1024 in 512..=2048, 60.0, "1/1024", "factor of the evaluation with 6 to 9 pieces";
        eval_scale_2: 1171 in 512..=2048, 60.0, "1/1024", "factor of the evaluation with 10 to 13 pieces";
        eval_scale_3: 1178 in 512..=2048, 60.0, "1/1024", "factor of the evaluation with 14 to 17 pieces";
        eval_scale_4: 1248 in 512..=2048, 60.0, "1/1024", "factor of the evaluation with 18 to 21 pieces";
        eval_scale_5: 1287 in 512..=2048, 60.0, "1/1024", "factor of the evaluation with 22 to 25 pieces";
        eval_scale_6: 1367 in 512..=2048, 60.0, "1/1024", "factor of the evaluation with 26 to 29 pieces";
        eval_scale_7: 1358 in 512..=2048, 60.0, "1/1024", "factor of the evaluation with 30 to 32 pieces";
    }
    aspiration {
        aspiration_delta: 16 in 2..=40, 1.75, "centipawns", "half the width of the first aspiration window";
        aspiration_score_divisor: 24000 in 5000..=60000, 2750.0, "centipawns²", "added to it: mean score squared, divided by this";
        aspiration_growth: 380 in 100..=1024, 46.0, "1/1024", "share by which it grows after each failure";
        aspiration_max_reduction: 3 in 0..=6, 0.5, "plies", "maximum number of plies that repeated fail-highs at the root subtract from the depth";
    }
    clock {
        clock_first_share: 29 in 5..=60, 2.5, "1/1024", "soft limit of the first move in sudden death, as a share of the time left";
        clock_late_share: 59 in 10..=120, 5.0, "1/1024", "soft limit of late moves in sudden death, as a share of the time left";
        clock_moves_to_late: 26 in 10..=60, 2.5, "moves", "number of moves over which the first share turns into the late one, exponentially";
        clock_increment_share: 768 in 256..=1024, 38.0, "1/1024", "share of the increment that is added to the soft and the hard limit";
        clock_cyclic_share: 870 in 512..=1024, 25.0, "1/1024", "soft limit with moves to go, as a share of the time left divided by the moves";
        clock_hard_share: 563 in 100..=700, 25.0, "1/1024", "hard limit of a move, as a share of the time left";
        clock_effort_base: 2355 in 1024..=4096, 150.0, "1/1024", "factor of the soft limit if no node went into the best move";
        clock_effort_scale: 1792 in 0..=4096, 200.0, "1/1024", "subtracted from this factor, times the share of nodes that went into the best move";
        clock_effort_min: 563 in 200..=1024, 40.0, "1/1024", "minimum of this factor";
        clock_age_base: 1331 in 1024..=2048, 50.0, "1/1024", "factor of the soft limit if the best move has just changed";
        clock_age_scale: 51 in 0..=200, 10.0, "1/1024", "subtracted from this factor, per iteration since that change";
        clock_age_min: 819 in 400..=1024, 30.0, "1/1024", "minimum of this factor";
        clock_fall_base: 973 in 700..=1200, 25.0, "1/1024", "factor of the soft limit at an unchanged score";
        clock_fall_scale: 8 in 0..=60, 3.0, "1/1024 per centipawn", "added to this factor, per centipawn that the score has fallen below the mean of earlier iterations";
        clock_fall_min: 819 in 400..=1024, 30.0, "1/1024", "minimum of this factor";
        clock_fall_max: 1485 in 1024..=2560, 75.0, "1/1024", "maximum of this factor";
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
