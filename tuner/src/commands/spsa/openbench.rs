//! `spsa export` and `spsa import`.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use nullarbor::params::Params;

use super::SpsaError;
use super::apply::TargetArgs;
use nullarbor_report::terminal;
use nullarbor_spsa::openbench::{export, import};
use nullarbor_spsa::run_file::RunFile;

/// Print a run in the words of a test framework, to be tuned there.
#[derive(Args)]
pub struct ExportArgs {
    /// For OpenBench: the lines of its SPSA form
    #[arg(long, required = true)]
    openbench: bool,
    /// The run
    file: PathBuf,
}

/// Take what OpenBench has tuned, its outputs or its digest, as the new defaults into the source of the engine.
#[derive(Args)]
pub struct ImportArgs {
    /// A file with `name, value` in each line
    file: PathBuf,
    #[command(flatten)]
    target: TargetArgs,
}

impl ExportArgs {
    pub fn run(&self) -> Result<(), SpsaError> {
        terminal::print(&export(&RunFile::read(&self.file)?.axes()?));
        Ok(())
    }
}

impl ImportArgs {
    pub fn run(&self) -> Result<(), SpsaError> {
        let path = || self.file.clone();
        let text = fs::read_to_string(&self.file)
            .map_err(|source| SpsaError::File { path: path(), source })?;
        let values = import(&text).map_err(|source| SpsaError::Import { path: path(), source })?;
        let mut params = Params::default();
        for (name, value) in &values {
            params.set(name, *value)?;
        }
        self.target.write(&values)
    }
}
