//! The generated parts of the document: what stands between `<!-- study ... -->` and `<!-- end -->`.
//!
//! A marker names an experiment and what to show of it: `<!-- study zugzwang wrong -->`. `<!-- study claims -->` is the table of
//! the claims, `verdicts` counts them, `suites` is the table of the suites, `interactions` that of matches with and without a rule,
//! and `unmeasured` lists what is declared and in no record.

use std::fs;
use std::path::{Path, PathBuf};

use nullarbor_lab::board::diagrams;
use nullarbor_lab::builtin;
use nullarbor_lab::page;
use nullarbor_lab::suite::Suite;
use nullarbor_lab::tables::Comparison;
use nullarbor_report::plot::{Chart, sheet};
use nullarbor_report::table::{Table, grouped};
use nullarbor_runs::files::{FileError, replace};
use nullarbor_stats::Strength;
use thiserror::Error;

use crate::claims::{self, CLAIMS, Claim, Judgement};
use crate::declared::{Declared, STUDY, Work};
use crate::equal_nodes;
use crate::families;
use crate::interactions::{self, Ablation};
use crate::record::{MatchRecord, Record, SuiteRecord};
use crate::trend::Trend;

const BEGIN: &str = "<!-- study ";
const END: &str = "<!-- end -->";
/// Diagrams of an experiment at most.
const DIAGRAMS: usize = 3;

/// The folder of the figures, beside the document.
const FIGURES: &str = "plots";

/// Why the document cannot be made.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum DocumentError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{path}: `{BEGIN}{marker} -->`: {reason}", path = path.display())]
    Marker { path: PathBuf, marker: String, reason: &'static str },
}

/// A document and its figures, as they should be.
#[derive(Debug)]
pub struct Document {
    /// Files and their text; the first is the document.
    pub files: Vec<(PathBuf, String)>,
}

impl Document {
    /// Makes a document from what stands in it and from the records.
    ///
    /// # Errors
    /// If a file cannot be read, or a marker names nothing that is known.
    pub fn make(path: &Path, records: &Path) -> Result<Self, DocumentError> {
        let text = fs::read_to_string(path).map_err(FileError::at(path))?;
        let mut maker = Maker { path, records, figures: Vec::new() };
        let mut made = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once(BEGIN) {
            let (marker, after) =
                after.split_once(" -->").ok_or_else(|| maker.bad("", "no end"))?;
            let (_, after) =
                after.split_once(END).ok_or_else(|| maker.bad(marker, "no `<!-- end -->`"))?;
            let part = maker.part(marker)?;
            made += &format!("{before}{BEGIN}{marker} -->\n\n{}\n\n{END}", part.trim_end());
            rest = after;
        }
        made += rest;
        let mut files = vec![(path.to_owned(), made)];
        files.append(&mut maker.figures);
        Ok(Self { files })
    }

    /// Returns the files that differ from what they should be.
    pub fn outdated(&self) -> Vec<&Path> {
        let differs = |(path, text): &&(PathBuf, String)| {
            fs::read_to_string(path).map_or(true, |old| old != *text)
        };
        self.files.iter().filter(differs).map(|(path, _)| path.as_path()).collect()
    }

    /// Writes the files.
    ///
    /// # Errors
    /// If one cannot be written.
    pub fn write(&self) -> Result<(), FileError> {
        for (path, text) in &self.files {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).map_err(FileError::at(folder))?;
            }
            replace(path, |file| std::io::Write::write_all(file, text.as_bytes()))?;
        }
        Ok(())
    }
}

struct Maker<'a> {
    path: &'a Path,
    records: &'a Path,
    figures: Vec<(PathBuf, String)>,
}

