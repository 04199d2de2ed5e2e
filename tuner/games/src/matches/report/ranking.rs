//! Tables of results: of each engine against all others, and of each pairing.

use nullarbor_report::table::Table;

use crate::matches::Standings;
use nullarbor_stats::{Estimate, Strength, decimals};

/// Returns a row for each engine, the strongest first. Faults have columns only if there were any.
pub fn table(title: &str, names: &[&str], standings: &Standings) -> Table {
    let mut rows: Vec<(f64, Vec<String>)> = names
        .iter()
        .enumerate()
        .map(|(number, name)| {
            let counts = standings.of(number);
            let elo = Strength::of(&counts).elo;
            let faults = &standings.faults[number];
            let row = vec![
                (*name).to_owned(),
                decimals(elo.value, 1),
                decimals(elo.error, 1),
                counts.games().to_string(),
                format!("{:.1}", counts.points()),
                format!("{:.1}", 100.0 * counts.score()),
                counts.wins().to_string(),
                counts.draws().to_string(),
                counts.losses().to_string(),
                faults.time.to_string(),
                (faults.crash + faults.stall).to_string(),
                faults.illegal_move.to_string(),
                faults.pv_warnings.to_string(),
            ];
            (counts.score(), row)
        })
        .collect();
    // The sort is stable: equals keep the order of the command line.
    rows.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut rows: Vec<Vec<String>> = rows.into_iter().map(|(_, row)| row).collect();
    let mut head = vec![
        "Engine", "Elo", "+/-", "Games", "Points", "%", "Won", "Drawn", "Lost", "Time", "Crash",
        "Illegal", "PV",
    ];
    let faults = head.len() - 4;
    if rows.iter().flat_map(|row| &row[faults..]).all(|count| count == "0") {
        head.truncate(faults);
        rows.iter_mut().for_each(|row| row.truncate(faults));
    }
    Table::new(title, head, rows)
}

/// Returns the rating of each engine from all games, the highest first, and its points against each other engine. An engine
/// that won or lost all of its games has no rating, and stands where its score puts it.
pub fn crosstable(title: &str, names: &[&str], standings: &Standings) -> Table {
    let ratings = standings.ratings();
    // An engine without a rating has won, lost or played too little for the scale: it stands where its score's Elo puts it.
    let place = |engine: usize| {
        let elo = || Strength::of(&standings.of(engine)).elo.value;
        ratings[engine].map_or_else(elo, |rating| rating.value)
    };
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&one, &other| place(other).total_cmp(&place(one)));
    let points = |one: usize, other: usize| match standings.between(one, other) {
        Some(counts) if counts.games() > 0 => {
            format!("{:.1}/{}", counts.points(), counts.games())
        }
        _ => "-".to_owned(),
    };
    let rows = order.iter().zip(1..).map(|(&engine, rank): (&usize, usize)| {
        let counts = standings.of(engine);
        let rating = |part: fn(&Estimate) -> f64| {
            ratings[engine].as_ref().map_or("-".to_owned(), |rating| decimals(part(rating), 1))
        };
        let own = [
            rank.to_string(),
            names[engine].to_owned(),
            rating(|it| it.value),
            rating(|it| it.error),
            format!("{:.1}/{}", counts.points(), counts.games()),
        ];
        own.into_iter().chain(order.iter().map(|&other| points(engine, other))).collect::<Vec<_>>()
    });
    let head = ["#", "Engine", "Rating", "+/-", "Points"].map(str::to_owned);
    let opponents = (1..=order.len()).map(|rank| rank.to_string());
    Table {
        title: title.to_owned(),
        head: head.into_iter().chain(opponents).collect(),
        rows: rows.collect(),
    }
}

/// Returns a row for each pairing.
pub fn pairings(title: &str, names: &[&str], standings: &Standings) -> Table {
    let name = |number: usize| names[number].to_owned();
    let rows = standings.pairings.iter().zip(&standings.counts).map(|(pairing, counts)| {
        let elo = Strength::of(counts).elo;
        [
            name(pairing.first),
            name(pairing.second),
            counts.games().to_string(),
            format!("{:.1}", counts.points()),
            format!("{:.1}", 100.0 * counts.score()),
            decimals(elo.value, 1),
            decimals(elo.error, 1),
            format!("{:?}", counts.pentanomial()),
        ]
    });
    let head = ["first", "second", "games", "points", "%", "Elo", "+/-", "pairs worth 0 to 2"];
    Table::new(title, head, rows)
}

#[cfg(test)]
mod tests {
    use super::super::super::plan::tests::plan;
    use super::*;
    use crate::matches::Format;
    use nullarbor_stats::GameResult;

    #[test]
    fn a_crosstable_has_ratings_and_points() {
        let plan = plan(3, Format::Gauntlet);
        let mut standings = Standings::new(&plan);
        for _ in 0..4 {
            standings.counts[0].add(GameResult::Win, GameResult::Draw);
            standings.counts[1].add(GameResult::Loss, GameResult::Draw);
        }
        let rows = crosstable("", &plan.names(), &standings).rows;
        let first: Vec<&str> = rows[0].iter().map(String::as_str).collect();
        assert_eq!(
            (first[0], first[1], &first[4..]),
            ("1", "e2", &["6.0/8", "-", "6.0/8", "-"][..])
        );
        assert_eq!(rows[1][5..], ["2.0/8", "-", "6.0/8"]);
        assert_eq!((rows[1][2].as_str(), rows[2][1].as_str()), ("0.0", "e1"));
        let all = crosstable("", &plan.names(), &Standings::new(&plan)).text();
        assert!(!all.contains("NaN") && !all.contains("inf"), "{all}");
    }

    #[test]
    fn a_field_with_and_without_ratings_has_one_order() {
        let plan = plan(26, Format::RoundRobin);
        let mut standings = Standings::new(&plan);
        // A few encounters: some engines lose everything, and some have not played.
        for (number, counts) in standings.counts.iter_mut().enumerate().take(60) {
            let result = [GameResult::Win, GameResult::Loss, GameResult::Draw][number * 5 % 7 % 3];
            counts.add(result, GameResult::Win);
        }
        let ratings = standings.ratings();
        let elo = |engine: usize| Strength::of(&standings.of(engine)).elo.value;
        let place = |row: &Vec<String>| {
            let engine: usize = row[1][1..].parse().expect("a number");
            ratings[engine].map_or_else(|| elo(engine), |rating| rating.value)
        };
        let places: Vec<f64> =
            crosstable("", &plan.names(), &standings).rows.iter().map(place).collect();
        assert!(places.is_sorted_by(|one, other| one >= other), "{places:?}");
        assert!(ratings.iter().any(Option::is_some) && ratings.iter().any(Option::is_none));
    }

    #[test]
    fn short_names_fit_into_80_columns() {
        let plan = plan(2, Format::Gauntlet);
        let mut standings = Standings::new(&plan);
        for number in 0..123_456_u64 {
            let other = if number % 3 == 0 { GameResult::Loss } else { GameResult::Draw };
            standings.counts[0].add(GameResult::Win, other);
        }
        let width = |standings: &Standings| {
            let text = table("", &plan.names(), standings).text();
            text.lines().map(|line| line.chars().count()).max().unwrap_or_default()
        };
        assert!(width(&standings) <= 72, "{}", width(&standings));
        standings.faults[1].time = 3;
        let text = table("", &plan.names(), &standings).text();
        assert!(
            text.contains("Illegal")
                && !table("", &plan.names(), &Standings::new(&plan)).text().contains("Illegal")
        );
    }
}
