//! `spsa apply`, `spsa export` and `spsa import`.

use std::path::PathBuf;

use clap::Args;

use crate::commands::CommandResult;
use nullarbor_report::terminal;
use nullarbor_spsa::openbench::{export, read};
use nullarbor_spsa::record::Snapshot;
use nullarbor_spsa::rewrite_defaults::rewrite;
use nullarbor_spsa::run_file::RunFile;

/// Write the result of a run into the source of the engine as new defaults. Only the numbers change; afterwards build the
/// engine and record its signature (`make bench-record`).
#[derive(Args)]
pub struct ApplyArgs {
    /// The folder of the run
    dir: PathBuf,
    #[command(flatten)]
    target: TargetArgs,
}

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

/// The file in which defaults are declared.
#[derive(Args)]
struct TargetArgs {
    /// The file that declares the parameters
    #[arg(long, value_name = "FILE", default_value = "engine/src/params/list.rs")]
    source: PathBuf,
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

impl ApplyArgs {
    pub fn run(&self) -> CommandResult {
        self.target.write(&Snapshot::read(&self.dir)?.result())
    }
}

impl TargetArgs {
    /// Writes values into the file, and prints them.
    fn write(&self, values: &[(String, i32)]) -> CommandResult {
        rewrite(&self.source, values)?;
        values.iter().for_each(|(name, value)| terminal::line(&format!("{name} = {value}")));
        terminal::line(&self.source.display().to_string());
        Ok(())
    }
}
