//! Engines whose options are tuned: what they declare, and options that change from game to game.

use std::sync::Arc;
use std::time::Duration;

use super::process::Process;
use super::{Command, StartError, UCI_TIMEOUT, UciPlayer};
use nullarbor_runs::Stop;

/// A spin option, or a check option as 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// Name of the option.
    pub name: String,
    /// Default value.
    pub default: i64,
    /// Minimum value.
    pub min: i64,
    /// Maximum value.
    pub max: i64,
    /// True if it is a check option.
    pub is_check: bool,
}

/// The declarations of an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// Name and version of the engine.
    pub id: String,
    /// Options that are numbers, in the order in which the engine lists them.
    pub tunables: Vec<Tunable>,
}

impl Declared {
    fn note(&mut self, line: &str) {
        match line.trim().strip_prefix("id name ") {
            Some(name) => self.id = name.trim().to_owned(),
            None => self.tunables.extend(parse(line)),
        }
    }
}

impl UciPlayer {
    /// Starts an engine and returns what it declares.
    ///
    /// # Errors
    /// If it cannot be started or does not answer.
    pub fn declared(command: &Command, stop: &Arc<Stop>) -> Result<Declared, StartError> {
        let program = &command.program;
        let process = Process::spawn(command, None)
            .map_err(|source| StartError::Spawn { program: program.clone(), source })?;
        let mut player = Self::of(process, Arc::clone(stop), Duration::ZERO);
        let mut declared = Declared::default();
        let answer = player.ask("uci", "uciok", UCI_TIMEOUT, |line| declared.note(line));
        answer.map_err(|error| player.start_error(command, "uci", UCI_TIMEOUT, error))?;
        Ok(declared)
    }

    /// Sets an option that the engine is known to have.
    pub fn set_option(&mut self, name: &str, value: &str) {
        // If the engine has ended, the next command fails.
        let _ = self.process.send(&format!("setoption name {name} value {value}"));
    }
}

/// Parses `option name N type spin default D min A max B`, or `type check default D`.
fn parse(line: &str) -> Option<Tunable> {
    let (name, rest) = line.trim().strip_prefix("option name ")?.split_once(" type ")?;
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    let value = |key: &str| {
        let place = words.iter().position(|word| *word == key)?;
        words.get(place + 1).copied()
    };
    let (name, number) = (name.trim().to_owned(), |key| value(key)?.parse::<i64>().ok());
    match words.first().copied()? {
        "spin" => {
            let (default, min, max) = (number("default")?, number("min")?, number("max")?);
            Some(Tunable { name, default, min, max, is_check: false })
        }
        "check" => {
            let default = i64::from(value("default")? == "true");
            Some(Tunable { name, default, min: 0, max: 1, is_check: true })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_switches_are_tunable() {
        let mut declared = Declared::default();
        for line in [
            "id name Other 1.2",
            "id author A. B.",
            "option name Move Overhead type spin default 10 min 0 max 5000",
            "option name Ponder type check default true",
            "option name Clear Hash type button",
            "option name Broken type spin default x min 0 max 5",
            "option name Style type combo default A var A var B",
        ] {
            declared.note(line);
        }
        let tunable = |name: &str, default, min, max, is_check| Tunable {
            name: name.to_owned(),
            default,
            min,
            max,
            is_check,
        };
        let tunables =
            vec![tunable("Move Overhead", 10, 0, 5000, false), tunable("Ponder", 1, 0, 1, true)];
        assert_eq!(declared, Declared { id: "Other 1.2".to_owned(), tunables });
    }
}
