//! Checks of what the UCI protocol (R. Huber, S. Meyer-Kahlen 2006) asks of an engine.

mod checks;
mod exam;
mod lines;

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::Command;
use super::log::TrafficLog;
use checks::CHECKS;
use exam::{Exam, Trouble};
use nullarbor_runs::{Interrupted, Stop};

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// As the protocol asks.
    Passed,
    /// A deviation that GUIs tolerate.
    Warned,
    /// Not as the protocol asks.
    Failed,
    /// The engine does not have what is checked.
    Skipped,
}

/// A check, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Name of the check.
    pub name: &'static str,
    /// Behaviour expected of the engine.
    pub expected: &'static str,
    /// Result of the check.
    pub result: Grade,
    /// Behaviour seen instead, or why it was skipped; empty if it passed.
    pub note: String,
}

/// All checks of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Compliance {
    /// Name that the engine gives itself; empty if it gives none.
    pub engine: String,
    /// The checks in their order.
    pub checks: Vec<Checked>,
}

impl Compliance {
    /// Returns the number of checks with a result.
    pub fn count(&self, result: Grade) -> usize {
        self.checks.iter().filter(|check| check.result == result).count()
    }
}

/// Checks an engine, and hands each check to `done` as it ends. `timeout` is the time for an answer where no clock runs.
///
/// # Errors
/// If it is interrupted.
pub fn check(
    command: &Command,
    timeout: Duration,
    stop: &Arc<Stop>,
    log: Option<&Arc<TrafficLog>>,
    mut done: impl FnMut(&Checked),
) -> Result<Compliance, Interrupted> {
    let mut exam = Exam::new(command, timeout, stop, log);
    let mut checks = Vec::new();
    for (name, expected, run) in CHECKS {
        if stop.is_finishing() {
            return Err(Interrupted);
        }
        let (result, note) = match run(&mut exam) {
            Ok(()) => (Grade::Passed, String::new()),
            Err(Trouble::Warned(note)) => (Grade::Warned, note),
            Err(Trouble::Failed(note)) => (Grade::Failed, note),
            Err(Trouble::Skipped(note)) => (Grade::Skipped, note),
            Err(Trouble::Interrupted) => return Err(Interrupted),
        };
        let checked = Checked { name, expected, result, note };
        done(&checked);
        checks.push(checked);
        if exam.cannot_start() {
            // Nothing else can be seen of it.
            break;
        }
    }
    Ok(Compliance { engine: exam.name(), checks })
}
