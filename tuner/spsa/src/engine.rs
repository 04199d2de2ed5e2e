//! The engine that is tuned: this one in this process, or any UCI engine with options that are numbers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use nullarbor::params::Params;
use nullarbor_games::engine_config::Program;
use nullarbor_games::in_process::{EngineOptions, InProcess};
use nullarbor_games::limit::Limit;
use nullarbor_games::player::Player;
use nullarbor_games::uci::{Command, Declared, Tunable, UciPlayer};
use nullarbor_runs::Stop;

use super::error::{EngineError, Error};
use super::parameter::Parameter;
use super::run_file::RunFile;

/// Time after which an engine without a clock counts as hung.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The option of a UCI engine that makes its clock one of nodes, as in Stockfish.
const NODESTIME: &str = "nodestime";

/// The engine of a run.
#[derive(Clone, Debug)]
pub enum Engine {
    /// This engine.
    Own(EngineOptions),
    /// A UCI engine.
    Program {
        /// Command that starts it.
        command: Command,
        /// Options of the engine that are switches.
        switches: BTreeSet<String>,
    },
}

impl Engine {
    /// Returns the engine of a run, after a comparison of its options with the run file.
    ///
    /// # Errors
    /// If it cannot be started, or is not that of the run file.
    pub fn of(run: &RunFile, stop: &Arc<Stop>) -> Result<Self, Error> {
        Self::with_limit(run, &run.limit()?, stop)
    }

    /// Returns the engine of a run for games with another limit.
    ///
    /// # Errors
    /// As [`Engine::of`].
    pub fn with_limit(run: &RunFile, limit: &Limit, stop: &Arc<Stop>) -> Result<Self, Error> {
        let Some(mut command) = run.command()? else { return Ok(Self::Own(run.options()?)) };
        let declared = UciPlayer::declared(&command, stop).map_err(EngineError::from)?;
        let switches = checked(run, &command.program, &declared)?;
        if let Limit::Clock(control) = limit
            && let Some(rate) = control.nodestime
        {
            command.options.push((NODESTIME.to_owned(), rate.to_string()));
        }
        Ok(Self::Program { command, switches })
    }

    /// Returns what a match starts to play with these values.
    pub fn program(&self, values: &[(String, i32)], hash: usize) -> Program {
        match self {
            Self::Own(options) => {
                let params = values.to_vec();
                Program::InProcess(EngineOptions { hash, params, ..options.clone() })
            }
            Self::Program { command, switches } => {
                let mut command = command.clone();
                let options = values
                    .iter()
                    .map(|(name, value)| (name.clone(), option_value(switches, name, *value)));
                command.options.extend(options);
                Program::External(command)
            }
        }
    }

    /// Starts a player with these values.
    ///
    /// # Errors
    /// If memory is short, or the program cannot be started.
    pub fn start(&self, chess960: bool, stop: &Arc<Stop>) -> Result<TunedPlayer, Error> {
        Ok(match self {
            Self::Own(options) => TunedPlayer::Own(Box::new(InProcess::new(options, stop)?)),
            Self::Program { command, switches } => {
                let start = || UciPlayer::start(command, chess960, TIMEOUT, stop, None);
                // A machine under load may fail to start an engine in time, once.
                let player = start().or_else(|_| start()).map_err(EngineError::from)?;
                TunedPlayer::Program { player: Box::new(player), switches: switches.clone() }
            }
        })
    }
}

/// Returns the options that are switches, if the engine is that of the run.
fn checked(
    run: &RunFile,
    program: &std::path::Path,
    declared: &Declared,
) -> Result<BTreeSet<String>, Error> {
    if let Some(expected) = run.engine_id.as_ref().filter(|id| **id != declared.id) {
        let (found, expected) = (declared.id.clone(), expected.clone());
        return Err(EngineError::Other { program: program.to_owned(), found, expected }.into());
    }
    let mut switches = BTreeSet::new();
    for Parameter { name, range, .. } in run.tuned_parameters()? {
        let Some(option) = declared.tunables.iter().find(|option| option.name == name) else {
            let near = near(&name, &declared.tunables);
            return Err(EngineError::NoOption { program: program.to_owned(), name, near }.into());
        };
        let (least, greatest) = (option.min, option.max);
        if i64::from(range.min) < least || i64::from(range.max) > greatest {
            let (min, max, program) = (range.min, range.max, program.to_owned());
            return Err(EngineError::Range { program, name, least, greatest, min, max }.into());
        }
        if option.is_check {
            switches.insert(name);
        }
    }
    Ok(switches)
}

