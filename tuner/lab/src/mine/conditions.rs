//! Hand-written conditions on a log: how null moves fared where each holds, and where it does not, or by the value of an
//! expression.

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

/// The profiles that A. Lea (2016) lists, and his trigger, as far as a log has them.
///
/// They are: the side to move; the opponent's last piece (1 a pawn, 2 a knight or bishop, 3 a rook, 4 a queen, 5 a king, 0 none);
/// material outside of the window by a piece; the same where the window is wider than 1000; outside by a pawn; the rule that he
/// derived. His "material +/- piece" is read with the sign of the side to move, as in that rule: where material far below alpha
/// counted as well, 80 % of cutoffs would be out of reach. His alpha > beta does not occur in this search.
pub const LEA: [&str; 6] = [
    "colour",
    "last_piece - (last_piece > 2)",
    "material - 300 > beta",
    "beta - alpha > 1000 && material - 300 > beta",
    "material - 100 > beta",
    LEA_TRIGGER,
];
/// The rule of A. Lea (2016), as the engine's trigger `lea` has it.
pub const LEA_TRIGGER: &str = "finite_window && last_piece != 6 && material > beta + 100";

/// Values of an expression that have a row of their own, at most.
const MOST_VALUES: usize = 24;

/// A condition on the columns of a log, with the operators of C on integers; or another expression, which groups attempts by
/// its value.
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

    fn value(&self, values: &[Number]) -> Number {
        self.expression.eval(values).unwrap_or(0)
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
pub(super) struct ByGame(BTreeMap<i32, Stats>);

impl ByGame {
    pub(super) fn of(log: &Columns) -> Self {
        let outcomes = log.outcomes();
        let mut all = Self::default();
        (0..log.len()).for_each(|row| all.add(&outcomes, row));
        all
    }

    /// Groups the attempts of a log by the value of a condition.
    pub(super) fn by_value(log: &Columns, condition: &Condition) -> BTreeMap<Number, Self> {
        let outcomes = log.outcomes();
        let columns: Vec<&[i32]> =
            condition.columns().iter().map(|name| log.column(name)).collect();
        let mut groups = BTreeMap::<Number, Self>::new();
        let mut values = vec![0; columns.len()];
        for row in 0..log.len() {
            for (value, column) in values.iter_mut().zip(&columns) {
                *value = Number::from(column[row]);
            }
            groups.entry(condition.value(&values)).or_default().add(&outcomes, row);
        }
        groups
    }

    fn add(&mut self, outcomes: &Outcomes<'_>, row: usize) {
        self.0.entry(outcomes.game(row)).or_default().add(outcomes, row);
    }

    fn merge(mut self, other: Self) -> Self {
        for (game, stats) in other.0 {
            *self.0.entry(game).or_default() += stats;
        }
        self
    }

    /// Returns the number of games.
    pub(super) fn games(&self) -> usize {
        self.0.len()
    }

    /// Returns the statistics of all games together.
    pub(super) fn total(&self) -> Stats {
        let mut total = Stats::default();
        self.0.values().for_each(|game| total += *game);
        total
    }

    /// Returns a share in percent, with its 95 % interval where it is of several games.
    pub(super) fn share(
        &self,
        part: impl Fn(&Stats) -> u64,
        all: impl Fn(&Stats) -> u64,
    ) -> String {
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

/// The columns of the table of conditions.
const HEAD: [&str; 9] =
    ["condition", "attempts", "cut %", "labelled", "wrong %", "missed %", "spent", "saved", "gain"];

/// Splits a log by a condition: the attempts for which it holds, and the others.
///
/// # Panics
/// If a column that it needs was not read.
pub fn split(log: &Columns, condition: &Condition) -> [Stats; 2] {
    let mut classes = [Stats::default(); 2];
    for (value, class) in ByGame::by_value(log, condition) {
        classes[usize::from(value == 0)] += class.total();
    }
    classes
}

/// Reads a log and returns the statistics of all attempts, and of those for which each condition holds or does not, or of those
/// with each value of an expression.
///
/// # Errors
/// If the log cannot be read.
pub fn table(log: &Path, conditions: &[Condition]) -> Result<Table, ConditionError> {
    let names = conditions.iter().flat_map(Condition::columns).cloned();
    let attempts = log_file::read(log, &Outcomes::with(names))?;
    Ok(table_of(&log.display().to_string(), &attempts, conditions))
}

/// Returns the statistics as [`table`] does.
///
/// # Panics
/// If a column that a condition needs was not read.
pub fn table_of(title: &str, attempts: &Columns, conditions: &[Condition]) -> Table {
    let mut rows = vec![ByGame::of(attempts).row("all")];
    for condition in conditions {
        rows.extend(rows_of(attempts, condition));
    }
    Table::new(title, HEAD, rows)
}

/// Returns two rows for a condition, and one for each value of any other expression.
fn rows_of(attempts: &Columns, condition: &Condition) -> Vec<Vec<String>> {
    let mut groups = ByGame::by_value(attempts, condition);
    if groups.keys().all(|value| matches!(value, 0 | 1)) {
        let [held, not] = [1, 0].map(|value| groups.remove(&value).unwrap_or_default());
        return vec![held.row(&condition.text), not.row("  otherwise")];
    }
    let mut by_size: Vec<(u64, Number)> =
        groups.iter().map(|(&value, group)| (group.total().attempts, value)).collect();
    by_size.sort_unstable();
    by_size.reverse();
    let rare = by_size.iter().skip(MOST_VALUES).filter_map(|(_, value)| groups.remove(value));
    let rare = rare.reduce(ByGame::merge);
    let mut rows =
        vec![[vec![condition.text.clone()], vec![String::new(); HEAD.len() - 1]].concat()];
    rows.extend(groups.iter().map(|(value, group)| group.row(&format!("  = {value}"))));
    rows.extend(rare.map(|group| group.row("  other values")));
    rows
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
    fn an_expression_groups_the_log_by_its_value() {
        let rows = |text: &str| {
            let condition = Condition::parse(text).expect(text);
            table_of("log", &log(), &[condition]).rows.split_off(1)
        };
        let names_and_attempts = |text: &str| -> Vec<[String; 2]> {
            rows(text).iter().map(|row| [row[0].clone(), row[1].clone()]).collect()
        };
        let sign = "(material > 200) - (material < 0)";
        let expected = [[sign, ""], ["  = -1", "1"], ["  = 0", "1"], ["  = 1", "2"]];
        assert_eq!(names_and_attempts(sign), expected);
        assert_eq!(
            rows(sign).iter().map(|row| &row[2]).collect::<Vec<_>>(),
            ["", "0.0", "0.0", "100.0"]
        );
        // 0 and 1 are a condition, even where it always holds.
        assert_eq!(names_and_attempts("beta == 100"), [["beta == 100", "4"], ["  otherwise", "0"]]);
        let pairs = split(&log(), &Condition::parse("material / 150").expect("an expression"));
        assert_eq!(pairs.map(|stats| stats.attempts), [3, 1], "not 0, and 0");
    }

    #[test]
    fn rare_values_share_a_row() {
        let count = MOST_VALUES as i32 + 2;
        // The value 2 twice, so that it is not rare.
        let beta: Vec<i32> = (1..=count).chain([2]).collect();
        let rest = |value: i32| vec![value; beta.len()];
        let names = ["beta", "game", "cut", "null_nodes", "probe_nodes", "truth_score"];
        let columns = vec![beta.clone(), rest(0), rest(0), rest(1), rest(MISSING), rest(MISSING)];
        let log = Columns::new(names.map(str::to_owned).to_vec(), columns);
        let rows = table_of("log", &log, &[Condition::parse("beta").expect("a column")]).rows;
        assert_eq!(rows.len(), 2 + MOST_VALUES + 1);
        assert_eq!(
            rows.last().map(|row| &row[..2]),
            Some(&["  other values", "2"].map(str::to_owned)[..])
        );
        assert!(rows.iter().any(|row| row[..2] == ["  = 2", "2"]));
    }

    #[test]
    fn the_profiles_of_lea_are_conditions() {
        for text in LEA {
            Condition::parse(text).expect(text);
        }
        let pieces =
            ["beta", "last_piece", "game", "cut", "null_nodes", "probe_nodes", "truth_score"];
        let mut columns = vec![vec![0; 7]; pieces.len()];
        columns[1] = (0..7).collect();
        let log = Columns::new(pieces.map(str::to_owned).to_vec(), columns);
        let groups = ByGame::by_value(&log, &Condition::parse(LEA[1]).expect("an expression"));
        let sizes: Vec<u64> = groups.values().map(|group| group.total().attempts).collect();
        assert_eq!(sizes, [1, 1, 2, 1, 1, 1], "knights and bishops are one class");
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
