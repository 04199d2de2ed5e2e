//! The options that an engine declares, and the commands that set them.

use std::ops::RangeInclusive;

use thiserror::Error;

/// Why an option cannot be set. Skipping it silently would play another match than was asked for.
#[derive(Debug, Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum OptionError {
    #[error("it has no option `{name}`{near}")]
    Unknown { name: String, near: String },
    #[error("option {name}: `{value}` is {problem}")]
    Value { name: String, value: String, problem: String },
}

#[derive(Debug)]
enum Kind {
    Spin(RangeInclusive<i64>),
    Check,
    Combo(Vec<String>),
    Button,
    Text,
}

impl Kind {
    /// Returns why an option cannot have a value, if so.
    fn problem(&self, value: &str) -> Option<String> {
        match self {
            Self::Spin(range) if !value.parse().is_ok_and(|number| range.contains(&number)) => {
                Some(format!("not a whole number from {} to {}", range.start(), range.end()))
            }
            Self::Check if !matches!(value, "true" | "false") => {
                Some("neither true nor false".to_owned())
            }
            Self::Combo(known) if !known.iter().any(|it| it.eq_ignore_ascii_case(value)) => {
                Some(format!("not one of {}", known.join(", ")))
            }
            _ => None,
        }
    }
}

/// The options of an engine.
#[derive(Debug, Default)]
pub struct Options(Vec<(String, Kind)>);

impl Options {
    /// Adds the option that a line declares; other lines are skipped.
    pub fn note(&mut self, line: &str) {
        self.0.extend(parse(line));
    }

    /// Returns the commands that set these options, and `Ponder` and `UCI_Chess960` if needed.
    pub fn settings(
        &self,
        wanted: &[(String, String)],
        ponder: bool,
        chess960: bool,
    ) -> Result<Vec<String>, OptionError> {
        let needed = [("Ponder", ponder), ("UCI_Chess960", chess960)].into_iter();
        let needed = needed.filter(|(_, is_needed)| *is_needed);
        let needed: Vec<(String, String)> =
            needed.map(|(name, _)| (name.to_owned(), "true".to_owned())).collect();
        let all = wanted.iter().chain(&needed);
        all.map(|(name, value)| self.setting(name, value)).collect()
    }

    fn setting(&self, name: &str, value: &str) -> Result<String, OptionError> {
        let Some((known, kind)) = self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))
        else {
            return Err(OptionError::Unknown { name: name.to_owned(), near: self.near(name) });
        };
        if let Some(problem) = kind.problem(value) {
            return Err(OptionError::Value {
                name: known.clone(),
                value: value.to_owned(),
                problem,
            });
        }
        Ok(match kind {
            Kind::Button => format!("setoption name {known}"),
            _ => format!("setoption name {known} value {value}"),
        })
    }

    /// Returns a hint at options with similar names.
    fn near(&self, name: &str) -> String {
        let name = name.to_ascii_lowercase();
        let is_near = |known: &str| {
            let known = known.to_ascii_lowercase();
            known.contains(&name) || name.contains(&known)
        };
        let near: Vec<&str> = self
            .0
            .iter()
            .map(|(known, _)| known.as_str())
            .filter(|known| is_near(known))
            .take(5)
            .collect();
        if near.is_empty() { String::new() } else { format!(" (but {})", near.join(", ")) }
    }
}

/// Parses `option name N type T default D min A max B var V ...`, where N, D and V may contain spaces.
fn parse(line: &str) -> Option<(String, Kind)> {
    const KEYS: [&str; 5] = ["type", "default", "min", "max", "var"];
    // A name may contain the other keywords.
    let (name, rest) = line.trim().strip_prefix("option name ")?.split_once(" type ")?;
    let rest = format!("type {rest}");
    let mut fields: Vec<(&str, String)> = Vec::new();
    for word in rest.split_ascii_whitespace() {
        match KEYS.iter().find(|key| **key == word) {
            Some(key) => fields.push((key, String::new())),
            None => {
                let value = &mut fields.last_mut()?.1;
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(word);
            }
        }
    }
    let value = |key: &str| fields.iter().find(|(name, _)| *name == key).map(|(_, value)| value);
    let number = |key: &str, otherwise| {
        value(key).and_then(|value| value.parse::<i64>().ok()).unwrap_or(otherwise)
    };
    let kind = match value("type")?.as_str() {
        "spin" => Kind::Spin(number("min", i64::MIN)..=number("max", i64::MAX)),
        "check" => Kind::Check,
        "combo" => {
            let values = fields.iter().filter(|(name, _)| *name == "var");
            Kind::Combo(values.map(|(_, value)| value.clone()).collect())
        }
        "button" => Kind::Button,
        _ => Kind::Text,
    };
    Some((name.trim().to_owned(), kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        let mut options = Options::default();
        for line in [
            "id name X",
            "option name Hash type spin default 16 min 1 max 1024",
            "option name Clear Hash type button",
            "option name Ponder type check default false",
            "option name Style type combo default Solid var Solid var Very Wild",
            "option name Book File type string default <empty>",
            "option name UCI_Chess960 type check default false",
            "option name LMR min depth type spin default 3 min 1 max 9",
        ] {
            options.note(line);
        }
        options
    }

    fn set(name: &str, value: &str) -> Result<String, OptionError> {
        options().setting(name, value)
    }

    #[test]
    fn listed_options_are_set() {
        for (name, value, command) in [
            ("Hash", "64", "setoption name Hash value 64"),
            ("hash", "64", "setoption name Hash value 64"),
            ("Clear Hash", "", "setoption name Clear Hash"),
            ("LMR min depth", "9", "setoption name LMR min depth value 9"),
            ("Style", "Very Wild", "setoption name Style value Very Wild"),
            ("Book File", "/a b/c", "setoption name Book File value /a b/c"),
        ] {
            assert_eq!(set(name, value).as_deref(), Ok(command));
        }
        let both = options().settings(&[], true, true).expect("they are listed");
        let expected =
            ["Ponder", "UCI_Chess960"].map(|it| format!("setoption name {it} value true"));
        assert_eq!(both, expected);
    }

    #[test]
    fn all_others_are_refused_with_the_reason() {
        for (name, value, part) in [
            ("Hsah", "64", "no option `Hsah`"),
            ("Clear", "1", "but Clear Hash"),
            ("Hash", "0", "from 1 to 1024"),
            ("Hash", "x", "from 1 to 1024"),
            ("Ponder", "yes", "neither true nor false"),
            ("Style", "Mild", "Solid, Very Wild"),
        ] {
            let message = set(name, value).expect_err(name).to_string();
            assert!(message.contains(part), "{message}");
        }
        for (ponder, chess960) in [(true, false), (false, true)] {
            assert!(Options::default().settings(&[], ponder, chess960).is_err());
        }
    }
}
