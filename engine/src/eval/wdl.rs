//! The win rate model: what a score is worth in games, and the centipawn in which scores are printed.
//!
//! The model is that of Stockfish (`win_rate_model`): at move m a score v wins with the probability `1 / (1 + exp((a - v) / b))` and
//! loses with that of -v, where a and b are polynomials of third degree in m / 32. Scores are printed as 100 v / a(32): 100 centipawns
//! win half of the games at move 32, as in other engines. The search and its margins keep their own unit.

use std::ops::RangeInclusive;

use crate::types::Score;

/// The move at which 100 centipawns win half of the games.
pub const REFERENCE_MOVE: u32 = 32;
/// The moves that the model is fitted to; before and after them it does not change.
pub const MOVES: RangeInclusive<u32> = 8..=120;

/// Coefficients of a polynomial in m / 32, the highest power first.
pub type Polynomial = [f64; 4];

// Fitted to 168,202 positions of 1,452 games of the engine against itself at 20,000 nodes per move; `nullarbor-tuner wdl` prints both.
/// The score that wins half of the games.
const A: Polynomial = [-2.0344, -1.8201, 66.0792, 69.2179];
/// The scale: how slowly the win rate rises with the score.
const B: Polynomial = [3.1735, -5.3417, -24.8884, 85.2342];

/// Returns the value of a polynomial at a move.
pub fn value_at(polynomial: Polynomial, fullmove: u32) -> f64 {
    let x = f64::from(fullmove.clamp(*MOVES.start(), *MOVES.end())) / f64::from(REFERENCE_MOVE);
    polynomial.iter().fold(0.0, |value, coefficient| value * x + coefficient)
}

/// Returns the score of the search that is printed as 100 centipawns.
pub fn pawn_value() -> f64 {
    value_at(A, REFERENCE_MOVE)
}

/// Returns a score of the search as it is printed, in centipawns. Proven wins and losses stay as they are,
/// and the noise of a draw is left out.
///
/// ```
/// use nullarbor::eval::wdl::to_cp;
/// use nullarbor::types::Score;
///
/// assert!(to_cp(Score(1000)) < Score(1000), "100 centipawns are more than 100 units of the search");
/// assert_eq!(to_cp(Score::mate_in(3)), Score::mate_in(3));
/// assert_eq!(to_cp(Score(Score::DRAW_NOISE)), Score::DRAW);
/// ```
pub fn to_cp(score: Score) -> Score {
    if score.is_decisive() {
        score
    } else if is_draw(score) {
        Score::DRAW
    } else {
        Score((100.0 * f64::from(score.0) / pawn_value()).round() as i32)
    }
}

/// Returns whether a score is that of a draw.
pub fn is_draw(score: Score) -> bool {
    score.0.abs() <= Score::DRAW_NOISE
}

/// Returns the probabilities of a win, a draw and a loss in thousandths, for a score of the search at a move. The noise of a draw
/// is left out.
pub fn wdl(score: Score, fullmove: u32) -> [i32; 3] {
    let score = if is_draw(score) { Score::DRAW } else { score };
    let win_rate = |score: Score| {
        if score.is_decisive() {
            return if score.is_win() { 1000 } else { 0 };
        }
        let exponent = (value_at(A, fullmove) - f64::from(score.0)) / value_at(B, fullmove);
        (1000.0 / (1.0 + exponent.exp())).round() as i32
    };
    let (win, loss) = (win_rate(score), win_rate(-score));
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_centipawns_win_half_of_the_games_at_the_reference_move() {
        let score = Score(pawn_value().round() as i32);
        assert_eq!(to_cp(score), Score(100));
        let [win, _, loss] = wdl(score, REFERENCE_MOVE);
        assert!((498..=502).contains(&win) && loss < 20, "{win} {loss}");
    }

    #[test]
    fn proven_results_are_certain_and_keep_their_score() {
        for win in [Score::mate_in(3), Score::tb_win(4)] {
            assert_eq!(wdl(win, 40), [1000, 0, 0]);
            assert_eq!(wdl(-win, 40), [0, 0, 1000]);
            assert_eq!((to_cp(win), to_cp(-win)), (win, -win));
        }
    }

    #[test]
    fn both_sides_see_the_same_and_more_is_better() {
        for fullmove in [1, 8, 20, 32, 60, 90, 120, 6000] {
            assert!(value_at(A, fullmove) > 0.0 && value_at(B, fullmove) > 0.0, "move {fullmove}");
            let mut before = 0;
            for score in (-3000..=3000).step_by(7).map(Score) {
                let [win, draw, loss] = wdl(score, fullmove);
                assert_eq!(wdl(-score, fullmove), [loss, draw, win], "{score:?} at {fullmove}");
                assert!(win >= before && draw >= 0, "{score:?} at {fullmove}");
                assert_eq!(to_cp(-score), -to_cp(score));
                before = win;
            }
        }
    }

    #[test]
    fn no_score_is_printed_as_a_proven_one() {
        let most = to_cp(Score::MAX_UNPROVEN);
        assert!(!most.is_decisive() && !to_cp(-Score::MAX_UNPROVEN).is_decisive(), "{most:?}");
    }
}
