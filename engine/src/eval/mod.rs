//! What a position is worth before anything is searched.

mod hand_made;
pub mod network;

use std::sync::Arc;

use crate::board::Position;
use crate::types::{Ply, Score};
use network::{Evaluator, Network};

/// Who evaluates.
#[derive(Default)]
pub enum Evaluation {
    /// The sum of classical terms.
    #[default]
    HandMade,
    /// A network, with what it remembers of the line that is being searched.
    Network(Box<Evaluator>),
}

impl Evaluation {
    /// By this network, or by hand.
    pub fn by(network: Option<&Arc<Network>>) -> Self {
        match network {
            None => Self::HandMade,
            Some(network) => Self::Network(Box::new(Evaluator::new(Arc::clone(network)))),
        }
    }

    /// Whether it evaluates by this network, or by hand.
    pub fn is_by(&self, network: Option<&Arc<Network>>) -> bool {
        match (self, network) {
            (Self::HandMade, None) => true,
            (Self::Network(own), Some(network)) => Arc::ptr_eq(own.network(), network),
            _ => false,
        }
    }

    /// The value of a position for the side to move, in centipawns; `ply` is its place in the line.
    #[inline]
    pub fn evaluate(&mut self, position: &Position, ply: Ply) -> Score {
        let value = match self {
            Self::HandMade => hand_made::value(position),
            Self::Network(evaluator) => evaluator.evaluate(position, ply),
        };
        Score(damped(value, position.halfmove_clock())).clamp_eval()
    }
}

/// The name of who evaluates, for those who keep what it said.
pub fn name(network: Option<&Arc<Network>>) -> String {
    network.map_or_else(|| "hand-made".to_owned(), |network| format!("network {}", network.name()))
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
        let value = |clock| {
            let fen = format!("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - {clock} 60");
            Evaluation::HandMade.evaluate(&Position::from_fen(&fen).expect("a position"), 0).0
        };
        assert!(value(80) < value(0) && value(80) > 0);
    }
}
