//! The table at the end of a match: everybody's result against all others, and everybody's faults.

use nullarbor_report::table::align;

use crate::matches::{Plan, Standings};
use crate::stats::Strength;

/// Rows from the strongest to the weakest, under a head.
pub fn table(plan: &Plan, standings: &Standings) -> String {
    let (head, rows) = ranking(plan, standings);
    align(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

/// A head, and rows from the strongest to the weakest.
pub fn ranking(plan: &Plan, standings: &Standings) -> (Vec<String>, Vec<Vec<String>>) {
    let mut rows: Vec<(f64, Vec<String>)> = (0..plan.engines.len())
        .map(|number| {
            let counts = standings.of(number);
            let elo = Strength::of(&counts).elo;
            let faults = &standings.faults[number];
            let row = vec![
                plan.engines[number].name.clone(),
                format!("{:.1}", elo.value),
                format!("{:.1}", elo.error),
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
    let head = [
        "Engine", "Elo", "+/-", "Games", "Points", "%", "Won", "Drawn", "Lost", "Time", "Crash",
        "Illegal",
    ];
    (head.map(str::to_owned).to_vec(), rows.into_iter().map(|(_, row)| row).collect())
}
