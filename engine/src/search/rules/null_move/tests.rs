use super::*;
use crate::types::PieceType;

fn facts() -> Facts {
    Facts {
        depth: Depth(9),
        ply: 3,
        beta: Score(100),
        finite_window: true,
        static_eval: Score(300),
        eval: Score(300),
        improving: false,
        in_check: false,
        excluding: false,
        after_null: false,
        has_pieces: true,
        barred: false,
        verifies: true,
        table_fails_low: false,
        table_move_is_capture: false,
        quiet_board: false,
    }
}

/// The surroundings of a node: men of the side to move and of the other one, and what happened before.
#[derive(Clone, Copy)]
struct Near {
    men: [[usize; 5]; 2],
    on_previous_pv: bool,
    null_above: bool,
    last_move: Option<LastMove>,
}

/// All men of a game's beginning.
const FULL: [usize; 5] = [8, 2, 2, 2, 1];

const NEAR: Near =
    Near { men: [FULL; 2], on_previous_pv: false, null_above: false, last_move: None };

impl Surroundings for Near {
    fn men(&self) -> [[usize; 5]; 2] {
        self.men
    }

    fn on_previous_pv(&self) -> bool {
        self.on_previous_pv
    }

    fn null_above(&self) -> bool {
        self.null_above
    }

    fn last_move(&self) -> Option<LastMove> {
        self.last_move
    }

    fn side_to_move(&self) -> Colour {
        Colour::Black
    }

    fn alpha(&self) -> Score {
        Score(99)
    }

    fn is_cut_node(&self) -> bool {
        true
    }

    fn table(&self) -> (Bound, Score) {
        (Bound::Lower, Score(77))
    }

    fn threatened(&self) -> usize {
        2
    }

    fn recent_checks(&self) -> usize {
        1
    }
}

fn preset(name: &str) -> Policy {
    name.parse().expect(name)
}

fn tries(name: &str, facts: Facts, near: Near) -> bool {
    preset(name).attempt(&facts, &near, &Tuned::default()).is_some()
}

fn attempt(facts: Facts) -> Option<Attempt> {
    Policy::default().attempt(&facts, &NEAR, &Tuned::default())
}

/// How much shallower the null search of a preset is than the node, without the ply of the null move: the R of the
/// literature.
fn r(name: &str, facts: Facts, near: Near) -> i32 {
    let attempt = preset(name).attempt(&facts, &near, &Tuned::default());
    facts.depth.0 - 1 - attempt.expect("an attempt").depth.0
}

fn verdict(name: &str, score: Score, facts: Facts, near: Near) -> Verdict {
    preset(name).conclude(Attempt { depth: Depth(4) }, score, &facts, &near, &Tuned::default())
}

#[test]
fn every_name_stands_for_what_it_says() {
    for (name, policy) in Policy::PRESETS {
        assert_eq!(policy.name(), Some(*name));
        assert_eq!(Policy::preset(name), Some(*policy));
    }
    assert_eq!(Policy::default().name(), Some("nullarbor"));
    let error = "no-such".parse::<Policy>().expect_err("no such scheme").to_string();
    assert!(error.contains("no-such") && error.contains("micromax"), "{error}");
    for (name, reduction) in Reduction::ALL {
        assert_eq!((name.parse(), reduction.name()), (Ok(*reduction), *name));
    }
}

#[test]
fn no_scheme_passes_where_passing_means_nothing() {
    let absurd = [
        Facts { in_check: true, ..facts() },
        Facts { excluding: true, ..facts() },
        Facts { barred: true, ..facts() },
        Facts { beta: Score::mated_in(3), ..facts() },
        Facts { ply: 0, ..facts() },
        Facts { depth: Depth(0), ..facts() },
    ];
    let ahead = Near { men: [FULL, [8, 2, 2, 0, 0]], ..NEAR };
    for (name, _) in Policy::PRESETS {
        assert_eq!(tries(name, facts(), ahead), *name != "off", "{name}");
        for facts in absurd {
            assert!(!tries(name, facts, ahead), "{name}: {facts:?}");
        }
    }
}

#[test]
fn the_own_scheme_passes_when_ahead() {
    assert!(attempt(facts()).is_some());
    assert_eq!(attempt(Facts { after_null: true, ..facts() }), None);
    let minor = Near { men: [FULL, [8, 1, 0, 0, 0]], ..NEAR };
    assert!(!tries("nullarbor", facts(), minor), "zugzwang is near where a side has a minor piece");
    assert_eq!(attempt(Facts { table_fails_low: true, ..facts() }), None);
    assert_eq!(attempt(Facts { depth: Depth(1), ..facts() }), None);
    assert_eq!(attempt(Facts { eval: Score(99), static_eval: Score(99), ..facts() }), None);
}

