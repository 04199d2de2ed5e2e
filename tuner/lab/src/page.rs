//! The results as sections: all of them are their HTML page, the first their card in the dashboard.

use std::path::Path;

use nullarbor::search::null_move::Counts;
use nullarbor_report::html::{self, Head};
use nullarbor_report::plot::Chart;
use nullarbor_report::section::Section;
use nullarbor_report::table::{Table, grouped};
use nullarbor_runs::files::{self, FileError};
use serde::Deserialize;

use crate::board::{Diagram, diagrams};
use crate::counters::COUNTERS;
use crate::result::{Cell, Outcome};
use crate::tables::Comparison;

/// Rates of fewer null moves than this are noise.
const LEAST_ATTEMPTS: u64 = 20;

/// No laboratory writes more, in bytes.
const LONGEST: u64 = 256 << 20;

/// Diagrams of a suite at most.
const DIAGRAMS: usize = 6;
/// The columns that are no counters.
const COLUMNS: [(&str, &str); 11] = [
    ("%", "nodes more or less than the reference scheme needs for the same depth"),
    ("branching", "factor by which one more ply multiplies the nodes (effective branching factor)"),
    ("nodes saved %", "nodes less than the reference scheme needs"),
    ("speed-up", "time of the reference scheme over that of this one"),
    (
        "minimal tree",
        "leaves that alpha-beta must visit if the best move is always first and every node has as many moves as the position searched",
    ),
    (
        "saved (estimate)",
        "nodes of the searches that null moves cut off, less those of the null searches",
    ),
    ("cutoff %", "cutoffs in percent of attempts"),
    (
        "solved",
        "positions whose task (best move, move to avoid, mate) the search solves at this depth or time",
    ),
    (
        "wrong",
        "positions of zugzwang in which the search plays a move that loses what another keeps",
    ),
    ("wrong +/-, nodes %", "against the reference scheme, at the last depth or time"),
    (
        "solved only by it",
        "positions that this scheme solves and the reference scheme does not, and the other way round",
    ),
];

/// The part of an outcome, as `lab.json` has it, that is shown first.
#[derive(Debug, Deserialize)]
pub struct Total {
    suite: String,
    scheme: String,
    tasks: usize,
    cells: Vec<Cell>,
}

impl Total {
    /// Returns that of an outcome.
    pub fn of(outcome: &Outcome) -> Self {
        let Outcome { suite, scheme, tasks, cells, .. } = outcome.clone();
        Self { suite, scheme, tasks, cells }
    }
}

/// Reads the totals of an experiment from its folder.
///
/// # Errors
/// If there is no `lab.json`, or it is damaged.
pub fn read(folder: &Path) -> Result<Vec<Vec<Total>>, FileError> {
    let path = folder.join("lab.json");
    let bytes = files::read(&path, LONGEST)?;
    serde_json::from_slice(&bytes).map_err(FileError::at(&path))
}

/// Returns a table for each suite: nodes and solved positions of each scheme at the last depth or time.
pub fn overview(suites: &[Vec<Total>]) -> Section {
    let table = |totals: &Vec<Total>| {
        let title = totals.first().map_or("", |total| total.suite.as_str());
        let least = totals.iter().filter_map(|it| Some(it.cells.last()?.nodes)).min().unwrap_or(1);
        let rows = totals.iter().filter_map(|total| {
            let cell = total.cells.last()?;
            Some([
                total.scheme.clone(),
                cell.label.clone(),
                grouped(cell.nodes),
                format!("{:.2}", cell.nodes as f64 / least.max(1) as f64),
                format!("{} of {}", cell.solved, total.tasks),
            ])
        });
        Table::new(title, ["scheme", "at", "nodes", "of the least", "solved"], rows)
    };
    Section::default().tables(suites.iter().map(table))
}

