//! `spsa apply`, `spsa export` and `spsa import`.

use std::path::PathBuf;

use clap::Args;

use crate::commands::CommandResult;
use nullarbor_report::terminal;
use nullarbor_spsa::Error;
use nullarbor_spsa::export::Exported;
use nullarbor_spsa::openbench::read;
use nullarbor_spsa::record::Snapshot;
use nullarbor_spsa::rewrite_defaults::rewrite;

/// Write the result of a run into the source of the engine as new defaults. Only the numbers change. Afterwards build
/// the engine and record its signature (`make bench-record`).
#[derive(Args)]
#[command(after_long_help = "Example:
  nullarbor-tuner spsa apply run && make bench-record")]
pub struct ApplyArgs {
    /// The folder of the run
    dir: PathBuf,
    #[command(flatten)]
    target: TargetArgs,
}

/// Print the result of a run, or the parameters of a run file, for other programs. Notes for OpenBench go to standard
/// error.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner spsa export --openbench run.toml > spsa.txt
  nullarbor-tuner spsa export --setoption run")]
pub struct ExportArgs {
    #[command(flatten)]
    form: FormArgs,
    /// The folder of a run (prints its result so far), or a run file (prints its start)
    path: PathBuf,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct FormArgs {
    /// As lines for OpenBench's SPSA form
    #[arg(long)]
    openbench: bool,
    /// As UCI commands
    #[arg(long)]
    setoption: bool,
    /// As JSON: name, value, start and range of each parameter
    #[arg(long)]
    json: bool,
}

/// Write OpenBench's outputs or digest into the source of the engine as new defaults.
#[derive(Args)]
#[command(after_long_help = "Example:
  nullarbor-tuner spsa import outputs.csv && make bench-record")]
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
        let exported = Exported::read(&self.path)?;
        if self.form.openbench {
            let export = exported.openbench()?;
            terminal::print(&export.lines);
            export.notes.iter().for_each(terminal::message);
        } else if self.form.setoption {
            terminal::print(&exported.setoption());
        } else {
            terminal::print(&exported.json());
        }
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
        let run = Snapshot::read(&self.dir)?;
        if let Some(engine) = &run.record.run.engine {
            return Err(Error::Foreign { engine: engine.clone(), dir: self.dir.clone() }.into());
        }
        self.target.write(&run.result())
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