#[test]
fn the_margin_loosens_with_depth() {
    let near = Facts { static_eval: Score(110), eval: Score(110), ..facts() };
    assert_eq!(attempt(Facts { depth: Depth(4), ..near }), None);
    assert!(attempt(Facts { depth: Depth(16), ..near }).is_some());
}

#[test]
fn the_formula_reduces_more_with_depth_and_with_the_lead() {
    let reduction = |facts: Facts| facts.depth.0 - attempt(facts).expect("an attempt").depth.0;
    let base = reduction(facts());
    assert!(reduction(Facts { depth: Depth(18), ..facts() }) > base);
    assert!(reduction(Facts { eval: Score(900), ..facts() }) > base);
    let far = |lead| reduction(Facts { eval: Score(lead), ..facts() });
    assert_eq!(far(5000), far(9000), "the lead counts up to a cap");
}

#[test]
fn fixed_reductions_are_fixed() {
    for (name, expected) in [("fixed-1", 1), ("fixed-2", 2), ("fixed-3", 3), ("fixed-4", 4)] {
        for depth in [5, 9, 20] {
            assert_eq!(r(name, Facts { depth: Depth(depth), ..facts() }, NEAR), expected);
        }
    }
}

#[test]
fn adaptive_reductions_change_at_their_depths() {
    let few = Near { men: [FULL, [8, 1, 1, 0, 0]], ..NEAR };
    let at = |name, depth, near| r(name, Facts { depth: Depth(depth), ..facts() }, near);
    assert_eq!((at("guide-adaptive", 5, NEAR), at("guide-adaptive", 6, NEAR)), (2, 3));
    assert_eq!((at("heinz", 6, NEAR), at("heinz", 7, NEAR)), (2, 3));
    assert_eq!((at("heinz", 8, few), at("heinz", 9, few)), (2, 3), "few pieces, later");
    let even = Facts { eval: Score(100), ..facts() };
    let guide = |depth, lead: i32| {
        r("guide-formula", Facts { depth: Depth(depth), eval: Score(100 + lead), ..even }, NEAR)
    };
    assert_eq!((guide(6, 0), guide(8, 0), guide(9, 0), guide(12, 0)), (3, 3, 4, 5));
    assert_eq!((guide(6, 200), guide(6, 201)), (3, 4));
}

#[test]
fn mediocre_spares_the_previous_variation() {
    let pv = Near { on_previous_pv: true, ..NEAR };
    assert!(tries("mediocre", facts(), NEAR) && !tries("mediocre", facts(), pv));
    let behind = Facts { static_eval: Score(-900), eval: Score(-900), ..facts() };
    assert!(tries("mediocre", behind, NEAR), "it does not ask the evaluation");
    assert!(!tries("mediocre", Facts { after_null: true, ..facts() }, NEAR));
}

#[test]
fn micromax_allows_double_null_moves_and_counts_what_is_left() {
    assert!(tries("micromax", Facts { after_null: true, ..facts() }, NEAR));
    let left = |own, other| Near { men: [own, other], ..NEAR };
    let minor = [8, 1, 0, 0, 0];
    assert!(!tries("micromax", facts(), left(minor, minor)), "two minor pieces");
    assert!(!tries("micromax", facts(), left([8, 0, 0, 1, 0], [8, 0, 0, 0, 0])), "a rook");
    assert!(tries("micromax", facts(), left(minor, [8, 0, 0, 1, 0])), "a rook and a minor");
    assert!(tries("micromax", facts(), left([8, 0, 0, 0, 1], [8, 0, 0, 0, 0])), "a queen");
}

#[test]
fn impchess_passes_once_in_a_branch() {
    let above = Near { null_above: true, ..NEAR };
    assert!(tries("impchess", facts(), NEAR) && !tries("impchess", facts(), above));
    assert!(!tries("impchess", Facts { ply: 1, ..facts() }, NEAR), "right after the root");
}

const KING_MOVE: LastMove = LastMove { piece: PieceType::King, target: 6, captured: true };

#[test]
fn the_mined_trigger_asks_the_material() {
    let name = "impchess-triggered";
    let rook_up = Near { men: [FULL, [8, 2, 2, 1, 1]], ..NEAR };
    assert!(tries(name, facts(), rook_up) && !tries(name, facts(), NEAR));
    assert!(!tries(name, Facts { beta: Score(400), ..facts() }, rook_up), "a pawn above beta");
    assert!(!tries(name, facts(), Near { last_move: Some(KING_MOVE), ..rook_up }));
    assert!(!tries(name, Facts { finite_window: false, ..facts() }, rook_up));
}

