//! Who takes part: how to make a player, as often as one is needed.

use std::sync::Arc;
use std::time::Duration;

use nullarbor::engine::EngineError;
use thiserror::Error;

use super::in_process::{InProcess, Setting};
use super::limit::Limit;
use super::player::Player;
use super::uci::{Command, StartError, UciPlayer};
use crate::work::Stop;

/// Someone who takes part in a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineConfig {
    /// Its name; no other has it.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// How long it may think.
    pub limit: Limit,
}

/// What a engine is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// This engine, inside this process.
    InProcess(Setting),
    /// Another program.
    External(Command),
}

/// What all players of a match are started with.
#[derive(Clone, Debug)]
pub struct Start {
    /// Whether castling follows Chess960.
    pub chess960: bool,
    /// How long a program may think about a move where no clock runs.
    pub patience: Duration,
    /// The word to stop.
    pub stop: Arc<Stop>,
}

/// Why there is no player.
#[derive(Debug, Error)]
#[error("engine {name}: {reason}")]
pub struct EngineStartError {
    /// Whose.
    pub name: String,
    /// Why.
    pub reason: Box<NoPlayer>,
}

/// Why a player cannot be made.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum NoPlayer {
    #[error(transparent)]
    InProcess(#[from] EngineError),
    #[error(transparent)]
    External(#[from] StartError),
}

impl EngineConfig {
    /// Makes a player.
    ///
    /// # Errors
    /// Where it cannot be started as it should.
    pub fn start(&self, start: &Start) -> Result<Box<dyn Player>, EngineStartError> {
        let player: Result<Box<dyn Player>, NoPlayer> = match &self.kind {
            Kind::InProcess(setting) => match InProcess::new(setting, &start.stop) {
                Ok(player) => Ok(Box::new(player)),
                Err(error) => Err(error.into()),
            },
            Kind::External(command) => {
                match UciPlayer::start(command, start.chess960, start.patience, &start.stop) {
                    Ok(player) => Ok(Box::new(player)),
                    Err(error) => Err(error.into()),
                }
            }
        };
        player.map_err(|reason| EngineStartError { name: self.name.clone(), reason: reason.into() })
    }
}
