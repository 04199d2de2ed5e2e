use super::*;

fn facts() -> Facts {
    Facts {
        depth: Depth(9),
        beta: Score(100),
        static_eval: Score(300),
        eval: Score(300),
        improving: false,
        in_check: false,
        excluding: false,
        after_null: false,
        has_pieces: true,
        barred: false,
        table_fails_low: false,
        table_move_is_capture: false,
        quiet_board: false,
    }
}

fn attempt(facts: Facts) -> Option<Attempt> {
    Policy::Formula.attempt(&facts, &Tuned::default())
}

#[test]
fn passes_when_ahead_and_only_where_passing_means_something() {
    assert!(attempt(facts()).is_some());
    assert_eq!(attempt(Facts { in_check: true, ..facts() }), None);
    assert_eq!(attempt(Facts { after_null: true, ..facts() }), None);
    assert_eq!(attempt(Facts { has_pieces: false, ..facts() }), None);
    assert_eq!(attempt(Facts { excluding: true, ..facts() }), None);
    assert_eq!(attempt(Facts { barred: true, ..facts() }), None);
    assert_eq!(attempt(Facts { table_fails_low: true, ..facts() }), None);
    assert_eq!(attempt(Facts { beta: Score::mated_in(3), ..facts() }), None);
    assert_eq!(attempt(Facts { depth: Depth(1), ..facts() }), None);
    assert_eq!(attempt(Facts { eval: Score(99), static_eval: Score(99), ..facts() }), None);
    assert_eq!(Policy::Off.attempt(&facts(), &Tuned::default()), None);
}

#[test]
fn the_margin_loosens_with_depth() {
    let near = Facts { static_eval: Score(110), eval: Score(110), ..facts() };
    assert_eq!(attempt(Facts { depth: Depth(4), ..near }), None);
    assert!(attempt(Facts { depth: Depth(16), ..near }).is_some());
}

#[test]
fn reduces_more_with_depth_and_with_the_lead() {
    let reduction = |facts: Facts| facts.depth.0 - attempt(facts).expect("an attempt").depth.0;
    let base = reduction(facts());
    assert!(reduction(Facts { depth: Depth(18), ..facts() }) > base);
    assert!(reduction(Facts { eval: Score(900), ..facts() }) > base);
    let far = |lead| reduction(Facts { eval: Score(lead), ..facts() });
    assert_eq!(far(5000), far(9000), "the lead counts up to a cap");
}

#[test]
fn never_returns_a_mate() {
    let attempt = Attempt { depth: Depth(3) };
    let verdict = Policy::Formula.conclude(attempt, Score::mate_in(5), &facts(), &Tuned::default());
    assert_eq!(verdict, Verdict::Cut(CutScore(Score(100))));
}

#[test]
fn verifies_from_a_depth_on() {
    let tuned = Tuned::default();
    let deep = Facts { depth: Depth(tuned.null_move_verify_depth), ..facts() };
    let attempt = Attempt { depth: Depth(6) };
    let verdict = Policy::Formula.conclude(attempt, Score(150), &deep, &tuned);
    assert_eq!(verdict, Verdict::Verify(Depth(6), CutScore(Score(150))));
    assert_eq!(Policy::Formula.conclude(attempt, Score(50), &deep, &tuned), Verdict::SearchOn);
}
