//! The record of an experiment: the data file that the document is made from.

use std::fs;
use std::path::{Path, PathBuf};

use nullarbor::search::null_move::{Counts, Verification};
use nullarbor_games::scheme::{EngineKind, NamedScheme};
use nullarbor_lab::counters;
use nullarbor_lab::provenance::Provenance;
use nullarbor_lab::result::{Cell, Outcome, Results, SolvedPosition};
use nullarbor_lab::suite::Suite;
use nullarbor_report::table::Table;
use nullarbor_runs::files::{FileError, replace};
use nullarbor_stats::PairCounts;
use serde::{Deserialize, Serialize};

use crate::journal::{counts, numbers};
use crate::json;

/// The results of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the experiment.
    pub experiment: String,
    /// The commit that it was made with.
    pub revision: String,
    /// The engine: signature, network, search.
    pub engine: String,
    /// Searches of positions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<SuiteRecord>,
    /// Games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<MatchRecord>,
    /// Tables of mining.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableRecord>,
    /// Mined rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleRecord>,
}

/// A table as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct TableRecord {
    pub title: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// A mined rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleRecord {
    /// Name of the rule, also that of its scheme file.
    pub name: String,
    /// The rule as text.
    pub text: String,
}

impl From<Table> for TableRecord {
    fn from(Table { title, head, rows }: Table) -> Self {
        Self { title, head, rows }
    }
}

impl TableRecord {
    /// Returns the table.
    pub fn table(&self) -> Table {
        let Self { title, head, rows } = self.clone();
        Table { title, head, rows }
    }
}

/// All schemes on a suite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SuiteRecord {
    /// Name of the suite.
    pub suite: String,
    /// Number of positions.
    pub positions: usize,
    /// Number of positions with a task.
    pub tasks: usize,
    /// [`Suite::sha256`].
    pub sha256: String,
    /// True if the positions are about zugzwang.
    pub about_zugzwang: bool,
    /// The schemes; the first is the one that the others are compared with.
    pub schemes: Vec<SchemeRecord>,
    /// Positions that some schemes solved at the last checkpoint and others did not.
    pub differing: Vec<Differing>,
}

/// A scheme on a suite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SchemeRecord {
    /// Name of the scheme.
    pub scheme: String,
    /// Totals at each checkpoint. Seconds are 0 where the experiment does not ask for them.
    pub cells: Vec<Cell>,
    /// Nodes of each position at the last checkpoint, in files of before each cell had its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub position_nodes: Vec<u64>,
    /// Null-move counters of all iterations by remaining depth, from 0, in the order of
    /// [`COUNTERS`](nullarbor_lab::counters::COUNTERS).
    pub null_moves: Vec<Vec<u64>>,
}

/// A position that tells schemes apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Differing {
    /// Name of the position.
    pub id: String,
    /// The position.
    pub fen: String,
    /// The schemes that solved it.
    pub solved_by: Vec<String>,
}

/// Games of two schemes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchRecord {
    /// The first scheme.
    pub first: String,
    /// The second.
    pub second: String,
    /// The limit of both.
    pub limit: String,
    /// Pairs of games by their result, for the first.
    pub pairs: PairCounts,
    /// The plan that was made before the first game; `None` in records of before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<MatchPlan>,
    /// Reason for which it ended before all planned games were played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// The plan of a match. Games and seed are those that its journal began with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchPlan {
    /// Planned games; `None` if the journal is of before they were kept.
    pub games: Option<u64>,
    /// The seed of the order of the openings.
    pub seed: u64,
    /// True if it is the primary comparison, which is not corrected for others.
    #[serde(default, rename = "primary")]
    pub is_primary: bool,
}

impl MatchRecord {
    /// Returns whether it was named beforehand as the primary comparison.
    pub fn is_primary(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.is_primary)
    }
}

impl Differing {
    /// Returns whether a scheme solved it.
    pub fn is_solved_by(&self, scheme: &str) -> bool {
        self.solved_by.iter().any(|own| own == scheme)
    }
}