impl Maker<'_> {
    fn bad(&self, marker: &str, reason: &'static str) -> DocumentError {
        let (path, marker) = (self.path.to_owned(), marker.to_owned());
        DocumentError::Marker { path, marker, reason }
    }

    fn part(&mut self, marker: &str) -> Result<String, DocumentError> {
        match marker.split_once(' ') {
            None => match marker {
                "claims" => self.claims(),
                "verdicts" => {
                    let judged: Vec<Judgement> =
                        self.judged()?.into_iter().map(|it| it.1).collect();
                    Ok(claims::counted(&judged))
                }
                "suites" => Ok(suites()),
                "interactions" => self.interactions(),
                "unmeasured" => self.unmeasured(),
                _ => Err(self.bad(marker, "no such part")),
            },
            Some((names, "equal-nodes")) => self.equal_nodes(marker, names),
            Some((name, what)) => {
                let declared =
                    Declared::named(name).ok_or_else(|| self.bad(marker, "no such experiment"))?;
                let Some(record) = Record::read(self.records, name)? else {
                    return Ok(not_measured(declared));
                };
                let shown = self.show(declared, &record, what);
                let shown =
                    shown.ok_or_else(|| self.bad(marker, "no such part of an experiment"))?;
                // A figure stands below its table.
                let is_picture = matches!(what, "figure" | "positions");
                let head = if is_picture { String::new() } else { head(declared, &record) };
                Ok(format!("{head}{shown}"))
            }
        }
    }

    fn judged(&self) -> Result<Vec<(&'static Claim, Judgement)>, DocumentError> {
        let judged = |claim: &'static Claim| {
            let record = Record::read(self.records, claim.experiment)?;
            Ok((claim, claims::judged(claim, record.as_ref())))
        };
        CLAIMS.iter().map(judged).collect()
    }

    fn claims(&self) -> Result<String, DocumentError> {
        let row = |(claim, Judgement { verdict, evidence }): (&Claim, Judgement)| {
            let verdict = format!("**{verdict}**");
            [claim.source.to_owned(), claim.claim.to_owned(), verdict, evidence]
        };
        let rows = self.judged()?.into_iter().map(|(claim, judged)| row((claim, judged)));
        let head = ["source", "claim", "verdict", "measured here"];
        Ok(markdown(&Table::new("", head, rows), true))
    }

    /// Positions solved at equal nodes, by one experiment or by several that are joined by `+`.
    fn equal_nodes(&mut self, marker: &str, names: &str) -> Result<String, DocumentError> {
        let mut heads = String::new();
        let mut records = Vec::new();
        for name in names.split('+') {
            let declared =
                Declared::named(name).ok_or_else(|| self.bad(marker, "no such experiment"))?;
            match Record::read(self.records, name)? {
                Some(record) => {
                    heads += &head(declared, &record);
                    records.push(record);
                }
                None => heads += &format!("{}\n\n", not_measured(declared)),
            }
        }
        if records.is_empty() {
            return Ok(heads);
        }
        // A suite may have been measured again without some of its positions.
        let Some(curves) = equal_nodes::curves(&records) else {
            return Ok(format!("{heads}*Not comparable: these are several engines or suites.*"));
        };
        let suite = &records[0].suites[0];
        let title = format!("{}: solved of {} at equal nodes", suite.suite, suite.tasks);
        let table = equal_nodes::table(&title, &curves);
        let name = format!("{}-equal-nodes", records[0].experiment);
        let figure = self.figure(&name, &sheet(&[equal_nodes::chart(&curves)]));
        Ok(format!("{heads}{title}\n\n{}\n{figure}", markdown(&table, false)))
    }

    fn interactions(&self) -> Result<String, DocumentError> {
        let mut ablations = Vec::new();
        for declared in &STUDY.experiments {
            let Some(baseline) = &declared.baseline else { continue };
            let own = Record::read(self.records, &declared.name)?;
            if let (Some(own), Some(base)) = (own, Record::read(self.records, baseline)?) {
                let (without, with) = (own.matches, base.matches);
                ablations.push(Ablation { search: declared.engine.name(), without, with });
            }
        }
        Ok(markdown(&interactions::table(&interactions::of(&ablations)), false))
    }

    /// What is declared and not in the records, experiments that lack the same together.
    fn unmeasured(&self) -> Result<String, DocumentError> {
        let mut table = Table::new("", ["not measured", "experiments"], [[""; 2]; 0]);
        for declared in &STUDY.experiments {
            let record = Record::read(self.records, &declared.name)?;
            let missing = missing(declared, record.as_ref());
            let name = format!("`{}`", declared.name);
            match table.rows.iter_mut().find(|row| row[0] == missing) {
                _ if missing.is_empty() => {}
                Some(row) => row[1] += &format!(", {name}"),
                None => table.rows.push(vec![missing, name]),
            }
        }
        Ok(markdown(&table, true))
    }

    fn show(&mut self, declared: &Declared, record: &Record, what: &str) -> Option<String> {
        if what == "games" {
            return self.games(declared, record);
        }
        if what == "mined" {
            let tables = record.tables.iter().map(|it| it.table());
            let tables = tables.map(|it| format!("{}\n\n{}", it.title, markdown(&it, false)));
            let rules = record
                .rules
                .iter()
                .map(|it| format!("The rule `{}`:\n\n```text\n{}```\n", it.name, it.text));
            let name = format!("{}-rules", declared.name);
            let has_rules = !record.rules.is_empty();
            let figure = has_rules.then(|| self.figure(&name, &sheet(&[gains(record)])));
            return Some(tables.chain(rules).chain(figure).collect::<Vec<_>>().join("\n"));
        }
        let parts = record.suites.iter().map(|suite| self.of_suite(declared, suite, what));
        let parts: Option<Vec<String>> = parts.collect();
        parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join("\n\n"))
    }

    fn of_suite(&mut self, declared: &Declared, suite: &SuiteRecord, what: &str) -> Option<String> {
        let outcomes = suite.outcomes(declared.engine);
        let shown: Vec<usize> = (0..suite.schemes[0].cells.len()).collect();
        let comparison = Comparison { outcomes: &outcomes, shown: &shown, reference: 0 };
        let name = format!("{}-{}", declared.name, suite.suite);
        let table = match what {
            "nodes" => comparison.tree_size(),
            "effort" => comparison.effort(),
            "solved" => with_differences(comparison.solved(), suite),
            "wrong" => with_differences(comparison.wrong(), suite),
            "null-moves" => comparison.null_moves(),
            "rates" => comparison.rates(),
            "figure" => {
                let charts = page::charts(&comparison);
                return Some(self.figure(&name, &sheet(&charts)));
            }
            "positions" => return Some(self.positions(&name, &comparison)),
            _ => return None,
        };
        Some(format!("{}\n\n{}", table.title, markdown(&table, false)))
    }

    /// Adds a figure and returns the line that shows it.
    fn figure(&mut self, name: &str, svg: &str) -> String {
        let file = format!("{FIGURES}/study-{name}.svg");
        let folder = self.path.parent().unwrap_or(Path::new(""));
        self.figures.push((folder.join(&file), svg.to_owned()));
        format!("![{name}]({file})")
    }

    fn positions(&mut self, name: &str, comparison: &Comparison<'_>) -> String {
        let Some((boards, mut table)) = comparison.telling(DIAGRAMS) else {
            let at = comparison.last_label();
            return format!("All schemes solved the same positions at {at}.");
        };
        let picture = self.figure(&format!("{name}-positions"), &diagrams(&boards));
        for row in &mut table.rows {
            row[2] = format!("`{}`", row[2]);
        }
        format!("{picture}\n\n{}", markdown(&table, true))
    }

    fn games(&mut self, declared: &Declared, record: &Record) -> Option<String> {
        let Work::Games(games) = &declared.work else { return None };
        let row = |(it, p): (&MatchRecord, f64)| {
            let pairs = it.pairs.pentanomial().map(|count| count.to_string()).join(", ");
            let planned = it.plan.as_ref().map_or_else(|| games.planned(&it.limit), |it| it.games);
            let primary = if it.is_primary() { " (primary)" } else { "" };
            vec![
                format!("{} against {}{primary}", it.first, it.second),
                it.limit.replace('=', " "),
                played_of(it.pairs.games(), planned),
                format!("{:.1}", 100.0 * it.pairs.score()),
                format!("{:+}", Strength::of(&it.pairs).elo),
                families::p_text(p),
                format!("[{pairs}]"),
            ]
        };
        let head = ["pairing", "limit", "games", "points %", "Elo", "p (Holm)", "pairs"];
        let mut table = Table::new("", head, [[""; 7]; 0]);
        table.rows =
            record.matches.iter().zip(families::played(&record.matches)).map(row).collect();
        let chart = chart(&record.matches);
        let figure = self.figure(&format!("{}-games", declared.name), &sheet(&[chart]));
        let trend = Trend::of(&record.matches);
        let trend = trend.map_or_else(String::new, |it| format!("\nTrend: {}.", it.text()));
        Some(format!("{figure}\n\n{}{trend}", markdown(&table, false)))
    }
}

