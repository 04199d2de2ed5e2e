//! The tables of the literature.

use nullarbor_report::table::{Table, grouped};

use super::result::{Cell, NullMoves, Outcome};

/// What the tables are made of.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// All schemes on one suite.
    pub outcomes: &'a [Outcome],
    /// The numbers of the cells to show, at least one.
    pub shown: &'a [usize],
    /// The number of the scheme that all others are held against.
    pub reference: usize,
}

impl<'a> View<'a> {
    fn suite(&self) -> &str {
        &self.outcomes[0].suite
    }

    fn reference(&self) -> &'a Outcome {
        &self.outcomes[self.reference]
    }

    fn last(&self) -> usize {
        self.shown.last().copied().unwrap_or(0)
    }

    /// What the columns are called.
    pub fn labels(&self) -> Vec<String> {
        let cells = &self.outcomes[0].cells;
        self.shown.iter().map(|&index| cells[index].label.clone()).collect()
    }

    fn last_label(&self) -> &str {
        &self.outcomes[0].cells[self.last()].label
    }

    /// Whether the searches were as long as each other, and not as deep.
    pub fn is_timed(&self) -> bool {
        self.outcomes[0].cells[self.last()].depth.is_none()
    }

    /// All tables.
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = if self.is_timed() {
            vec![self.depths()]
        } else {
            vec![self.tree_size(), self.effort()]
        };
        tables.push(self.null_moves());
        tables.push(self.rates());
        if self.outcomes[0].tasks > 0 {
            let about_zugzwang = self.outcomes[0].about_zugzwang;
            tables.push(if about_zugzwang { self.wrong() } else { self.solved() });
            tables.push(self.differences());
        }
        tables
    }

    /// A row for each scheme, made of its cells.
    fn by_mark(&self, outcome: &Outcome, text: impl Fn(&Cell) -> String) -> Vec<String> {
        let cells = self.shown.iter().map(|&index| text(&outcome.cells[index]));
        std::iter::once(outcome.scheme.clone()).chain(cells).collect()
    }

    fn head(&self) -> Vec<String> {
        std::iter::once("scheme".to_owned()).chain(self.labels()).collect()
    }

    /// Nodes by depth, and percent more or less than the reference.
    fn tree_size(&self) -> Table {
        let reference = self.reference();
        let mut head = vec!["scheme".to_owned()];
        for label in self.labels() {
            head.push(label);
            head.push("%".to_owned());
        }
        head.push("branching".to_owned());
        let row = |outcome: &Outcome| {
            let mut row = vec![outcome.scheme.clone()];
            for &index in self.shown {
                let nodes = outcome.cells[index].nodes;
                row.push(grouped(nodes));
                row.push(change(nodes as f64, reference.cells[index].nodes as f64));
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
        let (first, last) = (self.shown.first().copied().unwrap_or(0), self.last());
        let nodes = |index: usize| outcome.cells[index].nodes as f64;
        let (from, plies) = match last - first {
            0 if last == 0 => (1.0, 1),
            0 => (nodes(last - 1), 1),
            plies => (nodes(first), plies),
        };
        (nodes(last) / from.max(1.0)).powf(1.0 / plies as f64)
    }

    /// What is saved against the reference at the greatest depth.
    fn effort(&self) -> Table {
        let reference = self.reference();
        let base = &reference.cells[self.last()];
        let row = |outcome: &Outcome| {
            let cell = &outcome.cells[self.last()];
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
                "{}: effort at {} against {}",
                self.suite(),
                self.last_label(),
                reference.scheme
            ),
            head: head.map(str::to_owned).to_vec(),
            rows: self.outcomes.iter().map(row).collect(),
        }
    }

    /// How deep the searches came in their time.
    fn depths(&self) -> Table {
        let row = |outcome| self.by_mark(outcome, |cell| cell.median_depth.to_string());
        Table {
            title: format!("{}: plies, median", self.suite()),
            head: self.head(),
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

    /// The rate of cut-offs by the depth left at the node.
    fn rates(&self) -> Table {
        let tried = |depth: usize| {
            let counts = self.outcomes.iter().filter_map(|outcome| outcome.null_moves.get(depth));
            counts.map(|counts| counts.attempts).sum::<u64>() > 0
        };
        let most = self.outcomes.iter().map(|outcome| outcome.null_moves.len()).max().unwrap_or(0);
        let depths: Vec<usize> = (0..most).filter(|&depth| tried(depth)).collect();
        let rate = |counts: &NullMoves| match counts.attempts {
            0 => "-".to_owned(),
            attempts => format!("{:.1}", 100.0 * counts.cutoffs as f64 / attempts as f64),
        };
        let row = |outcome: &Outcome| {
            let rates = depths.iter().map(|&depth| rate(&outcome.null_moves[depth]));
            std::iter::once(outcome.scheme.clone()).chain(rates).collect()
        };
        Table {
            title: format!("{}: cut-offs in % of null moves, by depth left", self.suite()),
            head: std::iter::once("scheme".to_owned())
                .chain(depths.iter().map(usize::to_string))
                .collect(),
            rows: self.outcomes.iter().map(row).collect(),
        }
    }

    fn solved(&self) -> Table {
        Table {
            title: format!("{}: solved of {}", self.suite(), self.outcomes[0].tasks),
            head: self.head(),
            rows: self
                .outcomes
                .iter()
                .map(|outcome| self.by_mark(outcome, |cell| cell.solved.to_string()))
                .collect(),
        }
    }

    /// Zugzwangs that were not seen, and what seeing more of them than the reference costs.
    fn wrong(&self) -> Table {
        let (tasks, reference) = (self.outcomes[0].tasks, self.reference());
        let base = &reference.cells[self.last()];
        let mut head = self.head();
        head.extend(["fewer wrong".to_owned(), "nodes %".to_owned()]);
        let row = |outcome: &Outcome| {
            let cell = &outcome.cells[self.last()];
            let mut row = self.by_mark(outcome, |cell| (tasks - cell.solved).to_string());
            row.push(format!("{:+}", cell.solved as i64 - base.solved as i64));
            row.push(change(cell.nodes as f64, base.nodes as f64));
            row
        };
        Table {
            title: format!(
                "{}: wrong of {tasks}; at {} against {}",
                self.suite(),
                self.last_label(),
                reference.scheme
            ),
            head,
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
            title: format!("{}: solved at {} by one alone", self.suite(), self.last_label()),
            head: vec!["scheme".to_owned(), format!("it, not {name}"), format!("{name}, not it")],
            rows: others.map(row).collect(),
        }
    }
}

/// Percent more or less.
fn change(value: f64, base: f64) -> String {
    if base == 0.0 { "-".to_owned() } else { format!("{:+.1}", 100.0 * (value / base - 1.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(scheme: &str, nodes: [u64; 3], solved: &[&str]) -> Outcome {
        let cell = |(index, &nodes): (usize, &u64)| Cell {
            label: format!("depth {}", index + 1),
            depth: Some(index + 1),
            seconds_allowed: None,
            median_depth: index,
            nodes,
            seconds: nodes as f64 / 1e6,
            solved: solved.len(),
        };
        Outcome {
            suite: "s".to_owned(),
            scheme: scheme.to_owned(),
            positions: 3,
            tasks: 3,
            about_zugzwang: false,
            cells: nodes.iter().enumerate().map(cell).collect(),
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
        let view = View { outcomes: &outcomes, shown: &[1, 2], reference: 0 };
        let [tree, effort, null_moves, rates, solved, differences] =
            view.tables().try_into().expect("six tables");
        assert_eq!(tree.rows[1], ["x", "50", "-50.0", "1,000", "-75.0", "20.00"]);
        assert_eq!(tree.rows[0][5], "40.00");
        assert_eq!(effort.rows[1][2..4], ["75.0", "4.00"]);
        assert_eq!(null_moves.rows[0][1..4], ["16", "12", "75.0"]);
        assert_eq!(rates.head, ["scheme", "0", "1"]);
        assert_eq!(rates.rows[1], ["x", "75.0", "75.0"]);
        assert_eq!(solved.rows[1], ["x", "2", "2"]);
        assert_eq!(differences.rows, [["x", "c", "a"]]);
        assert_eq!(tree.head.len(), tree.rows[0].len());
    }

    #[test]
    fn zugzwangs_are_counted_where_they_were_missed() {
        let about = |outcome: Outcome| Outcome { about_zugzwang: true, ..outcome };
        let outcomes = [
            about(outcome("fixed-3", [10, 100, 1000], &["a"])),
            about(outcome("guarded", [10, 100, 1200], &["a", "b"])),
        ];
        let view = View { outcomes: &outcomes, shown: &[1, 2], reference: 0 };
        let wrong = &view.tables()[4];
        assert_eq!(wrong.rows[1], ["guarded", "1", "1", "+1", "+20.0"]);
        assert_eq!(wrong.rows[0], ["fixed-3", "2", "2", "+0", "+0.0"]);
        assert_eq!(wrong.head.len(), wrong.rows[0].len());
    }

    #[test]
    fn searches_on_time_are_told_by_their_depth() {
        let timed = |name| {
            let mut outcome = outcome(name, [10, 100, 1000], &["a"]);
            outcome.cells.iter_mut().for_each(|cell| cell.depth = None);
            outcome
        };
        let outcomes = [timed("off"), timed("x")];
        let view = View { outcomes: &outcomes, shown: &[0, 1], reference: 0 };
        assert_eq!(view.tables()[0].rows[1], ["x", "0", "1"]);
    }
}
