//! The tables of the literature.

use super::result::{NullMoves, Outcome};

/// A table with a title.
#[derive(Clone, Debug)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// The heads of the columns.
    pub head: Vec<String>,
    /// The cells; the first of each row is a name.
    pub rows: Vec<Vec<String>>,
}

/// What the tables are made of.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// All schemes on one suite.
    pub outcomes: &'a [Outcome],
    /// The depths to show.
    pub depths: &'a [usize],
    /// The number of the scheme that all others are held against.
    pub reference: usize,
}

impl View<'_> {
    fn suite(&self) -> &str {
        &self.outcomes[0].suite
    }

    fn reference(&self) -> &Outcome {
        &self.outcomes[self.reference]
    }

    fn deepest(&self) -> usize {
        self.depths.last().copied().unwrap_or(1)
    }

    /// All tables.
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = vec![self.tree_size(), self.effort(), self.null_moves()];
        if self.outcomes[0].tasks > 0 {
            tables.push(self.solved());
            tables.push(self.differences());
        }
        tables
    }

    /// Nodes by depth, and percent more or less than the reference.
    fn tree_size(&self) -> Table {
        let reference = self.reference();
        let mut head = vec!["scheme".to_owned()];
        for depth in self.depths {
            head.push(format!("depth {depth}"));
            head.push("%".to_owned());
        }
        head.push("branching".to_owned());
        let row = |outcome: &Outcome| {
            let mut row = vec![outcome.scheme.clone()];
            for &depth in self.depths {
                let nodes = outcome.at(depth).nodes;
                row.push(grouped(nodes));
                row.push(change(nodes as f64, reference.at(depth).nodes as f64));
            }
            row.push(format!("{:.2}", self.branching(outcome)));
            row
        };
        Table {
            title: format!("{}: nodes, and % against {}", self.suite(), reference.scheme),
            head,
            rows: self.outcomes.iter().map(row).collect(),
        }
    }

    /// The factor by which a ply more makes the tree larger, on the mean over the depths shown.
    fn branching(&self, outcome: &Outcome) -> f64 {
        let (first, last) = (self.depths.first().copied().unwrap_or(1), self.deepest());
        let (first, plies) = if first < last { (first, last - first) } else { (last - 1, 1) };
        let from = if first == 0 { 1.0 } else { outcome.at(first).nodes as f64 };
        (outcome.at(last).nodes as f64 / from.max(1.0)).powf(1.0 / plies as f64)
    }

    /// What is saved against the reference at the greatest depth.
    fn effort(&self) -> Table {
        let (depth, reference) = (self.deepest(), self.reference());
        let base = reference.at(depth);
        let row = |outcome: &Outcome| {
            let cell = outcome.at(depth);
            let saved = 100.0 * (1.0 - cell.nodes as f64 / base.nodes.max(1) as f64);
            let speed = base.seconds / cell.seconds.max(1e-9);
            vec![
                outcome.scheme.clone(),
                format!("{:.2}", cell.seconds),
                format!("{saved:.1}"),
                format!("{speed:.2}"),
                grouped((cell.nodes as f64 / cell.seconds.max(1e-9)) as u64),
            ]
        };
        let head = ["scheme", "seconds", "nodes saved %", "times as fast", "nodes/s"];
        Table {
            title: format!(
                "{}: effort at depth {depth} against {}",
                self.suite(),
                reference.scheme
            ),
            head: head.map(str::to_owned).to_vec(),
            rows: self.outcomes.iter().map(row).collect(),
        }
    }

    fn null_moves(&self) -> Table {
        let head = [
            "scheme",
            "attempts",
            "cut-offs",
            "rate %",
            "verifications",
            "overturned",
            "zugzwangs",
            "threats",
        ];
        let row = |outcome: &Outcome| {
            let NullMoves { attempts, cutoffs, verifications, overturned, zugzwangs, threats } =
                outcome.null_move_total();
            let rate = 100.0 * cutoffs as f64 / attempts as f64;
            vec![
                outcome.scheme.clone(),
                grouped(attempts),
                grouped(cutoffs),
                if attempts == 0 { "-".to_owned() } else { format!("{rate:.1}") },
                grouped(verifications),
                grouped(overturned),
                grouped(zugzwangs),
                grouped(threats),
            ]
        };
        Table {
            title: format!("{}: null moves, all iterations", self.suite()),
            head: head.map(str::to_owned).to_vec(),
            rows: self.outcomes.iter().map(row).collect(),
        }
    }

    fn solved(&self) -> Table {
        let tasks = self.outcomes[0].tasks;
        let depths = self.depths.iter().map(|depth| format!("depth {depth}"));
        let row = |outcome: &Outcome| {
            let cells = self.depths.iter().map(|&depth| outcome.at(depth).solved.to_string());
            std::iter::once(outcome.scheme.clone()).chain(cells).collect()
        };
        Table {
            title: format!("{}: solved of {tasks}", self.suite()),
            head: std::iter::once("scheme".to_owned()).chain(depths).collect(),
            rows: self.outcomes.iter().map(row).collect(),
        }
    }

    /// What a scheme solves at the greatest depth and the reference does not, and the other way round.
    fn differences(&self) -> Table {
        let reference = self.reference();
        let missing = |from: &Outcome, other: &Outcome| {
            let ids: Vec<&str> = from
                .solved
                .iter()
                .filter(|id| !other.solved.contains(id))
                .map(String::as_str)
                .collect();
            if ids.is_empty() { "-".to_owned() } else { ids.join(", ") }
        };
        let others =
            self.outcomes.iter().enumerate().filter(|(number, _)| *number != self.reference);
        let row = |(_, outcome): (usize, &Outcome)| {
            vec![outcome.scheme.clone(), missing(outcome, reference), missing(reference, outcome)]
        };
        let name = &reference.scheme;
        Table {
            title: format!("{}: solved at depth {} by one alone", self.suite(), self.deepest()),
            head: vec!["scheme".to_owned(), format!("it, not {name}"), format!("{name}, not it")],
            rows: others.map(row).collect(),
        }
    }
}

/// Digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Percent more or less.
fn change(value: f64, base: f64) -> String {
    if base == 0.0 { "-".to_owned() } else { format!("{:+.1}", 100.0 * (value / base - 1.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::result::Cell;

    fn outcome(scheme: &str, nodes: [u64; 3], solved: &[&str]) -> Outcome {
        let cell = |(index, &nodes): (usize, &u64)| Cell {
            depth: index + 1,
            nodes,
            seconds: nodes as f64 / 1e6,
            solved: solved.len(),
        };
        Outcome {
            suite: "s".to_owned(),
            scheme: scheme.to_owned(),
            positions: 3,
            tasks: 3,
            by_depth: nodes.iter().enumerate().map(cell).collect(),
            null_moves: vec![NullMoves { attempts: 8, cutoffs: 6, ..NullMoves::default() }; 2],
            solved: solved.iter().map(|id| (*id).to_owned()).collect(),
        }
    }

    #[test]
    fn tables_hold_what_they_say() {
        let outcomes = [
            outcome("off", [10, 100, 4000], &["a", "b"]),
            outcome("x", [10, 50, 1000], &["b", "c"]),
        ];
        let view = View { outcomes: &outcomes, depths: &[2, 3], reference: 0 };
        let [tree, effort, null_moves, solved, differences] =
            view.tables().try_into().expect("five tables");
        assert_eq!(tree.rows[1], ["x", "50", "-50.0", "1,000", "-75.0", "20.00"]);
        assert_eq!(tree.rows[0][5], "40.00");
        assert_eq!(effort.rows[1][2..4], ["75.0", "4.00"]);
        assert_eq!(null_moves.rows[0][1..4], ["16", "12", "75.0"]);
        assert_eq!(solved.rows[1], ["x", "2", "2"]);
        assert_eq!(differences.rows, [["x", "c", "a"]]);
        assert_eq!(tree.head.len(), tree.rows[0].len());
    }

    #[test]
    fn numbers_are_grouped() {
        let all = [0, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "1,234,567"]);
    }
}
