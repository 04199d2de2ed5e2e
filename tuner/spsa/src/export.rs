//! The values of a run in the forms that others read.

use std::path::Path;

use serde::Serialize;

use super::error::ConfigError;
use super::error::Error;
use super::openbench::{Export, export};
use super::parameter::Parameter;
use super::record::Snapshot;
use super::run_file::{RunFile, Tuning};

/// A run with the values that are to be exported.
pub struct Exported {
    run: RunFile,
    parameters: Vec<Parameter>,
    values: Vec<i32>,
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<&'a String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine_id: Option<&'a String>,
    parameters: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    value: i32,
    start: f64,
    min: i32,
    max: i32,
}

impl Exported {
    /// Reads a run: from its folder with its result so far, from a run file with its start.
    ///
    /// # Errors
    /// If there is none.
    pub fn read(path: &Path) -> Result<Self, Error> {
        if path.is_dir() {
            let snapshot = Snapshot::read(path)?;
            let values = snapshot.result().into_iter().map(|(_, value)| value).collect();
            let parameters = snapshot.theta.parameters().to_vec();
            return Ok(Self { run: snapshot.record.run, parameters, values });
        }
        let run = RunFile::read(path)?;
        let parameters = run.tuned_parameters()?;
        let values = parameters.iter().map(|it| it.start.round() as i32).collect();
        Ok(Self { run, parameters, values })
    }

    /// Returns the lines of the SPSA form of OpenBench, and what else it must say.
    ///
    /// # Errors
    /// If the run is impossible.
    pub fn openbench(&self) -> Result<Export, ConfigError> {
        let tuning = |(of, value): (&Parameter, &i32)| {
            (of.name.clone(), Tuning { value: Some(f64::from(*value)), ..Tuning::of(of) })
        };
        let parameters = self.parameters.iter().zip(&self.values).map(tuning).collect();
        export(&RunFile { groups: Vec::new(), parameters, ..self.run.clone() })
    }

    /// Returns the commands of UCI that set the values.
    pub fn setoption(&self) -> String {
        let line = |(of, value): (&Parameter, &i32)| {
            let name = &of.name;
            let is_switch = self.run.switches.contains(name);
            let value = if is_switch { (*value != 0).to_string() } else { value.to_string() };
            format!("setoption name {name} value {value}\n")
        };
        self.parameters.iter().zip(&self.values).map(line).collect()
    }

    /// Returns the values as JSON.
    pub fn json(&self) -> String {
        let rows = self.parameters.iter().zip(&self.values).map(|(of, &value)| Row {
            name: &of.name,
            value,
            start: of.start,
            min: of.range.min,
            max: of.range.max,
        });
        let (engine, engine_id) = (self.run.engine.as_ref(), self.run.engine_id.as_ref());
        let document = Document { engine, engine_id, parameters: rows.collect() };
        // Numbers and names always have a representation.
        serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
    }
}