/// Returns the page of all suites; `games` are tables of the matches between the schemes.
pub fn page(head: &Head, suites: &[Comparison<'_>], games: &[Table]) -> String {
    let counters = COUNTERS.iter().map(|counter| (counter.heading, counter.meaning));
    let totals: Vec<Vec<Total>> =
        suites.iter().map(|suite| suite.outcomes.iter().map(Total::of).collect()).collect();
    let terms = counters.chain(COLUMNS).collect();
    let overview = overview(&totals).glossary("What the columns mean", terms);
    let mut sections = vec![overview];
    sections.extend(suites.iter().map(section));
    sections.push(Section::new("Games").tables(games.iter().cloned()));
    html::page(head, &sections)
}

fn section(comparison: &Comparison<'_>) -> Section {
    let first = &comparison.outcomes[0];
    let title = format!("{} ({} positions)", first.suite, first.positions);
    let mut section = Section::new(title).charts(charts(comparison));
    if let Some((boards, _)) = comparison.telling(DIAGRAMS) {
        let picture = |board: Diagram| {
            let bare = Diagram { caption: Vec::new(), fen: board.fen.clone() };
            (diagrams(&[bare]), [board.caption, vec![board.fen]].concat())
        };
        let pictures = boards.into_iter().map(picture).collect();
        section = section.pictures("Positions that tell the schemes apart", pictures);
    }
    section.tables(comparison.tables()).tables(comparison.positions())
}

/// Returns charts of the trees, the solutions and the null moves of the schemes.
pub fn charts(comparison: &Comparison<'_>) -> Vec<Chart> {
    let reference = &comparison.outcomes[comparison.reference];
    let tasks = reference.tasks;
    let mut charts = Vec::new();
    if !comparison.is_timed() {
        charts.push(by_checkpoint(
            comparison,
            "Nodes",
            &format!("% of {}", reference.scheme),
            |outcome, index| {
                let base = reference.cells[index].nodes.max(1) as f64;
                100.0 * outcome.cells[index].nodes as f64 / base
            },
        ));
    }
    if tasks > 0 {
        let (of, is_wrong) = (format!("of {tasks}"), reference.about_zugzwang);
        let title = if is_wrong { "Wrong" } else { "Solved" };
        charts.push(by_checkpoint(comparison, title, &of, |outcome, index| {
            let solved = outcome.cells[index].solved;
            (if is_wrong { tasks - solved } else { solved }) as f64
        }));
    }
    charts.push(cut_off_rates(comparison.outcomes));
    charts
}

/// A line for each scheme over the depths or times shown.
fn by_checkpoint(
    comparison: &Comparison<'_>,
    title: &str,
    y: &str,
    value: impl Fn(&Outcome, usize) -> f64,
) -> Chart {
    let ticks =
        comparison.labels().into_iter().enumerate().map(|(tick, label)| (tick as f64, label));
    let chart = Chart::new(title, "", y).wide().ticks(ticks);
    comparison.outcomes.iter().fold(chart, |chart, outcome| {
        let points = comparison.shown.iter().enumerate();
        chart.line(
            &outcome.scheme,
            points.map(|(tick, &index)| (tick as f64, value(outcome, index))),
        )
    })
}

/// A line for each scheme over the remaining depth; it is empty, but takes its colour, where a scheme tries no null moves.
fn cut_off_rates(outcomes: &[Outcome]) -> Chart {
    let chart = Chart::new("Cutoffs by null moves", "remaining depth", "% of attempts").wide();
    outcomes.iter().fold(chart, |chart, outcome| {
        let depths = outcome.null_moves.iter().enumerate();
        let tried = depths.filter(|(_, counts)| counts.attempts >= LEAST_ATTEMPTS);
        let rate = |counts: &Counts| 100.0 * counts.cutoffs as f64 / counts.attempts as f64;
        chart.line(&outcome.scheme, tried.map(|(depth, counts)| (depth as f64, rate(counts))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provenance::Provenance;
    use crate::result::Cell;
    use nullarbor_games::scheme::EngineKind;
    use nullarbor_report::plot::Data;

    fn outcome(scheme: &str, about_zugzwang: bool, tried: u64) -> Outcome {
        let cell = |depth: usize| Cell {
            label: format!("depth {depth}"),
            depth: Some(depth),
            nodes: 100 * depth as u64,
            solved: 1,
            ..Cell::default()
        };
        Outcome {
            suite: "<suite>".to_owned(),
            suite_fingerprint: String::new(),
            engine: Provenance::of(EngineKind::Plain),
            scheme: scheme.to_owned(),
            reference: "off".to_owned(),
            positions: 2,
            tasks: 2,
            about_zugzwang,
            legal_moves: vec![30; 2],
            saved: Some(5.0),
            cells: (1..=3).map(cell).collect(),
            null_moves: vec![
                Counts { attempts: tried, cutoffs: tried / 2, ..Counts::default() };
                3
            ],
            solved: vec!["<id>".to_owned()],
            solved_only_by_it: Vec::new(),
            solved_only_by_reference: Vec::new(),
        }
    }

    #[test]
    fn every_scheme_has_a_line() {
        for (about_zugzwang, title) in [(false, "Solved"), (true, "Wrong")] {
            let outcomes =
                [outcome("off", about_zugzwang, 0), outcome("fixed-3", about_zugzwang, 100)];
            let comparison = Comparison { outcomes: &outcomes, shown: &[1, 2], reference: 0 };
            let charts = charts(&comparison);
            let titles: Vec<&str> = charts.iter().map(|chart| chart.title.as_str()).collect();
            assert_eq!(titles, ["Nodes", title, "Cutoffs by null moves"]);
            assert_eq!(charts[0].series[1].data, Data::Line(vec![(0.0, 100.0), (1.0, 100.0)]));
            assert_eq!(charts[0].ticks[1], (1.0, "depth 3".to_owned()));
            assert_eq!(
                charts[2].series[0].data,
                Data::Line(Vec::new()),
                "`off` tries no null move"
            );
            assert_eq!(
                charts[2].series[1].data,
                Data::Line(vec![(0.0, 50.0), (1.0, 50.0), (2.0, 50.0)])
            );
            let page = page(&Head::default(), &[comparison], &[]);
            assert!(page.contains("&lt;suite&gt;") && !page.contains("<suite>"));
            assert!(page.contains("verification failed") && !page.contains("<h2>Games"));
        }
    }
}
