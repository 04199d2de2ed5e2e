//! The statistics of a dataset as one HTML page.

use super::summary::{Counted, Summary};
use nullarbor_report::html::{self, Head, escape, figure, table};
use nullarbor_report::plot::Bars;

/// The whole page.
pub fn page(head: &Head, summary: &Summary) -> String {
    let sections = [
        ("Warnings", warnings(summary)),
        ("Figures", figures(summary)),
        ("Distributions", distributions(summary)),
    ];
    let section = |(title, body): (&str, String)| format!("<h2>{title}</h2>\n{body}");
    html::page(head, &sections.map(section).concat())
}

fn warnings(summary: &Summary) -> String {
    if summary.warnings.is_empty() {
        return "<p>No figure is outside of its usual range.</p>\n".to_owned();
    }
    let item = |text: &str| format!("<li>{}</li>\n", escape(text));
    let items: String = summary.warnings.iter().map(|warning| item(&warning.text)).collect();
    format!("<ul>\n{items}</ul>\n")
}

fn figures(summary: &Summary) -> String {
    let [repeats, change] = summary.notes().map(|note| format!("<p>{}</p>\n", escape(&note)));
    let head = |names: [&str; 3]| names.map(str::to_owned);
    [
        table("Dataset", &head(["figure", "value", "usual"]), &summary.figure_rows()),
        repeats,
        table("Filter", &head(["first reason", "positions", "%"]), &summary.filter_rows()),
        table(
            "Change in win probability",
            &head(["plies", "mean squared", "mean absolute"]),
            &summary.change_rows(),
        ),
        change,
    ]
    .concat()
}

fn distributions(summary: &Summary) -> String {
    let all = &summary.histograms;
    let positions = [
        ("Piece count", "pieces", &all.piece_count),
        ("Fifty-move clock", "plies", &all.fifty_move_clock),
        ("Absolute score", "cp", &all.absolute_score),
        ("Ply after the opening", "plies", &all.ply),
    ];
    let games = figure("Game length, % of all games", &bars("plies", &all.game_length).svg());
    let plots: String = positions
        .map(|(title, unit, counted)| {
            figure(&format!("{title}, % of all positions"), &bars(unit, counted).svg())
        })
        .concat();
    format!(
        "<p>Grey are all positions, blue those of them that are kept; the last bin holds all greater values, too.</p>\n\
         <div class=\"plots\">\n{plots}{games}</div>\n"
    )
}

/// The bars of a histogram, up to the last bin that is not empty.
fn bars(unit: &'static str, counted: &Counted) -> Bars {
    let shown = counted.all.iter().rposition(|&count| count > 0).map_or(1, |last| last + 1);
    let total = counted.all.iter().sum::<u64>().max(1) as f64;
    let percent = |counts: &[u64]| {
        counts.iter().take(shown).map(|&count| 100.0 * count as f64 / total).collect()
    };
    Bars {
        unit,
        first: counted.first,
        width: counted.width,
        whole: percent(&counted.all),
        filled: percent(&counted.kept),
        names: ["all", "kept"],
        // Nothing is greater than 32 pieces, and that is a bin of its own.
        open: shown == counted.all.len() && counted.width > 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::filter::Filter;
    use crate::data::record::{Outcome, Record};
    use crate::data::statistics::Statistics;
    use nullarbor::board::Position;

    #[test]
    fn every_section_is_there_and_nothing_is_no_number() {
        let mut statistics = Statistics::new(Filter::default());
        let empty = Summary::of(&statistics);
        let start = Position::start();
        statistics.add(&Record { start, moves: Vec::new(), outcome: Outcome::Draw });
        let drawn = Summary::of(&statistics);
        let head = Head { title: "<set>".to_owned(), facts: Vec::new(), refresh: None };
        for (summary, warning) in [(empty, "No figure"), (drawn, "many games are drawn")] {
            let page = page(&head, &summary);
            for part in ["Warnings", "Dataset", "Filter", "Change in win probability", warning] {
                assert!(page.contains(part), "{part}: {page}");
            }
            for plot in ["Piece count", "Fifty-move clock", "Absolute score", "Ply", "Game length"]
            {
                assert!(page.contains(&format!("<figcaption>{plot}")), "{plot}: {page}");
            }
            assert_eq!(page.matches("<svg").count(), 5);
            assert!(!page.contains("NaN") && !page.contains("inf ") && !page.contains("<set>"));
            let json = serde_json::to_string(&summary).expect("JSON");
            assert!(json.contains("\"games\":") && !json.contains("NaN"), "{json}");
        }
    }
}
