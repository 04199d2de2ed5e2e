//! `spsa apply`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::{Progress, SpsaError};
use nullarbor_games::files::replace;
use nullarbor_report::terminal;
use nullarbor_spsa::rewrite_defaults::with_defaults;

/// Write the values that a run found as the new defaults into the source of the engine. Nothing but the numbers changes; build
/// the engine anew, and record its signature.
#[derive(Args)]
pub struct ApplyArgs {
    /// The folder of the run
    dir: PathBuf,
    #[command(flatten)]
    target: TargetArgs,
}

/// Where defaults are declared.
#[derive(Args)]
pub struct TargetArgs {
    /// The file that declares the parameters
    #[arg(long, value_name = "FILE", default_value = "engine/src/params/list.rs")]
    source: PathBuf,
}

impl ApplyArgs {
    pub fn run(&self) -> Result<(), SpsaError> {
        self.target.write(&Progress::read(&self.dir)?.result())
    }
}

impl TargetArgs {
    /// Writes values into the file.
    pub fn write(&self, values: &[(String, i32)]) -> Result<(), SpsaError> {
        let path = &self.source;
        let failed = |source| SpsaError::File { path: path.clone(), source };
        let old = fs::read_to_string(path).map_err(failed)?;
        let new = with_defaults(&old, values)
            .map_err(|source| SpsaError::Source { path: path.clone(), source })?;
        // A source that is half written would be worse than an old one.
        let written = replace(path, |file| {
            file.set_permissions(fs::metadata(path)?.permissions())?;
            file.write_all(new.as_bytes())
        });
        written.map_err(failed)?;
        for (name, value) in values {
            terminal::line(&format!("{name} = {value}"));
        }
        terminal::line(&path.display().to_string());
        Ok(())
    }
}