/// Returns a hint at options whose names differ by case, or contain the name.
fn near(name: &str, options: &[Tunable]) -> String {
    let name = name.to_ascii_lowercase();
    let near = options.iter().map(|option| &*option.name).filter(|known| {
        let known = known.to_ascii_lowercase();
        known.contains(&name) || name.contains(&known)
    });
    let near: Vec<&str> = near.take(5).collect();
    if near.is_empty() { String::new() } else { format!(" (but {})", near.join(", ")) }
}

fn option_value(switches: &BTreeSet<String>, name: &str, value: i32) -> String {
    if switches.contains(name) { (value != 0).to_string() } else { value.to_string() }
}

/// A player whose parameters change from game to game.
pub enum TunedPlayer {
    /// This engine.
    Own(Box<InProcess>),
    /// A UCI engine.
    Program {
        /// The process.
        player: Box<UciPlayer>,
        /// Options of the engine that are switches.
        switches: BTreeSet<String>,
    },
}

impl TunedPlayer {
    /// Sets the parameters, from the next search on.
    pub fn set(&mut self, parameters: &[Parameter], values: &[i32]) {
        match self {
            Self::Own(player) => player.set_params(params(parameters, values)),
            Self::Program { player, switches } => {
                for (Parameter { name, .. }, value) in parameters.iter().zip(values) {
                    player.set_option(name, &option_value(switches, name, *value));
                }
            }
        }
    }

    /// Returns the player.
    pub fn player(&mut self) -> &mut dyn Player {
        match self {
            Self::Own(player) => player.as_mut(),
            Self::Program { player, .. } => player.as_mut(),
        }
    }
}

/// Returns the parameters of a setting; those that are not tuned have their defaults.
fn params(parameters: &[Parameter], values: &[i32]) -> Params {
    let mut params = Params::default();
    for (parameter, &value) in parameters.iter().zip(values) {
        // The run file was checked: the name exists, and its range lies in the declared one.
        let set = params.set(&parameter.name, value);
        debug_assert!(set.is_ok(), "{}: {value}", parameter.name);
    }
    params
}

/// Options that every engine may have and that are no parameters of its play: they concern the machine or the protocol.
const NOT_TUNED: [&str; 22] = [
    "hash",
    "threads",
    "ponder",
    "multipv",
    "move overhead",
    "moveoverhead",
    "move_overhead",
    "overhead",
    "syzygyprobedepth",
    "syzygy50moverule",
    "syzygyprobelimit",
    "nodestime",
    "uci_chess960",
    "uci_limitstrength",
    "uci_elo",
    "uci_analysemode",
    "uci_showwdl",
    "uci_opponent",
    "skill level",
    "slow mover",
    "ownbook",
    "minimum thinking time",
];

/// Starts an engine and returns its name and the options that can be tuned: those of these names, or all but those that
/// concern the machine and the protocol.
///
/// # Errors
/// If it cannot be started, or has no such options.
pub fn tunables(command: &Command, names: &[String], stop: &Arc<Stop>) -> Result<Declared, Error> {
    let mut declared = UciPlayer::declared(command, stop).map_err(EngineError::from)?;
    let program = command.program.clone();
    let is_named = |name: &str| names.iter().any(|wanted| wanted == name);
    if let Some(missing) =
        names.iter().find(|name| declared.tunables.iter().all(|option| option.name != **name))
    {
        let near = near(missing, &declared.tunables);
        return Err(EngineError::NoOption { program, name: missing.clone(), near }.into());
    }
    let fits = |value: i64| i32::try_from(value).is_ok();
    declared.tunables.retain(|option| {
        let is_own = !NOT_TUNED.contains(&&*option.name.to_ascii_lowercase());
        let has_range = option.min < option.max && fits(option.min) && fits(option.max);
        has_range && if names.is_empty() { is_own } else { is_named(&option.name) }
    });
    if declared.tunables.is_empty() {
        return Err(EngineError::Nothing { program, wanted: !names.is_empty() }.into());
    }
    Ok(declared)
}
