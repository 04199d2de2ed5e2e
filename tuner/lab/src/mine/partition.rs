//! Rules that somebody thinks of: what they would have done on a log.

use exmex::{Express, FlatEx};
use thiserror::Error;

use super::attempts::{self, Attempts, Endings};
use super::operators::{Number, Operators};

type Expression = FlatEx<Number, Operators>;

/// A condition on the columns of a log, such as `material - beta > 100 && last_piece != 6`: the operators of C, by their
/// rules of precedence, on whole numbers.
#[derive(Clone, Debug)]
pub struct Condition {
    text: String,
    expression: Expression,
}

/// Why a text is no condition.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ConditionError {
    #[error("`{text}`: {reason}")]
    Unclear { text: String, reason: String },
    #[error("`{text}`: there is no column `{name}`; there are {}", askable().collect::<Vec<_>>().join(", "))]
    Column { text: String, name: String },
}

/// The columns without holes.
fn askable() -> impl Iterator<Item = &'static str> {
    attempts::names().filter(|name| !attempts::may_miss(name))
}

impl Condition {
    /// Reads one.
    ///
    /// # Errors
    /// Where it cannot be understood, or asks for what a log does not have.
    pub fn new(text: &str) -> Result<Self, ConditionError> {
        let text = text.trim().to_owned();
        let expression = Expression::parse(&text).map_err(|error| ConditionError::Unclear {
            text: text.clone(),
            reason: error.to_string(),
        })?;
        let is_known = |name: &&String| askable().any(|known| known == *name);
        let unknown = expression.var_names().iter().find(|name| !is_known(name));
        if let Some(name) = unknown {
            return Err(ConditionError::Column { text, name: name.clone() });
        }
        Ok(Self { text, expression })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The columns that it asks for.
    pub fn columns(&self) -> &[String] {
        self.expression.var_names()
    }

    fn holds(&self, values: &[Number]) -> bool {
        self.expression.eval(values).is_ok_and(|answer| answer != 0)
    }
}

/// What a class of attempts came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Attempts.
    pub entries: u64,
    /// Those that cut.
    pub cutoffs: u64,
    /// Nodes of all null searches.
    pub spent: u64,
    /// Cut-offs that were searched on.
    pub probes: u64,
    /// What those took.
    pub probed_nodes: u64,
    /// Cut-offs of which the truth is known.
    pub judged_cuts: u64,
    /// Those that a full search does not confirm.
    pub wrong_cuts: u64,
    /// Attempts that did not cut of which the truth is known.
    pub judged_misses: u64,
    /// Those of a node that a full search finds to be at least beta.
    pub missed_cuts: u64,
}

impl Tally {
    fn count(&mut self, endings: &Endings<'_>, row: usize) {
        self.entries += 1;
        self.spent += endings.spent(row);
        if endings.is_cut(row) {
            self.cutoffs += 1;
            if let Some(nodes) = endings.full(row) {
                self.probes += 1;
                self.probed_nodes += nodes;
            }
            if let Some(reached) = endings.truth(row) {
                self.judged_cuts += 1;
                self.wrong_cuts += u64::from(!reached);
            }
        } else if let Some(reached) = endings.truth(row) {
            self.judged_misses += 1;
            self.missed_cuts += u64::from(reached);
        }
    }

    /// Nodes that the cut-offs saved, before what the null searches cost: those that were searched on stand for all.
    /// `None` where none was.
    pub fn saved(&self) -> Option<f64> {
        let mean = self.probed_nodes as f64 / self.probes as f64;
        (self.probes > 0).then_some(mean * self.cutoffs as f64)
    }
}

/// What came of the attempts for which a condition holds, and of the others.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The condition.
    pub text: String,
    /// Where it holds.
    pub held: Tally,
    /// Where it does not.
    pub not: Tally,
}

/// All attempts together.
///
/// # Panics
/// Where the columns of the endings were not read.
pub fn everything(attempts: &Attempts) -> Tally {
    let endings = attempts.endings().expect("the columns of the endings");
    let mut all = Tally::default();
    (0..attempts.len()).for_each(|row| all.count(&endings, row));
    all
}

/// Splits a log by a condition.
///
/// # Panics
/// Where the columns that it needs were not read.
pub fn partition(attempts: &Attempts, condition: &Condition) -> Partition {
    let endings = attempts.endings().expect("the columns of the endings");
    let columns: Vec<&[i32]> = condition
        .columns()
        .iter()
        .map(|name| attempts.column(name).expect("the columns of the condition"))
        .collect();
    let (mut held, mut not) = (Tally::default(), Tally::default());
    let mut values = vec![0; columns.len()];
    for row in 0..attempts.len() {
        for (value, column) in values.iter_mut().zip(&columns) {
            *value = Number::from(column[row]);
        }
        let class = if condition.holds(&values) { &mut held } else { &mut not };
        class.count(&endings, row);
    }
    Partition { text: condition.text.clone(), held, not }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mine::attempts::MISSING;

    fn log() -> Attempts {
        let names = ["beta", "material", "cut", "null_nodes", "probe_nodes", "truth_score"];
        let columns = vec![
            vec![100, 100, 100, 100],
            vec![300, 250, 150, -50],
            vec![1, 1, 0, 0],
            vec![10, 20, 30, 40],
            vec![500, MISSING, MISSING, MISSING],
            vec![90, 100, 100, MISSING],
        ];
        Attempts::new(names.map(str::to_owned).to_vec(), columns)
    }

    #[test]
    fn a_condition_splits_the_log() {
        let condition = Condition::new("material - beta > 100").expect("a condition");
        assert_eq!(condition.columns(), ["beta", "material"]);
        let Partition { held, not, .. } = partition(&log(), &condition);
        let expected = Tally {
            entries: 2,
            cutoffs: 2,
            spent: 30,
            probes: 1,
            probed_nodes: 500,
            judged_cuts: 2,
            wrong_cuts: 1,
            ..Tally::default()
        };
        assert_eq!((held, held.saved()), (expected, Some(1000.0)));
        let expected =
            Tally { entries: 2, spent: 70, judged_misses: 1, missed_cuts: 1, ..Tally::default() };
        assert_eq!((not, not.saved()), (expected, None));
        assert_eq!(everything(&log()).entries, 4);
    }

    #[test]
    fn conditions_are_understood() {
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
            let condition = Condition::new(text).expect(text);
            let found = partition(&log(), &condition);
            assert_eq!(found.held.entries, expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for (text, part) in [
            ("material -", "material -"),
            ("matter > 3", "matter"),
            ("beta > 1.5", "1.5"),
            ("", "``"),
        ] {
            let error = Condition::new(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
