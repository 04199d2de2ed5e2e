mod mined;
mod trees;

use super::*;
use crate::params::Params;
use crate::search::rules::node::{Evals, TtInfo};
use crate::search::window::Window;
use crate::types::{Bound, Move, PieceType};

/// A node and its surroundings, made up.
#[derive(Clone, Copy, Debug)]
struct Made {
    node: Node,
    pieces: [[usize; 5]; 2],
    last_move: Option<LastMove>,
    root_pieces: [[usize; 5]; 2],
    threatened: usize,
    recent_checks: usize,
    in_a_row: usize,
    null_moves_above: usize,
    on_previous_pv: bool,
    nmp_disabled: bool,
    verification_pending: bool,
}

/// All pieces of the starting position.
const FULL: [usize; 5] = [8, 2, 2, 2, 1];

const EXAMPLE: Made = Made {
    node: Node {
        cut_node: true,
        evals: Evals { static_eval: Score(300), eval: Score(300), ..Node::EXAMPLE.evals },
        tt: TtInfo { bound: Bound::Lower, score: Score(77), ..TtInfo::MISS },
        ..Node::EXAMPLE
    },
    pieces: [FULL; 2],
    last_move: None,
    root_pieces: [FULL; 2],
    threatened: 2,
    recent_checks: 1,
    in_a_row: 0,
    null_moves_above: 0,
    on_previous_pv: false,
    nmp_disabled: false,
    verification_pending: true,
};

/// The example with a change.
fn with(change: impl FnOnce(&mut Made)) -> Made {
    let mut made = EXAMPLE;
    change(&mut made);
    made
}

/// The example at another depth.
fn at_depth(depth: i32) -> Made {
    with(|made| made.node.depth = Depth(depth))
}

impl NodeContext for Made {
    fn node(&self) -> &Node {
        &self.node
    }

    fn side_to_move(&self) -> Colour {
        Colour::Black
    }

    fn piece_counts(&self) -> [[usize; 5]; 2] {
        self.pieces
    }

    fn root_piece_counts(&self) -> [[usize; 5]; 2] {
        self.root_pieces
    }

    fn threatened(&self) -> usize {
        self.threatened
    }

    fn recent_checks(&self) -> usize {
        self.recent_checks
    }

    fn last_move(&self) -> Option<LastMove> {
        self.last_move
    }

    fn null_moves_in_a_row(&self) -> usize {
        self.in_a_row
    }

    fn null_moves_above(&self) -> usize {
        self.null_moves_above
    }

    fn on_previous_pv(&self) -> bool {
        self.on_previous_pv
    }

    fn nmp_disabled(&self) -> bool {
        self.nmp_disabled
    }

    fn verification_pending(&self) -> bool {
        self.verification_pending
    }
}

fn scheme(name: &str) -> Scheme {
    name.parse().expect(name)
}

fn tries(name: &str, made: Made) -> bool {
    scheme(name).attempt(&made, &TunedParams::default()).is_some()
}

fn attempt(made: Made) -> Option<Attempt> {
    Scheme::default().attempt(&made, &TunedParams::default())
}

/// The reduction of the null search of a scheme without the ply of the null move: the R of the
/// literature.
fn r(name: &str, made: Made) -> i32 {
    let attempt = scheme(name).attempt(&made, &TunedParams::default());
    made.node.depth.0 - 1 - attempt.expect("an attempt").depth.0
}

fn verdict(name: &str, score: Score, made: Made) -> Verdict {
    scheme(name).conclude(Attempt { depth: Depth(4) }, score, &made, &TunedParams::default())
}

/// A verification without null moves of the side to move.
fn verify(depth: i32, cut: CutScore) -> Verdict {
    Verdict::Verify { depth: Depth(depth), cut, ordinary: false }
}

#[test]
fn every_name_stands_for_what_it_says() {
    for (name, scheme) in Scheme::ALL {
        assert_eq!(scheme.name(), Some(*name));
        assert_eq!(Scheme::named(name), Some(*scheme));
    }
    assert_eq!(Scheme::default().name(), Some("nullarbor"));
    let error = "no-such".parse::<Scheme>().expect_err("no such scheme").to_string();
    assert!(error.contains("no-such") && error.contains("micromax"), "{error}");
    for (name, reduction) in Reduction::ALL {
        assert_eq!((name.parse(), reduction.name()), (Ok(*reduction), *name));
    }
}

