//! The labels of a game's positions: TD(lambda) from the scores of its searches and its result.
//!
//! A search of a few thousand nodes knows little more than the network that it asks. What the game came to some moves later is
//! news: with a weight of `td` the label of a position is that of the next one, and with the rest its own score (R. Sutton 1988;
//! G. Tesauro 1995, TD-Gammon). The last position is followed by the result. So a later score counts `td` times as much as the one
//! before it, and the result of the game for positions with up to some `1 / (1 - td)` scores before its end. Positions without a
//! score, such as those of quick searches, are passed over.

use nullarbor::types::{Colour, Score};

use super::example::Example;
use super::siblings::Siblings;
use super::target::{probability, score};
use crate::data::filter::Filter;
use crate::data::game_record::GameRecord;

/// The rules by which games become examples.
#[derive(Clone, Copy)]
pub struct Labelling<'a> {
    /// The positions that are kept.
    pub filter: &'a Filter,
    /// The weight of the next position's label in that of a position.
    pub td: f32,
    /// The siblings that each position comes with, if any.
    pub siblings: Option<Siblings<'a>>,
}

impl Labelling<'_> {
    /// Returns the examples of a game: the positions that are kept with their [`labels`], each followed by its siblings.
    pub fn examples(&self, game: &GameRecord) -> Vec<Example> {
        let mut examples = Vec::new();
        let labelled = game.positions().zip(labels(game, self.td)).enumerate();
        for (ply, ((position, mv, score), label)) in labelled {
            if self.filter.keeps(ply, &position, mv, score) {
                let result = game.outcome.points(position.side_to_move());
                examples.push(Example::new(&position, label, result));
                if let Some(siblings) = &self.siblings {
                    examples.extend(siblings.examples(&position, label, result));
                }
            }
        }
        examples
    }
}

/// Returns the label of each position for the side to move; [`Score::NONE`] where the position has no score. With `td` = 0
/// labels are the scores.
pub fn labels(game: &GameRecord, td: f32) -> Vec<Score> {
    let mut labels: Vec<Score> = game.moves.iter().map(|&(_, score)| score).collect();
    if td == 0.0 {
        return labels;
    }
    let mut mover =
        if labels.len() % 2 == 1 { game.start.side_to_move() } else { !game.start.side_to_move() };
    let mut white = game.outcome.points(Colour::White);
    for label in labels.iter_mut().rev() {
        let sign = if mover == Colour::White { 1.0 } else { -1.0 };
        if label.is_some() {
            white = (1.0 - td) * probability(sign * label.0 as f32) + td * white;
            let score = score(white);
            *label = if sign > 0.0 { score } else { -score };
        }
        mover = !mover;
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::game_record::Outcome;
    use nullarbor::board::Position;

    fn game(scores: &[Score], outcome: Outcome) -> GameRecord {
        let start = Position::start();
        let cycle = ["g1f3", "g8f6", "f3g1", "f6g8"];
        let mut position = start.clone();
        let mut moves = Vec::new();
        for (&score, mv) in scores.iter().zip(cycle.iter().cycle()) {
            let mv = position.parse_uci(mv).expect(mv);
            moves.push((mv, score));
            position = position.make(mv);
        }
        GameRecord { start, moves, outcome }
    }

    #[test]
    fn without_later_scores_labels_are_the_scores() {
        let scores = [Score(31), Score(-40), Score::NONE];
        assert_eq!(labels(&game(&scores, Outcome::Win), 0.0), scores);
    }

    #[test]
    fn the_result_reaches_back_and_fades() {
        let found = labels(&game(&[Score(0); 40], Outcome::Win), 0.9);
        // White moves first, and Black last.
        assert!(found[39].0 < -300 && found[38].0 > 250, "{found:?}");
        assert!(
            found[38].0 > found[20].0 && found[20].0 > found[0].0 && found[0].0 > 0,
            "{found:?}"
        );
        assert!(found[0].0 < 10, "{found:?}");
        let lost = labels(&game(&[Score(0); 40], Outcome::Loss), 0.9);
        assert!(lost.iter().zip(&found).all(|(lost, won)| lost.0 == -won.0));
    }

    #[test]
    fn positions_without_a_score_pass_the_label_on() {
        let scored = [Score(100), Score::NONE, Score(60)];
        let found = labels(&game(&scored, Outcome::Draw), 0.5);
        assert_eq!(found[1], Score::NONE);
        // (sigmoid(0.3) + 0.5) / 2 = 0.537, and half of it with half of sigmoid(0.5) = 0.622.
        assert_eq!((found[2], found[0]), (Score(30), Score(64)));
    }

    #[test]
    fn a_certain_game_has_finite_labels() {
        let found = labels(&game(&[Score::mate_in(5), Score::mated_in(4)], Outcome::Win), 0.99);
        assert!(found.iter().all(|label| label.0.abs() < 1500), "{found:?}");
    }
}
