//! Fits a rule to a log: a decision tree of bounded depth (CART; L. Breiman, J. Friedman, R. Olshen, C. Stone 1984) that
//! saves as many nodes as it can.
//!
//! Each attempt is a sample of the class "pass" if its cutoff saved more nodes than the null-move search took, and of "do not
//! pass" otherwise, weighted by the nodes that it saved or wasted. A leaf that predicts the heavier class thus saves the
//! most nodes; classification accuracy does not matter. [`Objective::Cutoffs`] fits a tree to the cutoffs themselves instead.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::RangedU64ValueParser;
use linfa::prelude::*;
use linfa_trees::{DecisionTree, SplitQuality, TreeNode};
use ndarray::{Array1, Array2};
use nullarbor::search::null_move::{Feature, Rule, Tree};
use nullarbor_games::scheme::{NamedScheme, SchemeError};
use nullarbor_report::table::Table;
use nullarbor_runs::files::FileError;
use serde::Deserialize;
use thiserror::Error;

use super::columns::{Columns, Outcomes};
use super::log_file;
use super::tree_svg;
use crate::numbers::signed;

/// Objective that a rule is fitted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    /// To save nodes.
    #[default]
    Nodes,
    /// To tell the attempts that cut from those that fail.
    Cutoffs,
}

/// Hyperparameters of the tree.
#[derive(Clone, Debug, clap::Args)]
pub struct Config {
    /// Maximum depth of the tree
    #[arg(long, default_value_t = 3, value_parser = RangedU64ValueParser::<usize>::new().range(1..=Rule::MAX_DEPTH as u64))]
    pub depth: usize,
    /// Features that the rule may test [default: those whose meaning does not depend on the position]
    #[arg(long, value_delimiter = ',')]
    pub features: Vec<Feature>,
    /// Goal of the rule: save nodes, or predict cutoffs
    #[arg(long, value_enum, default_value_t)]
    pub objective: Objective,
    /// Approximate number of attempts to fit the rule to; all probed cutoffs are used, and at least as many failures
    #[arg(long, default_value_t = 200_000, value_parser = RangedU64ValueParser::<usize>::new().range(100..=10_000_000))]
    pub rows: usize,
    /// Minimum share of the total weight in a leaf
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = share)]
    pub smallest_share: f64,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share: &f64| (0.0..=0.5).contains(share));
    share.ok_or_else(|| format!("`{text}` is not a share from 0 to 0.5"))
}

/// The features whose meaning does not depend on the position, the default of the miner.
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
    Feature::TtBound,
    Feature::Threats,
    Feature::ChecksNear,
];

/// The gain of a rule on a set of attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gain {
    /// Nodes saved by the null moves that the rule makes, less the nodes of their searches.
    pub nodes: f64,
    /// Attempts that the rule makes.
    pub made: f64,
    /// All attempts.
    pub all: f64,
}

/// A fitted rule and its gain on the attempts of held-out games.
#[derive(Clone, Debug)]
pub struct FittedRule {
    /// The rule.
    pub tree: Tree,
    /// Gain of the rule.
    pub rule: Gain,
    /// The gain of always passing.
    pub always: Gain,
    /// The gain of passing exactly where it pays: an upper bound.
    pub best: Gain,
}

/// Why no rule can be fitted or written.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum FitError {
    #[error(
        "no cutoff of the log, or of one half of its games, was probed: log with --probe, or more games"
    )]
    NoProbes,
    #[error(
        "one half of the games of the log has too few attempts to fit or to check a rule: {0} of {FEWEST}; log more games"
    )]
    TooFew(usize),
    #[error(
        "all attempts of the log are of one game, and rules are fitted to some games and checked on others: log more games"
    )]
    OneGame,
    #[error("the tree cannot be fitted: {0}")]
    Tree(String),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Scheme(#[from] SchemeError),
}

/// An attempt to fit the tree to.
struct Sample {
    row: usize,
    /// Nodes saved by the cutoff, less those of the null-move search.
    gain: f64,
    cut: bool,
    /// Number of attempts of the log that it represents.
    multiplicity: f64,
}

/// Minimum number of samples of the games that a rule is fitted to, and of those that it is checked on.
const FEWEST: usize = 50;

/// Reads a log and fits a rule to it.
///
/// # Errors
/// If the log cannot be read or does not hold enough.
pub fn fit_log(log: &Path, config: &Config) -> Result<FittedRule, FitError> {
    let mut config = config.clone();
    if config.features.is_empty() {
        config.features = GENERAL.to_vec();
    }
    let features = config.features.iter().map(|feature| feature.name().to_owned());
    fit(&log_file::read(log, &Outcomes::with(features))?, &config)
}