impl Record {
    /// Returns an empty record of an experiment with an engine.
    pub fn new(experiment: &str, engine: EngineKind, revision: String) -> Self {
        Self {
            experiment: experiment.to_owned(),
            revision,
            engine: Provenance::of(engine).search_identity(),
            suites: Vec::new(),
            matches: Vec::new(),
            tables: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// Returns the file of an experiment in the folder of records.
    pub fn path(folder: &Path, experiment: &str) -> PathBuf {
        folder.join(format!("{experiment}.json"))
    }

    /// Reads the record of an experiment; `None` if there is none.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn read(folder: &Path, experiment: &str) -> Result<Option<Self>, FileError> {
        let path = Self::path(folder, experiment);
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(FileError::at(&path))?;
        let mut record: Self = serde_json::from_str(&text).map_err(FileError::at(&path))?;
        record.suites.iter_mut().flat_map(|it| &mut it.schemes).for_each(SchemeRecord::update);
        Ok(Some(record))
    }

    /// Writes the record, unless one with the same results is there: its revision has already given them.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, FileError> {
        let path = Self::path(folder, &self.experiment);
        if let Ok(Some(old)) = Self::read(folder, &self.experiment)
            && (Self { revision: self.revision.clone(), ..old }) == *self
        {
            return Ok(path);
        }
        fs::create_dir_all(folder).map_err(FileError::at(folder))?;
        let text = json::text(self).map_err(FileError::at(&path))?;
        replace(&path, |file| std::io::Write::write_all(file, text.as_bytes()))?;
        Ok(path)
    }
}

impl SuiteRecord {
    /// Sums up the searches of one suite. `timed` keeps the times.
    pub fn new(suite: &Suite, outcomes: &[Outcome], shown: &[usize], timed: bool) -> Self {
        let first = &outcomes[0];
        let cell = |outcome: &Outcome, index: usize| {
            let cell = outcome.cells[index].clone();
            if timed { cell } else { Cell { seconds: 0.0, ..cell } }
        };
        let scheme = |outcome: &Outcome| SchemeRecord {
            scheme: outcome.scheme.clone(),
            cells: shown.iter().map(|&index| cell(outcome, index)).collect(),
            position_nodes: Vec::new(),
            null_moves: numbers(&outcome.null_moves),
        };
        Self {
            suite: suite.name.clone(),
            positions: first.positions,
            tasks: first.tasks,
            sha256: suite.sha256(),
            about_zugzwang: first.about_zugzwang,
            schemes: outcomes.iter().map(scheme).collect(),
            differing: differing(suite, outcomes),
        }
    }

    /// Returns all suites of some results.
    pub fn all(suites: &[Suite], results: &Results, timed: bool) -> Vec<Self> {
        let suites = suites.iter().zip(&results.suites);
        suites.map(|(suite, outcomes)| Self::new(suite, outcomes, &results.shown, timed)).collect()
    }

    /// Returns the outcomes as the tables of the laboratory take them.
    pub fn outcomes(&self, engine: EngineKind) -> Vec<Outcome> {
        let reference = &self.schemes[0].scheme;
        let solved = |scheme: &str, and_not: Option<&str>| -> Vec<SolvedPosition> {
            let these = self.differing.iter().filter(|it| {
                it.is_solved_by(scheme) && and_not.is_none_or(|other| !it.is_solved_by(other))
            });
            these.map(|it| SolvedPosition { id: it.id.clone(), fen: it.fen.clone() }).collect()
        };
        let outcome = |it: &SchemeRecord| Outcome {
            suite: self.suite.clone(),
            suite_fingerprint: self.sha256.clone(),
            engine: Provenance::of(engine),
            scheme: it.scheme.clone(),
            reference: reference.clone(),
            positions: self.positions,
            tasks: self.tasks,
            about_zugzwang: self.about_zugzwang,
            legal_moves: Vec::new(),
            saved: None,
            cells: it.cells.clone(),
            null_moves: it.null_moves.iter().map(|numbers| counts(numbers)).collect(),
            solved: solved(&it.scheme, None).into_iter().map(|it| it.id).collect(),
            solved_only_by_it: solved(&it.scheme, Some(reference)),
            solved_only_by_reference: solved(reference, Some(&it.scheme)),
        };
        self.schemes.iter().map(outcome).collect()
    }

