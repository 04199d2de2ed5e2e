//! The tables of the literature: tree sizes, null-move statistics and solutions (as in David-Tabibi and Netanyahu 2002).

use std::collections::BTreeMap;

use nullarbor_report::table::{Table, grouped};
use nullarbor_stats::Interval;

use crate::board::Diagram;
use crate::counters::COUNTERS;
use crate::numbers::{percent, signed};
use crate::result::{Cell, Outcome, Results, SolvedPosition};
use crate::tree::minimal_leaves;

/// The schemes compared on one suite.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// All schemes on one suite.
    pub outcomes: &'a [Outcome],
    /// Indices of the cells to show, at least one.
    pub shown: &'a [usize],
    /// Index of the scheme that the others are compared with.
    pub reference: usize,
}

/// Positions that differ are listed in the terminal up to this number.
const FEW_POSITIONS: usize = 12;

impl Results {
    /// Returns the comparison of all schemes on each suite.
    pub fn comparisons(&self) -> Vec<Comparison<'_>> {
        let (shown, reference) = (self.shown.as_slice(), self.reference);
        let of_suite = |outcomes| Comparison { outcomes, shown, reference };
        self.suites.iter().map(Vec::as_slice).map(of_suite).collect()
    }

    /// Returns all tables for a terminal; long lists of positions are left to the page.
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = Vec::new();
        for comparison in self.comparisons() {
            tables.extend(comparison.tables());
            tables.extend(comparison.positions().filter(|it| it.rows.len() <= FEW_POSITIONS));
        }
        tables
    }
}

/// Returns a line for each column of the null-move table that explains it.
pub fn legend() -> String {
    COUNTERS.map(|counter| format!("{}: {}\n", counter.heading, counter.meaning)).concat()
}

impl<'a> Comparison<'a> {
    fn suite(&self) -> &str {
        &self.outcomes[0].suite
    }

