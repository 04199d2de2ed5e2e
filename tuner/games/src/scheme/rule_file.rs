//! A learnt rule as a table of TOML: `if = "depth > 4"`, `then` and `else`, each of them an answer or a table again.

use nullarbor::search::null_move::{Feature, TooDeep, Tree, UnknownName};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What stands in the file.
#[derive(Deserialize, Serialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum RuleFile {
    /// Pass, or do not.
    Answer(bool),
    /// It depends.
    Split {
        /// `feature > number`.
        #[serde(rename = "if")]
        question: String,
        then: Box<RuleFile>,
        #[serde(rename = "else")]
        otherwise: Box<RuleFile>,
    },
}

/// Why this is no rule.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum RuleError {
    #[error(
        "`{0}` is not of the form `feature > number`, the number a whole one from -32768 to 32767"
    )]
    Question(String),
    #[error(transparent)]
    Feature(#[from] UnknownName),
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
}

impl RuleFile {
    /// What it says.
    ///
    /// # Errors
    /// Where a question cannot be understood.
    pub fn tree(&self) -> Result<Tree, RuleError> {
        Ok(match self {
            Self::Answer(answer) => Tree::Answer(*answer),
            Self::Split { question, then, otherwise } => {
                let (feature, above) = parts(question)?;
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
                question: format!("{} > {above}", feature.name()),
                then: Box::new(Self::from(&**then)),
                otherwise: Box::new(Self::from(&**otherwise)),
            },
        }
    }
}

fn parts(question: &str) -> Result<(Feature, i16), RuleError> {
    let bad = || RuleError::Question(question.to_owned());
    let (feature, number) = question.split_once('>').ok_or_else(bad)?;
    let above = number.trim().parse().map_err(|_| bad())?;
    Ok((feature.trim().parse()?, above))
}