#[test]
fn the_least_reduction_is_that_of_an_even_node() {
    for depth in 1..=32 {
        let mut made = at_depth(depth);
        made.node.evals.eval = made.node.window.beta;
        made.pieces = [[0; 5]; 2];
        for (name, reduction) in Reduction::ALL {
            let plies = reduction.plies(&made, &TunedParams::default());
            let told = plies.filter(|_| *reduction != Reduction::Formula);
            assert_eq!(reduction.least(Depth(depth)), told, "{name} at depth {depth}");
        }
    }
}

#[test]
fn no_scheme_passes_where_passing_means_nothing() {
    let absurd = [
        with(|made| made.node.in_check = true),
        with(|made| made.node.excluded = Move::from_bits(1)),
        with(|made| made.nmp_disabled = true),
        with(|made| made.node.window = Window::zero_below(Score::mated_in(3))),
        with(|made| made.node.ply = 0),
        at_depth(0),
    ];
    let ahead = [FULL, [8, 2, 2, 0, 0]];
    for (name, _) in Scheme::ALL {
        assert_eq!(tries(name, with(|made| made.pieces = ahead)), *name != "off", "{name}");
        for made in absurd {
            assert!(!tries(name, Made { pieces: ahead, ..made }), "{name}: {made:?}");
        }
    }
}

#[test]
fn the_default_scheme_passes_when_ahead() {
    assert!(attempt(EXAMPLE).is_some());
    assert_eq!(attempt(with(|made| made.in_a_row = 1)), None);
    let pawns = with(|made| made.pieces = [FULL, [8, 0, 0, 0, 0]]);
    assert!(!tries("nullarbor", pawns), "zugzwang is near where a side has pawns only");
    assert_eq!(attempt(with(|made| made.node.tt.bound = Bound::Upper)), None);
    assert_eq!(attempt(at_depth(1)), None);
    assert_eq!(attempt(with(|made| evaluate(made, 99))), None);
}

/// Sets both evaluations.
fn evaluate(made: &mut Made, centipawns: i32) {
    made.node.evals.static_eval = Score(centipawns);
    made.node.evals.eval = Score(centipawns);
}

#[test]
fn the_margin_loosens_with_depth() {
    let near = |depth| {
        with(|made| {
            evaluate(made, 110);
            made.node.depth = Depth(depth);
        })
    };
    assert_eq!(attempt(near(4)), None);
    assert!(attempt(near(16)).is_some());
}

#[test]
fn the_margin_can_be_wider_outside_of_cut_nodes() {
    let params = Params { null_move_margin_all_node: 240, ..Params::default() };
    let tuned = TunedParams::new(params);
    let tries = |cut_node| {
        let made = with(|made| made.node.cut_node = cut_node);
        Scheme::default().attempt(&made, &tuned).is_some()
    };
    assert!(tries(true) && !tries(false));
}

#[test]
fn the_guard_can_ask_for_more_pieces() {
    let tries = |least| {
        let params = Params { null_move_guard_material: least, ..Params::default() };
        let rook = with(|made| made.pieces = [FULL, [8, 0, 0, 1, 0]]);
        Scheme::default().attempt(&rook, &TunedParams::new(params)).is_some()
    };
    assert!(tries(300) && !tries(500));
}

#[test]
fn the_formula_reduces_more_with_depth_and_with_the_lead() {
    let reduction = |made: Made| made.node.depth.0 - attempt(made).expect("an attempt").depth.0;
    let base = reduction(EXAMPLE);
    let far = |lead| reduction(with(|made| made.node.evals.eval = Score(lead)));
    assert!(reduction(at_depth(18)) > base);
    assert!(far(160) > far(110));
    assert_eq!(far(5000), far(9000), "the lead counts up to a cap");
}

