//! The report as one HTML page that needs nothing else: tables, and plots as SVG.

use std::fmt::Write;

use super::result::Outcome;
use super::tables::View;
use nullarbor_report::html::{self, Head, escape, figure};
use nullarbor_report::plot::round_step;
use nullarbor_report::table::Table;

/// The whole page; `games` are tables of what the schemes did against each other.
pub fn page(head: &Head, suites: &[View<'_>], games: &[Table]) -> String {
    let sections: String = suites.iter().map(section).collect();
    let games: String = games.iter().map(html_table).collect();
    let games = if games.is_empty() { games } else { format!("<h2>Games</h2>\n{games}") };
    html::page(head, &format!("{sections}{games}"))
}

fn section(view: &View<'_>) -> String {
    let outcomes = view.outcomes;
    let suite = escape(&outcomes[0].suite);
    let positions = outcomes[0].positions;
    let mut text = format!("<h2>{suite} ({positions} positions)</h2>\n<div class=\"plots\">\n");
    let reference = &outcomes[view.reference];
    let labels = view.labels();
    if !view.is_timed() {
        let sizes = curves(view, |outcome, index| {
            let base = reference.cells[index].nodes.max(1) as f64;
            100.0 * outcome.cells[index].nodes as f64 / base
        });
        let title = format!("Nodes in % of {}", reference.scheme);
        text += &figure(&title, &line_plot(&labels, &sizes));
    }
    let tasks = outcomes[0].tasks;
    if outcomes[0].about_zugzwang && tasks > 0 {
        let wrong = curves(view, |outcome, index| (tasks - outcome.cells[index].solved) as f64);
        text += &figure(&format!("Wrong of {tasks}"), &line_plot(&labels, &wrong));
    } else if tasks > 0 {
        let solved = curves(view, |outcome, index| outcome.cells[index].solved as f64);
        text += &figure(&format!("Solved of {tasks}"), &line_plot(&labels, &solved));
    }
    text += &figure("Cut-offs in % of null moves tried", &bar_plot(&cut_off_rates(outcomes)));
    text += "</div>\n";
    for table in view.tables() {
        text += &html_table(&table);
    }
    text
}

/// A name and its values, one for each depth or time.
type Curve<'a> = (&'a str, Vec<f64>);

fn curves<'a>(view: &View<'a>, value: impl Fn(&Outcome, usize) -> f64) -> Vec<Curve<'a>> {
    let curve = |outcome: &'a Outcome| {
        let values = view.shown.iter().map(|&index| value(outcome, index)).collect();
        (outcome.scheme.as_str(), values)
    };
    view.outcomes.iter().map(curve).collect()
}

fn cut_off_rates(outcomes: &[Outcome]) -> Vec<(&str, f64)> {
    let tried = outcomes.iter().filter(|outcome| outcome.null_move_total().attempts > 0);
    tried
        .map(|outcome| {
            let total = outcome.null_move_total();
            (outcome.scheme.as_str(), 100.0 * total.cutoffs as f64 / total.attempts as f64)
        })
        .collect()
}

/// Colours that can be told apart, also by most who are colour-blind, on light and on dark ground.
const COLOURS: [&str; 8] =
    ["#4477aa", "#ee6677", "#228833", "#ccaa22", "#66bbdd", "#aa3377", "#999999", "#ee7733"];

fn colour(number: usize) -> &'static str {
    COLOURS[number % COLOURS.len()]
}

const WIDTH: f64 = 600.0;
const LEFT: f64 = 46.0;
const PLOT_WIDTH: f64 = 330.0;
const PLOT_HEIGHT: f64 = 220.0;
const TOP: f64 = 8.0;
const ROW: f64 = 16.0;
/// About as many lines are drawn across a plot.
const TICKS: usize = 4;

fn line_plot(labels: &[String], curves: &[Curve<'_>]) -> String {
    let values = || curves.iter().flat_map(|(_, values)| values.iter().copied());
    let highest = values().fold(0.0, f64::max);
    let step = round_step(highest / TICKS as f64);
    let ticks = (highest / step).ceil().max(1.0) as usize;
    let top = step * ticks as f64;
    let x = |index: usize| {
        let step = PLOT_WIDTH / (labels.len().max(2) - 1) as f64;
        LEFT + index as f64 * step
    };
    let y = |value: f64| TOP + PLOT_HEIGHT * (1.0 - value / top);
    let legend = TOP + ROW * curves.len() as f64;
    let height = (TOP + PLOT_HEIGHT + 24.0).max(legend + 8.0);
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">");
    for tick in 0..=ticks {
        let value = step * tick as f64;
        svg += &html::level(LEFT, LEFT + PLOT_WIDTH, y(value), &format!("{value:.0}"));
    }
    for (index, label) in labels.iter().enumerate() {
        let below = TOP + PLOT_HEIGHT + 16.0;
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{below}\" text-anchor=\"middle\">{label}</text>",
            x(index)
        );
    }
    for (number, (name, values)) in curves.iter().enumerate() {
        let colour = colour(number);
        let points: Vec<String> = values
            .iter()
            .enumerate()
            .map(|(index, &value)| format!("{:.1},{:.1}", x(index), y(value)))
            .collect();
        let dashes = if number >= COLOURS.len() { " stroke-dasharray=\"5 3\"" } else { "" };
        let _ = write!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>",
            points.join(" ")
        );
        for point in &points {
            let (x, y) = point.split_once(',').unwrap_or_default();
            let _ = write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{colour}\"/>");
        }
        let at = TOP + ROW * (number as f64 + 0.5);
        let right = LEFT + PLOT_WIDTH + 14.0;
        let _ = write!(
            svg,
            "<line x1=\"{right}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"{colour}\" stroke-width=\"3\"{dashes}/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            right + 18.0,
            right + 24.0,
            at + 4.0,
            escape(name)
        );
    }
    svg + "</svg>"
}

/// Bars for values in percent.
fn bar_plot(bars: &[(&str, f64)]) -> String {
    const NAMES: f64 = 190.0;
    const BAR: f64 = 330.0;
    let height = TOP + ROW * 1.4 * bars.len() as f64 + 8.0;
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">");
    for (number, (name, value)) in bars.iter().enumerate() {
        let at = TOP + ROW * 1.4 * number as f64;
        let length = BAR * value / 100.0;
        let text = at + 12.0;
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{text:.1}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{NAMES}\" y=\"{at:.1}\" width=\"{length:.1}\" height=\"{ROW}\" fill=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{text:.1}\">{value:.1}</text>",
            NAMES - 6.0,
            escape(name),
            COLOURS[0],
            NAMES + length + 6.0
        );
    }
    svg + "</svg>"
}

fn html_table(table: &Table) -> String {
    html::table(&table.title, &table.head, &table.rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_the_page() {
        let bars = bar_plot(&[("<script>", 50.0)]);
        assert!(!bars.contains("<script>"));
    }

    #[test]
    fn plots_hold_every_curve_and_no_nonsense() {
        let curves = [("a", vec![1.0, 2.0]), ("b", vec![0.0, 0.0])];
        let plot = line_plot(&["depth 6", "depth 7"].map(str::to_owned), &curves);
        assert_eq!(plot.matches("<polyline").count(), 2);
        let single = line_plot(&["depth 6".to_owned()], &[("a", vec![0.0])]);
        assert!(!plot.contains("NaN") && !single.contains("NaN") && !single.contains("inf"));
    }
}
