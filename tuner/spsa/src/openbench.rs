//! Tuning by OpenBench: the lines of its SPSA form, and its results.

use std::path::Path;

use nullarbor::params::Params;
use nullarbor_runs::files::{FileError, read_text};

use super::error::ConfigError;
use super::error::Error;
use super::gains::Mode;
use super::run_file::RunFile;

/// An average tolerates a larger gain than the last iterate.
const AVERAGING_FACTOR: f64 = 2.0;

/// A run as OpenBench tunes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// The lines of the SPSA form: `name, int, value, min, max, C_end, R_end`.
    pub lines: String,
    /// Further settings of the form, in lines.
    pub notes: Vec<String>,
}

/// Converts a run. OpenBench does not average the iterates, so the result would be the last iterate: where it is to be an
/// average, `r_end` is divided by `AVERAGING_FACTOR`. For constant gains alpha and gamma must be 0 in its form.
///
/// # Errors
/// If the run is impossible.
pub fn export(run: &RunFile) -> Result<Export, ConfigError> {
    let (mut divisor, mut alpha, mut gamma, mut a_ratio) = (1.0, run.alpha, run.gamma, run.a_ratio);
    let mut notes = Vec::new();
    if run.mode == Mode::Constant {
        (alpha, gamma, a_ratio) = (0.0, 0.0, 0.0);
    }
    if run.averaged() > 0.0 {
        divisor = AVERAGING_FACTOR;
        notes.push(format!(
            "The result of this run is an average of its last iterates. OpenBench does not average, so r_end is divided by {divisor}."
        ));
    }
    notes.push(format!(
        "In the form: alpha {alpha}, gamma {gamma}, A-ratio {a_ratio}, {} iterations, {} pairs per iteration.",
        run.iterations, run.pairs_per_iteration
    ));
    let line = |of: &super::parameter::Parameter| {
        let (min, max) = (of.range.min, of.range.max);
        format!(
            "{}, int, {}, {min}, {max}, {}, {}\n",
            of.name,
            of.start.round(),
            of.c_end,
            of.r_end / divisor
        )
    };
    Ok(Export { lines: run.tuned_parameters()?.iter().map(line).collect(), notes })
}

/// Reads results of OpenBench and checks that the engine accepts them.
///
/// # Errors
/// If the file cannot be read, or a parameter or value is impossible.
pub fn read(path: &Path) -> Result<Vec<(String, i32)>, Error> {
    let text = read_text(path)?;
    let values = import(&text).map_err(FileError::at(path))?;
    let mut params = Params::default();
    values.iter().try_for_each(|(name, value)| params.set(name, *value))?;
    Ok(values)
}

/// Parses outputs, `name, value` per line, or a digest, CSV whose first columns are `Name` and `Curr`.
fn import(text: &str) -> Result<Vec<(String, i32)>, String> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with("Name"));
    lines
        .map(|(line, text)| {
            let mut fields = text.split(',').map(str::trim);
            let name = fields.next().filter(|name| !name.is_empty());
            let value = fields.next().and_then(|value| value.parse::<f64>().ok());
            let value = value.filter(|value| value.is_finite());
            match (name, value) {
                (Some(name), Some(value)) => Ok((name.to_owned(), value.round() as i32)),
                _ => Err(format!("line {line}: `{text}` is not of the form `name, value`")),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str =
        "iterations = 100\npairs_per_iteration = 8\nnodes = 100\nseed = 1\nbook = \"unbalanced\"\n";
    const PARAMETER: &str = "[parameters.see_quiet_scale]\nvalue = -25\nmin = -80\nmax = -5\nc_end = 4.5\nr_end = 0.03\n";

    fn exported(more: &str) -> Export {
        let run = toml::from_str(&format!("{RUN}{more}{PARAMETER}")).expect("a run");
        export(&run).expect("parameters")
    }

    #[test]
    fn lines_are_those_of_the_form() {
        let Export { lines, notes } = exported("");
        assert_eq!(lines, "see_quiet_scale, int, -25, -80, -5, 4.5, 0.03\n");
        let note = "In the form: alpha 0.602, gamma 0.101, A-ratio 0.1, 100 iterations, 8 pairs per iteration.";
        assert_eq!(notes, [note]);
    }

    #[test]
    fn constant_gains_are_converted() {
        let Export { lines, notes } = exported("mode = \"constant\"\n");
        assert_eq!(lines, "see_quiet_scale, int, -25, -80, -5, 4.5, 0.015\n");
        assert!(notes[0].contains("divided by 2"), "{notes:?}");
        assert!(notes[1].contains("alpha 0, gamma 0,"), "{notes:?}");
    }

    #[test]
    fn only_an_average_is_converted() {
        let Export { lines, notes } = exported("average = 0.25\n");
        assert_eq!(lines, "see_quiet_scale, int, -25, -80, -5, 4.5, 0.015\n");
        assert!(notes[0].contains("divided by 2"), "{notes:?}");
        assert!(notes[1].contains("alpha 0.602, gamma 0.101,"), "{notes:?}");
        let Export { lines, notes } = exported("mode = \"constant\"\naverage = 0.0\n");
        assert_eq!(lines, "see_quiet_scale, int, -25, -80, -5, 4.5, 0.03\n");
        assert!(notes.len() == 1 && notes[0].contains("alpha 0, gamma 0,"), "{notes:?}");
    }

    #[test]
    fn results_are_read() {
        let found = import("Name,Curr,Start\nrazor_base, 211.6, 200\n\nsee_scale,-7\n");
        let expected = vec![("razor_base".to_owned(), 212), ("see_scale".to_owned(), -7)];
        assert_eq!(found, Ok(expected));
        assert!(import("razor_base, nan").is_err());
        let error = import("a, 1\nrubbish").expect_err("no result").to_string();
        assert!(error.contains("line 2") && error.contains("rubbish"), "{error}");
    }
}
