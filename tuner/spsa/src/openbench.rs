//! Runs in the words of OpenBench, and its results.

use thiserror::Error;

use super::theta::Axis;

/// The lines of its SPSA form: `name, int, value, min, max, C_end, R_end`.
pub fn export(axes: &[Axis]) -> String {
    let line = |axis: &Axis| {
        let Axis { name, start, range, c_end, r_end } = axis;
        format!("{name}, int, {start:.1}, {}.0, {}.0, {c_end}, {r_end}\n", range.min, range.max)
    };
    axes.iter().map(line).collect()
}

/// Why a text is no result.
#[derive(Debug, Error, PartialEq)]
#[error("line {line}: `{text}` is not of the form `name, value`")]
pub struct ImportError {
    line: usize,
    text: String,
}

/// Reads its outputs, `name, value` in each line, or its digest, a table of CSV whose first columns are `Name` and `Curr`.
///
/// # Errors
/// At the first line that is neither.
pub fn import(text: &str) -> Result<Vec<(String, i32)>, ImportError> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with("Name"));
    lines
        .map(|(line, text)| {
            let mut fields = text.split(',').map(str::trim);
            let name = fields.next().filter(|name| !name.is_empty());
            let value = fields.next().and_then(|value| value.parse::<f64>().ok());
            match (name, value) {
                (Some(name), Some(value)) => Ok((name.to_owned(), value.round() as i32)),
                _ => Err(ImportError { line, text: text.to_owned() }),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perturbation::Range;

    #[test]
    fn lines_are_those_of_its_form() {
        let range = Range { min: -80, max: -5 };
        let axis =
            Axis { name: "see_scale".to_owned(), start: -25.0, range, c_end: 4.0, r_end: 0.002 };
        assert_eq!(export(&[axis]), "see_scale, int, -25.0, -80.0, -5.0, 4, 0.002\n");
    }

    #[test]
    fn results_are_read() {
        let found = import("Name,Curr,Start\nrazor_base, 211.6, 200\n\nsee_scale,-7\n");
        let expected = vec![("razor_base".to_owned(), 212), ("see_scale".to_owned(), -7)];
        assert_eq!(found, Ok(expected));
        let error = import("a, 1\nrubbish").expect_err("no result").to_string();
        assert!(error.contains("line 2") && error.contains("rubbish"), "{error}");
    }
}
