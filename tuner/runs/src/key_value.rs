//! Lists of `key=value` items, as `--engine`, `--draw`, schemes and limits are written.

use std::str::FromStr;

use thiserror::Error;

/// An item of a list: `key=value`, or a bare word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// Position in the list, from 1.
    pub position: usize,
    /// The text before the first `=`, or the bare word.
    pub key: &'a str,
    /// The text behind it; `None` for a bare word.
    pub value: Option<&'a str>,
}

/// Why an item or a list is malformed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum KeyValueError {
    #[error("item {position}, `{word}`, is not of the form key=value")]
    NoValue { position: usize, word: String },
    #[error("item {position}: unknown key `{key}`; known: {known}")]
    UnknownKey { position: usize, key: String, known: String },
    #[error("item {position}: {key}: `{value}` is not {expected}")]
    Value { position: usize, key: String, value: String, expected: String },
    #[error("{key}=... is missing")]
    Missing { key: &'static str },
}

/// Splits a list into its items. Empty ones are skipped; space around keys and values is dropped.
///
/// ```
/// use nullarbor_runs::key_value::items;
///
/// let list: Vec<_> = items("self,Hash=16,depth=x", &[',']).collect();
/// assert_eq!((list[0].key, list[0].value), ("self", None));
/// assert_eq!(list[1].parse("a number of MiB"), Ok(16));
/// let error = list[2].parse::<u32>("a number of plies").unwrap_err();
/// assert_eq!(error.to_string(), "item 3: depth: `x` is not a number of plies");
/// ```
pub fn items<'a>(text: &'a str, separators: &'a [char]) -> impl Iterator<Item = Item<'a>> {
    let parts = text.split(separators).map(str::trim).filter(|part| !part.is_empty());
    parts.zip(1..).map(|(part, position)| match part.split_once('=') {
        Some((key, value)) => {
            Item { position, key: key.trim_end(), value: Some(value.trim_start()) }
        }
        None => Item { position, key: part, value: None },
    })
}

impl<'a> Item<'a> {
    /// Returns the value.
    ///
    /// # Errors
    /// If the item is a bare word.
    pub fn value(&self) -> Result<&'a str, KeyValueError> {
        let word = || KeyValueError::NoValue { position: self.position, word: self.key.to_owned() };
        self.value.ok_or_else(word)
    }

    /// Parses the value; `expected` describes it in the error.
    ///
    /// # Errors
    /// If the item is a bare word, or the value is not of the type.
    pub fn parse<T: FromStr>(&self, expected: &str) -> Result<T, KeyValueError> {
        self.parse_with(expected, |value| value.parse().ok())
    }

    /// Parses the value with a function; `expected` describes it in the error.
    ///
    /// # Errors
    /// If the item is a bare word, or the function returns `None`.
    pub fn parse_with<T>(
        &self,
        expected: &str,
        parse: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, KeyValueError> {
        parse(self.value()?).ok_or_else(|| self.refused(expected))
    }

    /// Returns the error for an invalid value.
    pub fn refused(&self, expected: &str) -> KeyValueError {
        KeyValueError::Value {
            position: self.position,
            key: self.key.to_owned(),
            value: self.value.unwrap_or_default().to_owned(),
            expected: expected.to_owned(),
        }
    }

    /// Returns the error for an unknown key.
    pub fn unknown(&self, known: &str) -> KeyValueError {
        let (position, key) = (self.position, self.key.to_owned());
        KeyValueError::UnknownKey { position, key, known: known.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split() {
        let found: Vec<_> = items(" a=1,, b = x=y +z,c", &[',', '+'])
            .map(|item| (item.position, item.key, item.value))
            .collect();
        assert_eq!(
            found,
            [(1, "a", Some("1")), (2, "b", Some("x=y")), (3, "z", None), (4, "c", None)]
        );
    }

    #[test]
    fn errors_name_the_key_its_position_and_what_is_known() {
        let list: Vec<_> = items("a=1 b", &[' ']).collect();
        let refused = list[0].parse_with("a prime", |_| None::<u32>).expect_err("1 is none");
        assert_eq!(refused.to_string(), "item 1: a: `1` is not a prime");
        assert_eq!(
            list[1].value().expect_err("a word").to_string(),
            "item 2, `b`, is not of the form key=value"
        );
        assert_eq!(list[0].unknown("c, d").to_string(), "item 1: unknown key `a`; known: c, d");
    }
}
