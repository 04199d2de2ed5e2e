//! Hand-written conditions on a log: how null moves fared where each holds, and where it does not.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::path::Path;

use exmex::{Express, FlatEx};
use nullarbor_report::table::{Table, grouped};
use nullarbor_runs::files::{FileError, read_text};
use nullarbor_stats::Interval;
use thiserror::Error;

use super::columns::{self, Columns, Outcomes};
use super::log_file;
use super::operators::{Number, Operators};
use crate::numbers::{percent, signed};

type Expression = FlatEx<Number, Operators>;

/// A condition on the columns of a log, with the operators of C on integers.
///
/// ```
/// use nullarbor_lab::mine::conditions::Condition;
///
/// // The trigger of A. Lea (2016): more than a pawn above beta, the opponent has not just moved its king.
/// let condition = Condition::parse("material - beta > 100 && last_piece != 6")?;
/// assert_eq!(condition.columns(), ["beta", "last_piece", "material"]);
/// assert!(Condition::parse("matter > 100").is_err());
/// # Ok::<(), nullarbor_lab::mine::conditions::ConditionError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Condition {
    text: String,
    expression: Expression,
}

/// Why conditions cannot be read or evaluated.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ConditionError {
    #[error("`{text}`: {problem}")]
    Text { text: String, problem: String },
    #[error(transparent)]
    File(#[from] FileError),
    #[error("give a condition, such as 'material - beta > 100', or --rules FILE")]
    NoCondition,
}

/// Returns the columns without missing values.
fn usable_columns() -> impl Iterator<Item = &'static str> {
    columns::names().filter(|name| !columns::may_miss(name))
}

impl Condition {
    /// Parses a condition.
    ///
    /// # Errors
    /// If the syntax is wrong, or it names a column that logs do not have or that has missing values.
    pub fn parse(text: &str) -> Result<Self, ConditionError> {
        let text = text.trim().to_owned();
        let expression = Expression::parse(&text).map_err(|error| ConditionError::Text {
            text: text.clone(),
            problem: error.to_string(),
        })?;
        let is_known = |name: &&String| usable_columns().any(|known| known == *name);
        let unknown = expression.var_names().iter().find(|name| !is_known(name));
        if let Some(name) = unknown {
            let columns = usable_columns().collect::<Vec<_>>().join(", ");
            let problem = format!("there is no column `{name}`; there are {columns}");
            return Err(ConditionError::Text { text, problem });
        }
        Ok(Self { text, expression })
    }

    /// Parses conditions and those of a file, which has one in each line; `#` begins a comment.
    ///
    /// # Errors
    /// If there is none, one cannot be parsed, or the file cannot be read.
    pub fn read_all(texts: &[String], file: Option<&Path>) -> Result<Vec<Self>, ConditionError> {
        let content = file.map_or(Ok(String::new()), read_text)?;
        let lines = content.lines().map(|line| line.split('#').next().unwrap_or("").trim());
        let lines = lines.filter(|line| !line.is_empty());
        let all: Vec<Self> = texts
            .iter()
            .map(String::as_str)
            .chain(lines)
            .map(Self::parse)
            .collect::<Result<_, _>>()?;
        if all.is_empty() { Err(ConditionError::NoCondition) } else { Ok(all) }
    }

    /// Returns the names of the columns it refers to.
    pub fn columns(&self) -> &[String] {
        self.expression.var_names()
    }

    fn holds(&self, values: &[Number]) -> bool {
        self.expression.eval(values).is_ok_and(|answer| answer != 0)
    }
}

/// Statistics of some attempts. Labelled attempts are those whose ground truth is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Number of attempts.
    pub attempts: u64,
    /// Attempts that failed high.
    pub cutoffs: u64,
    /// Nodes of all null-move searches.
    pub null_nodes: u64,
    /// Cutoffs whose node was searched in spite of them.
    pub probes: u64,
    /// Nodes of these searches.
    pub probe_nodes: u64,
    /// Labelled cutoffs.
    pub labelled_cutoffs: u64,
    /// Labelled cutoffs that a full search does not confirm.
    pub wrong_cutoffs: u64,
    /// Labelled attempts without a cutoff.
    pub labelled_failures: u64,
    /// Labelled attempts without a cutoff whose node a full search finds to be at least beta.
    pub missed_cutoffs: u64,
}

impl Stats {
    /// Returns the statistics of all attempts of a log.
    pub fn of(log: &Columns) -> Self {
        ByGame::of(log).total()
    }

