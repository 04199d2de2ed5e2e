//! Experiments that mine triggers from logs of null searches.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use nullarbor_games::scheme::NamedScheme;
use nullarbor_lab::mine::columns::{Columns, Outcomes};
use nullarbor_lab::mine::conditions::{Condition, table_of};
use nullarbor_lab::mine::decision_tree::{self, Config, GENERAL};
use nullarbor_lab::mine::levels;
use nullarbor_lab::mine::log::Logging;
use nullarbor_lab::mine::log_file;
use nullarbor_report::table::Table;
use nullarbor_runs::Stop;
use nullarbor_runs::files::FileError;

use crate::declared::Mining;
use crate::error::StudyError;
use crate::record::{RuleRecord, TableRecord};

/// The arguments of `mine log`, as the declaration has them.
#[derive(Parser)]
struct Words {
    #[command(flatten)]
    logging: Logging,
}

/// The folder of the rules among the records.
const RULES: &str = "rules";
/// The scheme whose trigger the rules replace.
const BASE: &str = "nullarbor";

/// Returns the scheme file of a rule in the folder of records.
pub fn rule_file(records: &Path, name: &str) -> PathBuf {
    records.join(RULES).join(format!("{name}.toml"))
}

/// Plays the games of each log that is not there yet. `prefix` is the path of the logs up to their number.
///
/// # Errors
/// If a log cannot be written, or it is interrupted: the logs that are complete stay.
pub fn play(
    mining: &Mining,
    prefix: &Path,
    workers: usize,
    quiet: bool,
    stop: &Stop,
) -> Result<Vec<PathBuf>, StudyError> {
    let of_seed = |seed: u64| (seed.to_string(), format!("--seed {seed}"));
    let of_level = |level: &usize| (format!("depth-{level}"), format!("--depth {level}"));
    let named = (1..=mining.logs).map(of_seed).chain(mining.levels.iter().map(of_level));
    let mut logs = Vec::new();
    for (name, own) in named {
        let path = PathBuf::from(format!("{}-{name}.parquet", prefix.display()));
        if !path.exists() {
            let text = format!("log {own} --concurrency {workers} {}", mining.log);
            let words = text.split(' ');
            let words =
                Words::try_parse_from(words).map_err(|it| StudyError::Words(it.to_string()))?;
            let unfinished = path.with_extension("unfinished");
            words.logging.write(&unfinished, quiet, stop)?.end?;
            fs::rename(&unfinished, &path).map_err(FileError::at(&path))?;
        }
        logs.push(path);
    }
    Ok(logs)
}

/// Compares the logs of several depths, evaluates the conditions, and fits the rules.
///
/// # Errors
/// If a log cannot be read, or a rule cannot be written.
pub fn mine(
    mining: &Mining,
    logs: &[PathBuf],
    records: &Path,
) -> Result<(Vec<TableRecord>, Vec<RuleRecord>), StudyError> {
    let conditions: Vec<Condition> =
        mining.conditions.iter().map(|text| Condition::parse(text)).collect::<Result<_, _>>()?;
    let features = GENERAL.iter().map(|feature| feature.name().to_owned());
    let names = conditions.iter().flat_map(Condition::columns).cloned().chain(features);
    let wanted = Outcomes::with(names);
    let mut all: Option<Columns> = None;
    let mut tables = Vec::new();
    let (of_seeds, of_levels) = logs.split_at(logs.len().saturating_sub(mining.levels.len()));
    if !of_levels.is_empty() {
        tables.push(TableRecord::from(by_level(&mining.levels, of_levels)?));
    }
    for log in of_seeds.iter().chain(of_levels.last()) {
        let columns = log_file::read(log, &wanted)?;
        match &mut all {
            None => all = Some(columns),
            Some(all) => all.append(columns),
        }
    }
    let Some(all) = all else { return Ok((Vec::new(), Vec::new())) };
    tables.push(TableRecord::from(table_of("conditions", &all, &conditions)));
    let mut rules = Vec::new();
    for (name, objective) in &mining.rules {
        let config = Config {
            depth: 3,
            features: GENERAL.to_vec(),
            objective: *objective,
            rows: 1_000_000,
            smallest_share: 0.001,
        };
        let fitted = decision_tree::fit(&all, &config)?;
        let path = rule_file(records, name);
        fs::create_dir_all(records.join(RULES)).map_err(FileError::at(records))?;
        NamedScheme::write_rule(&path, BASE, &fitted.tree)?;
        tables.push(TableRecord::from(Table { title: format!("rule `{name}`"), ..fitted.table() }));
        rules.push(RuleRecord { name: name.clone(), text: fitted.text() });
    }
    Ok((tables, rules))
}

/// Returns the table by level, whose rows are named by the depths.
fn by_level(depths: &[usize], logs: &[PathBuf]) -> Result<Table, StudyError> {
    let mut table = levels::table(logs)?;
    for (row, level) in table.rows.iter_mut().zip(depths) {
        row[0] = format!("depth {level}");
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    const STUDY: &str = env!("CARGO_MANIFEST_DIR");

    #[test]
    fn the_text_has_the_figures_of_the_log() {
        let record = Record::read(Path::new(STUDY), "mining").expect("a record").expect("a log");
        let [conditions, ..] = &record.tables[..] else { panic!("a table") };
        // A condition, or what the one before leaves out.
        let [all, _, below_beta, own, .., lea, _] = &conditions.rows[..] else { panic!("rows") };
        let value = |row: &[String], column: &str| -> f64 {
            let column = conditions.head.iter().position(|it| it == column).expect("a column");
            let number = row[column].split(' ').next().expect("a number").replace(',', "");
            number.parse().expect("a number")
        };
        let cutoffs = |row: &[String]| value(row, "attempts") * value(row, "cut %") / 100.0;
        let gained = 100.0 * value(all, "gain") / value(own, "gain");
        let of_all = 100.0 * value(below_beta, "attempts") / value(all, "attempts");
        let document =
            fs::read_to_string(Path::new(STUDY).join("../NULL_MOVE.md")).expect("the document");
        let document = document.split_whitespace().collect::<Vec<_>>().join(" ");
        for text in [
            format!("passing wherever there is a piece gains {gained:.0} % of the nodes"),
            format!("always would, by the log, gain {gained:.0} % as many"),
            format!("passing always {gained:.0} % of it"),
            format!(
                "{:.1} nodes on average, where a cutoff saves {:.0}.",
                value(own, "spent") / value(own, "attempts"),
                value(own, "saved") / cutoffs(own)
            ),
            format!(
                "in the log {of_all:.0} % of the attempts are made there, and {:.1} % of these cut",
                value(below_beta, "cut %")
            ),
            format!("wrong cutoffs, {:.1} % in [the log]", value(own, "wrong %")),
            format!("it keeps only {:.0} % of the cutoffs", 100.0 * cutoffs(lea) / cutoffs(all)),
        ] {
            assert!(document.contains(&text), "{text}");
        }
    }
}
