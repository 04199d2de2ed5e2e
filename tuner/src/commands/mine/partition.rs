//! `mine partition`.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use super::{MineError, percent, signed};
use nullarbor_lab::mine::attempts::Endings;
use nullarbor_lab::mine::file;
use nullarbor_lab::mine::partition::{self, Condition, Tally};
use nullarbor_report::table::{Table, grouped};
use nullarbor_report::terminal;

/// Split a log by conditions that somebody thinks of, and say what null moves came to where they hold and where they do not.
///
/// A condition compares columns of the log: `material - beta > 100`, `eval - beta > 0 && depth > 4`. The operators are those
/// of C.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner mine partition attempts.parquet 'material - beta > 100' 'eval - beta > 0 && depth > 4'
  nullarbor-tuner mine partition attempts.parquet --rules rules.txt

The columns of the table:
  entries   null searches
  cut %     those that failed high
  judged    those of which a full search without null moves says what is true
  wrong %   cut-offs that it does not confirm
  missed %  null searches that did not cut, at nodes where it finds a value of at least beta
  spent     nodes of all null searches
  saved     nodes that the cut-offs saved, judged by those that were searched on
  gain      saved less spent")]
pub struct PartitionArgs {
    /// A log
    log: PathBuf,
    /// Conditions
    conditions: Vec<String>,
    /// A file with a condition in each line; `#` begins a comment
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
}

impl PartitionArgs {
    fn conditions(&self) -> Result<Vec<Condition>, MineError> {
        let mut texts = self.conditions.clone();
        if let Some(path) = &self.rules {
            let content = fs::read_to_string(path)
                .map_err(|source| MineError::File { path: path.clone(), source })?;
            let lines = content.lines().map(|line| line.split('#').next().unwrap_or("").trim());
            texts.extend(lines.filter(|line| !line.is_empty()).map(str::to_owned));
        }
        if texts.is_empty() {
            return Err(MineError::NoCondition);
        }
        Ok(texts.iter().map(|text| Condition::new(text)).collect::<Result<_, _>>()?)
    }

    /// Prints the table.
    ///
    /// # Errors
    /// Where the log or a condition cannot be read.
    pub fn run(&self) -> Result<(), MineError> {
        let conditions = self.conditions()?;
        let mut columns: Vec<String> = Endings::COLUMNS.map(str::to_owned).to_vec();
        columns.extend(conditions.iter().flat_map(Condition::columns).cloned());
        columns.sort_unstable();
        columns.dedup();
        let attempts = file::read(&self.log, &columns)?;
        let mut rows = vec![row("all", &partition::everything(&attempts))];
        for condition in &conditions {
            let split = partition::partition(&attempts, condition);
            rows.push(row(&split.text, &split.held));
            rows.push(row("  not so", &split.not));
        }
        let head = [
            "condition",
            "entries",
            "cut %",
            "judged",
            "wrong %",
            "missed %",
            "spent",
            "saved",
            "gain",
        ];
        let head = head.map(str::to_owned).to_vec();
        terminal::table(&Table { title: self.log.display().to_string(), head, rows });
        Ok(())
    }
}

fn row(name: &str, tally: &Tally) -> Vec<String> {
    let saved = tally.saved();
    let gain = saved.map(|saved| saved - tally.spent as f64);
    let known = |number: Option<f64>| number.map_or("-".to_owned(), signed);
    vec![
        name.to_owned(),
        grouped(tally.entries),
        percent(tally.cutoffs, tally.entries),
        grouped(tally.judged_cuts + tally.judged_misses),
        percent(tally.wrong_cuts, tally.judged_cuts),
        percent(tally.missed_cuts, tally.judged_misses),
        grouped(tally.spent),
        known(saved),
        known(gain),
    ]
}