#[test]
fn fixed_reductions_are_fixed() {
    for (name, expected) in [("fixed-1", 1), ("fixed-2", 2), ("fixed-3", 3), ("fixed-4", 4)] {
        for depth in [5, 9, 20] {
            assert_eq!(r(name, at_depth(depth)), expected);
        }
    }
}

#[test]
fn adaptive_reductions_change_at_their_depths() {
    let at = |name, depth| r(name, at_depth(depth));
    let few = |depth| r("heinz", Made { pieces: [FULL, [8, 1, 1, 0, 0]], ..at_depth(depth) });
    assert_eq!((at("guide-adaptive", 5), at("guide-adaptive", 6)), (2, 3));
    assert_eq!((at("heinz", 6), at("heinz", 7)), (2, 3));
    assert_eq!((few(8), few(9)), (2, 3), "few pieces, later");
    let guide = |depth, lead: i32| {
        let mut made = at_depth(depth);
        made.node.evals.eval = Score(100 + lead);
        r("guide-formula", made)
    };
    assert_eq!((guide(6, 0), guide(8, 0), guide(9, 0), guide(12, 0)), (3, 3, 4, 5));
    assert_eq!((guide(6, 200), guide(6, 201)), (3, 4));
    // The static evaluation is 200 above beta in all of them.
    let of_table = |name| r(name, with(|made| made.node.evals.eval = Score(301)));
    assert_eq!((of_table("guide-formula"), of_table("guide-verified")), (5, 4));
}

#[test]
fn mediocre_spares_the_previous_variation() {
    let pv = with(|made| made.on_previous_pv = true);
    assert!(tries("mediocre", EXAMPLE) && !tries("mediocre", pv));
    let behind = with(|made| evaluate(made, -900));
    assert!(tries("mediocre", behind), "it does not ask the evaluation");
    assert!(!tries("mediocre", with(|made| made.in_a_row = 1)));
}

/// The example with these pieces.
fn left(own: [usize; 5], other: [usize; 5]) -> Made {
    with(|made| made.pieces = [own, other])
}

#[test]
fn micromax_allows_double_null_moves() {
    assert!(tries("micromax", with(|made| made.in_a_row = 1)));
}

#[test]
fn a_guard_counts_what_is_left() {
    let scheme = Scheme { guard: Guard::Captured, ..scheme("micromax") };
    let tries = |own, other| scheme.attempt(&left(own, other), &TunedParams::default()).is_some();
    let (minor, rook, pawns) = ([8, 1, 0, 0, 0], [8, 0, 0, 1, 0], [8, 0, 0, 0, 0]);
    assert!(!tries(minor, minor), "two minor pieces");
    assert!(!tries(rook, pawns), "a rook");
    assert!(tries(minor, rook), "a rook and a minor");
    assert!(tries([8, 0, 0, 0, 1], pawns), "a queen");
}

#[test]
fn micromax_counts_captures_and_promotions_of_the_game() {
    let tries = |own, other| tries("micromax", Made { root_pieces: [own, other], ..EXAMPLE });
    let minor = [8, 1, 0, 0, 0];
    assert!(!tries(minor, minor), "36 units captured");
    assert!(tries(minor, [8, 0, 0, 1, 0]), "35");
    // 34 units of captures, and 6 for each promotion that shows.
    let queen = [0, 0, 0, 0, 1];
    assert!(tries(queen, [0; 5]));
    assert!(!tries([0, 0, 0, 0, 2], [0; 5]));
    let all_and = |queens: usize| [8, 2, 2, 2, 1 + queens];
    assert!(tries(all_and(2), [0; 5]) && !tries(all_and(3), [0; 5]), "20, and 12 or 18");
}

#[test]
fn impchess_passes_once_in_a_branch() {
    let above = with(|made| made.null_moves_above = 1);
    assert!(tries("impchess", EXAMPLE) && !tries("impchess", above));
    assert!(!tries("impchess", with(|made| made.node.ply = 1)), "right after the root");
    let open = with(|made| made.node.window = Window { alpha: Score(0), beta: Score(100) });
    assert!(scheme("impchess").whole_window);
    assert_eq!(verdict("impchess", Score(60), open), Verdict::SearchOn, "alpha stays");
    assert_eq!(verdict("impchess", Score(100), open), Verdict::Cut(CutScore(Score(100))));
}