#[test]
fn the_guide_asks_evaluation_depth_and_pieces() {
    for name in ["guide-fixed", "guide-adaptive", "guide-formula"] {
        assert!(tries(name, Facts { depth: Depth(3), ..facts() }, NEAR));
        assert!(!tries(name, Facts { depth: Depth(2), ..facts() }, NEAR));
        assert!(!tries(name, Facts { static_eval: Score(99), ..facts() }, NEAR));
        assert!(!tries(name, Facts { has_pieces: false, ..facts() }, NEAR));
        assert!(!tries(name, Facts { after_null: true, ..facts() }, NEAR));
        let mated = Score::mated_in(5);
        assert_eq!(verdict(name, mated, facts(), NEAR), Verdict::Extend, "a threat of mate");
        assert_eq!(verdict(name, Score(99), facts(), NEAR), Verdict::SearchOn);
        let cut = verdict(name, Score(180), facts(), NEAR);
        assert_eq!(cut, Verdict::Cut(CutScore(Score(100))), "fail hard");
    }
    let ending = Near { men: [[4, 1, 0, 0, 0]; 2], ..NEAR };
    let cut = CutScore(Score(100));
    let doubt = verdict("guide-formula", Score(180), facts(), ending);
    assert_eq!(doubt, Verdict::Verify(Depth(4), cut));
    assert_eq!(verdict("guide-fixed", Score(180), facts(), ending), Verdict::Cut(cut));
}

#[test]
fn verified_needs_two_fail_highs() {
    let score = Score(180);
    assert_eq!(verdict("verified", score, facts(), NEAR), Verdict::Reduce);
    let below = Facts { verifies: false, ..facts() };
    assert_eq!(verdict("verified", score, below, NEAR), Verdict::Cut(CutScore(score)));
    assert_eq!(verdict("verified", Score(99), facts(), NEAR), Verdict::SearchOn);
    assert_eq!(r("verified", facts(), NEAR), 3);
    let last = Facts { depth: Depth(1), ..facts() };
    assert!(!tries("verified", last, NEAR), "no room to verify");
    assert!(tries("verified", Facts { verifies: false, ..last }, NEAR));
    let pawns = Facts { has_pieces: false, ..facts() };
    assert!(tries("verified", pawns, NEAR), "verification stands in for a guard");
}

#[test]
fn both_sides_need_more_than_a_minor_piece() {
    let policy = Policy { guard: Guard::BothMoreThanMinor, ..preset("fixed-2") };
    let tries = |own, other| {
        let near = Near { men: [own, other], ..NEAR };
        policy.attempt(&facts(), &near, &Tuned::default()).is_some()
    };
    let (knight, rook) = ([8, 1, 0, 0, 0], [8, 0, 0, 1, 0]);
    assert!(tries(rook, rook) && !tries(rook, knight) && !tries(knight, rook));
}

#[test]
fn no_scheme_returns_a_mate() {
    for (name, policy) in Policy::PRESETS {
        let facts = Facts { verifies: false, ..facts() };
        let verdict = verdict(name, Score::mate_in(5), facts, NEAR);
        let cut = CutScore(Score(100));
        let verifies = matches!(policy.verification, Verification::Deep)
            && facts.depth.0 >= Tuned::default().null_move_verify_depth;
        let expected = if verifies { Verdict::Verify(Depth(4), cut) } else { Verdict::Cut(cut) };
        assert_eq!(verdict, expected, "{name}");
    }
}

#[test]
fn the_own_scheme_verifies_from_a_depth_on() {
    let tuned = Tuned::default();
    let deep = Facts { depth: Depth(tuned.null_move_verify_depth), ..facts() };
    let cut = CutScore(Score(150));
    assert_eq!(verdict("nullarbor", Score(150), deep, NEAR), Verdict::Verify(Depth(4), cut));
    assert_eq!(verdict("nullarbor", Score(50), deep, NEAR), Verdict::SearchOn);
}

#[test]
fn counts_are_kept_by_depth() {
    let mut stats = Stats::default();
    stats.at(Depth(3)).attempts += 2;
    stats.at(Depth(99)).attempts += 1;
    let mut twice = stats.clone();
    twice += &stats;
    assert_eq!(twice.by_depth()[3].attempts, 4);
    assert_eq!(twice.total().attempts, 6);
}

/// How null moves fare under a preset, and how many nodes the search has.
fn searched(name: &str, fen: &str, depth: i32) -> (Counts, u64) {
    use crate::board::{KeyHistory, Position};
    use crate::clock::Limits;
    use crate::engine::Engine;
    use crate::search::Silent;

    let mut engine = Engine::new(1, 1).expect("a small engine");
    engine.settings_mut().policy = preset(name);
    engine.set_position(Position::from_fen(fen).expect("valid"), KeyHistory::new());
    let limits = Limits { depth: Some(Depth(depth)), ..Limits::default() };
    let finding = engine.search(&limits, std::sync::Arc::new(Silent)).expect("a move");
    (finding.null_moves.total(), finding.nodes)
}

