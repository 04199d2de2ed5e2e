//! The engines of a match: what each one is, and how its players are started.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use super::in_process::{EngineOptions, InProcess};
use super::limit::Limit;
use super::player::Player;
use super::uci::log::TrafficLog;
use super::uci::{Command, UciPlayer};
use nullarbor_runs::Stop;

/// An engine of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineConfig {
    /// Name, different from those of all other engines.
    pub name: String,
    /// Program that the engine runs.
    pub program: Program,
    /// Limit of each search or game.
    pub limit: Limit,
}

/// The program of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// This engine, in this process.
    InProcess(EngineOptions),
    /// A UCI engine in a process of its own.
    External(Command),
}

/// Settings with which all players of a match are started.
#[derive(Clone, Debug)]
pub struct StartContext {
    /// True if castling follows the rules of Chess960.
    pub chess960: bool,
    /// Time after which a program without a clock counts as hung.
    pub timeout: Duration,
    /// Requests to stop.
    pub stop: Arc<Stop>,
    /// The log of what programs are sent and answer.
    pub log: Option<Arc<TrafficLog>>,
    /// Processors that workers are bound to, one each; none if they are not bound.
    pub processors: Vec<usize>,
}

/// Why an engine cannot be started. The source is [`nullarbor_runs::Interrupted`] if the match was aborted meanwhile.
#[derive(Debug, thiserror::Error)]
#[error("engine {name}: {reason}")]
pub struct EngineStartError {
    name: String,
    #[source]
    reason: Box<dyn Error + Send + Sync>,
}

impl EngineStartError {
    /// Returns the name of the engine and the reason, for another machine.
    pub(crate) fn into_text(self) -> (String, String) {
        (self.name, self.reason.to_string())
    }

    /// Returns the error of another machine.
    pub(crate) fn from_text((name, reason): (String, String)) -> Self {
        Self { name, reason: reason.into() }
    }
}

impl EngineConfig {
    /// Returns whether it thinks on its opponent's time.
    pub fn ponders(&self) -> bool {
        matches!(&self.program, Program::External(Command { ponder: true, .. }))
    }

    /// Returns whether it plays the same game again on any machine: it has no clock, and is no program with threads.
    pub fn repeats(&self) -> bool {
        let has_threads = match &self.program {
            Program::InProcess(_) => false,
            Program::External(command) => command
                .options
                .iter()
                .any(|(name, value)| name.eq_ignore_ascii_case("threads") && value != "1"),
        };
        !self.limit.is_timed() && !has_threads
    }

    /// Starts a player.
    ///
    /// # Errors
    /// If the program cannot be started or does not take its options.
    pub fn start(&self, context: &StartContext) -> Result<Box<dyn Player>, EngineStartError> {
        let StartContext { chess960, timeout, stop, log, .. } = context;
        let start = || -> Result<Box<dyn Player>, Box<dyn Error + Send + Sync>> {
            Ok(match &self.program {
                Program::InProcess(options) => Box::new(InProcess::new(options, stop)?),
                Program::External(command) => {
                    let log = log.as_ref().map(|log| log.of_process(&self.name));
                    Box::new(UciPlayer::start(command, *chess960, *timeout, stop, log)?)
                }
            })
        };
        start().map_err(|reason| EngineStartError { name: self.name.clone(), reason })
    }
}
