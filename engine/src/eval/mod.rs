//! What a position is worth before anything is searched.

pub mod network;

use std::sync::Arc;

use crate::board::Position;
use crate::types::{Ply, Score};
use network::{Evaluator, Network};

/// Evaluates by a network, with what it remembers of the line that is being searched.
pub struct Evaluation {
    evaluator: Evaluator,
    /// Whether values fade as the fifty-move clock runs. They do in play; labels for training must not, since the
    /// network that learns from them is damped when it plays.
    pub fifty_move_damping: bool,
}

impl Evaluation {
    /// By this network.
    pub fn by(network: &Arc<Network>) -> Self {
        Self { evaluator: Evaluator::new(Arc::clone(network)), fifty_move_damping: true }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        self.evaluator.network()
    }

    /// The value of a position for the side to move, in centipawns; `ply` is its place in the line.
    #[inline]
    pub fn evaluate(&mut self, position: &Position, ply: Ply) -> Score {
        let value = self.evaluator.evaluate(position, ply);
        let clock = if self.fifty_move_damping { position.halfmove_clock() } else { 0 };
        Score(damped(value, clock)).clamp_eval()
    }
}

/// Without progress the value fades towards the draw that the fifty-move rule brings.
fn damped(value: i32, halfmove_clock: usize) -> i32 {
    value * (200 - halfmove_clock.min(100) as i32) / 200
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_fades_without_progress() {
        let mut evaluation = Evaluation::by(Network::embedded());
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