    /// Returns the record of a scheme.
    pub fn scheme(&self, name: &str) -> Option<&SchemeRecord> {
        self.schemes.iter().find(|it| it.scheme == name)
    }
}

impl SchemeRecord {
    /// Brings what was written before cells had nodes by position, and before fail-highs were counted, into today's form.
    fn update(&mut self) {
        let nodes = std::mem::take(&mut self.position_nodes);
        if let Some(last) = self.cells.last_mut().filter(|_| !nodes.is_empty()) {
            last.position_nodes = nodes;
        }
        let verification = verification(&self.scheme);
        for row in &mut self.null_moves {
            *row = counters::numbers(&counters::from_numbers(row, verification)).to_vec();
        }
    }

    /// Returns the null-move counters of all depths together.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.null_moves.iter().for_each(|numbers| total += counts(numbers));
        total
    }

    /// Returns the totals at the last checkpoint.
    pub fn last(&self) -> Option<&Cell> {
        self.cells.last()
    }
}

fn verification(scheme: &str) -> Verification {
    NamedScheme::read(scheme).map_or(Verification::None, |named| named.scheme.verification)
}

fn differing(suite: &Suite, outcomes: &[Outcome]) -> Vec<Differing> {
    let of = |id: &str| -> Vec<String> {
        let solvers = outcomes.iter().filter(|it| it.solved.iter().any(|own| own == id));
        solvers.map(|outcome| outcome.scheme.clone()).collect()
    };
    let all = suite.problems.iter().map(|problem| Differing {
        id: problem.id.clone(),
        fen: problem.position.to_string(),
        solved_by: of(&problem.id),
    });
    all.filter(|it| !it.solved_by.is_empty() && it.solved_by.len() < outcomes.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_of_before_plans_were_kept_stay_as_they_are() {
        let pairs = r#"{"ll":1,"ld":0,"dd":0,"wl":0,"wd":0,"ww":2}"#;
        let old = format!(r#"{{"first":"a","second":"b","limit":"nodes=9","pairs":{pairs}}}"#);
        let read: MatchRecord = serde_json::from_str(&old).expect("an old record");
        assert_eq!((read.is_primary(), &read.plan, &read.stopped), (false, &None, &None));
        assert_eq!(serde_json::to_string(&read).expect("JSON"), old);
        let plan = Some(MatchPlan { games: Some(6), seed: 1, is_primary: true });
        let new = MatchRecord { plan, ..read };
        let text = serde_json::to_string(&new).expect("JSON");
        assert!(text.ends_with(r#""plan":{"games":6,"seed":1,"primary":true}}"#), "{text}");
        assert_eq!(serde_json::from_str::<MatchRecord>(&text).expect("a record"), new);
    }

    #[test]
    fn old_records_are_read_in_the_form_of_today() {
        let scheme = |name: &str| {
            let text = format!(
                r#"{{"scheme":"{name}","cells":[{{"nodes":4}},{{"nodes":9}}],"position_nodes":[2,7],"null_moves":[[9,6,2,1,0,0]]}}"#
            );
            let mut read: SchemeRecord = serde_json::from_str(&text).expect("an old record");
            read.update();
            read
        };
        let verified = scheme("fixed-3+verification=reduce");
        assert_eq!(verified.last().map(|cell| &cell.position_nodes[..]), Some(&[2, 7][..]));
        assert!(verified.cells[0].position_nodes.is_empty() && verified.position_nodes.is_empty());
        assert_eq!(verified.null_moves, [[9, 4, 2, 1, 0, 0, 7]], "two nodes were not cut");
        assert_eq!(scheme("nullarbor").null_moves, [[9, 6, 2, 1, 0, 0, 7]]);
        let text = serde_json::to_string(&verified).expect("JSON");
        let mut again: SchemeRecord = serde_json::from_str(&text).expect("a record");
        again.update();
        assert_eq!(again, verified);
    }
}