/// Fits a rule to every other game and validates it on the rest.
///
/// # Errors
/// If the log does not hold enough.
///
/// # Panics
/// If an outcome or a feature was not read.
pub fn fit(log: &Columns, config: &Config) -> Result<FittedRule, FitError> {
    let samples = samples(log, 2 * config.rows);
    let columns: Vec<&[i32]> =
        config.features.iter().map(|feature| log.column(feature.name())).collect();
    let [training, held_out] = by_game(log, &samples)?;
    let tree = simplified(train(&training, &columns, config)?);
    let passes = |sample: &Sample| {
        let value = |feature: Feature| {
            let index = config.features.iter().position(|known| *known == feature);
            index.map_or(0, |index| columns[index][sample.row])
        };
        predict(&tree, &value)
    };
    Ok(FittedRule {
        rule: gain(&held_out, passes),
        always: gain(&held_out, |_| true),
        best: gain(&held_out, |sample| sample.gain > 0.0),
        tree,
    })
}

/// Returns the samples of every other game, and those of the rest: null searches of one game are alike, so that a rule cannot be
/// validated on the games that it was fitted to. Each half must hold enough.
fn by_game<'a>(log: &Columns, samples: &'a [Sample]) -> Result<[Vec<&'a Sample>; 2], FitError> {
    let outcomes = log.outcomes();
    let games: BTreeSet<i32> = (0..log.len()).map(|row| outcomes.game(row)).collect();
    let fitted: BTreeSet<i32> = games.iter().copied().step_by(2).collect();
    let (training, held_out): (Vec<_>, Vec<_>) =
        samples.iter().partition(|it| fitted.contains(&outcomes.game(it.row)));
    require_enough(&training)?;
    if games == fitted {
        return Err(FitError::OneGame);
    }
    require_enough(&held_out)?;
    Ok([training, held_out])
}

fn require_enough(samples: &[&Sample]) -> Result<(), FitError> {
    if !samples.iter().any(|it| it.cut) {
        return Err(FitError::NoProbes);
    }
    if samples.len() < FEWEST {
        return Err(FitError::TooFew(samples.len()));
    }
    Ok(())
}

/// Returns the probed cutoffs, each for its share of all cutoffs, and a systematic sample of the failed attempts.
fn samples(log: &Columns, most: usize) -> Vec<Sample> {
    let outcomes = log.outcomes();
    let rows = 0..log.len();
    let cutoffs = rows.clone().filter(|&row| outcomes.is_cut(row)).count();
    let mut samples: Vec<Sample> = rows
        .clone()
        .filter_map(|row| {
            let gain = outcomes.full_nodes(row)? as f64 - outcomes.null_nodes(row) as f64;
            Some(Sample { row, gain, cut: true, multiplicity: 0.0 })
        })
        .collect();
    let share = cutoffs as f64 / samples.len() as f64;
    samples.iter_mut().for_each(|sample| sample.multiplicity = share);
    let room = most.saturating_sub(samples.len()).max(samples.len());
    let step = (log.len() - cutoffs).div_ceil(room).max(1);
    let failed = rows.filter(|&row| !outcomes.is_cut(row)).step_by(step).map(|row| Sample {
        row,
        gain: -(outcomes.null_nodes(row) as f64),
        cut: false,
        multiplicity: step as f64,
    });
    samples.extend(failed);
    samples.sort_by_key(|sample| sample.row);
    samples
}

fn train(samples: &[&Sample], columns: &[&[i32]], config: &Config) -> Result<Tree, FitError> {
    let weight = |sample: &&Sample| {
        let own = match config.objective {
            Objective::Nodes => sample.gain.abs(),
            Objective::Cutoffs => 1.0,
        };
        (own * sample.multiplicity) as f32
    };
    let pays = |sample: &&Sample| match config.objective {
        Objective::Nodes => sample.gain > 0.0,
        Objective::Cutoffs => sample.cut,
    };
    let records = Array2::from_shape_fn((samples.len(), columns.len()), |(sample, column)| {
        f64::from(columns[column][samples[sample].row])
    });
    let pays: Array1<bool> = samples.iter().map(pays).collect();
    let weights: Array1<f32> = samples.iter().map(weight).collect();
    let smallest = weights.sum() * config.smallest_share as f32;
    let tree = DecisionTree::params()
        .split_quality(SplitQuality::Entropy)
        .max_depth(Some(config.depth))
        .min_weight_split(2.0 * smallest)
        .min_weight_leaf(smallest)
        .fit(&Dataset::new(records, pays).with_weights(weights))
        .map_err(|error| FitError::Tree(error.to_string()))?;
    Ok(converted(tree.root_node(), &config.features))
}

/// Converts a tree of linfa, whose left children hold `value < threshold`, to one of the engine, which tests `value > integer`.
fn converted(node: &TreeNode<f64, bool>, features: &[Feature]) -> Tree {
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
        then: Box::new(converted(above, features)),
        otherwise: Box::new(converted(below, features)),
    }
}

