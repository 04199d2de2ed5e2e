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
use super::target::{DEFAULT_SCALE, probability, score};
use crate::data::filter::Filter;
use crate::data::game_record::GameRecord;

/// The weight of the next position's label in that of a position, from 0 to below 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Td {
    /// With more than [`ENDGAME_PIECES`](Self::ENDGAME_PIECES).
    pub weight: f32,
    /// In endgames.
    pub endgame: f32,
}

impl Td {
    /// The labels are the scores.
    pub const OFF: Self = Self { weight: 0.0, endgame: 0.0 };
    /// The maximum number of pieces in an endgame.
    pub const ENDGAME_PIECES: usize = 9;

    fn of(self, pieces: usize) -> f32 {
        if pieces <= Self::ENDGAME_PIECES { self.endgame } else { self.weight }
    }
}

/// The rules by which games become examples.
#[derive(Clone, Copy)]
pub struct Labelling<'a> {
    /// The positions that are kept.
    pub filter: &'a Filter,
    /// How results and later scores reach back.
    pub td: Td,
    /// The weight of the game's result in the label, from 0 to 1 (WDL blend).
    pub lambda: f32,
    /// Centipawns of the win probability 73 %.
    pub scale: f32,
    /// The siblings that each position comes with, if any.
    pub siblings: Option<Siblings<'a>>,
}

impl<'a> Labelling<'a> {
    /// Labels positions with the scores of their searches alone.
    pub fn scores(filter: &'a Filter) -> Self {
        Self { filter, td: Td::OFF, lambda: 0.0, scale: DEFAULT_SCALE, siblings: None }
    }

    /// Returns the examples of a game: the positions that are kept with their [`labels`], blended with the result, each followed by
    /// its siblings, which get the result through the correction of their position alone: nobody played them.
    pub fn examples(&self, game: &GameRecord) -> Vec<Example> {
        let mut examples = Vec::new();
        let labelled = game.positions().zip(labels(game, self.td, self.scale)).enumerate();
        for (ply, ((position, mv, score), label)) in labelled {
            if self.filter.keeps(ply, &position, mv, score) {
                let result = game.outcome.points(position.side_to_move());
                let label = self.blended(label, result);
                examples.push(Example::new(&position, label, result));
                if let Some(siblings) = &self.siblings {
                    examples.extend(siblings.examples(&position, mv, label, result));
                }
            }
        }
        examples
    }

    fn blended(&self, label: Score, result: f32) -> Score {
        if self.lambda == 0.0 {
            return label;
        }
        let searched = probability(label.0 as f32, self.scale);
        score(self.lambda * result + (1.0 - self.lambda) * searched, self.scale)
    }
}

/// Returns the label of each position for the side to move; [`Score::NONE`] where the position has no score.
pub fn labels(game: &GameRecord, td: Td, scale: f32) -> Vec<Score> {
    let mut labels: Vec<Score> = game.moves.iter().map(|&(_, score)| score).collect();
    if td == Td::OFF {
        return labels;
    }
    let captures = game.moves.iter().filter(|(mv, _)| mv.is_capture()).count();
    let mut pieces = game.start.occupied().count() - captures;
    let mut mover =
        if labels.len() % 2 == 1 { game.start.side_to_move() } else { !game.start.side_to_move() };
    let mut white = game.outcome.points(Colour::White);
    for (label, (mv, _)) in labels.iter_mut().zip(&game.moves).rev() {
        pieces += usize::from(mv.is_capture());
        let sign = if mover == Colour::White { 1.0 } else { -1.0 };
        if label.is_some() {
            let td = td.of(pieces);
            white = (1.0 - td) * probability(sign * label.0 as f32, scale) + td * white;
            let score = score(white, scale);
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
    use crate::trainer::testing::network;
    use nullarbor::board::Position;

    const SCALE: f32 = 200.0;

    fn td(weight: f32) -> Td {
        Td { weight, endgame: weight }
    }

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
        assert_eq!(labels(&game(&scores, Outcome::Win), Td::OFF, SCALE), scores);
    }

    #[test]
    fn the_result_reaches_back_and_fades() {
        let found = labels(&game(&[Score(0); 40], Outcome::Win), td(0.9), SCALE);
        // White moves first, and Black last.
        assert!(found[39].0 < -300 && found[38].0 > 250, "{found:?}");
        assert!(
            found[38].0 > found[20].0 && found[20].0 > found[0].0 && found[0].0 > 0,
            "{found:?}"
        );
        assert!(found[0].0 < 10, "{found:?}");
        let lost = labels(&game(&[Score(0); 40], Outcome::Loss), td(0.9), SCALE);
        assert!(lost.iter().zip(&found).all(|(lost, won)| lost.0 == -won.0));
    }

    #[test]
    fn results_of_endgames_reach_further_back() {
        let endgame = GameRecord {
            start: Position::from_fen("4k1n1/8/8/8/8/8/8/4K1N1 w - - 0 1").expect("an endgame"),
            ..game(&[Score(0); 8], Outcome::Win)
        };
        let first = |game, endgame| labels(game, Td { weight: 0.5, endgame }, SCALE)[0];
        assert!(first(&endgame, 0.9) > first(&endgame, 0.5));
        let middlegame = game(&[Score(0); 8], Outcome::Win);
        assert_eq!(first(&middlegame, 0.9), first(&middlegame, 0.5));
    }

    #[test]
    fn positions_without_a_score_pass_the_label_on() {
        let scored = [Score(100), Score::NONE, Score(60)];
        let found = labels(&game(&scored, Outcome::Draw), td(0.5), SCALE);
        assert_eq!(found[1], Score::NONE);
        // (sigmoid(0.3) + 0.5) / 2 = 0.537, and half of it with half of sigmoid(0.5) = 0.622.
        assert_eq!((found[2], found[0]), (Score(30), Score(64)));
    }

    #[test]
    fn a_blend_lies_between_the_label_and_the_result_and_moves_siblings_as_far() {
        let network = network();
        let siblings =
            Siblings { network: &network, count: 1, seed: 1, preference: 0.0, scale: SCALE };
        let filter = Filter { skip_plies: 0, ..Filter::default() };
        let scores =
            Labelling { scale: SCALE, siblings: Some(siblings), ..Labelling::scores(&filter) };
        let targets = |lambda| {
            let blended = Labelling { lambda, ..scores };
            let examples = blended.examples(&game(&[Score(40)], Outcome::Win));
            examples.iter().map(|example| probability(example.score(), SCALE)).collect::<Vec<_>>()
        };
        let (own, blended) = (targets(0.0), targets(0.25));
        assert_eq!(own.len(), 2);
        let change = 0.25 * (1.0 - own[0]);
        assert!((blended[0] - own[0] - change).abs() < 0.002, "{own:?} {blended:?}");
        // The other side is to move in the sibling.
        assert!((blended[1] - own[1] + change).abs() < 0.002, "{own:?} {blended:?}");
        assert!(targets(1.0)[0] > 0.99);
    }

    #[test]
    fn a_certain_game_has_finite_labels() {
        let found =
            labels(&game(&[Score::mate_in(5), Score::mated_in(4)], Outcome::Win), td(0.99), SCALE);
        assert!(found.iter().all(|label| label.0.abs() < 1500), "{found:?}");
    }
}