const KING_MOVE: LastMove = LastMove { piece: PieceType::King, target: 6, captured: true };

#[test]
fn the_trigger_of_impchess_asks_the_material() {
    let name = "impchess-triggered";
    let rook_up = left(FULL, [8, 2, 2, 1, 1]);
    assert!(tries(name, rook_up) && !tries(name, EXAMPLE));
    let change = |change: fn(&mut Made)| {
        let mut made = rook_up;
        change(&mut made);
        made
    };
    let high = change(|made| made.node.window = Window::zero_below(Score(400)));
    assert!(!tries(name, high), "a pawn above beta");
    assert!(!tries(name, change(|made| made.last_move = Some(KING_MOVE))));
    assert!(!tries(name, change(|made| made.node.window.alpha = -Score::INFINITE)));
}

#[test]
fn the_guide_asks_evaluation_depth_and_pieces() {
    for name in ["guide-fixed", "guide-adaptive", "guide-formula"] {
        assert!(tries(name, at_depth(3)));
        assert!(!tries(name, at_depth(2)));
        assert!(!tries(name, with(|made| made.node.evals.static_eval = Score(99))));
        assert!(!tries(name, left([8, 0, 0, 0, 0], FULL)));
        assert!(!tries(name, with(|made| made.in_a_row = 1)));
        let mated = Score::mated_in(5);
        assert_eq!(verdict(name, mated, EXAMPLE), Verdict::Extend, "a threat of mate");
        assert_eq!(verdict(name, Score(99), EXAMPLE), Verdict::SearchOn);
        let cut = verdict(name, Score(180), EXAMPLE);
        assert_eq!(cut, Verdict::Cut(CutScore(Score(100))), "fail hard");
    }
    let ending = left([4, 1, 0, 0, 0], [4, 1, 0, 0, 0]);
    let cut = CutScore(Score(100));
    let doubt = verdict("guide-formula", Score(180), ending);
    assert_eq!(doubt, verify(4, cut));
    assert_eq!(verdict("guide-fixed", Score(180), ending), Verdict::Cut(cut));
}

#[test]
fn verified_needs_two_fail_highs() {
    let score = Score(180);
    assert_eq!(verdict("verified", score, EXAMPLE), Verdict::Reduce(1));
    let below = with(|made| made.verification_pending = false);
    assert_eq!(verdict("verified", score, below), Verdict::Cut(CutScore(score)));
    assert_eq!(verdict("verified", Score(99), EXAMPLE), Verdict::SearchOn);
    assert_eq!(r("verified", EXAMPLE), 3);
    let last = at_depth(1);
    assert!(!tries("verified", last), "no room to verify");
    assert!(tries("verified", Made { verification_pending: false, ..last }));
    let pawns = left([8, 0, 0, 0, 0], FULL);
    assert!(tries("verified", pawns), "verification stands in for a guard");
}

/// The verdict on a score above beta under a scheme with this verification.
fn verified_by(verification: &str, made: Made) -> Verdict {
    let verification = verification.parse().expect(verification);
    let scheme = Scheme { verification, ..scheme("fixed-3") };
    scheme.conclude(Attempt { depth: Depth(4) }, Score(180), &made, &TunedParams::default())
}

#[test]
fn dropped_variants_reduce_and_never_cut() {
    let below = with(|made| made.verification_pending = false);
    for (name, above, further_down) in
        [("reduce-1", 1, 1), ("reduce-2", 2, 2), ("reduce-1-2", 1, 2), ("reduce-4", 4, 4)]
    {
        assert_eq!(verified_by(name, EXAMPLE), Verdict::Reduce(above), "{name}");
        assert_eq!(verified_by(name, below), Verdict::Reduce(further_down), "{name}");
        let verification: Verification = name.parse().expect(name);
        assert!(!verification.repeats(), "{name}");
    }
    assert!(Verification::Reduce.repeats());
    let shallower = |name: &str| name.parse().map(|it: Verification| it.shallower(4));
    let all = ["reduce", "reduce-1", "reduce-2", "reduce-1-2", "reduce-4", "guide", "deep"];
    assert_eq!(all.map(shallower), [1, 1, 2, 1, 4, 3, 4].map(Ok), "against R = 3");
    assert!(Verification::Reduce.reduces() && !Verification::Deep.reduces());
    assert_eq!((r("extended", at_depth(6)), r("extended", at_depth(7))), (3, 4));
    let pawns = left([8, 0, 0, 0, 0], [8, 0, 0, 0, 0]);
    assert!(tries("extended", pawns), "it is said to be safe in zugzwang");
}

