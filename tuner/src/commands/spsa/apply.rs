//! `spsa apply`.

use std::path::PathBuf;

use clap::Args;

use crate::commands::CommandResult;
use nullarbor_report::terminal;
use nullarbor_spsa::record::Snapshot;
use nullarbor_spsa::rewrite_defaults::rewrite;

/// Write the result of a run into the source of the engine as new defaults. Only the numbers change; afterwards build the
/// engine and record its signature (`make bench-record`).
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
    pub fn run(&self) -> CommandResult {
        self.target.write(&Snapshot::read(&self.dir)?.result())
    }
}

impl TargetArgs {
    /// Writes values into the file, and prints them.
    pub fn write(&self, values: &[(String, i32)]) -> CommandResult {
        rewrite(&self.source, values)?;
        values.iter().for_each(|(name, value)| terminal::line(&format!("{name} = {value}")));
        terminal::line(&self.source.display().to_string());
        Ok(())
    }
}
