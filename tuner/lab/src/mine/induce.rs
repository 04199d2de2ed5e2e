//! A rule that nobody has thought of: a decision tree of bounded depth that saves as many nodes as it can.
//!
//! Each attempt is a lesson: "pass" if its cut-off saved more nodes than the null search took, "do not" otherwise. It
//! weighs as much as it saved or wasted. So a leaf of the tree that follows the weightier answer saves the most nodes that a
//! leaf can; accuracy counts for nothing.

use linfa::prelude::*;
use linfa_trees::{DecisionTree, SplitQuality, TreeNode};
use ndarray::{Array1, Array2};
use nullarbor::search::null_move::{Feature, Tree};
use thiserror::Error;

use super::attempts::Attempts;

/// How to learn.
#[derive(Clone, Debug)]
pub struct Lessons {
    /// What the rule may ask.
    pub features: Vec<Feature>,
    /// Questions in a row at most.
    pub depth: usize,
    /// Attempts to learn from at most; as many are kept to see what was learnt.
    pub rows: usize,
    /// The smallest share of all nodes at stake that an answer may be about.
    pub smallest_share: f64,
}

/// Features that mean the same in any position.
pub const GENERAL: &[Feature] = &[
    Feature::Depth,
    Feature::OpenWindow,
    Feature::CutNode,
    Feature::Improving,
    Feature::StaticEvalMinusBeta,
    Feature::EvalMinusBeta,
    Feature::MaterialMinusBeta,
    Feature::Phase,
    Feature::OwnPieces,
    Feature::TheirPieces,
    Feature::LastPiece,
    Feature::LastCaptured,
    Feature::TableBound,
    Feature::Threats,
    Feature::ChecksNear,
];

/// What a rule does on attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Balance {
    /// Nodes saved by the null moves that it makes, less what they took.
    pub gained: f64,
    /// Attempts that it makes.
    pub made: f64,
    /// All attempts.
    pub all: f64,
}

/// A rule and what it is worth.
#[derive(Clone, Debug)]
pub struct Learnt {
    /// The rule.
    pub tree: Tree,
    /// What it does on attempts that it was not learnt from.
    pub rule: Balance,
    /// What passing always does there.
    pub always: Balance,
    /// What no rule can beat: to pass exactly where it pays.
    pub best: Balance,
}

/// Why nothing can be learnt.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum InduceError {
    #[error("no cut-off of the log was searched on: log with --probe")]
    NoProbes,
    #[error("the log has too few attempts to learn from: {0}")]
    TooFew(usize),
    #[error("the attempts teach nothing: {0}")]
    Tree(String),
}

/// An attempt to learn from.
struct Lesson {
    row: usize,
    /// Nodes gained by passing; less than nothing where it was in vain.
    gain: f64,
    /// How many attempts of the log it stands for.
    stands_for: f64,
}

/// Fewer attempts are an anecdote.
const FEWEST: usize = 100;

/// Learns a rule from every other lesson and tries it on the rest.
///
/// # Errors
/// Where the log does not hold enough.
///
/// # Panics
/// Where the columns of the endings or the features were not read.
pub fn induce(attempts: &Attempts, how: &Lessons) -> Result<Learnt, InduceError> {
    let lessons = lessons(attempts, 2 * how.rows)?;
    let columns: Vec<&[i32]> = how
        .features
        .iter()
        .map(|feature| attempts.column(feature.name()).expect("the columns of the features"))
        .collect();
    let (learnt_from, rest): (Vec<_>, Vec<_>) =
        lessons.iter().enumerate().partition(|(index, _)| index % 2 == 0);
    let learnt_from: Vec<&Lesson> = learnt_from.into_iter().map(|(_, lesson)| lesson).collect();
    let rest: Vec<&Lesson> = rest.into_iter().map(|(_, lesson)| lesson).collect();
    let tree = simplified(learn(&learnt_from, &columns, how)?);
    let says_yes = |lesson: &Lesson| {
        let value = |feature: Feature| {
            let index = how.features.iter().position(|known| *known == feature);
            index.map_or(0, |index| columns[index][lesson.row])
        };
        answer(&tree, &value)
    };
    Ok(Learnt {
        rule: balance(&rest, says_yes),
        always: balance(&rest, |_| true),
        best: balance(&rest, |lesson| lesson.gain > 0.0),
        tree,
    })
}

