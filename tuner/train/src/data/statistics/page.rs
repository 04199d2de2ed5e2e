//! The statistics of a dataset as an HTML page.

use nullarbor_report::html::{self, Head};
use nullarbor_report::plot::Chart;
use nullarbor_report::section::Section;

use super::summary::{Counted, Summary};

/// Returns the page of a dataset, which begins with an overview.
pub fn page(head: &Head, overview: Section, summary: &Summary) -> String {
    let warnings = Section::new("Warnings");
    let warnings = if summary.warnings.is_empty() {
        warnings.text("No figure is outside its usual range.")
    } else {
        warnings.warnings(summary.warnings.iter().map(|warning| warning.text.clone()))
    };
    let [figures, filter, changes] = summary.tables();
    let [duplicates, change] = summary.notes();
    let figures = Section::new("Figures")
        .tables([figures])
        .text(duplicates)
        .tables([filter, changes])
        .text(change);
    let bars = Section::new("Distributions")
        .text("Of all positions, and of those that the filter keeps; the last bar includes all greater values.")
        .charts(distributions(summary));
    html::page(head, &[overview, warnings, figures, bars])
}

fn distributions(summary: &Summary) -> [Chart; 5] {
    let all = &summary.histograms;
    [
        chart("Piece count", "pieces", "% of all positions", &all.piece_count),
        chart("Halfmove clock", "plies", "% of all positions", &all.fifty_move_clock),
        chart("Absolute score", "cp", "% of all positions", &all.absolute_score),
        chart("Ply after the opening", "plies", "% of all positions", &all.ply),
        chart("Game length", "plies", "% of all games", &all.game_length),
    ]
}

/// The bars of a histogram, up to the last one that is not empty.
fn chart(title: &str, x: &str, y: &str, counted: &Counted) -> Chart {
    let shown = counted.all.iter().rposition(|&count| count > 0).map_or(1, |last| last + 1);
    let total = counted.all.iter().sum::<u64>().max(1) as f64;
    let bars = |counts: &[u64]| -> Vec<(String, f64)> {
        let percent = counts.iter().take(shown).map(|&count| 100.0 * count as f64 / total);
        percent.enumerate().map(|(bin, percent)| (label(counted, bin), percent)).collect()
    };
    let chart = Chart::new(title, x, y).bars("all", bars(&counted.all));
    if counted.kept.is_empty() { chart } else { chart.bars("kept", bars(&counted.kept)) }
}

/// The values of a bin.
fn label(counted: &Counted, bin: usize) -> String {
    let least = counted.first + bin * counted.width;
    match counted.width {
        ..=1 => least.to_string(),
        _ if bin + 1 == counted.all.len() => format!("{least} or more"),
        width => format!("{least} to {}", least + width - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::filter::Filter;
    use crate::data::game_record::{GameRecord, Outcome};
    use crate::data::statistics::Statistics;
    use nullarbor::board::Position;
    use nullarbor_report::plot::Data;

    #[test]
    fn bars_are_labelled_with_their_values() {
        let counted = |width| Counted { first: 0, width, all: vec![1, 2, 1], kept: vec![1, 0, 0] };
        let labels = |width| [0, 1, 2].map(|bin| label(&counted(width), bin));
        assert_eq!(labels(1), ["0", "1", "2"]);
        assert_eq!(labels(100), ["0 to 99", "100 to 199", "200 or more"]);
        let chart = chart("t", "x", "y", &counted(100));
        assert_eq!(chart.series.len(), 2);
        assert_eq!(
            chart.series[0].data,
            Data::Bars(vec![
                ("0 to 99".to_owned(), 25.0),
                ("100 to 199".to_owned(), 50.0),
                ("200 or more".to_owned(), 25.0),
            ])
        );
    }

    #[test]
    fn every_section_is_there_and_nothing_is_no_number() {
        let mut statistics = Statistics::new(Filter::default());
        let empty = Summary::of(&statistics);
        let start = Position::start();
        statistics.add(&GameRecord { start, moves: Vec::new(), outcome: Outcome::Draw });
        let drawn = Summary::of(&statistics);
        let head = Head { title: "<set>".to_owned(), facts: Vec::new(), refresh: None };
        for (summary, warning) in [(empty, "No figure"), (drawn, "many games are drawn")] {
            let page = page(&head, Section::default(), &summary);
            for part in ["Warnings", "Dataset", "Filter", "Change of the win probability", warning]
            {
                assert!(page.contains(part), "{part}");
            }
            for plot in ["Piece count", "Halfmove clock", "Absolute score", "Ply", "Game length"] {
                assert!(page.contains(&format!("<figcaption>{plot}")), "{plot}");
            }
            assert!(page.matches("<figure").count() == 5);
            assert!(!page.contains("<td>NaN") && !page.contains("<set>"));
            let json = serde_json::to_string(&summary).expect("JSON");
            assert!(json.contains("\"games\":") && !json.contains("NaN"), "{json}");
        }
    }
}
