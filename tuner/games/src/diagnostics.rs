//! Fault reports and warnings of principal variations, with all that an author needs to repeat them.

use serde::{Deserialize, Serialize};

use super::clock::Overstepped;

/// Returns whether a text of an engine, from another machine, may be shown and written: one line of at most `longest` bytes.
pub fn is_plain(text: &str, longest: usize) -> bool {
    text.len() <= longest && !text.contains(char::is_control)
}

/// The report of a fault that lost a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultReport {
    /// The exit status or signal of the process; `None` if it still runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Last line of the process on standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// The last `position` command that it was sent in this game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The `go` command that it was sent then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub go: Option<String>,
    /// The time that was exceeded, if that is the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Overstepped>,
}

/// A contradiction in the output of a search: in a principal variation, or between it and the `bestmove`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PvWarning {
    /// Description of the contradiction.
    pub problem: String,
    /// The `position` command.
    pub position: String,
    /// The line of the engine.
    pub line: String,
}

/// The warnings of a player: their number, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PvWarnings {
    /// Number of such contradictions.
    pub count: u64,
    /// The first [`PvWarnings::KEPT`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<PvWarning>,
}

impl PvWarnings {
    /// Warnings that are kept in full.
    pub const KEPT: usize = 3;

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a warning; `warning` is called if it is to be kept.
    pub fn add(&mut self, warning: impl FnOnce() -> PvWarning) {
        self.count = self.count.saturating_add(1);
        if self.first.len() < Self::KEPT {
            self.first.push(warning());
        }
    }

    /// Adds the warnings of a later search.
    pub fn merge(&mut self, later: Self) {
        self.count = self.count.saturating_add(later.count);
        let room = Self::KEPT.saturating_sub(self.first.len());
        self.first.extend(later.first.into_iter().take(room));
    }
}
