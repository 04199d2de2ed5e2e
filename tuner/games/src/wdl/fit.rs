//! The fit: a logistic curve for each move by maximum likelihood, then polynomials through their parameters by weighted least
//! squares.

use nullarbor::eval::wdl::{MOVES, Polynomial, REFERENCE_MOVE, value_at};

use super::{Counts, Sample};

/// The probability to win at one move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Logistic {
    /// The score that wins half of the time, in centipawns.
    pub even: f64,
    /// The scale, in centipawns.
    pub spread: f64,
}

/// A parameter of the model by move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve(pub Polynomial);

/// A fitted model.
#[derive(Clone, Debug)]
pub struct Fit {
    /// All moves together.
    pub overall: Logistic,
    /// Each move that has positions enough: its number, its positions and its curve.
    pub by_move: Vec<(u32, u64, Logistic)>,
    /// The score that wins half of the time.
    pub even: Curve,
    /// The scale.
    pub spread: Curve,
}

/// Positions that a move needs to count.
const LEAST_POSITIONS: u64 = 200;
/// Moves that a polynomial of third degree needs.
const LEAST_MOVES: usize = 8;

impl Logistic {
    /// Returns the probability to win with a score.
    pub fn win(&self, score: f64) -> f64 {
        1.0 / (1.0 + ((self.even - score) / self.spread).exp())
    }

    /// Returns the probabilities of loss, draw and win. Where the curves of both sides cross there is no room for a draw.
    pub fn outcomes(&self, score: f64) -> [f64; 3] {
        let (win, loss) = (self.win(score), self.win(-score));
        [loss, (1.0 - win - loss).max(0.0), win]
    }

    /// Fits a curve to scores with counts of losses, draws and wins; `None` if they do not determine one. A position is a
    /// trial to win for the side to move and, with the opposite score, for the other side.
    pub fn fit(sample: &[(f64, Counts)]) -> Option<Self> {
        let mut trials: Vec<(f64, f64, f64)> = Vec::with_capacity(2 * sample.len());
        for (score, [losses, draws, wins]) in sample {
            let all = (losses + draws + wins) as f64;
            trials.push((*score, *wins as f64, all));
            trials.push((-score, *losses as f64, all));
        }
        let won: f64 = trials.iter().map(|(_, won, _)| won).sum();
        let all: f64 = trials.iter().map(|(_, _, all)| all).sum();
        if won <= 0.0 || won >= all {
            return None;
        }
        // Logistic regression on slope and offset, whose likelihood has one maximum; scores in pawns keep the system well
        // conditioned.
        let (mut slope, mut offset) = (0.5, -1.0);
        for _ in 0..200 {
            let (mut gradient, mut hessian) = ([0.0; 2], [[1e-9, 0.0], [0.0, 1e-9]]);
            for (score, won, all) in &trials {
                let x = [score / 100.0, 1.0];
                let chance = 1.0 / (1.0 + (-(slope * x[0] + offset)).exp());
                for row in 0..2 {
                    gradient[row] += x[row] * (won - all * chance);
                    for column in 0..2 {
                        hessian[row][column] += all * chance * (1.0 - chance) * x[row] * x[column];
                    }
                }
            }
            let determinant = hessian[0][0] * hessian[1][1] - hessian[0][1] * hessian[1][0];
            if determinant <= 0.0 {
                return None;
            }
            let step = [
                (gradient[0] * hessian[1][1] - gradient[1] * hessian[0][1]) / determinant,
                (gradient[1] * hessian[0][0] - gradient[0] * hessian[1][0]) / determinant,
            ];
            // A full step may overshoot far from the maximum.
            let length = step[0].hypot(step[1]);
            let scale = if length > 1.0 { 1.0 / length } else { 1.0 };
            slope += scale * step[0];
            offset += scale * step[1];
            if length < 1e-10 {
                break;
            }
        }
        let is_sound = slope.is_finite() && offset.is_finite() && slope > 0.0;
        is_sound.then(|| Self { even: -100.0 * offset / slope, spread: 100.0 / slope })
    }
}

impl Curve {
    /// Returns the value at a move.
    pub fn at(&self, number: u32) -> f64 {
        value_at(self.0, number)
    }

