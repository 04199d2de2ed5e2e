//! Scores that are blended with those of later positions of the same game, to smooth the errors of single searches.

use nullarbor::types::Score;

use super::gradient::sigmoid;
use crate::data::record::Record;

/// How many plies later the positions are.
const LATER: [usize; 3] = [1, 2, 4];

/// How scores are blended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blend {
    /// The share of the later positions, from 0 to 1.
    pub share: f32,
    /// Centipawns that make an output of one.
    pub scale: f32,
}

impl Blend {
    /// The score of the position after so many plies of a game, in centipawns for the side to move: its chance to score and the mean
    /// of those of the later positions, as far as there are any, from the same side.
    pub fn score(&self, game: &Record, ply: usize) -> Score {
        let own = game.moves[ply].1;
        let chance = |ply: usize| game.moves.get(ply).map(|(_, score)| self.chance(*score));
        let later = |plies: usize| {
            let chance = chance(ply + plies)?;
            Some(if plies.is_multiple_of(2) { chance } else { 1.0 - chance })
        };
        let chances: Vec<f32> = LATER.into_iter().filter_map(later).collect();
        if chances.is_empty() || self.share == 0.0 {
            return own;
        }
        let mean = chances.iter().sum::<f32>() / chances.len() as f32;
        let blended = (1.0 - self.share) * self.chance(own) + self.share * mean;
        self.centipawns(blended)
    }

    fn chance(&self, score: Score) -> f32 {
        sigmoid(score.0 as f32 / self.scale)
    }

    /// The inverse, as far as floats tell a chance from certainty.
    fn centipawns(&self, chance: f32) -> Score {
        let chance = chance.clamp(1e-6, 1.0 - 1e-6);
        Score((self.scale * (chance / (1.0 - chance)).ln()).round() as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::Outcome;
    use nullarbor::board::Position;

    fn game(scores: &[i32]) -> Record {
        let start = Position::start();
        let mv = start.parse_uci("e2e4").expect("legal");
        let moves = scores.iter().map(|&score| (mv, Score(score))).collect();
        Record { start, moves, outcome: Outcome::Draw }
    }

    #[test]
    fn later_scores_count_from_the_side_of_the_mover() {
        let blend = Blend { share: 0.25, scale: 300.0 };
        // The opponent sees the same with the other sign: nothing changes.
        let same = game(&[100, -100, 100, -100, 100]);
        assert!((0..5).all(|ply| blend.score(&same, ply) == same.moves[ply].1));
        let rises = game(&[0, -200, 200, -200, 200]);
        let expected = 0.75 * 0.5 + 0.25 * sigmoid(200.0 / 300.0);
        let found = sigmoid(blend.score(&rises, 0).0 as f32 / 300.0);
        assert!((found - expected).abs() < 1e-3, "{found} and {expected}");
        // The last position stands alone.
        assert_eq!(blend.score(&rises, 4), Score(200));
        let none = Blend { share: 0.0, ..blend };
        assert_eq!(none.score(&rises, 0), Score(0));
    }
}