    fn reference(&self) -> &'a Outcome {
        &self.outcomes[self.reference]
    }

    fn last(&self) -> usize {
        self.shown.last().copied().unwrap_or(0)
    }

    /// Returns the headings of the checkpoints shown.
    pub fn labels(&self) -> Vec<String> {
        let cells = &self.outcomes[0].cells;
        self.shown.iter().map(|&index| cells[index].label.clone()).collect()
    }

    /// Returns the label of the last checkpoint.
    pub fn last_label(&self) -> &str {
        &self.outcomes[0].cells[self.last()].label
    }

    /// Returns whether the searches had equal time, and not equal depth.
    pub fn is_timed(&self) -> bool {
        self.outcomes[0].cells[self.last()].depth.is_none()
    }

    /// Returns all tables but that of [`Comparison::positions`].
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = if self.is_timed() {
            vec![self.depths()]
        } else {
            let trees = [self.tree_size(), self.effort()];
            trees.into_iter().chain(self.minimal_tree()).collect()
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

    /// Returns a table with a row for each scheme.
    fn table(
        &self,
        title: &str,
        columns: impl IntoIterator<Item = String>,
        cells: impl Fn(&Outcome) -> Vec<String>,
    ) -> Table {
        let row = |outcome: &Outcome| [vec![outcome.scheme.clone()], cells(outcome)].concat();
        Table {
            title: format!("{}: {title}", self.suite()),
            head: std::iter::once("scheme".to_owned()).chain(columns).collect(),
            rows: self.outcomes.iter().map(row).collect(),
        }
    }

    fn by_checkpoint(&self, outcome: &Outcome, text: impl Fn(&Cell) -> String) -> Vec<String> {
        self.shown.iter().map(|&index| text(&outcome.cells[index])).collect()
    }

    /// Nodes by depth, and the change in percent against the reference.
    pub fn tree_size(&self) -> Table {
        let reference = self.reference();
        let title = format!("nodes, and % against {}", reference.scheme);
        let labels = self.labels().into_iter().flat_map(|label| [label, "%".to_owned()]);
        let table = self.table(&title, labels.chain(["branching".to_owned()]), |outcome| {
            let cells = self.shown.iter().flat_map(|&index| {
                let nodes = outcome.cells[index].nodes;
                [grouped(nodes), change(nodes, reference.cells[index].nodes)]
            });
            cells.chain([format!("{:.2}", self.branching(outcome))]).collect()
        });
        self.with_mean_ratios(table)
    }

    /// Adds to a table, which has a row for each scheme, how many times the nodes of the reference a scheme needs at the last
    /// checkpoint: the geometric mean over the positions and its 95 % interval. A sum of nodes is ruled by its largest trees.
    fn with_mean_ratios(&self, mut table: Table) -> Table {
        let base = &self.reference().cells[self.last()];
        let ratios = self.outcomes.iter().map(|it| it.cells[self.last()].ratios(base));
        let Some(ratios) = ratios.collect::<Option<Vec<_>>>().filter(|_| !self.is_timed()) else {
            return table;
        };
        table.head.push("mean ratio (95 %)".to_owned());
        for (number, (row, ratios)) in table.rows.iter_mut().zip(ratios).enumerate() {
            row.push(match &ratios[..] {
                _ if number == self.reference => "-".to_owned(),
                [only] => format!("{only:.2}"),
                all => Interval::of_geometric_mean(all.iter().copied())
                    .map_or_else(|| "-".to_owned(), |mean| format!("{mean:.2}")),
            });
        }
        table
    }

    /// Returns the effective branching factor: by how much one more ply multiplies the tree, as the geometric mean over the
    /// depths shown.
    fn branching(&self, outcome: &Outcome) -> f64 {
        let (first, last) = (self.shown.first().copied().unwrap_or(0), self.last());
        let first = if first == last { last.saturating_sub(1) } else { first };
        let nodes = |index: usize| outcome.cells[index].nodes.max(1) as f64;
        let depth = |index: usize| outcome.cells[index].depth.unwrap_or(index);
        let plies = depth(last).saturating_sub(depth(first));
        if plies == 0 { nodes(last) } else { (nodes(last) / nodes(first)).powf(1.0 / plies as f64) }
    }

    /// Nodes and time saved against the reference at the last checkpoint.
    pub fn effort(&self) -> Table {
        let reference = self.reference();
        let base = &reference.cells[self.last()];
        let title = format!("effort at {} against {}", self.last_label(), reference.scheme);
        let columns = ["seconds", "nodes saved %", "speed-up", "nodes/s"].map(str::to_owned);
        self.table(&title, columns, |outcome| {
            let cell = &outcome.cells[self.last()];
            let saved = 100.0 * (1.0 - cell.nodes as f64 / base.nodes.max(1) as f64);
            let seconds = cell.seconds.max(1e-9);
            vec![
                format!("{:.2}", cell.seconds),
                format!("{saved:.1}"),
                format!("{:.2}", base.seconds / seconds),
                grouped((cell.nodes as f64 / seconds) as u64),
            ]
        })
    }

    /// Nodes by depth as multiples of the minimal trees of all positions, and the nodes that null moves saved, as an estimate;
    /// `None` if the numbers of legal moves are not known.
    pub fn minimal_tree(&self) -> Option<Table> {
        let moves = &self.reference().legal_moves;
        if moves.is_empty() {
            return None;
        }
        let mean = moves.iter().sum::<usize>() as f64 / moves.len() as f64;
        let title = format!("nodes over those of the minimal trees ({mean:.1} moves on average)");
        let leaves =
            |depth| -> f64 { moves.iter().map(|&moves| minimal_leaves(moves as f64, depth)).sum() };
        let columns = ["saved (estimate)", "saved % (estimate)"].map(str::to_owned);
        Some(self.table(&title, self.labels().into_iter().chain(columns), |outcome| {
            let mut cells = self.by_checkpoint(outcome, |cell| {
                ratio(cell.nodes as f64 / leaves(cell.depth.unwrap_or(0)))
            });
            let nodes = outcome.cells[self.last()].nodes as f64;
            let share = |saved: f64| format!("{:.1}", 100.0 * saved / (nodes + saved).max(1.0));
            let texts = [outcome.saved.map(signed), outcome.saved.map(share)];
            cells.extend(texts.map(|text| text.unwrap_or_else(|| "-".to_owned())));
            cells
        }))
    }

    /// Completed depths, for searches of equal time.
    fn depths(&self) -> Table {
        self.table("median depth in plies", self.labels(), |outcome| {
            self.by_checkpoint(outcome, |cell| cell.median_depth.to_string())
        })
    }

    /// Null-move counters of all depths together.
    pub fn null_moves(&self) -> Table {
        // After attempts and cutoffs.
        const RATE: usize = 2;
        let mut columns = COUNTERS.map(|counter| counter.heading.to_owned()).to_vec();
        columns.insert(RATE, "cutoff %".to_owned());
        self.table("null moves in all iterations", columns, |outcome| {
            let total = outcome.null_move_total();
            let mut cells = COUNTERS.map(|counter| grouped((counter.value)(&total))).to_vec();
            cells.insert(RATE, percent(total.cutoffs, total.attempts));
            cells
        })
    }

    /// Cutoff rates by the remaining depth of the node.
    pub fn rates(&self) -> Table {
        let tried = |depth: &usize| {
            let mut counts = self.outcomes.iter().filter_map(|it| it.null_moves.get(*depth));
            counts.any(|counts| counts.attempts > 0)
        };
        let deepest = self.outcomes.iter().map(|outcome| outcome.null_moves.len()).max();
        let depths: Vec<usize> = (0..deepest.unwrap_or(0)).filter(tried).collect();
        let columns = depths.iter().map(usize::to_string);
        self.table("cutoffs in % of attempts, by remaining depth", columns, |outcome| {
            // A scheme that tries none has no counters.
            let of = |depth: &usize| outcome.null_moves.get(*depth).copied().unwrap_or_default();
            depths.iter().map(of).map(|counts| percent(counts.cutoffs, counts.attempts)).collect()
        })
    }

    /// Positions solved by depth.
    pub fn solved(&self) -> Table {
        let title = format!("solved of {}", self.outcomes[0].tasks);
        self.table(&title, self.labels(), |outcome| {
            self.by_checkpoint(outcome, |cell| cell.solved.to_string())
        })
    }

    /// Zugzwang positions with a wrong move, and how many more of them and nodes than the reference has.
    pub fn wrong(&self) -> Table {
        let (tasks, reference) = (self.outcomes[0].tasks, self.reference());
        let base = &reference.cells[self.last()];
        let (at, against) = (self.last_label(), &reference.scheme);
        let title = format!("wrong of {tasks}; at {at} against {against}");
        let change_of = ["wrong +/-", "nodes %"].map(str::to_owned);
        let table = self.table(&title, self.labels().into_iter().chain(change_of), |outcome| {
            let cell = &outcome.cells[self.last()];
            let mut cells = self.by_checkpoint(outcome, |cell| (tasks - cell.solved).to_string());
            cells.push(format!("{:+}", base.solved as i64 - cell.solved as i64));
            cells.push(change(cell.nodes, base.nodes));
            cells
        });
        self.with_mean_ratios(table)
    }

    /// Positions solved at the last checkpoint by the scheme or by the reference, but not by both.
    fn differences(&self) -> Table {
        let names = |positions: &[SolvedPosition]| {
            let ids: Vec<&str> = positions.iter().map(|position| position.id.as_str()).collect();
            if ids.is_empty() { "-".to_owned() } else { ids.join(", ") }
        };
        let by_reference = format!("solved only by {}", self.reference().scheme);
        let columns = ["solved only by it".to_owned(), by_reference];
        let title = format!("differences at {}", self.last_label());
        let mut table = self.table(&title, columns, |outcome| {
            [&outcome.solved_only_by_it, &outcome.solved_only_by_reference]
                .map(|positions| names(positions))
                .to_vec()
        });
        table.rows.remove(self.reference);
        table
    }

    /// Returns the positions that some schemes solved at the last checkpoint and others did not.
    fn differing(&self) -> Vec<Differing<'_>> {
        let differing: BTreeMap<&str, &str> = self
            .outcomes
            .iter()
            .flat_map(|it| it.solved_only_by_it.iter().chain(&it.solved_only_by_reference))
            .map(|position| (position.id.as_str(), position.fen.as_str()))
            .collect();
        let all = differing.into_iter().map(|(id, fen)| {
            let solvers = self.outcomes.iter().filter(|it| it.solved.iter().any(|own| own == id));
            Differing { id, fen, solved_by: solvers.map(|it| it.scheme.as_str()).collect() }
        });
        all.collect()
    }

    /// Returns the positions that some schemes solved at the last checkpoint and others did not, in FEN; `None` if there is
    /// none.
    pub fn positions(&self) -> Option<Table> {
        let title = format!("{}: positions that only some solved", self.suite());
        table_of(&title, &self.differing())
    }

    /// Returns diagrams of `most` positions that tell the schemes apart best, being solved by about half of them, and a table
    /// of them; `None` if there is none.
    pub fn telling(&self, most: usize) -> Option<(Vec<Diagram>, Table)> {
        let mut all = self.differing();
        all.sort_by_key(|it| (2 * it.solved_by.len()).abs_diff(self.outcomes.len()));
        all.truncate(most);
        let title = "Positions that tell the schemes apart";
        Some((all.iter().map(Differing::diagram).collect(), table_of(title, &all)?))
    }
}