/// Returns what a record lacks of the schemes of an experiment.
fn missing(declared: &Declared, record: Option<&Record>) -> String {
    let Some(record) = record else { return format!("all ({})", declared.question) };
    let Work::Trees(trees) = &declared.work else { return String::new() };
    let has = |scheme: &str| record.suites.iter().all(|suite| suite.scheme(scheme).is_some());
    let missing = trees.schemes.iter().filter(|scheme| !has(scheme));
    missing.map(|scheme| format!("`{scheme}`")).collect::<Vec<_>>().join(", ")
}

/// Returns a number of games, and how many were planned if it is another.
fn played_of(games: u64, planned: Option<u64>) -> String {
    match planned.filter(|planned| *planned != games) {
        Some(planned) => format!("{} of {} planned", grouped(games), grouped(planned)),
        None => grouped(games),
    }
}

/// Adds to the table of solved positions, which has a row for each scheme, how each differs from the first at the last
/// checkpoint.
fn with_differences(mut table: Table, suite: &SuiteRecord) -> Table {
    let names: Vec<&str> = suite.schemes.iter().map(|it| it.scheme.as_str()).collect();
    let [reference, others @ ..] = &names[..] else { return table };
    let pairs: Vec<(&str, &str)> = others.iter().map(|other| (*other, *reference)).collect();
    let compared = families::solved(suite, &pairs);
    let texts =
        compared.iter().map(|it| [format!("{} / {}", it.one, it.other), families::p_text(it.p)]);
    let none = ["-", "-"].map(str::to_owned);
    table.head.extend([format!("only it / only {reference}"), "p (Holm)".to_owned()]);
    for (row, texts) in table.rows.iter_mut().zip(std::iter::once(none).chain(texts)) {
        row.extend(texts);
    }
    table
}

