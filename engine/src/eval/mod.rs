//! Static evaluation.

pub mod nnue;
pub mod plain;
pub mod wdl;

use std::sync::Arc;

use nullarbor_chess::board::Position;

use crate::types::{Ply, Score};
use nnue::Network;

/// The source of evaluations.
#[derive(Clone)]
pub enum Source {
    /// A network: the engine as it plays.
    Network(Arc<Network>),
    /// Material and piece-square tables that never change: the baseline of the null-move study.
    Plain,
}

impl Source {
    /// Returns whether both evaluate alike: the same network in memory, or both plain.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Network(one), Self::Network(other)) => Arc::ptr_eq(one, other),
            (Self::Plain, Self::Plain) => true,
            _ => false,
        }
    }
}

enum Evaluator {
    Network(nnue::Evaluator),
    Plain(plain::Evaluator),
}

/// Evaluates positions, incrementally along the line that is being searched.
///
/// ```
/// use std::sync::Arc;
/// use nullarbor::board::Position;
/// use nullarbor::eval::{Evaluation, Source, nnue::Network};
///
/// let queen_up = Position::from_fen("4k3/8/8/8/8/8/8/3QK3 w - - 0 1").expect("a legal position");
/// for source in [Source::Network(Arc::clone(Network::embedded())), Source::Plain] {
///     assert!(Evaluation::new(&source).evaluate(&queen_up, 0).0 > 300);
/// }
/// ```
pub struct Evaluation {
    source: Source,
    evaluator: Evaluator,
    /// True if scores shrink towards a draw as the halfmove clock runs. On in play; off for
    /// training data, since the network trained on it is damped when it plays.
    pub fifty_move_damping: bool,
}

impl Evaluation {
    /// Creates an evaluation that knows no position yet; damping is on.
    pub fn new(source: &Source) -> Self {
        let evaluator = match source {
            Source::Network(network) => {
                Evaluator::Network(nnue::Evaluator::new(Arc::clone(network)))
            }
            Source::Plain => Evaluator::Plain(plain::Evaluator::new()),
        };
        Self { source: source.clone(), evaluator, fifty_move_damping: true }
    }

    /// Returns what positions are evaluated by.
    pub fn source(&self) -> &Source {
        &self.source
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
        let value = match &mut self.evaluator {
            Evaluator::Network(evaluator) => evaluator.evaluate(position, ply),
            Evaluator::Plain(evaluator) => evaluator.evaluate(position, ply),
        };
        Score(value).clamp_eval()
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
        for source in [Source::Network(Arc::clone(Network::embedded())), Source::Plain] {
            let mut evaluation = Evaluation::new(&source);
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
}
