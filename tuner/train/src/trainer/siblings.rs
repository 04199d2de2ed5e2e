//! Siblings: positions after other quiet moves, so that what games teach does not blur what tells moves apart.
//!
//! Games go through good moves alone, but a search compares them with bad ones. A network that is fine-tuned on games learns how
//! wrong it was about the positions that were played, and forgets how these differ from their neighbours. So each position comes
//! with some of its siblings, whose labels are the evaluation of the network that training starts from plus the same correction:
//! the label of the position that was played less its evaluation, both as win probabilities, which results of games are about.

use nullarbor::board::Position;
use nullarbor::types::Score;

use super::example::Example;
use super::quantise::Quantised;
use super::target::{probability, score};
use crate::label::source::quiet_siblings;

/// The siblings of positions that are trained on.
#[derive(Clone, Copy)]
pub struct Siblings<'a> {
    /// The network that training starts from.
    pub network: &'a Quantised,
    /// Siblings of each position.
    pub count: usize,
    /// The seed that decides which moves are played.
    pub seed: u64,
    /// Centipawns of the win probability 73 %.
    pub scale: f32,
}

impl Siblings<'_> {
    /// Returns the examples of the siblings of a position with a label and the result of its game, both for the side to move.
    pub fn examples(&self, position: &Position, label: Score, result: f32) -> Vec<Example> {
        let evaluation = |position: &Position| {
            let example = Example::new(position, Score::DRAW, 0.0);
            self.network.evaluate_finely(&example.features(self.network.shape())) as f32
        };
        let probability = |centipawns| probability(centipawns, self.scale);
        let correction = probability(label.0 as f32) - probability(evaluation(position));
        let siblings = quiet_siblings(position, self.count, self.seed);
        let example = |sibling: &Position| {
            // The other side is to move.
            let label = score(probability(evaluation(sibling)) - correction, self.scale);
            Example::new(sibling, label, 1.0 - result)
        };
        siblings.iter().map(example).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trainer::testing::network;

    #[test]
    fn siblings_are_corrected_as_their_position_is() {
        let network = network();
        let position = Position::start();
        let evaluation = |example: &Example| {
            network.evaluate_finely(&example.features(network.shape())).round() as f32
        };
        let own = evaluation(&Example::new(&position, Score::DRAW, 0.0));
        let siblings = Siblings { network: &network, count: 3, seed: 1, scale: 200.0 };
        let found = siblings.examples(&position, Score(own as i32 + 100), 1.0);
        assert_eq!(found.len(), 3);
        let probability = |centipawns| probability(centipawns, 200.0);
        let correction = probability(own + 100.0) - probability(own);
        assert!((0.1..0.13).contains(&correction), "{own}");
        for sibling in &found {
            // White, who has moved, gets more.
            let change = probability(sibling.score()) - probability(evaluation(sibling));
            assert!((change + correction).abs() < 0.002, "{sibling:?}");
            assert_eq!(sibling.result(), 0.0);
        }
        assert_ne!(found[0], found[1]);
    }
}