/// Cut-offs that were searched on, each for as many others, and as large a share of the attempts in vain.
fn lessons(attempts: &Attempts, most: usize) -> Result<Vec<Lesson>, InduceError> {
    let endings = attempts.endings().expect("the columns of the endings");
    let rows = 0..attempts.len();
    let cuts = rows.clone().filter(|&row| endings.is_cut(row)).count();
    let probed: Vec<(usize, u64)> =
        rows.clone().filter_map(|row| Some((row, endings.full(row)?))).collect();
    if probed.is_empty() {
        return Err(InduceError::NoProbes);
    }
    let share = cuts as f64 / probed.len() as f64;
    let saved = probed.iter().map(|&(row, full)| Lesson {
        row,
        gain: full as f64 - endings.spent(row) as f64,
        stands_for: share,
    });
    let in_vain = rows.filter(|&row| !endings.is_cut(row)).map(|row| Lesson {
        row,
        gain: -(endings.spent(row) as f64),
        stands_for: 1.0,
    });
    let mut all: Vec<Lesson> = saved.collect();
    let room = most.saturating_sub(all.len()).max(all.len());
    let failures = attempts.len() - cuts;
    let step = failures.div_ceil(room.max(1)).max(1);
    all.extend(in_vain.step_by(step).map(|lesson| Lesson { stands_for: step as f64, ..lesson }));
    all.sort_by_key(|lesson| lesson.row);
    if all.len() < FEWEST {
        return Err(InduceError::TooFew(all.len()));
    }
    Ok(all)
}

fn learn(lessons: &[&Lesson], columns: &[&[i32]], how: &Lessons) -> Result<Tree, InduceError> {
    let weight = |lesson: &&Lesson| (lesson.gain.abs() * lesson.stands_for) as f32;
    let records = Array2::from_shape_fn((lessons.len(), columns.len()), |(lesson, column)| {
        f64::from(columns[column][lessons[lesson].row])
    });
    let pays: Array1<bool> = lessons.iter().map(|lesson| lesson.gain > 0.0).collect();
    let weights: Array1<f32> = lessons.iter().map(weight).collect();
    let smallest = weights.sum() * how.smallest_share as f32;
    let tree = DecisionTree::params()
        .split_quality(SplitQuality::Entropy)
        .max_depth(Some(how.depth))
        .min_weight_split(2.0 * smallest)
        .min_weight_leaf(smallest)
        .fit(&Dataset::new(records, pays).with_weights(weights))
        .map_err(|error| InduceError::Tree(error.to_string()))?;
    Ok(translated(tree.root_node(), &how.features))
}

/// The crate splits on `value < threshold`, the left child being that; a rule asks whether a whole number is above another.
fn translated(node: &TreeNode<f64, bool>, features: &[Feature]) -> Tree {
    let children: Vec<&TreeNode<f64, bool>> =
        node.children().into_iter().filter_map(|child| child.as_deref()).collect();
    let [below, above] = children[..] else {
        return Tree::Answer(node.prediction().unwrap_or(false));
    };
    let (feature, threshold, _) = node.split();
    let threshold = (threshold.ceil() - 1.0).clamp(f64::from(i16::MIN), f64::from(i16::MAX));
    Tree::Split {
        feature: features[feature],
        above: threshold as i16,
        then: Box::new(translated(above, features)),
        otherwise: Box::new(translated(below, features)),
    }
}

/// Without questions whose answer does not matter, or is known from the one before.
fn simplified(tree: Tree) -> Tree {
    let Tree::Split { feature, above, then, otherwise } = tree else { return tree };
    let (then, otherwise) = (simplified(*then), simplified(*otherwise));
    if then == otherwise {
        return then;
    }
    // "Above 3, or else above 1" is above 1; "above 1, and then above 3" is above 3.
    let asks_the_same =
        |inner: &Tree| matches!(inner, Tree::Split { feature: same, .. } if *same == feature);
    match (&then, &otherwise) {
        (_, Tree::Split { then: inner, .. }) if asks_the_same(&otherwise) && **inner == then => {
            otherwise
        }
        (Tree::Split { otherwise: inner, .. }, _)
            if asks_the_same(&then) && **inner == otherwise =>
        {
            then
        }
        _ => Tree::Split { feature, above, then: Box::new(then), otherwise: Box::new(otherwise) },
    }
}

fn answer(tree: &Tree, value: &impl Fn(Feature) -> i32) -> bool {
    match tree {
        Tree::Answer(answer) => *answer,
        Tree::Split { feature, above, then, otherwise } => {
            let yes = value(*feature) > i32::from(*above);
            answer(if yes { then } else { otherwise }, value)
        }
    }
}

fn balance(lessons: &[&Lesson], passes: impl Fn(&Lesson) -> bool) -> Balance {
    let mut balance = Balance::default();
    for lesson in lessons {
        balance.all += lesson.stands_for;
        if passes(lesson) {
            balance.made += lesson.stands_for;
            balance.gained += lesson.gain * lesson.stands_for;
        }
    }
    balance
}