/// Removes tests whose result does not matter or is known from the test above.
fn simplified(tree: Tree) -> Tree {
    let Tree::Split { feature, above, then, otherwise } = tree else { return tree };
    let (then, otherwise) = (simplified(*then), simplified(*otherwise));
    if then == otherwise {
        return then;
    }
    // `> 3 || > 1` is `> 1`, and `> 1 && > 3` is `> 3`.
    let tests_the_same =
        |inner: &Tree| matches!(inner, Tree::Split { feature: same, .. } if *same == feature);
    match (&then, &otherwise) {
        (_, Tree::Split { then: inner, .. }) if tests_the_same(&otherwise) && **inner == then => {
            otherwise
        }
        (Tree::Split { otherwise: inner, .. }, _)
            if tests_the_same(&then) && **inner == otherwise =>
        {
            then
        }
        _ => Tree::Split { feature, above, then: Box::new(then), otherwise: Box::new(otherwise) },
    }
}

fn predict(tree: &Tree, value: &impl Fn(Feature) -> i32) -> bool {
    match tree {
        Tree::Answer(answer) => *answer,
        Tree::Split { feature, above, then, otherwise } => {
            let is_above = value(*feature) > i32::from(*above);
            predict(if is_above { then } else { otherwise }, value)
        }
    }
}

fn gain(samples: &[&Sample], passes: impl Fn(&Sample) -> bool) -> Gain {
    let mut gain = Gain::default();
    for sample in samples {
        gain.all += sample.multiplicity;
        if passes(sample) {
            gain.made += sample.multiplicity;
            gain.nodes += sample.gain * sample.multiplicity;
        }
    }
    gain
}

impl FittedRule {
    /// Writes `rule.txt`, `rule.svg` and the scheme file `rule.toml`, whose path is returned; `base` is the scheme whose trigger
    /// the rule replaces.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path, base: &str) -> Result<PathBuf, FitError> {
        fs::create_dir_all(folder).map_err(FileError::at(folder))?;
        for (name, content) in [("rule.txt", self.text()), ("rule.svg", tree_svg::svg(&self.tree))]
        {
            let path = folder.join(name);
            fs::write(&path, content).map_err(FileError::at(&path))?;
        }
        let path = folder.join("rule.toml");
        NamedScheme::write_rule(&path, base, &self.tree)?;
        Ok(path)
    }

    /// Returns the rule as indented text.
    pub fn text(&self) -> String {
        text(&self.tree, 0)
    }

    /// Returns the gains on held-out games.
    pub fn table(&self) -> Table {
        let row = |(name, gain): (&str, Gain)| {
            let tried = 100.0 * gain.made / gain.all.max(1.0);
            vec![name.to_owned(), format!("{tried:.1}"), signed(gain.nodes)]
        };
        let rows = [
            ("the rule", self.rule),
            ("pass always", self.always),
            ("pass where it pays (hindsight)", self.best),
        ];
        Table::new("On held-out games", ["", "tried %", "nodes gained"], rows.map(row))
    }
}

