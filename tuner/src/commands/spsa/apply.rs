//! `spsa apply`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use super::{Progress, SpsaError};
use crate::report::output;
use crate::spsa::source::with_defaults;

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
        replace(path, &new).map_err(failed)?;
        for (name, value) in values {
            output::line(&format!("{name} = {value}"));
        }
        output::line(&path.display().to_string());
        Ok(())
    }
}

/// A source that is half written would be worse than an old one.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    fs::write(file.path(), text)?;
    fs::set_permissions(file.path(), fs::metadata(path)?.permissions())?;
    file.persist(path).map(|_| ()).map_err(|error| error.error)
}
