//! The results as an HTML page.

use nullarbor::search::null_move::Counts;
use nullarbor_report::html::{Head, Page};
use nullarbor_report::plot::Chart;
use nullarbor_report::table::Table;

use crate::board::{Diagram, diagrams};
use crate::result::{COUNTERS, Outcome};
use crate::tables::Comparison;

/// Rates of fewer null moves than this are noise.
const LEAST_ATTEMPTS: u64 = 20;

/// Diagrams of a suite at most.
const DIAGRAMS: usize = 6;
/// The columns that are no counters.
const COLUMNS: [(&str, &str); 9] = [
    ("%", "nodes more or less than the reference scheme needs for the same depth"),
    ("branching", "factor by which one more ply multiplies the nodes (effective branching factor)"),
    ("nodes saved %", "nodes less than the reference scheme needs"),
    ("speed-up", "time of the reference scheme over that of this one"),
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

/// Returns the page of all suites; `games` are tables of the matches between the schemes.
pub fn page(head: &Head, suites: &[Comparison<'_>], games: &[Table]) -> String {
    let mut page = Page::new(head);
    let counters = COUNTERS.iter().map(|counter| (counter.heading, counter.meaning));
    page.glossary("What the columns mean", counters.chain(COLUMNS));
    for comparison in suites {
        let first = &comparison.outcomes[0];
        page.heading(&format!("{} ({} positions)", first.suite, first.positions));
        page.charts(&charts(comparison));
        let tables = comparison.tables().into_iter().chain(comparison.positions());
        if let Some((boards, _)) = comparison.telling(DIAGRAMS) {
            let picture =
                |board: &Diagram| diagrams(&[Diagram { caption: Vec::new(), ..board.clone() }]);
            let captions: Vec<Vec<String>> = boards
                .iter()
                .map(|board| [board.caption.as_slice(), std::slice::from_ref(&board.fen)].concat())
                .collect();
            let pictures = boards.iter().map(picture).zip(captions.iter().map(Vec::as_slice));
            page.pictures("Positions that tell the schemes apart", pictures);
        }
        tables.for_each(|table| page.table(&table));
    }
    if !games.is_empty() {
        page.heading("Games");
        games.iter().for_each(|table| page.table(table));
    }
    page.html()
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