/// The rule as people write it, a line each.
pub fn readable(tree: &Tree) -> String {
    fn write(tree: &Tree, indent: usize, lines: &mut String) {
        let space = "  ".repeat(indent);
        match tree {
            Tree::Answer(answer) => {
                *lines += &format!("{space}{}\n", if *answer { "pass" } else { "do not pass" });
            }
            Tree::Split { feature, above, then, otherwise } => {
                *lines += &format!("{space}if {} > {above}\n", feature.name());
                write(then, indent + 1, lines);
                *lines += &format!("{space}else\n");
                write(otherwise, indent + 1, lines);
            }
        }
    }
    let mut lines = String::new();
    write(tree, 0, &mut lines);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mine::attempts::MISSING;

    /// Cut-offs save much where `eval_minus_beta > 30`; passing is in vain elsewhere, and more so where pieces hang.
    fn log() -> Attempts {
        let mut columns = vec![Vec::new(); 7];
        for row in 0..2000 {
            let (lead, threats) = (row % 100 - 50, row % 3);
            let cut = lead > 30;
            let full = if cut && row % 2 == 0 { 1000 } else { MISSING };
            let cells = [lead, threats, 0, i32::from(cut), 100, full, MISSING];
            columns.iter_mut().zip(cells).for_each(|(column, cell): (&mut Vec<i32>, _)| {
                column.push(cell);
            });
        }
        let names = [
            "eval_minus_beta",
            "threats",
            "beta",
            "cut",
            "null_nodes",
            "probe_nodes",
            "truth_score",
        ];
        Attempts::new(names.map(str::to_owned).to_vec(), columns)
    }

    fn how() -> Lessons {
        Lessons {
            features: vec![Feature::EvalMinusBeta, Feature::Threats],
            depth: 3,
            rows: 10_000,
            smallest_share: 0.001,
        }
    }

    #[test]
    fn a_planted_rule_is_found() {
        let learnt = induce(&log(), &how()).expect("lessons");
        let [yes, no] = [true, false].map(|answer| Box::new(Tree::Answer(answer)));
        let Tree::Split { feature: Feature::EvalMinusBeta, above, then, otherwise } = learnt.tree
        else {
            panic!("{:?}", learnt.tree)
        };
        // Every other row teaches, and those leave one number out.
        assert!((30..=31).contains(&above), "{above}");
        assert_eq!((then, otherwise), (yes, no));
        assert_eq!(learnt.rule.made, learnt.best.made);
        assert!(learnt.always.gained < learnt.rule.gained);
        assert!((learnt.rule.made / learnt.rule.all - 0.19).abs() < 0.02, "{:?}", learnt.rule);
    }

    #[test]
    fn where_nothing_can_be_learnt_it_says_so() {
        let names = [
            "beta",
            "cut",
            "null_nodes",
            "probe_nodes",
            "truth_score",
            "eval_minus_beta",
            "threats",
        ];
        let unprobed = Attempts::new(
            names.map(str::to_owned).to_vec(),
            [1, 1, 10, MISSING, MISSING, 5, 0].map(|cell| vec![cell; 500]).to_vec(),
        );
        assert!(matches!(induce(&unprobed, &how()), Err(InduceError::NoProbes)));
        let short = Attempts::new(
            names.map(str::to_owned).to_vec(),
            [1, 1, 10, 40, MISSING, 5, 0].map(|cell| vec![cell; 20]).to_vec(),
        );
        assert!(matches!(induce(&short, &how()), Err(InduceError::TooFew(20))));
    }

    #[test]
    fn two_questions_that_are_one_become_one() {
        let depth = |above, then, otherwise| Tree::Split {
            feature: Feature::Depth,
            above,
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        };
        let [yes, no] = [true, false].map(Tree::Answer);
        let or_else = depth(3, yes.clone(), depth(1, yes.clone(), no.clone()));
        assert_eq!(simplified(or_else), depth(1, yes.clone(), no.clone()));
        let and_then = depth(1, depth(3, yes.clone(), no.clone()), no.clone());
        assert_eq!(simplified(and_then), depth(3, yes.clone(), no.clone()));
        let needed = depth(3, no.clone(), depth(1, yes, no));
        assert_eq!(simplified(needed.clone()), needed);
    }

    #[test]
    fn rules_can_be_read() {
        let leaf = |answer| Box::new(Tree::Answer(answer));
        let same = Tree::Split {
            feature: Feature::Ply,
            above: 3,
            then: leaf(true),
            otherwise: leaf(true),
        };
        let tree = Tree::Split {
            feature: Feature::Depth,
            above: 4,
            then: Box::new(same),
            otherwise: leaf(false),
        };
        assert_eq!(readable(&simplified(tree)), "if depth > 4\n  pass\nelse\n  do not pass\n");
    }
}
