//! Experiments that mine triggers from logs of null searches.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use nullarbor_games::scheme::NamedScheme;
use nullarbor_lab::mine::columns::{Columns, Outcomes};
use nullarbor_lab::mine::conditions::{Condition, table_of};
use nullarbor_lab::mine::decision_tree::{self, Config, GENERAL};
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
    let mut logs = Vec::new();
    for seed in 1..=mining.logs {
        let path = PathBuf::from(format!("{}-{seed}.parquet", prefix.display()));
        if !path.exists() {
            let (seed, workers) = (seed.to_string(), workers.to_string());
            let own = ["log", "--seed", &seed, "--concurrency", &workers];
            let words = own.iter().copied().chain(mining.log.split(' '));
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

/// Evaluates the conditions on all logs, and fits the rules.
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
    for log in logs {
        let columns = log_file::read(log, &wanted)?;
        match &mut all {
            None => all = Some(columns),
            Some(all) => all.append(columns),
        }
    }
    let Some(all) = all else { return Ok((Vec::new(), Vec::new())) };
    let mut tables = vec![TableRecord::from(table_of("conditions", &all, &conditions))];
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