/// Elo of each match: over the limits if all have the same two schemes, and side by side otherwise.
fn chart(matches: &[MatchRecord]) -> Chart {
    let elo = |it: &MatchRecord| Strength::of(&it.pairs).elo;
    // Where one side won every game there is no point to draw.
    let is_finite = |it: &MatchRecord| elo(it).value.is_finite() && elo(it).error.is_finite();
    let numbered = || (0..).map(f64::from).zip(matches).filter(|(_, it)| is_finite(it));
    let ticks = numbered().map(|(x, it)| (x, it.limit.replace('=', " ")));
    let chart = Chart::new("Elo of the first scheme against the second", "limit of a move", "Elo")
        .wide()
        .ticks(ticks)
        .level("even", 0.0);
    let pairing = |it: &MatchRecord| format!("{} against {}", it.first, it.second);
    if let [first, ..] = matches
        && matches.iter().all(|it| pairing(it) == pairing(first))
    {
        let edges = numbered()
            .map(|(x, it)| (x, [-1.0, 1.0].map(|side| elo(it).value + side * elo(it).error)));
        let chart = chart.band("95 % interval", edges);
        return chart.line(&pairing(first), numbered().map(|(x, it)| (x, elo(it).value)));
    }
    numbered()
        .fold(chart, |chart, (x, it)| chart.interval(&it.first, x, elo(it).value, elo(it).error))
}

