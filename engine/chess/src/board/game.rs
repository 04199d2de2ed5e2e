//! A game: a position and the positions before it.

use super::{Ending, KeyHistory, Position};
use crate::types::Move;

/// A game in progress: the current position and the keys of the earlier ones, as draws by
/// repetition need them.
///
/// ```
/// use nullarbor_chess::board::{Ending, Game, Position};
///
/// let mut game = Game::new(Position::start());
/// for text in ["f2f3", "e7e5", "g2g4", "d8h4"] {
///     let mv = game.position().parse_uci(text)?;
///     game.play(mv);
/// }
/// assert_eq!(game.ending(), Some(Ending::Checkmate));
/// # Ok::<(), nullarbor_chess::board::MoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    position: Position,
    history: KeyHistory,
}

impl Game {
    /// Starts a game at a position, with no earlier positions.
    pub fn new(position: Position) -> Self {
        Self { position, history: KeyHistory::new() }
    }

    /// Continues a game from a position and the keys of those before it.
    pub fn with_history(position: Position, history: KeyHistory) -> Self {
        Self { position, history }
    }

    /// Makes a legal move.
    pub fn play(&mut self, mv: Move) {
        self.history.push(self.position.key());
        self.position = self.position.make(mv);
    }

    /// Returns the current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the keys of the positions before the current one.
    pub fn history(&self) -> &KeyHistory {
        &self.history
    }

    /// Returns how the game has ended; `None` while it goes on.
    pub fn ending(&self) -> Option<Ending> {
        self.position.ending(&self.history)
    }
}