fn text(tree: &Tree, indent: usize) -> String {
    let space = "  ".repeat(indent);
    match tree {
        Tree::Answer(true) => format!("{space}pass\n"),
        Tree::Answer(false) => format!("{space}do not pass\n"),
        Tree::Split { feature, above, then, otherwise } => {
            let [then, otherwise] = [then, otherwise].map(|branch| text(branch, indent + 1));
            format!("{space}if {} > {above}\n{then}{space}else\n{otherwise}", feature.name())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mine::columns::MISSING;

    /// Cutoffs save much where `eval_minus_beta > 30`; null moves fail elsewhere.
    fn log() -> Columns {
        let mut columns = vec![Vec::new(); 8];
        for row in 0..2000 {
            let (lead, threats) = (row % 100 - 50, row % 3);
            let cut = lead > 30;
            let full = if cut && row % 2 == 0 { 1000 } else { MISSING };
            let cells = [lead, threats, 0, row / 100, i32::from(cut), 100, full, MISSING];
            columns.iter_mut().zip(cells).for_each(|(column, cell): (&mut Vec<i32>, _)| {
                column.push(cell);
            });
        }
        let names = [
            "eval_minus_beta",
            "threats",
            "beta",
            "game",
            "cut",
            "null_nodes",
            "probe_nodes",
            "truth_score",
        ];
        Columns::new(names.map(str::to_owned).to_vec(), columns)
    }

    fn config() -> Config {
        Config {
            features: vec![Feature::EvalMinusBeta, Feature::Threats],
            depth: 3,
            objective: Objective::Nodes,
            rows: 10_000,
            smallest_share: 0.001,
        }
    }

    #[test]
    fn a_planted_rule_is_found() {
        let fitted = fit(&log(), &config()).expect("samples");
        let [yes, no] = [true, false].map(|answer| Box::new(Tree::Answer(answer)));
        let Tree::Split { feature: Feature::EvalMinusBeta, above, then, otherwise } = fitted.tree
        else {
            panic!("{:?}", fitted.tree)
        };
        // Only every other cutoff was probed, which leaves numbers out.
        assert!((30..=31).contains(&above), "{above}");
        assert_eq!((then, otherwise), (yes, no));
        assert_eq!(fitted.rule.made, fitted.best.made);
        assert!(fitted.always.nodes < fitted.rule.nodes);
        assert!((fitted.rule.made / fitted.rule.all - 0.19).abs() < 0.02, "{:?}", fitted.rule);
    }

    #[test]
    fn a_rule_is_checked_on_other_games() {
        let log = log();
        let samples = samples(&log, 1000);
        let [training, held_out] = by_game(&log, &samples).expect("20 games");
        let games = |samples: &[&Sample]| {
            samples.iter().map(|it| log.outcomes().game(it.row)).collect::<BTreeSet<_>>()
        };
        let (fitted, checked) = (games(&training), games(&held_out));
        assert!(fitted.is_disjoint(&checked), "{fitted:?}, {checked:?}");
        assert_eq!((fitted.len(), checked.len()), (10, 10));
        assert_eq!(training.len() + held_out.len(), samples.len());
    }

    #[test]
    fn logs_without_enough_samples_are_refused() {
        let names = [
            "beta",
            "game",
            "cut",
            "null_nodes",
            "probe_nodes",
            "truth_score",
            "eval_minus_beta",
            "threats",
        ];
        let unprobed = Columns::new(
            names.map(str::to_owned).to_vec(),
            [1, 0, 1, 10, MISSING, MISSING, 5, 0].map(|cell| vec![cell; 500]).to_vec(),
        );
        assert!(matches!(fit(&unprobed, &config()), Err(FitError::NoProbes)));
        let short = Columns::new(
            names.map(str::to_owned).to_vec(),
            [1, 0, 1, 10, 40, MISSING, 5, 0].map(|cell| vec![cell; 20]).to_vec(),
        );
        assert!(matches!(fit(&short, &config()), Err(FitError::TooFew(20))));
        let one_game = Columns::new(
            names.map(str::to_owned).to_vec(),
            [1, 0, 1, 10, 40, MISSING, 5, 0].map(|cell| vec![cell; 200]).to_vec(),
        );
        assert!(matches!(fit(&one_game, &config()), Err(FitError::OneGame)));
        // One half holds enough, the other does not.
        let halves = |rows: usize, full: i32| {
            let cells = [1, 0, 1, 10, 40, MISSING, 5, 0].into_iter().zip(names);
            let columns = cells.map(|(cell, name)| {
                let other = match name {
                    "game" => 1,
                    "probe_nodes" => full,
                    _ => cell,
                };
                [vec![cell; 200], vec![other; rows]].concat()
            });
            Columns::new(names.map(str::to_owned).to_vec(), columns.collect())
        };
        assert!(matches!(fit(&halves(20, 40), &config()), Err(FitError::TooFew(20))));
        assert!(matches!(fit(&halves(200, MISSING), &config()), Err(FitError::NoProbes)));
        assert!(fit(&halves(200, 40), &config()).is_ok());
    }

    #[test]
    fn a_rule_can_be_fitted_to_cutoffs_instead_of_nodes() {
        // One attempt in ten cuts, and saves as much as all failures cost ten times over.
        let column = |cell: fn(i32) -> i32| (0..2000).map(cell).collect::<Vec<_>>();
        let cut = |row: i32| i32::from(row / 2 % 10 == 0);
        let full = |row: i32| if row / 2 % 10 == 0 { 100_000 } else { MISSING };
        let names = [
            "beta",
            "game",
            "cut",
            "null_nodes",
            "probe_nodes",
            "truth_score",
            "eval_minus_beta",
            "threats",
        ];
        let columns = vec![
            column(|_| 0),
            column(|row| row / 100),
            column(cut),
            column(|_| 100),
            column(full),
            column(|_| MISSING),
            column(|row| row % 7),
            column(|_| 0),
        ];
        let log = Columns::new(names.map(str::to_owned).to_vec(), columns);
        let answer = |objective| {
            let smallest_share = 0.5;
            fit(&log, &Config { objective, smallest_share, ..config() }).expect("a rule").tree
        };
        assert_eq!(answer(Objective::Nodes), Tree::Answer(true));
        assert_eq!(answer(Objective::Cutoffs), Tree::Answer(false));
    }

    #[test]
    fn two_tests_that_are_one_become_one() {
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
    fn rules_are_written_as_text() {
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
        assert_eq!(text(&simplified(tree), 0), "if depth > 4\n  pass\nelse\n  do not pass\n");
    }
}
