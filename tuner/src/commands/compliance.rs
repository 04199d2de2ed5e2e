//! `compliance`.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use nullarbor_games::engine_spec::EngineSpec;
use nullarbor_games::uci::compliance::{Checked, Compliance, Grade, check};
use nullarbor_games::uci::log::TrafficLog;
use nullarbor_report::table::Table;
use nullarbor_report::terminal::{self, printable};
use nullarbor_runs::Stop;
use nullarbor_runs::files::{check_writable, replace};
use nullarbor_runs::paths::{Named, check_outputs};

use super::{CommandResult, ExitWith};

/// Check that an engine speaks UCI as the protocol asks.
///
/// Prints a table of checks. The exit code is 0 if none failed, and 1 otherwise; a warning marks a deviation that GUIs
/// tolerate.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner compliance cmd=./engine
  nullarbor-tuner compliance cmd=./engine,arg=--uci,dir=/tmp --json checks.json --log traffic.txt")]
pub struct ComplianceArgs {
    /// The engine: its program, or cmd=PATH,arg=ARG,dir=DIR as in `match`
    engine: String,
    /// Seconds for an answer where no clock runs
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Write the checks as a machine-readable summary (JSON) to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Append what the engine is sent and answers to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Print only the result, no progress
    #[arg(long)]
    quiet: bool,
}

/// Exit code if a check failed.
const FAILED: u8 = 1;

impl ComplianceArgs {
    /// Checks the engine and prints the table.
    ///
    /// # Errors
    /// If a check failed, or the checks cannot be made or written.
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let text =
            if self.engine.contains('=') { &self.engine } else { &format!("cmd={}", self.engine) };
        let spec: EngineSpec = text.parse()?;
        let command =
            spec.external().ok_or("name a program: compliance cmd=PATH[,arg=ARG...][,dir=DIR]")?;
        let outputs = [
            Named::optional("--json", self.json.as_deref()),
            Named::optional("--log", self.log.as_deref()),
        ];
        let outputs: Vec<Named> = outputs.into_iter().flatten().collect();
        check_outputs(&outputs, &[Named::new("the program", command.program.clone())])?;
        self.json.as_deref().map(check_writable).transpose()?;
        let log = self.log.as_deref().map(TrafficLog::open).transpose()?.map(Arc::new);
        let timeout = Duration::from_secs(self.timeout);
        let tell = |checked: &Checked| {
            if !self.quiet {
                terminal::message(format_args!("{}: {}", checked.name, word(checked.result)));
            }
        };
        let compliance = check(command, timeout, stop, log.as_ref(), tell)?;
        terminal::print(&printable(&table(&compliance)));
        if let Some(path) = &self.json {
            replace(path, |file| {
                serde_json::to_writer_pretty(&mut *file, &compliance)?;
                file.write_all(b"\n")
            })?;
        }
        match compliance.count(Grade::Failed) {
            0 => Ok(()),
            count => {
                let plural = if count == 1 { "" } else { "s" };
                let message = format!("{count} check{plural} failed");
                Err(ExitWith { code: FAILED, message }.into())
            }
        }
    }
}

fn word(result: Grade) -> &'static str {
    match result {
        Grade::Passed => "passed",
        Grade::Warned => "warning",
        Grade::Failed => "FAILED",
        Grade::Skipped => "skipped",
    }
}

/// Returns the table of checks, what is not as expected below it, and a line of counts.
fn table(compliance: &Compliance) -> String {
    let Compliance { engine, checks } = compliance;
    let rows = checks.iter().map(|check| [check.name, word(check.result)]);
    let title = format!(
        "Compliance of {}",
        if engine.is_empty() { "an engine without a name" } else { engine }
    );
    let mut text = Table::new(&title, ["check", "result"], rows).text();
    for check in checks.iter().filter(|check| !check.note.is_empty()) {
        text += &format!("{}, {}: {}\n", check.name, word(check.result), check.note);
        if check.result == Grade::Failed {
            text += &format!("  expected: the engine {}\n", check.expected);
        }
    }
    let count = |result| compliance.count(result);
    text + &format!(
        "{} checks: {} passed, {} with warnings, {} failed, {} skipped\n",
        checks.len(),
        count(Grade::Passed),
        count(Grade::Warned),
        count(Grade::Failed),
        count(Grade::Skipped),
    )
}
