//! Who chooses moves.

use std::time::Duration;

use nullarbor::board::{KeyHistory, Position};
use nullarbor::clock::Limits;
use nullarbor::types::{Move, Score};
use nullarbor_openings::Opening;

/// A game as far as it has come.
#[derive(Clone, Debug)]
pub struct GameLine {
    /// The position on the board.
    pub position: Position,
    /// The keys of those before.
    pub history: KeyHistory,
    /// The command that tells a UCI engine all this.
    pub command: String,
    chess960: bool,
}

impl GameLine {
    /// A game at its first position, with the moves of its opening made.
    pub fn new(opening: &Opening, chess960: bool) -> Self {
        let mut line = Self {
            command: format!("position fen {}", opening.start),
            position: opening.start.clone(),
            history: KeyHistory::new(),
            chess960,
        };
        opening.moves.iter().for_each(|&mv| line.play(mv));
        line
    }

    /// Makes a legal move.
    pub fn play(&mut self, mv: Move) {
        if self.history.is_empty() {
            self.command.push_str(" moves");
        }
        self.command.push(' ');
        self.command.push_str(&self.position.uci(mv, self.chess960));
        self.history.push(self.position.key());
        self.position = self.position.make(mv);
    }
}

/// What a player has to say about its move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thought {
    /// A legal move.
    pub mv: Move,
    /// The time that it took, where somebody measured it.
    pub elapsed: Duration,
    /// The value that the player sees, from its own side.
    pub score: Option<Score>,
    /// Plies searched.
    pub depth: u32,
    /// The deepest ply.
    pub selective_depth: u32,
    /// Nodes searched.
    pub nodes: u64,
}

/// What a player did wrong; it loses the game by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It went away.
    Crash,
    /// It did not answer.
    Stall,
    /// It answered, but so late that nobody waits so long.
    Late,
    /// It named a move that is none.
    IllegalMove(String),
}

/// Why there is no thought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoThought {
    /// The player's fault.
    Fault(Fault),
    /// Nobody needs it any more.
    Aborted,
}

impl From<Fault> for NoThought {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Chooses moves, game after game. What it has learnt from one game it forgets before the next.
pub trait Player: Send {
    /// Gets ready for a game.
    ///
    /// # Errors
    /// Where it cannot.
    fn new_game(&mut self) -> Result<(), NoThought>;

    /// Chooses a move; the position has at least one. A player that is outside this process is not waited for much
    /// longer than `allowance`.
    ///
    /// # Errors
    /// Where it does not.
    fn think(
        &mut self,
        line: &GameLine,
        limits: &Limits,
        allowance: Option<Duration>,
    ) -> Result<Thought, NoThought>;
}
