//! What a position is worth before anything is searched.

pub mod network;

use std::sync::Arc;

use crate::board::Position;
use crate::types::{Ply, Score};
use network::{Evaluator, Network};

/// Evaluates by a network, with what it remembers of the line that is being searched.
pub struct Evaluation(Evaluator);

impl Evaluation {
    /// By this network.
    pub fn by(network: &Arc<Network>) -> Self {
        Self(Evaluator::new(Arc::clone(network)))
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        self.0.network()
    }

    /// The value of a position for the side to move, in centipawns; `ply` is its place in the line.
    #[inline]
    pub fn evaluate(&mut self, position: &Position, ply: Ply) -> Score {
        let value = self.0.evaluate(position, ply);
        Score(damped(value, position.halfmove_clock())).clamp_eval()
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
    }
}
