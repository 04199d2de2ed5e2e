//! The reasons for which an experiment has no record.

use nullarbor_games::matches::{MatchError, RunError};
use nullarbor_games::scheme::SchemeError;
use nullarbor_lab::ExperimentError;
use nullarbor_lab::mine::conditions::ConditionError;
use nullarbor_lab::mine::decision_tree::FitError;
use nullarbor_lab::mine::log::LogError;
use nullarbor_lab::suite::SuiteError;
use nullarbor_runs::files::FileError;
use nullarbor_runs::journal::JournalError;
use thiserror::Error;

/// Why an experiment has no record.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum StudyError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Suite(#[from] SuiteError),
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    #[error(transparent)]
    Match(#[from] MatchError),
    #[error("interrupted; the same command resumes it")]
    Interrupted(#[from] RunError),
    #[error("the limit {0}")]
    Limit(String),
    #[error("the words of a log: {0}")]
    Words(String),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Condition(#[from] ConditionError),
    #[error(transparent)]
    Fit(#[from] FitError),
}
