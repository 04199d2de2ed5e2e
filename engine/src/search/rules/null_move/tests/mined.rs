//! Triggers that were mined from logs.

use super::*;

/// Pass where the depth is above 4, and in shallower nodes where the evaluation is far above beta.
fn mined() -> Tree {
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
fn a_mined_rule_is_a_trigger() {
    let rule = Rule::new(&mined()).expect("two questions");
    let scheme = Scheme { trigger: Trigger::Rule(rule), ..scheme("fixed-2") };
    let tries = |depth, eval| {
        let mut made = at_depth(depth);
        made.node.evals.eval = Score(eval);
        scheme.attempt(&made, &TunedParams::default()).is_some()
    };
    assert!(tries(5, -500) && !tries(4, 250) && tries(4, 251));
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