#[test]
fn the_guide_verifies_at_its_own_depth() {
    let minor = [8, 0, 1, 0, 0];
    let cut = CutScore(Score(180));
    let ordinary = |depth| Verdict::Verify { depth: Depth(depth), cut, ordinary: true };
    assert_eq!(verified_by("guide", left(minor, minor)), ordinary(5));
    let shallow = Made { node: at_depth(5).node, ..left(minor, minor) };
    assert_eq!(verified_by("guide", shallow), ordinary(4), "never as deep as the node");
    for other in [[8, 1, 1, 0, 0], [0, 0, 0, 1, 0]] {
        assert_eq!(verified_by("guide", left(minor, other)), Verdict::Cut(cut), "{other:?}");
        assert_eq!(verified_by("guide", left(other, minor)), Verdict::Cut(cut), "{other:?}");
    }
    let equal = with(|made| evaluate(made, 100));
    assert!(tries("guide-formula", equal) && !tries("guide-verified", equal));
}

#[test]
fn null_moves_may_follow_each_other_by_rule() {
    let tries = |repetition: &str, in_a_row, null_moves_above| {
        let repetition = repetition.parse().expect(repetition);
        let scheme = Scheme { repetition, ..scheme("fixed-2") };
        let made = Made { in_a_row, null_moves_above, ..EXAMPLE };
        scheme.attempt(&made, &TunedParams::default()).is_some()
    };
    let allowed = |repetition| {
        let cases = [(0, 0), (0, 1), (0, 2), (1, 1), (2, 2)];
        cases.map(|(in_a_row, above)| tries(repetition, in_a_row, above))
    };
    assert_eq!(allowed("single"), [true, true, true, false, false]);
    assert_eq!(allowed("once"), [true, false, false, false, false]);
    assert_eq!(allowed("twice"), [true, true, false, true, false]);
    assert_eq!(allowed("pair"), [true, true, true, true, false]);
    assert_eq!(allowed("double"), [true; 5]);
}

#[test]
fn guards_ask_the_root_and_the_attacks() {
    let tries = |guard: &str, made: Made| {
        let scheme = Scheme { guard: guard.parse().expect(guard), ..scheme("fixed-2") };
        scheme.attempt(&made, &TunedParams::default()).is_some()
    };
    let minor = [8, 1, 0, 0, 0];
    assert!(tries("captured-at-root", left(minor, minor)), "much is left at the root");
    assert!(!tries("captured-at-root", Made { root_pieces: [minor; 2], ..EXAMPLE }));
    let calm = with(|made| (made.threatened, made.recent_checks) = (0, 0));
    assert!(tries("quiet", calm));
    assert!(!tries("quiet", Made { recent_checks: 1, ..calm }));
    assert!(!tries("quiet", Made { threatened: 1, ..calm }));
    assert!(!tries("quiet", Made { pieces: [[8, 0, 0, 0, 0], FULL], ..calm }));
}

#[test]
fn a_null_search_with_the_whole_window_raises_alpha() {
    let whole = Scheme { whole_window: true, ..scheme("fixed-2") };
    let open = with(|made| made.node.window = Window { alpha: Score(0), beta: Score(100) });
    let verdict = |scheme: Scheme, score, made: Made| {
        scheme.conclude(Attempt { depth: Depth(4) }, score, &made, &TunedParams::default())
    };
    assert_eq!(verdict(whole, Score(60), open), Verdict::RaiseAlpha(CutScore(Score(60))));
    assert_eq!(verdict(whole, Score(0), open), Verdict::SearchOn);
    assert_eq!(verdict(whole, Score(100), open), Verdict::Cut(CutScore(Score(100))));
    assert_eq!(verdict(scheme("fixed-2"), Score(60), open), Verdict::SearchOn);
    assert_eq!(
        verdict(whole, Score(99), EXAMPLE),
        Verdict::SearchOn,
        "a zero window has no inside"
    );
}

