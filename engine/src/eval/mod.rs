//! Static evaluation.

pub mod nnue;

use std::sync::Arc;

use crate::board::Position;
use crate::types::{Ply, Score};
use nnue::{Evaluator, Network};

/// Evaluates positions with a network, incrementally along the line that is being searched.
///
/// ```
/// use nullarbor::board::Position;
/// use nullarbor::eval::{Evaluation, nnue::Network};
///
/// let mut evaluation = Evaluation::new(Network::embedded());
/// let queen_up = Position::from_fen("4k3/8/8/8/8/8/8/3QK3 w - - 0 1").expect("a legal position");
/// assert!(evaluation.evaluate(&queen_up, 0).0 > 300);
/// ```
pub struct Evaluation {
    evaluator: Evaluator,
    /// Whether scores shrink towards a draw as the halfmove clock runs. On in play; off for
    /// training data, since the network trained on it is damped when it plays.
    pub fifty_move_damping: bool,
}

impl Evaluation {
    /// Creates an evaluation with empty accumulators; damping is on.
    pub fn new(network: &Arc<Network>) -> Self {
        Self { evaluator: Evaluator::new(Arc::clone(network)), fifty_move_damping: true }
    }

    /// Returns the network.
    pub fn network(&self) -> &Arc<Network> {
        self.evaluator.network()
    }

    /// Returns the static evaluation for the side to move; `ply` is the position's place in the
    /// line.
    pub fn evaluate(&mut self, position: &Position, ply: Ply) -> Score {
        let undamped = self.evaluate_undamped(position, ply);
        self.damp(undamped, position.halfmove_clock())
    }

    /// Returns the evaluation without regard to the halfmove clock: the same wherever the pieces
    /// stand like this, so that the transposition table may keep it.
    #[inline]
    pub fn evaluate_undamped(&mut self, position: &Position, ply: Ply) -> Score {
        Score(self.evaluator.evaluate(position, ply)).clamp_eval()
    }

    /// Shrinks an evaluation towards a draw, if damping is on.
    pub fn damp(&self, score: Score, halfmove_clock: usize) -> Score {
        if self.fifty_move_damping { Score(damped(score.0, halfmove_clock)) } else { score }
    }
}

/// Shrinks a value to half when the halfmove clock reaches 100 plies.
fn damped(value: i32, halfmove_clock: usize) -> i32 {
    value * (200 - halfmove_clock.min(100) as i32) / 200
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_shrinks_as_the_clock_runs() {
        let mut evaluation = Evaluation::new(Network::embedded());
        let mut value = |clock| {
            let fen = format!("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - {clock} 60");
            evaluation.evaluate(&Position::from_fen(&fen).expect("a position"), 0).0
        };
        assert!(value(80) < value(0) && value(80) > 0);
        let undamped = value(0);
        evaluation.fifty_move_damping = false;
        let fen = "4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 80 60";
        let position = Position::from_fen(fen).expect("a position");
        assert_eq!(evaluation.evaluate(&position, 0).0, undamped);
    }
}
