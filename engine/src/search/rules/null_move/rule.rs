//! Rules learnt from logs of null moves: decision trees over features of the node.

use thiserror::Error;

use super::feature::Feature;
use super::{Facts, Surroundings};

/// A decision tree, as it is learnt, written and read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// Whether to pass.
    Answer(bool),
    /// It depends.
    Split {
        /// On this number.
        feature: Feature,
        /// On whether it is greater than this.
        above: i16,
        /// If so.
        then: Box<Tree>,
        /// If not.
        otherwise: Box<Tree>,
    },
}

impl Tree {
    /// Questions on the longest way to an answer.
    pub fn depth(&self) -> usize {
        match self {
            Self::Answer(_) => 0,
            Self::Split { then, otherwise, .. } => 1 + then.depth().max(otherwise.depth()),
        }
    }
}

/// A decision tree, as the search asks it: small, and in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Where a split says yes, the next step follows.
    steps: [Step; Rule::STEPS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Answer(bool),
    Split { feature: Feature, above: i16, otherwise: u8 },
}

/// The tree asks too many questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the rule asks {0} questions in a row, more than the {max} that a node has time for", max = Rule::MAX_DEPTH)]
pub struct TooDeep(usize);

impl Rule {
    /// Questions in a row.
    pub const MAX_DEPTH: usize = 4;
    /// A full tree of that depth.
    const STEPS: usize = (2 << Self::MAX_DEPTH) - 1;

    /// The rule that a tree is.
    ///
    /// # Errors
    /// Where the tree is deeper than [`Rule::MAX_DEPTH`].
    pub fn new(tree: &Tree) -> Result<Self, TooDeep> {
        if tree.depth() > Self::MAX_DEPTH {
            return Err(TooDeep(tree.depth()));
        }
        let mut rule = Self { steps: [Step::Answer(false); Self::STEPS] };
        rule.put(tree, 0);
        Ok(rule)
    }

    /// Lays a tree down from a place on; gives the next free one.
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

    /// Whether to pass here.
    pub(super) fn says_yes(&self, facts: &Facts, around: &impl Surroundings) -> bool {
        let mut at = 0;
        loop {
            match self.steps[at] {
                Step::Answer(answer) => return answer,
                Step::Split { feature, above, otherwise } => {
                    let yes = feature.value(facts, around) > i32::from(above);
                    at = if yes { at + 1 } else { usize::from(otherwise) };
                }
            }
        }
    }
}
