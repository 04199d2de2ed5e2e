//! The table by level of A. Lea (2016): how often null moves cut in games of searches of several depths, one log for each.

use std::path::PathBuf;

use nullarbor_report::table::{Table, grouped};

use super::columns::{Columns, Outcomes};
use super::conditions::{ByGame, Condition, ConditionError, LEA_TRIGGER};
use super::log_file;

/// Reads the logs, and returns a row for each.
///
/// # Errors
/// If a log cannot be read.
pub fn table(logs: &[PathBuf]) -> Result<Table, ConditionError> {
    let (colour, trigger) = (Condition::parse("colour")?, Condition::parse(LEA_TRIGGER)?);
    let names = [&colour, &trigger].into_iter().flat_map(Condition::columns).cloned();
    let wanted = Outcomes::with(names);
    let mut rows = Vec::new();
    for path in logs {
        let log = log_file::read(path, &wanted)?;
        rows.push(row(&path.display().to_string(), &log, &colour, &trigger));
    }
    let head = ["log", "games", "entries", "White cut %", "Black cut %", "triggered", "cut %"];
    Ok(Table::new("null moves by level", head, rows))
}

fn row(name: &str, log: &Columns, colour: &Condition, trigger: &Condition) -> [String; 7] {
    let all = ByGame::of(log);
    let mut sides = ByGame::by_value(log, colour);
    let [white, black] = [0, 1].map(|side| sides.remove(&side).unwrap_or_default());
    let triggered = ByGame::by_value(log, trigger).remove(&1).unwrap_or_default();
    let cut = |some: &ByGame| some.share(|it| it.cutoffs, |it| it.attempts);
    [
        name.to_owned(),
        all.games().to_string(),
        grouped(all.total().attempts),
        cut(&white),
        cut(&black),
        grouped(triggered.total().attempts),
        cut(&triggered),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mine::columns::MISSING;

    #[test]
    fn both_sides_and_the_trigger_have_their_shares() {
        let columns = [
            ("colour", [0, 0, 1, 1]),
            ("beta", [0, 0, 0, 0]),
            ("finite_window", [1, 1, 1, 1]),
            // The opponent's king has moved, so it is not triggered.
            ("last_piece", [1, 1, 6, 1]),
            ("material", [300, 100, 300, 300]),
            ("game", [0, 0, 0, 0]),
            ("cut", [1, 0, 0, 1]),
            ("null_nodes", [1, 1, 1, 1]),
            ("probe_nodes", [MISSING; 4]),
            ("truth_score", [MISSING; 4]),
        ];
        let (names, values): (Vec<_>, Vec<_>) =
            columns.iter().map(|(name, values)| ((*name).to_owned(), values.to_vec())).unzip();
        let log = Columns::new(names, values);
        let [colour, trigger] =
            ["colour", LEA_TRIGGER].map(|text| Condition::parse(text).expect(text));
        let expected = ["4.parquet", "1", "4", "50.0", "50.0", "2", "100.0"];
        assert_eq!(row("4.parquet", &log, &colour, &trigger), expected);
    }
}
