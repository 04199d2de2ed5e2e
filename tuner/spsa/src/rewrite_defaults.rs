//! Tuned values as the new defaults in the source of the engine.

use thiserror::Error;

/// Why a source cannot be changed.
#[derive(Debug, Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SourceError {
    #[error("it declares no parameter {0}")]
    Missing(String),
}

/// The text of the declaration with other defaults: nothing but the numbers is changed.
///
/// # Errors
/// Where a parameter is not declared there.
pub fn with_defaults(source: &str, values: &[(String, i32)]) -> Result<String, SourceError> {
    let mut text = source.to_owned();
    for (name, value) in values {
        let found = default_of(&text, name).ok_or_else(|| SourceError::Missing(name.clone()))?;
        text.replace_range(found, &value.to_string());
    }
    Ok(text)
}

/// Where the default of a parameter stands: in `name: 3072 in 2048..=7168, ...`.
fn default_of(text: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let rest = line.trim_start().strip_prefix(name).and_then(|rest| rest.strip_prefix(": "));
        if let Some((value, _)) = rest.and_then(|rest| rest.split_once(" in ")) {
            let start = offset + indent + name.len() + ": ".len();
            return Some(start..start + value.len());
        }
        offset += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "declare! {\n    razoring {\n        razor_base: 200 in 50..=500, 22.0, \"centipawns\", \"margin\";\n        see_scale: -25 in -80..=-5, 4.0, \"x\", \"see_scale: 3 in here\";\n    }\n}\n";

    #[test]
    fn just_the_numbers_change() {
        let values = [("see_scale".to_owned(), -7), ("razor_base".to_owned(), 1234)];
        let changed = with_defaults(SOURCE, &values).expect("both are there");
        assert_eq!(changed, SOURCE.replace(": 200 in", ": 1234 in").replace(": -25 in", ": -7 in"));
    }

    #[test]
    fn what_is_not_there_is_named() {
        let values = [("razor".to_owned(), 1)];
        assert_eq!(with_defaults(SOURCE, &values), Err(SourceError::Missing("razor".to_owned())));
    }
}
