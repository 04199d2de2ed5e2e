//! Ratings of many players from all their games, by maximum likelihood.
//!
//! The model is that of Elo: player i scores `1 / (1 + 10^((r_j - r_i) / 400))` against j, and a draw is half a point. The
//! likelihood has a maximum where everybody has points against somebody of any other group (L. R. Ford 1957); it is found by
//! the iteration of D. R. Hunter ("MM algorithms for generalized Bradley-Terry models", 2004). The intervals come from the
//! variance over pairs of games, as those of two players do: openings decide games, so the two games of a pair depend on
//! each other.

use super::{Estimate, PairCounts};

/// Elo per natural unit of strength: 400 / ln 10.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
const MOST_ITERATIONS: usize = 100_000;
/// Relative change of every strength at which the iteration ends.
const PRECISION: f64 = 1e-12;

/// Results between two players, by number, for the first.
pub type Encounter<'a> = (usize, usize, &'a PairCounts);

/// Returns the ratings of this many players, relative to their mean, with 95 % intervals. Players whose rating has no bounds,
/// as they won or lost all their games against the others, have none.
///
/// ```
/// use nullarbor_stats::{PairCounts, ratings};
///
/// let even = PairCounts { dd: 50, ..PairCounts::default() };
/// let ahead = PairCounts { wd: 30, dd: 10, ld: 10, ..PairCounts::default() };
/// let encounters = [(0, 1, &even), (0, 2, &ahead), (1, 2, &ahead)];
/// let found = ratings(3, &encounters).map(|it| it.map(|rating| rating.value.round()));
/// assert_eq!(found.collect::<Vec<_>>(), [Some(23.0), Some(23.0), Some(-47.0)]);
/// ```
pub fn ratings(
    players: usize,
    encounters: &[Encounter<'_>],
) -> impl Iterator<Item = Option<Estimate>> {
    let group = comparable(players, encounters);
    let place = |player: usize| group.iter().position(|&member| member == player);
    let inside: Vec<Encounter<'_>> = encounters
        .iter()
        .filter(|(_, _, counts)| counts.pairs() > 0)
        .filter_map(|&(one, other, counts)| Some((place(one)?, place(other)?, counts)))
        .collect();
    let strengths = strengths(group.len(), &inside);
    let errors = standard_errors(&strengths, &inside);
    let mut ratings = vec![None; players];
    for ((&player, strength), error) in group.iter().zip(&strengths).zip(errors) {
        ratings[player] = Some(Estimate::from_standard_error(ELO * strength, ELO * error));
    }
    ratings.into_iter()
}

/// Returns the greatest group of players, at least two, in which everybody has points against everybody, be it by way of
/// others.
fn comparable(players: usize, encounters: &[Encounter<'_>]) -> Vec<usize> {
    let mut reaches = vec![vec![false; players]; players];
    for (one, other, counts) in encounters {
        reaches[*one][*other] |= counts.points() > 0.0;
        reaches[*other][*one] |= counts.reversed().points() > 0.0;
    }
    for by in 0..players {
        for from in 0..players {
            for to in 0..players {
                reaches[from][to] |= reaches[from][by] && reaches[by][to];
            }
        }
    }
    let group = |player: usize| -> Vec<usize> {
        let mutual = |other: &usize| reaches[player][*other] && reaches[*other][player];
        (0..players).filter(mutual).collect()
    };
    // The first of the greatest, so that the order decides between equals.
    (0..players).map(group).rev().max_by_key(Vec::len).unwrap_or_default()
}

/// Returns natural strengths with mean 0.
fn strengths(players: usize, encounters: &[Encounter<'_>]) -> Vec<f64> {
    let mut points = vec![0.0; players];
    for (one, other, counts) in encounters {
        points[*one] += counts.points();
        points[*other] += counts.reversed().points();
    }
    let mut weights = vec![1.0_f64; players];
    for _ in 0..MOST_ITERATIONS {
        let mut expected = vec![0.0; players];
        for (one, other, counts) in encounters {
            let share = counts.games() as f64 / (weights[*one] + weights[*other]);
            expected[*one] += share;
            expected[*other] += share;
        }
        let mut change = 0.0_f64;
        for ((weight, points), expected) in weights.iter_mut().zip(&points).zip(expected) {
            let new = points / expected;
            change = change.max((new / *weight - 1.0).abs());
            *weight = new;
        }
        // Only ratios count; without this they might drift out of range.
        let mean = weights.iter().map(|weight| weight.ln()).sum::<f64>() / players as f64;
        weights.iter_mut().for_each(|weight| *weight /= mean.exp());
        if change < PRECISION {
            break;
        }
    }
    weights.into_iter().map(f64::ln).collect()
}

/// Returns the standard errors of strengths relative to their mean: `H⁻¹ V H⁻¹` with the Fisher information H and the variance V
/// of its gradient (the sandwich estimator of P. Huber 1967), and a share more for the parameters that were fitted; NaN where no
/// pair is left to tell the spread by.
fn standard_errors(strengths: &[f64], encounters: &[Encounter<'_>]) -> Vec<f64> {
    let players = strengths.len();
    let (mut information, mut spread) =
        (vec![vec![0.0; players]; players], vec![vec![0.0; players]; players]);
    let add = |matrix: &mut Vec<Vec<f64>>, one: usize, other: usize, value: f64| {
        for (row, column, sign) in
            [(one, one, 1.0), (other, other, 1.0), (one, other, -1.0), (other, one, -1.0)]
        {
            matrix[row][column] += sign * value;
        }
    };
    for &(one, other, counts) in encounters {
        let expected = 1.0 / (1.0 + (strengths[other] - strengths[one]).exp());
        add(&mut information, one, other, counts.games() as f64 * expected * (1.0 - expected));
        // Points of a pair are twice its share.
        let square = counts.variance_around(expected);
        add(&mut spread, one, other, 4.0 * counts.pairs() as f64 * square);
    }
    let pairs: u64 = encounters.iter().map(|(_, _, counts)| counts.pairs()).sum();
    let left = pairs as f64 + 1.0 - players as f64;
    let share = if left > 0.0 { pairs as f64 / left } else { f64::NAN };
    // The sum of all strengths is fixed, which the information does not know.
    information.iter_mut().flatten().for_each(|value| *value += 1.0);
    let Some(inverse) = inverse(information) else { return vec![f64::NAN; players] };
    // 1 / players of the added matrix is all that the inverse has of it, and the spread takes no notice of it.
    let half = product(&inverse, &spread);
    let whole = product(&half, &inverse);
    (0..players).map(|player| (share * whole[player][player].max(0.0)).sqrt()).collect()
}

fn product(one: &[Vec<f64>], other: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = one.len();
    let cell =
        |row: usize, column: usize| (0..size).map(|by| one[row][by] * other[by][column]).sum();
    (0..size).map(|row| (0..size).map(|column| cell(row, column)).collect()).collect()
}

/// Inverts a matrix by elimination with pivots; `None` if it is singular.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    for (row, cells) in matrix.iter_mut().enumerate() {
        cells.extend((0..size).map(|column| f64::from(u8::from(row == column))));
    }
    for column in 0..size {
        let pivot = (column..size).max_by(|&one, &other| {
            matrix[one][column].abs().total_cmp(&matrix[other][column].abs())
        })?;
        if matrix[pivot][column].abs() < 1e-300 {
            return None;
        }
        matrix.swap(column, pivot);
        let leading = matrix[column][column];
        matrix[column].iter_mut().for_each(|cell| *cell /= leading);
        let pivot = matrix[column].clone();
        for (_, cells) in matrix.iter_mut().enumerate().filter(|(row, _)| *row != column) {
            let factor = cells[column];
            cells.iter_mut().zip(&pivot).for_each(|(cell, pivot)| *cell -= factor * pivot);
        }
    }
    Some(matrix.into_iter().map(|row| row[size..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Strength;
    use crate::normal::Z_95;

    fn all(players: usize, encounters: &[Encounter<'_>]) -> Vec<Option<Estimate>> {
        ratings(players, encounters).collect()
    }

    #[test]
    fn two_players_have_half_of_their_difference_each() {
        let counts = PairCounts { ll: 10, ld: 120, dd: 100, wl: 160, wd: 150, ww: 20 };
        let found = all(2, &[(0, 1, &counts)]);
        let (one, other) = (found[0].expect("a rating"), found[1].expect("a rating"));
        let elo = Strength::of(&counts).elo;
        assert!((one.value - other.value - elo.value).abs() < 1e-6, "{one:?} {other:?} {elo:?}");
        // The interval of the difference is twice that from the mean; the other one is not linearised.
        assert!((2.0 * one.error / elo.error - 1.0).abs() < 0.01, "{one:?} {elo:?}");
    }

    #[test]
    fn a_spread_that_only_the_fit_shows_counts() {
        // Each beats the next by a pair to none, and the last one the first: within a pairing nothing varies.
        let won = PairCounts { ww: 1, ..PairCounts::default() };
        let found = all(3, &[(0, 1, &won), (1, 2, &won), (2, 0, &won)]);
        // Across the mean H is 3 / 2 and, a pair being a point away from what was expected, V is 3. A player has 2 / 3 of that
        // variance, and of three pairs one is left after two differences were fitted.
        let expected = Z_95 * ELO * (3.0 / 1.5 / 1.5 * 2.0 / 3.0 * 3.0_f64).sqrt();
        for rating in found.iter().flatten() {
            assert!(rating.value.abs() < 1e-6, "{found:?}");
            assert!((rating.error / expected - 1.0).abs() < 1e-6, "{found:?} {expected}");
        }
        let even = PairCounts { wl: 1, ..PairCounts::default() };
        let single = all(2, &[(0, 1, &even)]);
        assert!(single.iter().flatten().all(|it| it.error.is_nan()), "{single:?}");
    }

    #[test]
    fn the_expected_points_are_those_that_were_scored() {
        let [one, two, three] = [
            PairCounts { ww: 5, wd: 9, dd: 20, ld: 3, ll: 2, wl: 4 },
            PairCounts { ww: 1, wd: 2, dd: 8, ld: 6, ll: 7, wl: 1 },
            PairCounts { ww: 9, wd: 2, dd: 8, ld: 1, ll: 0, wl: 1 },
        ];
        let encounters = [(0, 1, &one), (1, 2, &two), (0, 2, &three)];
        let found = all(3, &encounters);
        let value = |player: usize| found[player].expect("a rating").value;
        for player in 0..3 {
            let mut difference = 0.0;
            for (first, second, counts) in encounters {
                let sign = if first == player {
                    1.0
                } else if second == player {
                    -1.0
                } else {
                    0.0
                };
                let expected = 1.0 / (1.0 + 10_f64.powf((value(second) - value(first)) / 400.0));
                difference += sign * (counts.points() - expected * counts.games() as f64);
            }
            assert!(difference.abs() < 1e-6, "{player}: {difference}");
        }
        assert!((value(0) + value(1) + value(2)).abs() < 1e-9);
    }

    #[test]
    fn who_won_or_lost_everything_has_no_rating() {
        let won = PairCounts { ww: 5, ..PairCounts::default() };
        let even = PairCounts { dd: 3, wl: 3, ..PairCounts::default() };
        let found = all(3, &[(0, 1, &even), (0, 2, &won), (1, 2, &won)]);
        assert!(found[0].is_some() && found[1].is_some() && found[2].is_none(), "{found:?}");
        assert_eq!(all(2, &[(0, 1, &won)]), [None, None]);
        assert_eq!(all(2, &[(0, 1, &PairCounts::default())]), [None, None]);
        assert_eq!(all(0, &[]), []);
    }
}