#[test]
fn both_sides_need_pieces_worth_more_than_a_parameter() {
    let scheme = Scheme { guard: Guard::BothWorthMore, ..scheme("fixed-2") };
    let params = Params { null_move_guard_material: 300, ..Params::default() };
    let params = TunedParams::new(params);
    let tries = |own, other| scheme.attempt(&left(own, other), &params).is_some();
    let (knight, rook) = ([8, 1, 0, 0, 0], [8, 0, 0, 1, 0]);
    assert!(tries(rook, rook) && !tries(rook, knight) && !tries(knight, rook));
}

#[test]
fn both_sides_need_a_piece() {
    let scheme = Scheme { guard: Guard::BothHavePiece, ..scheme("verified") };
    let tries = |own, other| scheme.attempt(&left(own, other), &TunedParams::default()).is_some();
    let (pawns, knight) = ([8, 0, 0, 0, 0], [0, 1, 0, 0, 0]);
    assert!(tries(knight, knight));
    assert!(!tries(knight, pawns) && !tries(pawns, knight) && !tries(pawns, pawns));
}

#[test]
fn multi_cut_asks_for_a_cut_node() {
    assert_eq!(r("multi-cut", EXAMPLE), 2);
    assert!(!tries("multi-cut", with(|made| made.node.cut_node = false)));
    assert!(tries("multi-cut", at_depth(2)) && !tries("multi-cut", at_depth(1)));
    assert!(tries("multi-cut", left([8, 0, 0, 0, 0], [0; 5])), "its moves are real");
    let cut = verdict("multi-cut", Score(180), EXAMPLE);
    assert_eq!(cut, Verdict::Cut(CutScore(Score(100))), "fail hard");
}

#[test]
fn no_scheme_returns_a_mate() {
    let verify_depth = TunedParams::default().null_move_verify_depth;
    let depths = [EXAMPLE.node.depth.0, verify_depth];
    let mut verified = Vec::new();
    for ((name, scheme), depth) in Scheme::ALL.iter().flat_map(|it| depths.map(|depth| (it, depth)))
    {
        let made = Made { verification_pending: false, ..at_depth(depth) };
        let verdict = verdict(name, Score::mate_in(5), made);
        if let Verdict::Reduce(_) = verdict {
            continue;
        }
        let cut = CutScore(Score(100));
        let verifies =
            matches!(scheme.verification, Verification::Deep) && made.node.depth.0 >= verify_depth;
        let expected = if verifies { verify(4, cut) } else { Verdict::Cut(cut) };
        assert_eq!(verdict, expected, "{name}");
        verified.extend(verifies.then_some(*name));
    }
    assert_eq!(verified, ["nullarbor", "off"]);
}

#[test]
fn the_default_scheme_verifies_from_a_depth_on() {
    let deep = at_depth(TunedParams::default().null_move_verify_depth);
    let cut = CutScore(Score(150));
    assert_eq!(verdict("nullarbor", Score(150), deep), verify(4, cut));
    assert_eq!(verdict("nullarbor", Score(50), deep), Verdict::SearchOn);
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

#[test]
fn features_are_what_the_node_knows() {
    let made = Made { last_move: Some(KING_MOVE), ..left(FULL, [7, 2, 1, 2, 0]) };
    let value = |name: &str, made: Made| {
        let feature: Feature = name.parse().expect(name);
        feature.value(&made)
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
        assert_eq!(value(name, made), expected, "{name}");
    }
    assert_eq!((value("last_piece", EXAMPLE), value("last_target", EXAMPLE)), (0, 64));
    let all = Feature::all(&made);
    assert_eq!(all[2], 9, "in the order of their table");
}