    /// Fits a polynomial to values with weights; `None` if they do not determine one.
    fn fit(points: &[(u32, f64, f64)]) -> Option<Self> {
        let mut system = [[0.0; 5]; 4];
        for (number, weight, value) in points {
            let x = f64::from(*number) / f64::from(REFERENCE_MOVE);
            let powers = [x * x * x, x * x, x, 1.0];
            for row in 0..4 {
                for column in 0..4 {
                    system[row][column] += weight * powers[row] * powers[column];
                }
                system[row][4] += weight * powers[row] * value;
            }
        }
        solve(system).map(Self)
    }
}

/// Solves four equations by elimination with pivots.
fn solve(mut system: [[f64; 5]; 4]) -> Option<[f64; 4]> {
    for column in 0..4 {
        let pivot = (column..4).max_by(|&one, &other| {
            system[one][column].abs().total_cmp(&system[other][column].abs())
        })?;
        if system[pivot][column].abs() < 1e-12 {
            return None;
        }
        system.swap(column, pivot);
        let leading = system[column];
        for row in (0..4).filter(|row| *row != column) {
            let factor = system[row][column] / leading[column];
            system[row].iter_mut().zip(leading).for_each(|(cell, pivot)| *cell -= factor * pivot);
        }
    }
    Some(std::array::from_fn(|row| system[row][4] / system[row][row]))
}

impl Fit {
    /// Fits the model; `None` if there are too few positions or moves.
    pub fn of(sample: &Sample) -> Option<Self> {
        let overall = Logistic::fit(&sample.of_moves(MOVES))?;
        let of_move = |number: u32| {
            let classes = sample.of_moves(number..=number);
            let positions: u64 = classes.iter().flat_map(|(_, counts)| counts).sum();
            let curve =
                (positions >= LEAST_POSITIONS).then(|| Logistic::fit(&classes)).flatten()?;
            Some((number, positions, curve))
        };
        let by_move: Vec<(u32, u64, Logistic)> = MOVES.filter_map(of_move).collect();
        if by_move.len() < LEAST_MOVES {
            return None;
        }
        let curve = |part: fn(&Logistic) -> f64| {
            let points: Vec<(u32, f64, f64)> = by_move
                .iter()
                .map(|(number, positions, curve)| (*number, *positions as f64, part(curve)))
                .collect();
            Curve::fit(&points)
        };
        let (even, spread) = (curve(|it| it.even)?, curve(|it| it.spread)?);
        Some(Self { overall, by_move, even, spread })
    }

    /// Returns the curve of the polynomials at a move.
    pub fn at(&self, number: u32) -> Logistic {
        Logistic { even: self.even.at(number), spread: self.spread.at(number) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Result3;
    use super::*;

    /// Positions whose results follow a model exactly, but for rounding.
    fn sample(model: impl Fn(u32) -> Logistic) -> Sample {
        let mut sample = Sample::default();
        for number in 8..=90 {
            for score in (-400..=400).step_by(5) {
                let outcomes = model(number).outcomes(f64::from(score + 2));
                for (share, result) in
                    outcomes.into_iter().zip([Result3::Loss, Result3::Draw, Result3::Win])
                {
                    for _ in 0..(share * 100.0).round() as u64 {
                        sample.add(number, score, result);
                    }
                }
            }
        }
        sample
    }

    #[test]
    fn a_model_is_found_again() {
        let model = |number: u32| Logistic {
            even: 130.0 - 20.0 * f64::from(number) / 32.0,
            spread: 50.0 + 10.0 * f64::from(number) / 32.0,
        };
        let fit = Fit::of(&sample(model)).expect("a fit");
        for number in [10, 32, 64] {
            let (found, wanted) = (fit.at(number), model(number));
            assert!((found.even - wanted.even).abs() < 2.0, "{number}: {found:?} {wanted:?}");
            assert!((found.spread - wanted.spread).abs() < 2.0, "{number}: {found:?} {wanted:?}");
        }
    }

    #[test]
    fn too_little_gives_no_model() {
        assert!(Fit::of(&Sample::default()).is_none());
        assert!(Logistic::fit(&[(10.0, [0, 5, 0])]).is_none());
        let mut all_won = Sample::default();
        (0..500).for_each(|number| all_won.add(8 + number % 50, 300, Result3::Win));
        assert!(Fit::of(&all_won).is_none());
    }
}
