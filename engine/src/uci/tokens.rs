//! The words of a line, and what can be wrong with one.

use std::str::SplitAsciiWhitespace;

use thiserror::Error;

/// Why a line is not a command. Messages quote at most 40 characters of each token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum CommandError {
    #[error("unknown command `{0}`")]
    Unknown(String),
    #[error("{command}: `{token}` is not expected here")]
    Unexpected { command: &'static str, token: String },
    #[error("{command}: `{after}` needs a value")]
    Incomplete { command: &'static str, after: String },
    #[error("{command} {token}: `{value}` is not a number from {min} to {max}")]
    BadNumber { command: &'static str, token: String, value: String, min: i64, max: i64 },
}

/// Returns the beginning of a token, for an error message.
pub fn excerpt(token: &str) -> String {
    token.chars().take(40).collect()
}

/// The error of a token that does not belong there.
pub fn unexpected(command: &'static str, token: &str) -> CommandError {
    CommandError::Unexpected { command, token: excerpt(token) }
}

/// Parses the number that follows `token`, from `min` to `max`.
pub fn number(
    command: &'static str,
    token: &str,
    tokens: &mut SplitAsciiWhitespace<'_>,
    min: i64,
    max: i64,
) -> Result<i64, CommandError> {
    let value =
        tokens.next().ok_or_else(|| CommandError::Incomplete { command, after: excerpt(token) })?;
    value.parse().ok().filter(|number| (min..=max).contains(number)).ok_or_else(|| {
        CommandError::BadNumber { command, token: excerpt(token), value: excerpt(value), min, max }
    })
}

/// Returns an error if anything follows.
pub fn finished(
    command: &'static str,
    mut tokens: SplitAsciiWhitespace<'_>,
) -> Result<(), CommandError> {
    tokens.next().map_or(Ok(()), |token| Err(unexpected(command, token)))
}