    fn add(&mut self, outcomes: &Outcomes<'_>, row: usize) {
        self.attempts += 1;
        self.null_nodes += outcomes.null_nodes(row);
        let reaches_beta = outcomes.reaches_beta(row);
        if outcomes.is_cut(row) {
            self.cutoffs += 1;
            if let Some(nodes) = outcomes.full_nodes(row) {
                self.probes += 1;
                self.probe_nodes += nodes;
            }
            self.labelled_cutoffs += u64::from(reaches_beta.is_some());
            self.wrong_cutoffs += u64::from(reaches_beta == Some(false));
        } else {
            self.labelled_failures += u64::from(reaches_beta.is_some());
            self.missed_cutoffs += u64::from(reaches_beta == Some(true));
        }
    }

    /// Returns an estimate of the nodes that the cutoffs saved, without the cost of the null-move searches: the mean over the
    /// probed cutoffs, times all cutoffs. `None` without a probed cutoff.
    pub fn saved(&self) -> Option<f64> {
        let mean = self.probe_nodes as f64 / self.probes as f64;
        (self.probes > 0).then_some(mean * self.cutoffs as f64)
    }
}

impl AddAssign for Stats {
    fn add_assign(&mut self, other: Self) {
        self.attempts += other.attempts;
        self.cutoffs += other.cutoffs;
        self.null_nodes += other.null_nodes;
        self.probes += other.probes;
        self.probe_nodes += other.probe_nodes;
        self.labelled_cutoffs += other.labelled_cutoffs;
        self.wrong_cutoffs += other.wrong_cutoffs;
        self.labelled_failures += other.labelled_failures;
        self.missed_cutoffs += other.missed_cutoffs;
    }
}

/// The statistics of each game. Attempts of one game are alike: intervals are taken over games.
#[derive(Clone, Debug, Default)]
struct ByGame(BTreeMap<i32, Stats>);

impl ByGame {
    fn of(log: &Columns) -> Self {
        let outcomes = log.outcomes();
        let mut all = Self::default();
        (0..log.len()).for_each(|row| all.add(&outcomes, row));
        all
    }

    /// Splits a log by a condition: the attempts for which it holds, and the others.
    fn split(log: &Columns, condition: &Condition) -> [Self; 2] {
        let outcomes = log.outcomes();
        let columns: Vec<&[i32]> =
            condition.columns().iter().map(|name| log.column(name)).collect();
        let [mut held, mut not] = [Self::default(), Self::default()];
        let mut values = vec![0; columns.len()];
        for row in 0..log.len() {
            for (value, column) in values.iter_mut().zip(&columns) {
                *value = Number::from(column[row]);
            }
            let class = if condition.holds(&values) { &mut held } else { &mut not };
            class.add(&outcomes, row);
        }
        [held, not]
    }

    fn add(&mut self, outcomes: &Outcomes<'_>, row: usize) {
        self.0.entry(outcomes.game(row)).or_default().add(outcomes, row);
    }

    fn total(&self) -> Stats {
        let mut total = Stats::default();
        self.0.values().for_each(|game| total += *game);
        total
    }

    /// Returns a share in percent, with its 95 % interval where it is of several games.
    fn share(&self, part: impl Fn(&Stats) -> u64, all: impl Fn(&Stats) -> u64) -> String {
        let parts = |it: &Stats| (100.0 * part(it) as f64, all(it) as f64);
        let games: Vec<(f64, f64)> = self.0.values().map(parts).collect();
        let total = self.total();
        let bare = || percent(part(&total), all(&total));
        Interval::of_ratio(&games).map_or_else(bare, |share| share.to_string())
    }

    fn row(&self, name: &str) -> Vec<String> {
        let total = self.total();
        let saved = total.saved();
        let gain = saved.map(|saved| saved - total.null_nodes as f64);
        let known = |number: Option<f64>| number.map_or("-".to_owned(), signed);
        vec![
            name.to_owned(),
            grouped(total.attempts),
            percent(total.cutoffs, total.attempts),
            grouped(total.labelled_cutoffs + total.labelled_failures),
            self.share(|it| it.wrong_cutoffs, |it| it.labelled_cutoffs),
            self.share(|it| it.missed_cutoffs, |it| it.labelled_failures),
            grouped(total.null_nodes),
            known(saved),
            known(gain),
        ]
    }
}

/// Splits a log by a condition: the attempts for which it holds, and the others.
///
/// # Panics
/// If a column that it needs was not read.
pub fn split(log: &Columns, condition: &Condition) -> [Stats; 2] {
    ByGame::split(log, condition).map(|class| class.total())
}

