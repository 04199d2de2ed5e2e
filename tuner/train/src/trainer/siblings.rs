//! Siblings: positions after other quiet moves, so that what games teach does not blur what tells moves apart.
//!
//! Games go through good moves alone, but a search compares them with bad ones. A network that is fine-tuned on games learns how
//! wrong it was about the positions that were played, and forgets how these differ from their neighbours. So each position comes
//! with some of its siblings, whose labels are the evaluation of the network that training starts from plus the same correction:
//! the label of the position that was played less its evaluation, both as win probabilities, which results of games are about.
//!
//! The search knew the siblings and played another move (policy improvement, as in expert iteration: T. Anthony, Z. Tian and
//! D. Barber 2017). A preference moves the labels of siblings away from the position after that move: those that the network
//! thinks better for the mover come down to it and below, and the others move on.

use nullarbor::board::Position;
use nullarbor::types::{Move, Score};

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
    /// The preference for the move played, from 0 to 1.
    pub preference: f32,
    /// Centipawns of the win probability 73 %.
    pub scale: f32,
}

/// By this share of its lead a sibling comes down that the network thinks better than the move played.
const REFUTED: f32 = 1.2;
/// By this share of its distance another sibling moves away.
const CONFIRMED: f32 = 0.15;

impl Siblings<'_> {
    /// Returns the examples of the siblings of a position in which `mv` was played, with a label and the result of its game, both
    /// for the side to move.
    pub fn examples(
        &self,
        position: &Position,
        mv: Move,
        label: Score,
        result: f32,
    ) -> Vec<Example> {
        let evaluation = |position: &Position| {
            let example = Example::new(position, Score::DRAW, 0.0);
            self.network.evaluate_finely(&example.features(self.network.shape())) as f32
        };
        let probability = |centipawns| probability(centipawns, self.scale);
        let correction = probability(label.0 as f32) - probability(evaluation(position));
        let played = probability(evaluation(&position.make(mv)));
        let siblings = quiet_siblings(position, self.count, self.seed);
        let example = |sibling: &Position| {
            // The other side is to move: what is better for it is worse for the mover.
            let loss = probability(evaluation(sibling)) - played;
            let share = if loss < 0.0 { -REFUTED } else { CONFIRMED };
            let label = played + loss * (1.0 + self.preference * share) - correction;
            let label = score(label, self.scale);
            Example::new(sibling, label, 1.0 - result)
        };
        siblings.iter().map(example).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trainer::testing::network;

    fn evaluation(network: &Quantised, position: &Position) -> f32 {
        let example = Example::new(position, Score::DRAW, 0.0);
        network.evaluate_finely(&example.features(network.shape())) as f32
    }

    fn probability_of(example: &Example) -> f32 {
        probability(example.score(), 200.0)
    }

    #[test]
    fn siblings_are_corrected_as_their_position_is() {
        let network = network();
        let position = Position::start();
        let own = evaluation(&network, &position).round();
        let siblings =
            Siblings { network: &network, count: 3, seed: 1, preference: 0.0, scale: 200.0 };
        let mv = position.parse_uci("e2e4").expect("legal");
        let found = siblings.examples(&position, mv, Score(own as i32 + 100), 1.0);
        assert_eq!(found.len(), 3);
        let correction = probability(own + 100.0, 200.0) - probability(own, 200.0);
        assert!((0.1..0.13).contains(&correction), "{own}");
        for (sibling, after) in found.iter().zip(quiet_siblings(&position, 3, 1)) {
            // White, who has moved, gets more.
            let before = probability(evaluation(&network, &after), 200.0);
            assert!((probability_of(sibling) - before + correction).abs() < 0.002, "{sibling:?}");
            assert_eq!(sibling.result(), 0.0);
        }
        assert_ne!(found[0], found[1]);
    }

    #[test]
    fn a_preference_moves_siblings_away_from_the_move_played() {
        let network = network();
        let position = Position::start();
        let mv = position.parse_uci("e2e4").expect("legal");
        let label = Score(evaluation(&network, &position).round() as i32);
        let labels = |preference| {
            let siblings =
                Siblings { network: &network, count: 16, seed: 1, preference, scale: 200.0 };
            let found = siblings.examples(&position, mv, label, 0.5);
            found.iter().map(probability_of).collect::<Vec<_>>()
        };
        let played = probability(evaluation(&network, &position.make(mv)), 200.0);
        let (before, after) = (labels(0.0), labels(1.0));
        assert!(before.iter().any(|it| *it < played) && before.iter().any(|it| *it > played));
        for (before, after) in before.into_iter().zip(after) {
            let loss = before - played;
            let expected = if loss < 0.0 { -0.2 * loss } else { 1.15 * loss };
            assert!((after - played - expected).abs() < 0.002, "{played}: {before} {after}");
        }
    }
}