#[test]
fn features_are_what_the_node_knows() {
    let near = Near { men: [FULL, [7, 2, 1, 2, 0]], last_move: Some(KING_MOVE), ..NEAR };
    let value = |name: &str, near: Near| {
        let feature: Feature = name.parse().expect(name);
        feature.value(&facts(), &near)
    };
    for (name, expected) in [
        ("colour", 1),
        ("ply", 3),
        ("depth", 9),
        ("alpha", 99),
        ("beta", 100),
        ("open_window", 0),
        ("static_eval_minus_beta", 200),
        ("material", 1300),
        ("material_minus_beta", 1200),
        ("phase", 19),
        ("own_pieces", 7),
        ("their_pieces", 5),
        ("last_piece", 6),
        ("last_target", 6),
        ("last_captured", 1),
        ("table_bound", 2),
        ("table_score", 77),
        ("threats", 2),
        ("checks_near", 1),
    ] {
        assert_eq!(value(name, near), expected, "{name}");
    }
    assert_eq!((value("last_piece", NEAR), value("last_target", NEAR)), (0, 64));
    let all = Feature::all(&facts(), &near);
    assert_eq!(all[2], 9, "in the order of their table");
}

/// Pass where the depth is above 4, and in shallower nodes where the evaluation is far above beta.
fn learnt() -> Tree {
    let split = |feature, above, then, otherwise| Tree::Split {
        feature,
        above,
        then: Box::new(then),
        otherwise: Box::new(otherwise),
    };
    let [yes, no] = [true, false].map(Tree::Answer);
    split(Feature::Depth, 4, yes.clone(), split(Feature::EvalMinusBeta, 150, yes, no))
}

#[test]
fn a_learnt_rule_is_a_trigger() {
    let rule = Rule::new(&learnt()).expect("two questions");
    let policy = Policy { trigger: Trigger::Rule(rule), ..preset("fixed-2") };
    let tries = |depth, eval| {
        let facts = Facts { depth: Depth(depth), eval: Score(eval), ..facts() };
        policy.attempt(&facts, &NEAR, &Tuned::default()).is_some()
    };
    assert!(tries(5, -500) && !tries(4, 250) && tries(4, 251));
}

#[test]
fn the_rule_mined_here_asks_evaluation_and_depth() {
    let policy = Policy { trigger: Trigger::Mined, ..preset("nullarbor") };
    let tries = |depth, lead: i32| {
        let facts =
            Facts { depth: Depth(depth), static_eval: Score(facts().beta.0 + lead), ..facts() };
        policy.attempt(&facts, &NEAR, &Tuned::default()).is_some()
    };
    assert!(tries(2, -2) && !tries(2, -3) && !tries(1, 500));
}

#[test]
fn rules_stay_small() {
    let deeper = |inner: Tree| Tree::Split {
        feature: Feature::Ply,
        above: 0,
        then: Box::new(inner.clone()),
        otherwise: Box::new(inner),
    };
    let full = (0..Rule::MAX_DEPTH).fold(Tree::Answer(true), |tree, _| deeper(tree));
    assert!(Rule::new(&full).is_ok());
    let error = Rule::new(&deeper(full)).expect_err("five questions").to_string();
    assert!(error.contains("5 questions"), "{error}");
}

#[test]
fn every_scheme_searches_a_tree_of_its_own() {
    const MIDDLE_GAME: &str =
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let mut seen = Vec::new();
    for (name, _) in Policy::PRESETS {
        let (counts, nodes) = searched(name, MIDDLE_GAME, 12);
        assert_eq!(counts.attempts > 0, *name != "off", "{name}");
        assert!(counts.cutoffs <= counts.attempts, "{name}: {counts:?}");
        assert!(!seen.contains(&nodes), "{name} searches the tree of another scheme");
        seen.push(nodes);
    }
}

#[test]
fn verification_by_reduction_finds_zugzwangs() {
    // Whoever has to move loses the pawn, or the way to it.
    const PAWNS: &str = "8/8/8/3k4/3p4/3P4/3K4/8 w - - 0 1";
    assert!(searched("verified", PAWNS, 14).0.zugzwangs > 0);
    assert_eq!(searched("fixed-3", PAWNS, 14).0.zugzwangs, 0);
    let guarded = searched("guide-fixed", PAWNS, 14).0;
    assert_eq!(guarded.attempts, 0, "nobody has a piece");
}

#[test]
fn threats_of_mate_are_seen() {
    // Whoever passes is mated on the back rank.
    const BACK_RANK: &str = "r5k1/5ppp/8/7Q/8/8/5PPP/6K1 w - - 0 1";
    let (counts, _) = searched("micromax", BACK_RANK, 8);
    assert!(counts.threats > 0, "{counts:?}");
}