/// Reads a log and returns the statistics of all attempts, and of those for which each condition holds or does not.
///
/// # Errors
/// If the log cannot be read.
pub fn table(log: &Path, conditions: &[Condition]) -> Result<Table, ConditionError> {
    let names = conditions.iter().flat_map(Condition::columns).cloned();
    let attempts = log_file::read(log, &Outcomes::with(names))?;
    Ok(table_of(&log.display().to_string(), &attempts, conditions))
}

/// Returns the statistics of all attempts of a log, and of those for which each condition holds or does not.
///
/// # Panics
/// If a column that a condition needs was not read.
pub fn table_of(title: &str, attempts: &Columns, conditions: &[Condition]) -> Table {
    let mut rows = vec![ByGame::of(attempts).row("all")];
    for condition in conditions {
        let [held, not] = ByGame::split(attempts, condition);
        rows.extend([held.row(&condition.text), not.row("  otherwise")]);
    }
    let head = [
        "condition",
        "attempts",
        "cut %",
        "labelled",
        "wrong %",
        "missed %",
        "spent",
        "saved",
        "gain",
    ];
    Table::new(title, head, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mine::columns::MISSING;

    fn log() -> Columns {
        let names = ["beta", "material", "game", "cut", "null_nodes", "probe_nodes", "truth_score"];
        let columns = vec![
            vec![100, 100, 100, 100],
            vec![300, 250, 150, -50],
            vec![0, 1, 1, 2],
            vec![1, 1, 0, 0],
            vec![10, 20, 30, 40],
            vec![500, MISSING, MISSING, MISSING],
            vec![90, 100, 100, MISSING],
        ];
        Columns::new(names.map(str::to_owned).to_vec(), columns)
    }

    #[test]
    fn a_condition_splits_the_log() {
        let condition = Condition::parse("material - beta > 100").expect("a condition");
        assert_eq!(condition.columns(), ["beta", "material"]);
        let [held, not] = split(&log(), &condition);
        let expected = Stats {
            attempts: 2,
            cutoffs: 2,
            null_nodes: 30,
            probes: 1,
            probe_nodes: 500,
            labelled_cutoffs: 2,
            wrong_cutoffs: 1,
            ..Stats::default()
        };
        assert_eq!((held, held.saved()), (expected, Some(1000.0)));
        let expected = Stats {
            attempts: 2,
            null_nodes: 70,
            labelled_failures: 1,
            missed_cutoffs: 1,
            ..Stats::default()
        };
        assert_eq!((not, not.saved()), (expected, None));
        assert_eq!(Stats::of(&log()).attempts, 4);
    }

    #[test]
    fn shares_have_intervals_over_games() {
        let condition = Condition::parse("material - beta > 100").expect("a condition");
        let rows = table_of("log", &log(), &[condition]).rows;
        // One of two cutoffs is wrong, each of a game of its own; one game has the only labelled failure.
        assert_eq!(rows[0][4..6], ["50.0 (0.0 to 100.0)", "100.0"]);
        assert_eq!(rows[1][4..6], ["50.0 (0.0 to 100.0)", "-"]);
        let one_game = Columns::new(
            Outcomes::COLUMNS.map(str::to_owned).to_vec(),
            [100, 7, 1, 10, MISSING, 90].map(|cell| vec![cell; 2]).to_vec(),
        );
        assert_eq!(table_of("log", &one_game, &[]).rows[0][4..6], ["100.0", "-"]);
    }

    #[test]
    fn conditions_are_evaluated() {
        for (text, expected) in [
            ("material > 100 && beta == 100", 3),
            ("material > 280 || material < 0", 2),
            ("material != 300", 3),
            ("(material + 50) / 100 >= 3", 2),
            ("material >= 150 && cut == 1 || material < 0", 3),
            ("material < 0 || material >= 150 && cut == 1", 3),
            ("!(material > 100) || cut", 3),
            ("-material < -200", 2),
            ("material / 0 == 0", 4),
        ] {
            let condition = Condition::parse(text).expect(text);
            let [held, _] = split(&log(), &condition);
            assert_eq!(held.attempts, expected, "{text}");
        }
    }

    #[test]
    fn malformed_conditions_are_refused() {
        for (text, part) in [
            ("material -", "material -"),
            ("matter > 3", "matter"),
            ("beta > 1.5", "1.5"),
            ("", "``"),
        ] {
            let error = Condition::parse(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
