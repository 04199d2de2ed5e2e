//! The mean over positions of games.

/// Returns the mean of values of positions that come game by game, and its standard error. `games` has the number of positions of
/// each game: those of one resemble each other, so games are what is drawn. The error of a single game is not known.
pub fn game_mean(values: &[f64], games: &[usize]) -> (f64, Option<f64>) {
    let positions = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / positions;
    let mut rest = values.iter();
    let deviation = |&game: &usize| rest.by_ref().take(game).map(|value| value - mean).sum::<f64>();
    let squares: f64 = games.iter().map(deviation).map(|sum| sum.powi(2)).sum();
    let drawn = games.len() as f64;
    let error = (drawn > 1.0).then(|| (squares * drawn / (drawn - 1.0)).sqrt() / positions);
    (mean, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_one_game_count_as_one() {
        let values = [1.0, 1.0, 3.0, 3.0];
        assert_eq!(game_mean(&values, &[4]), (2.0, None));
        // The standard deviation of two games is the root of 2, their standard error 1.
        let (mean, error) = game_mean(&values, &[2, 2]);
        assert!(mean == 2.0 && error.is_some_and(|error| (error - 1.0).abs() < 1e-12));
        let alone = game_mean(&values, &[1; 4]).1.expect("four games");
        assert!((alone - (1.0_f64 / 3.0).sqrt()).abs() < 1e-12, "{alone}");
        assert_eq!(game_mean(&[], &[]), (0.0, None));
    }
}
