//! Rules mined from logs of null moves: decision trees over [`Feature`]s of the node.

use thiserror::Error;

use super::NodeContext;
use super::feature::Feature;

/// A decision tree as the tuner induces, writes and reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// A leaf: whether to try a null move.
    Answer(bool),
    /// An inner node: compares a feature with a threshold.
    Split {
        /// The feature.
        feature: Feature,
        /// The threshold.
        above: i16,
        /// The subtree for values above the threshold.
        then: Box<Tree>,
        /// The subtree for all others.
        otherwise: Box<Tree>,
    },
}

impl Tree {
    /// Returns the number of splits on the longest path to a leaf.
    pub fn depth(&self) -> usize {
        match self {
            Self::Answer(_) => 0,
            Self::Split { then, otherwise, .. } => 1 + then.depth().max(otherwise.depth()),
        }
    }
}

/// A decision tree as the search evaluates it: small, in one array, and `Copy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// In preorder: where a split says yes, the next step follows.
    steps: [Step; Rule::STEPS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Answer(bool),
    Split { feature: Feature, above: i16, otherwise: u8 },
}

/// The tree is too deep for a [`Rule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the rule is {0} questions deep, more than {max}", max = Rule::MAX_DEPTH)]
pub struct TooDeep(usize);

impl Rule {
    /// Maximum number of splits in a row.
    pub const MAX_DEPTH: usize = 4;
    /// Steps of a full tree of that depth.
    const STEPS: usize = (2 << Self::MAX_DEPTH) - 1;

    /// Converts a tree.
    ///
    /// # Errors
    /// Fails if the tree is deeper than [`Rule::MAX_DEPTH`].
    pub fn new(tree: &Tree) -> Result<Self, TooDeep> {
        if tree.depth() > Self::MAX_DEPTH {
            return Err(TooDeep(tree.depth()));
        }
        let mut rule = Self { steps: [Step::Answer(false); Self::STEPS] };
        rule.put(tree, 0);
        Ok(rule)
    }

    /// Writes a subtree from index `at` on and returns the next free index.
    fn put(&mut self, tree: &Tree, at: usize) -> usize {
        match tree {
            Tree::Answer(answer) => {
                self.steps[at] = Step::Answer(*answer);
                at + 1
            }
            Tree::Split { feature, above, then, otherwise } => {
                let middle = self.put(then, at + 1);
                self.steps[at] =
                    Step::Split { feature: *feature, above: *above, otherwise: middle as u8 };
                self.put(otherwise, middle)
            }
        }
    }

    /// Returns whether to try a null move at the node.
    pub(super) fn says_yes(&self, context: &impl NodeContext) -> bool {
        let mut at = 0;
        loop {
            match self.steps[at] {
                Step::Answer(answer) => return answer,
                Step::Split { feature, above, otherwise } => {
                    let yes = feature.value(context) > i32::from(above);
                    at = if yes { at + 1 } else { usize::from(otherwise) };
                }
            }
        }
    }
}
