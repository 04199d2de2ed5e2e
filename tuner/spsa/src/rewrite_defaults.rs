//! Rewriting of the defaults in the source of the engine.

use std::fs;
use std::io::Write;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use nullarbor_runs::files::{FileError, read_text, replace};

use super::error::Error;

/// Rewrites the file that declares the parameters: values become defaults, and nothing else changes. The file is replaced at
/// once, so that it is never incomplete.
///
/// # Errors
/// If the file cannot be read or written, or does not declare one of the parameters.
pub fn rewrite(path: &Path, values: &[(String, i32)]) -> Result<(), Error> {
    let old = read_text(path)?;
    let new = with_defaults(&old, values).map_err(FileError::at(path))?;
    let written = replace(path, |file| {
        file.set_permissions(fs::metadata(path)?.permissions())?;
        file.write_all(new.as_bytes())
    });
    Ok(written?)
}

/// Returns the source with other defaults.
fn with_defaults(source: &str, values: &[(String, i32)]) -> Result<String, String> {
    let mut text = source.to_owned();
    for (name, value) in values {
        let found = default_of(&text, name);
        let (found, range) = found.ok_or_else(|| format!("it declares no parameter {name}"))?;
        if !range.contains(value) {
            let range = format!("{}..={}", range.start(), range.end());
            return Err(format!("{name} = {value} is outside of its declared range {range}"));
        }
        text.replace_range(found, &value.to_string());
    }
    Ok(text)
}

/// Returns the place of the default of a parameter in `name: 3072 in 2048..=7168, ...`, and the range.
fn default_of(text: &str, name: &str) -> Option<(Range<usize>, RangeInclusive<i32>)> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let rest = line.trim_start().strip_prefix(name).and_then(|rest| rest.strip_prefix(": "));
        if let Some((value, rest)) = rest.and_then(|rest| rest.split_once(" in ")) {
            let start = offset + indent + name.len() + ": ".len();
            let (min, max) = rest.split(',').next()?.split_once("..=")?;
            let range = min.trim().parse().ok()?..=max.trim().parse().ok()?;
            return Some((start..start + value.len(), range));
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
    fn only_the_numbers_change() {
        let values = [("see_scale".to_owned(), -7), ("razor_base".to_owned(), 444)];
        let changed = with_defaults(SOURCE, &values).expect("both are there");
        assert_eq!(changed, SOURCE.replace(": 200 in", ": 444 in").replace(": -25 in", ": -7 in"));
    }

    #[test]
    fn a_value_outside_of_the_declared_range_is_refused() {
        let error = with_defaults(SOURCE, &[("see_scale".to_owned(), 0)]).expect_err("too great");
        assert_eq!(error, "see_scale = 0 is outside of its declared range -80..=-5");
    }

    #[test]
    fn what_is_not_there_is_named() {
        let values = [("razor".to_owned(), 1)];
        assert_eq!(
            with_defaults(SOURCE, &values),
            Err("it declares no parameter razor".to_owned())
        );
    }
}
