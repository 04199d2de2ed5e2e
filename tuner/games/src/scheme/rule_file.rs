//! A mined rule as a TOML table: `if = "depth > 4"`, `then` and `else`, each of them a boolean or a table.

use nullarbor::search::null_move::{Feature, TooDeep, Tree, UnknownName};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The value of the key `rule`.
#[derive(Deserialize, Serialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum RuleFile {
    /// Answer of the tree: true to try a null move.
    Answer(bool),
    /// A test of a feature.
    Split {
        /// `feature > number`.
        #[serde(rename = "if")]
        test: String,
        then: Box<RuleFile>,
        #[serde(rename = "else")]
        otherwise: Box<RuleFile>,
    },
}

/// Why a rule cannot be read.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum RuleError {
    #[error("`{0}` is not of the form `feature > number` with an integer from -32768 to 32767")]
    Test(String),
    #[error(transparent)]
    Feature(#[from] UnknownName),
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
}

impl RuleFile {
    /// Converts it to a decision tree.
    ///
    /// # Errors
    /// If a test cannot be parsed.
    pub fn tree(&self) -> Result<Tree, RuleError> {
        Ok(match self {
            Self::Answer(answer) => Tree::Answer(*answer),
            Self::Split { test, then, otherwise } => {
                let (feature, above) = parse_test(test)?;
                let (then, otherwise) = (Box::new(then.tree()?), Box::new(otherwise.tree()?));
                Tree::Split { feature, above, then, otherwise }
            }
        })
    }
}

impl From<&Tree> for RuleFile {
    fn from(tree: &Tree) -> Self {
        match tree {
            Tree::Answer(answer) => Self::Answer(*answer),
            Tree::Split { feature, above, then, otherwise } => Self::Split {
                test: format!("{} > {above}", feature.name()),
                then: Box::new(Self::from(&**then)),
                otherwise: Box::new(Self::from(&**otherwise)),
            },
        }
    }
}

fn parse_test(test: &str) -> Result<(Feature, i16), RuleError> {
    let bad = || RuleError::Test(test.to_owned());
    let (feature, number) = test.split_once('>').ok_or_else(bad)?;
    let above = number.trim().parse().map_err(|_| bad())?;
    Ok((feature.trim().parse()?, above))
}