/// Returns the gains of the mined rules, beside the two extremes: an upright line for each, side by side.
fn gains(record: &Record) -> Chart {
    let number = |text: &String| text.replace(',', "").parse::<f64>().ok();
    let mut bars: Vec<(String, String, f64)> = Vec::new();
    for (table, rule) in record.tables.iter().filter(|it| it.head.len() == 3).zip(&record.rules) {
        for row in &table.rows {
            let [name, tried, gain] = &row[..] else { continue };
            let name =
                if name == "the rule" { format!("rule:{}", rule.name) } else { name.clone() };
            if let Some(gain) = number(gain)
                && bars.iter().all(|(known, ..)| *known != name)
            {
                bars.push((name, format!("{tried} % tried"), gain / 1e6));
            }
        }
    }
    let numbered = || (0..).map(f64::from).zip(&bars);
    let ticks = numbered().map(|(x, (_, tried, _))| (x, tried.clone()));
    let chart = Chart::new(
        "Gain on null searches that no rule was fitted to",
        "null searches tried",
        "million nodes",
    );
    let chart = chart.wide().ticks(ticks).level("nothing", 0.0);
    numbered().fold(chart, |chart, (x, (name, _, gain))| chart.line(name, [(x, 0.0), (x, *gain)]))
}

fn head(declared: &Declared, record: &Record) -> String {
    let suites =
        record.suites.iter().map(|it| format!("; {}: {} positions", it.suite, it.positions));
    let is_exploratory =
        !record.matches.is_empty() && !record.matches.iter().any(MatchRecord::is_primary);
    format!(
        "*`{}` at {}; {}{}{}.*\n\n",
        declared.command(),
        record.revision,
        record.engine,
        suites.collect::<String>(),
        if is_exploratory { "; exploratory" } else { "" }
    )
}

fn not_measured(declared: &Declared) -> String {
    format!(
        "*Not yet measured: `{}` (about {} on two cores).*",
        declared.command(),
        declared.effort
    )
}

fn suites() -> String {
    let mut table =
        Table::new("", ["suite", "what", "positions", "SHA-256", "where"], [[""; 5]; 0]);
    for (name, text) in builtin::SUITES {
        let Ok(suite) = Suite::parse(name, text) else { continue };
        let count = suite.problems.len().to_string();
        let place = "built in, [`lab/suites`](lab/suites/README.md)".to_owned();
        table.rows.push(vec![
            (*name).to_owned(),
            "this project's own".to_owned(),
            count,
            short(&suite.sha256()),
            place,
        ]);
    }
    for it in &STUDY.suites {
        let cells = [
            it.name.clone(),
            it.title.clone(),
            it.positions.to_string(),
            short(&it.sha256),
            it.source.clone(),
        ];
        table.rows.push(cells.into());
    }
    markdown(&table, true)
}

fn short(hash: &str) -> String {
    format!("`{hash}`")
}

/// Returns a table as Markdown, without its title. In a table of `text` all columns are flush left.
fn markdown(table: &Table, text: bool) -> String {
    let row = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule: Vec<String> = (0..table.head.len())
        .map(|column| if text || column == 0 { "---" } else { "---:" }.to_owned())
        .collect();
    let rows: String = table.rows.iter().map(|cells| row(cells)).collect();
    format!("{}{}{rows}", row(&table.head), row(&rule).replace("| ", "|").replace(" |", "|"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::SchemeRecord;

    #[test]
    fn schemes_that_are_declared_and_not_recorded_are_told() {
        let declared = Declared::named("tactical-deep").expect("an experiment");
        let scheme = |name: &str| SchemeRecord { scheme: name.to_owned(), ..Default::default() };
        let schemes = ["verified", "fixed-2", "fixed-3"].map(scheme).to_vec();
        let suite = SuiteRecord { schemes, ..SuiteRecord::default() };
        let record = Record::new("tactical-deep", declared.engine, String::new());
        let record = Record { suites: vec![suite], ..record };
        assert_eq!(missing(declared, Some(&record)), "`heinz`, `heinz+reduction=donninger`");
        assert!(missing(declared, None).starts_with("all ("));
    }

    #[test]
    fn games_that_were_not_played_are_told() {
        let shown = [(240, Some(400)), (2000, Some(2000)), (4000, None), (1200, Some(1000))]
            .map(|(games, planned)| played_of(games, planned));
        assert_eq!(shown, ["240 of 400 planned", "2,000", "4,000", "1,200 of 1,000 planned"]);
    }
}
