//! `spsa export` and `spsa import`.

use std::path::PathBuf;

use clap::Args;

use super::apply::TargetArgs;
use crate::commands::CommandResult;
use nullarbor_report::terminal;
use nullarbor_spsa::openbench::{export, read};
use nullarbor_spsa::run_file::RunFile;

/// Print the parameters of a run for a test framework. What else its form needs goes to standard error.
#[derive(Args)]
pub struct ExportArgs {
    /// As lines of the SPSA form of OpenBench
    #[arg(long, required = true)]
    openbench: bool,
    /// The run file
    file: PathBuf,
}

/// Write a result of OpenBench, its outputs or its digest, into the source of the engine as new defaults.
#[derive(Args)]
pub struct ImportArgs {
    /// A file with `name, value` in each line
    file: PathBuf,
    #[command(flatten)]
    target: TargetArgs,
}

impl ExportArgs {
    pub fn run(&self) -> CommandResult {
        let export = export(&RunFile::read(&self.file)?)?;
        terminal::print(&export.lines);
        export.notes.iter().for_each(|note| eprintln!("{note}"));
        Ok(())
    }
}

impl ImportArgs {
    pub fn run(&self) -> CommandResult {
        self.target.write(&read(&self.file)?)
    }
}
