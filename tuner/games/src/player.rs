//! Players: whatever chooses moves.

use std::time::Duration;

use nullarbor::board::Game;
use nullarbor::clock::Limits;
use nullarbor::types::{Move, Score};
use nullarbor_openings::Opening;
use serde::{Deserialize, Serialize};

use crate::clock::Overstepped;
use crate::diagnostics::{FaultReport, PvWarnings};

/// A game in progress, and the UCI command that describes it.
#[derive(Clone, Debug)]
pub struct GameLine {
    /// The game so far.
    pub game: Game,
    /// The `position` command for a UCI engine.
    pub command: String,
    chess960: bool,
}

impl GameLine {
    /// Starts a game and plays the moves of its opening.
    pub fn new(opening: &Opening, chess960: bool) -> Self {
        let command = format!("position fen {}", opening.start);
        let mut line = Self { game: Game::new(opening.start.clone()), command, chess960 };
        opening.moves.iter().for_each(|&mv| line.play(mv));
        line
    }

    /// Makes a legal move.
    pub fn play(&mut self, mv: Move) {
        if self.game.history().is_empty() {
            self.command.push_str(" moves");
        }
        self.command.push(' ');
        self.command.push_str(&self.game.position().uci(mv, self.chess960));
        self.game.play(mv);
    }
}

/// A move, and what its player reports about the search.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveInfo {
    /// A legal move.
    pub mv: Move,
    /// Time used.
    pub elapsed: Duration,
    /// Score from the player's side, if it reported one.
    pub score: Option<Score>,
    /// Depth in plies.
    pub depth: u32,
    /// Selective depth in plies.
    pub selective_depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Further facts, as far as they are known.
    pub details: Details,
    /// Contradictions in its output.
    pub pv_warnings: PvWarnings,
}

/// Figures of a search beyond its score, depth and nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Details {
    /// Nodes per second, as the player reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    /// Thousandths of the hash table in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hashfull: Option<u32>,
    /// Positions found in tablebases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tbhits: Option<u64>,
    /// Time that the player reports for its search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<Duration>,
    /// Time on its clock after the move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Duration>,
    /// Principal variation as moves of UCI, not checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pv: Vec<String>,
}

/// A fault of a player. It loses the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process ended.
    Crash,
    /// The player did not answer.
    Stall,
    /// The player answered after its time was over.
    Late,
    /// The player answered with text that is no legal move.
    IllegalMove(String),
}

/// Why a player returned no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoMove {
    /// The player made a fault; the report of it, if there is anything to tell.
    Fault(Fault, Option<Box<FaultReport>>),
    /// The game was aborted.
    Aborted,
}

impl NoMove {
    /// Returns the fault of a player that exceeded its time, with what is known of its search.
    pub fn late(overstepped: Overstepped, report: FaultReport) -> Self {
        let report = FaultReport { time: Some(overstepped), ..report };
        Self::Fault(Fault::Late, Some(Box::new(report)))
    }
}

/// Chooses moves, game after game. A game does not depend on the games before it.
pub trait Player: Send {
    /// Prepares for a game.
    ///
    /// # Errors
    /// If the player is faulty or the game was aborted.
    fn new_game(&mut self) -> Result<(), NoMove>;

    /// Chooses a move in a position that has at least one. `allowance` is the time that the player may use; it is
    /// `None` where no clock runs.
    ///
    /// # Errors
    /// If the player is faulty or the game was aborted.
    fn think(
        &mut self,
        line: &GameLine,
        limits: &Limits,
        allowance: Option<Duration>,
    ) -> Result<MoveInfo, NoMove>;

    /// Thinks on while the opponent is to move in `line`, if it ponders; `limits` are those of its next move. What goes wrong,
    /// the next call tells.
    fn ponder(&mut self, _line: &GameLine, _limits: &Limits) {}

    /// Returns what is known of its last search, for the report on a fault.
    fn report(&self) -> FaultReport {
        FaultReport::default()
    }

    /// Ends pondering: the game is over.
    fn end_game(&mut self) {}
}