/// A position that some schemes solved and others did not.
struct Differing<'a> {
    id: &'a str,
    fen: &'a str,
    solved_by: Vec<&'a str>,
}

impl Differing<'_> {
    fn diagram(&self) -> Diagram {
        let side = if self.fen.contains(" w ") { "White" } else { "Black" };
        let solvers = self.solved_by.join(", ");
        let caption = vec![format!("{}: {side} to move", self.id), format!("solved by {solvers}")];
        Diagram { fen: self.fen.to_owned(), caption }
    }
}

fn table_of(title: &str, positions: &[Differing<'_>]) -> Option<Table> {
    let row = |it: &Differing<'_>| [it.id.to_owned(), it.solved_by.join(", "), it.fen.to_owned()];
    let rows = positions.iter().map(row);
    (!positions.is_empty()).then(|| Table::new(title, ["position", "solved by", "FEN"], rows))
}

/// Returns a ratio, however small.
fn ratio(value: f64) -> String {
    if value < 0.01 { format!("{value:.1e}") } else { format!("{value:.2}") }
}

/// Returns the change in percent, with its sign.
fn change(value: u64, base: u64) -> String {
    if base == 0 {
        return "-".to_owned();
    }
    format!("{:+.1}", 100.0 * (value as f64 / base as f64 - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provenance::Provenance;
    use nullarbor::search::null_move::Counts;
    use nullarbor_games::scheme::EngineKind;

    fn outcome(scheme: &str, nodes: [u64; 3], solved: &[&str]) -> Outcome {
        let cell = |(index, &nodes): (usize, &u64)| Cell {
            label: format!("depth {}", index + 1),
            depth: Some(index + 1),
            seconds_allowed: None,
            median_depth: index,
            nodes,
            seconds: nodes as f64 / 1e6,
            solved: solved.len(),
            position_nodes: Vec::new(),
        };
        Outcome {
            suite: "s".to_owned(),
            scheme: scheme.to_owned(),
            suite_fingerprint: String::new(),
            engine: Provenance::of(EngineKind::Plain),
            reference: "off".to_owned(),
            positions: 3,
            tasks: 3,
            about_zugzwang: false,
            legal_moves: Vec::new(),
            saved: None,
            cells: nodes.iter().enumerate().map(cell).collect(),
            null_moves: vec![Counts { attempts: 8, cutoffs: 6, ..Counts::default() }; 2],
            solved: solved.iter().map(|id| (*id).to_owned()).collect(),
            solved_only_by_it: Vec::new(),
            solved_only_by_reference: Vec::new(),
        }
    }

    #[test]
    fn tables_have_the_expected_numbers() {
        let mut outcomes = [
            outcome("off", [10, 100, 4000], &["a", "b"]),
            outcome("x", [10, 50, 1000], &["b", "c"]),
        ];
        let position =
            |id: &str| vec![SolvedPosition { id: id.to_owned(), fen: format!("fen {id}") }];
        outcomes[0].null_moves = Vec::new();
        outcomes[1].solved_only_by_it = position("c");
        outcomes[1].solved_only_by_reference = position("a");
        let comparison = Comparison { outcomes: &outcomes, shown: &[1, 2], reference: 0 };
        let [tree, effort, null_moves, rates, solved, differences] =
            comparison.tables().try_into().expect("six tables");
        assert_eq!(tree.rows[1], ["x", "50", "-50.0", "1,000", "-75.0", "20.00"]);
        assert_eq!(tree.rows[0][5], "40.00");
        assert_eq!(effort.rows[1][2..4], ["75.0", "4.00"]);
        assert_eq!(null_moves.rows[0][1..4], ["0", "0", "-"]);
        assert_eq!(null_moves.rows[1][1..4], ["16", "12", "75.0"]);
        assert_eq!(rates.head, ["scheme", "0", "1"]);
        assert_eq!(rates.rows, [["off", "-", "-"], ["x", "75.0", "75.0"]]);
        assert_eq!(solved.rows[1], ["x", "2", "2"]);
        assert_eq!(differences.rows, [["x", "c", "a"]]);
        let positions = comparison.positions().expect("two differ").rows;
        assert_eq!(positions, [["a", "off", "fen a"], ["c", "x", "fen c"]]);
        let (diagrams, table) = comparison.telling(1).expect("two differ");
        assert_eq!((diagrams.len(), table.rows.len(), diagrams[0].fen.as_str()), (1, 1, "fen a"));
        assert_eq!(tree.head.len(), tree.rows[0].len());
    }

    #[test]
    fn nodes_by_position_give_a_mean_ratio_with_its_interval() {
        let known = |mut outcome: Outcome, nodes: [u64; 2]| {
            outcome.cells[2].position_nodes = nodes.into();
            outcome
        };
        let mut outcomes = [
            known(outcome("off", [10, 100, 4000], &[]), [1000, 3000]),
            // Half of the small tree, twice the large one.
            known(outcome("x", [10, 50, 6500], &[]), [500, 6000]),
        ];
        fn comparison(outcomes: &[Outcome]) -> Comparison<'_> {
            Comparison { outcomes, shown: &[1, 2], reference: 0 }
        }
        for table in [comparison(&outcomes).tree_size(), comparison(&outcomes).wrong()] {
            let last = |row: &Vec<String>| row.last().cloned();
            assert_eq!(table.head.last().map(String::as_str), Some("mean ratio (95 %)"));
            assert_eq!(last(&table.rows[0]).as_deref(), Some("-"));
            assert_eq!(last(&table.rows[1]).as_deref(), Some("1.00 (0.50 to 2.00)"));
            assert_eq!(table.head.len(), table.rows[1].len());
        }
        let [base, own] = [0, 1].map(|scheme: usize| outcomes[scheme].cells[2].clone());
        assert_eq!(
            own.mean_ratio(&base).map(|it| it.to_string()).as_deref(),
            Some("1.0 (0.5 to 2.0)")
        );
        assert_eq!(own.mean_ratio(&outcomes[0].cells[1]), None, "of another depth it is not known");
        // One position has no interval.
        outcomes.iter_mut().for_each(|it| it.cells[2].position_nodes.truncate(1));
        let alone = comparison(&outcomes).tree_size();
        assert_eq!(alone.rows[1].last().map(String::as_str), Some("0.50"));
        // A record of before they were kept.
        outcomes[1].cells[2].position_nodes.clear();
        assert_eq!(
            comparison(&outcomes).tree_size().head.last().map(String::as_str),
            Some("branching")
        );
    }

    #[test]
    fn trees_are_compared_with_the_minimal_one() {
        let known = |outcome: Outcome, saved| Outcome { legal_moves: vec![3; 3], saved, ..outcome };
        let outcomes = [
            known(outcome("off", [10, 100, 330], &[]), None),
            known(outcome("x", [10, 30, 66], &[]), Some(264.4)),
        ];
        let comparison = Comparison { outcomes: &outcomes, shown: &[1, 2], reference: 0 };
        // 3 positions of 5 and 11 leaves.
        let table = &comparison.tables()[2];
        assert_eq!(table.rows[0], ["off", "6.67", "10.00", "-", "-"]);
        assert_eq!(table.rows[1], ["x", "2.00", "2.00", "264", "80.0"]);
        assert_eq!(table.head.len(), table.rows[0].len());
        assert_eq!(ratio(0.000_123), "1.2e-4");
        // 3 and 7 leaves at depth 2; 5 and 19 at depth 3, where two trees of their mean have 22.
        let mut outcomes = outcomes;
        outcomes[0].legal_moves = vec![2, 4];
        let comparison = Comparison { outcomes: &outcomes, shown: &[1, 2], reference: 0 };
        let table = comparison.minimal_tree().expect("known moves");
        assert_eq!(table.rows[0][1..3], ["10.00", "13.75"]);
    }

    #[test]
    fn depths_in_between_count_for_branching() {
        let mut outcomes = [outcome("off", [10, 40, 360], &[])];
        outcomes[0].cells[2].depth = Some(4);
        let comparison = |shown| Comparison { outcomes: &outcomes, shown, reference: 0 };
        let branching = |shown| comparison(shown).branching(&outcomes[0]);
        assert_eq!([branching(&[0, 1]), branching(&[1, 2]), branching(&[2])], [4.0, 3.0, 3.0]);
        assert_eq!(branching(&[0]), 10.0);
    }

    #[test]
    fn zugzwangs_are_counted_where_they_were_missed() {
        let about = |outcome: Outcome| Outcome { about_zugzwang: true, ..outcome };
        let outcomes = [
            about(outcome("fixed-3", [10, 100, 1000], &["a"])),
            about(outcome("guarded", [10, 100, 1200], &["a", "b"])),
        ];
        let comparison = Comparison { outcomes: &outcomes, shown: &[1, 2], reference: 0 };
        let wrong = &comparison.tables()[4];
        assert_eq!(wrong.rows[1], ["guarded", "1", "1", "-1", "+20.0"]);
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
        let comparison = Comparison { outcomes: &outcomes, shown: &[0, 1], reference: 0 };
        assert_eq!(comparison.tables()[0].rows[1], ["x", "0", "1"]);
    }
}
