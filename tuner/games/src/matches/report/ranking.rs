//! Tables of results: of each engine against all others, and of each pairing.

use nullarbor_report::table::Table;

use crate::matches::{Plan, Standings};
use crate::stats::{Strength, decimals};

/// Returns a row for each engine, the strongest first. Faults have columns only if there were any.
pub fn table(title: &str, plan: &Plan, standings: &Standings) -> Table {
    let mut rows: Vec<(f64, Vec<String>)> = (0..plan.engines.len())
        .map(|number| {
            let counts = standings.of(number);
            let elo = Strength::of(&counts).elo;
            let faults = &standings.faults[number];
            let row = vec![
                plan.engines[number].name.clone(),
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
            ];
            (counts.score(), row)
        })
        .collect();
    // The sort is stable: equals keep the order of the command line.
    rows.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut rows: Vec<Vec<String>> = rows.into_iter().map(|(_, row)| row).collect();
    let mut head = vec![
        "Engine", "Elo", "+/-", "Games", "Points", "%", "Won", "Drawn", "Lost", "Time", "Crash",
        "Illegal",
    ];
    let faults = head.len() - 3;
    if rows.iter().flat_map(|row| &row[faults..]).all(|count| count == "0") {
        head.truncate(faults);
        rows.iter_mut().for_each(|row| row.truncate(faults));
    }
    Table::new(title, head, rows)
}

/// Returns a row for each pairing.
pub fn pairings(title: &str, plan: &Plan, standings: &Standings) -> Table {
    let name = |number: usize| plan.engines[number].name.clone();
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
    use crate::stats::GameResult;

    #[test]
    fn short_names_fit_into_80_columns() {
        let plan = plan(2, Format::Gauntlet);
        let mut standings = Standings::new(&plan);
        for number in 0..123_456_u64 {
            let other = if number % 3 == 0 { GameResult::Loss } else { GameResult::Draw };
            standings.counts[0].add(GameResult::Win, other);
        }
        let width = |standings: &Standings| {
            let text = table("", &plan, standings).text();
            text.lines().map(|line| line.chars().count()).max().unwrap_or_default()
        };
        assert!(width(&standings) <= 72, "{}", width(&standings));
        standings.faults[1].time = 3;
        let text = table("", &plan, &standings).text();
        assert!(
            text.contains("Illegal")
                && !table("", &plan, &Standings::new(&plan)).text().contains("Illegal")
        );
    }
}
