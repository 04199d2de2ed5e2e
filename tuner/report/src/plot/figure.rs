//! Charts as SVG, drawn with the colours of the page and at a size that a telephone shows as it is. The values stand beside it
//! as JSON, for the script that shows those under the pointer.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use serde::Serialize;

use super::{Chart, Data, Series};

/// The script that shows the values under the pointer.
pub const SCRIPT: &str = include_str!("figure.js");

/// The size of a picture, and of the part that the axes enclose, in pixels.
struct Frame {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// The frame of a chart, for a narrow page.
const NARROW: Frame =
    Frame { width: 420.0, height: 200.0, left: 48.0, right: 410.0, top: 8.0, bottom: 172.0 };
/// The frame of a chart that takes the whole width of a page.
const WIDE: Frame =
    Frame { width: 860.0, height: 320.0, left: 84.0, right: 850.0, top: 14.0, bottom: 286.0 };
/// Letters across a picture on the narrowest page.
const LETTERS: f64 = 60.0;
/// Labels of an axis, about.
const LABELS: f64 = 5.0;
/// Colours of lines, which take turns, and dashes of lines of one colour.
const COLOURS: usize = 6;
const DASHES: usize = 3;

/// The span of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    from: f64,
    to: f64,
}

impl Span {
    /// Returns the span of these values, which is never empty; `None` without values.
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let ends = values.filter(|value| value.is_finite()).fold(None, |ends, value| {
            let (from, to) = ends.unwrap_or((value, value));
            Some((f64::min(from, value), f64::max(to, value)))
        });
        let (from, to) = ends?;
        let width = to - from;
        // Numbers that differ by rounding alone are one.
        let is_flat = width <= 1e-9 * from.abs().max(to.abs());
        let room = if is_flat { from.abs().max(1.0) * 0.5 } else { 0.0 };
        Some(Self { from: from - room, to: to + room })
    }

    fn down_to_zero(self, is_asked: bool) -> Self {
        Self { from: if is_asked { self.from.min(0.0) } else { self.from }, ..self }
    }

    fn wider(self, share: f64) -> Self {
        let room = share * (self.to - self.from);
        Self { from: self.from - room, to: self.to + room }
    }

    /// Returns the step between labels: 1, 2 or 5 times a power of ten.
    fn step(self) -> f64 {
        let rough = (self.to - self.from) / LABELS;
        let power = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0];
        power * steps.into_iter().find(|step| step * power >= rough).unwrap_or(10.0)
    }

    fn ticks(self) -> impl Iterator<Item = f64> {
        let step = self.step();
        let (first, last) = ((self.from / step).ceil(), (self.to / step).floor());
        (0..=(last - first).clamp(0.0, 20.0) as u32).map(move |number| {
            // Not minus zero.
            (first + f64::from(number)) * step + 0.0
        })
    }

    fn place(self, value: f64, low: f64, high: f64) -> f64 {
        low + (value - self.from) / (self.to - self.from) * (high - low)
    }
}

impl Span {
    /// Returns a number as a label of this axis.
    fn label(self, value: f64) -> String {
        let (step, largest) = (self.step(), self.from.abs().max(self.to.abs()));
        let (unit, name) = match largest {
            1e6.. if step >= 1e4 => (1e6, "M"),
            1e4.. if step >= 100.0 => (1e3, "k"),
            _ => (1.0, ""),
        };
        if value == 0.0 {
            return "0".to_owned();
        }
        let places = (-(step / unit).log10() + 0.999).floor().clamp(0.0, 9.0) as usize;
        format!("{:.places$}{name}", value / unit)
    }
}

/// The values of a chart, for the script of the page.
#[derive(Serialize)]
struct Values<'a> {
    /// The edges of the axes in the picture, and the values there.
    left: f64,
    right: f64,
    from: f64,
    to: f64,
    x: &'a str,
    /// The points of each line.
    lines: Vec<Vec<(f64, f64)>>,
}

/// Returns a chart as an element of a page; nothing if it has neither a line of two points nor bars.
pub fn figure(chart: &Chart) -> Markup {
    let frame = if chart.is_wide { WIDE } else { NARROW };
    let bars = bars(chart);
    if bars.is_empty() { lines_figure(chart, &frame) } else { bars_figure(chart, &bars, &frame) }
}

fn lines_figure(chart: &Chart, frame: &Frame) -> Markup {
    let lines: Vec<(&Series, Vec<(f64, f64)>)> = chart
        .series
        .iter()
        .filter_map(|series| match &series.data {
            Data::Line(points) => Some((series, finite(points))),
            _ => None,
        })
        .filter(|(_, points)| points.len() > 1)
        .collect();
    let xs = lines.iter().flat_map(|(_, points)| points).map(|(x, _)| *x);
    let ys = lines.iter().flat_map(|(_, points)| points).map(|(_, y)| *y);
    let (Some(across), Some(up)) = (Span::of(xs), Span::of(ys.chain(edges(chart)))) else {
        return html! {};
    };
    let up = up.down_to_zero(chart.from_zero).wider(0.04);
    let &Frame { left, right, top, bottom, .. } = frame;
    let x = |value: f64| across.place(value, left, right);
    let y = |value: f64| up.place(value, bottom, top);
    let mut svg = grid(frame, up);
    labels(&mut svg, frame, &ticks(chart, across), across);
    for series in &chart.series {
        match &series.data {
            Data::Band(edges) => {
                let low = edges.iter().map(|(at, [low, _])| (*at, *low));
                let high = edges.iter().rev().map(|(at, [_, high])| (*at, *high));
                let path = path(low.chain(high), x, y);
                write(&mut svg, format_args!("<path class='band' d='{path}Z'/>"));
            }
            Data::Level(value) => {
                let at = y(*value);
                write(&mut svg, format_args!("<path class='level' d='M{left} {at:.1}H{right}'/>"));
            }
            Data::Line(_) | Data::Bars(_) => {}
        }
    }
    for (number, (_, points)) in lines.iter().enumerate() {
        let (path, colour) = (path(points.iter().copied(), x, y), colour(number));
        write(&mut svg, format_args!("<path class='line {colour}' d='{path}'/>"));
    }
    write(
        &mut svg,
        format_args!("<path class='pointer' d='M0 {top}V{bottom}' visibility='hidden'/>"),
    );
    let values = Values {
        left,
        right,
        from: across.from,
        to: across.to,
        x: &chart.x,
        lines: lines
            .iter()
            .map(|(_, points)| points.iter().map(|(x, y)| (rounded(*x), rounded(*y))).collect())
            .collect(),
    };
    // Plain data always has a JSON value.
    let values = serde_json::to_string(&values).unwrap_or_default();
    let last = |points: &[(f64, f64)]| points.last().map_or_else(String::new, |(_, y)| short(*y));
    html! {
        figure.wide[chart.is_wide] data-values=(values) {
            (picture(chart, frame, svg, &spoken(chart, &lines)))
            ul.legend {
                @for (number, (series, points)) in lines.iter().enumerate() {
                    li class=(colour(number)) { (series.name) " " span.value { (last(points)) } }
                }
                @for series in &chart.series { @match &series.data {
                    Data::Level(value) => li.level { (series.name) " " (short(*value)) },
                    Data::Band(_) => li.band { (series.name) },
                    Data::Line(_) | Data::Bars(_) => {}
                } }
                li.at { (chart.x) }
            }
        }
    }
}

/// The caption of a chart and the picture below it.
fn picture(chart: &Chart, frame: &Frame, svg: String, spoken: &str) -> Markup {
    let Frame { width, height, .. } = frame;
    html! {
        figcaption { (chart.title) }
        svg viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(spoken) { (PreEscaped(svg)) }
    }
}

/// Returns the classes of a line: a colour, and a dash where colours come again.
fn colour(number: usize) -> String {
    let (colour, turn) = (number % COLOURS, number / COLOURS % DASHES);
    if turn == 0 { format!("c{colour}") } else { format!("c{colour} d{turn}") }
}

/// Bars by label, with the name of their series.
type Bars<'a> = (&'a str, &'a [(String, f64)]);

/// Returns the series of bars, those behind first.
fn bars(chart: &Chart) -> Vec<Bars<'_>> {
    fn bars(series: &Series) -> Option<&[(String, f64)]> {
        match &series.data {
            Data::Bars(bars) if !bars.is_empty() => Some(bars),
            _ => None,
        }
    }
    let named = chart.series.iter().map(|series| (series.name.as_str(), bars(series)));
    named.filter_map(|(name, bars)| Some((name, bars?))).collect()
}

/// Draws bars over the same labels, with the value of each under the pointer.
fn bars_figure(chart: &Chart, bars: &[Bars<'_>], frame: &Frame) -> Markup {
    let &Frame { left, right, top, bottom, .. } = frame;
    let values = bars.iter().flat_map(|(_, bars)| bars.iter().map(|(_, value)| *value));
    let Some(up) = Span::of(values.chain([0.0])) else { return html! {} };
    let up = up.wider(0.02);
    let count = bars.iter().map(|(_, bars)| bars.len()).max().unwrap_or_default() as f64;
    let across = Span { from: 0.0, to: count };
    let x = |value: f64| across.place(value, left, right);
    let y = |value: f64| up.place(value, bottom, top);
    let mut svg = grid(frame, up);
    let longest = bars.iter().map(|(_, bars)| bars).max_by_key(|bars| bars.len());
    let named = longest.into_iter().flat_map(|bars| bars.iter());
    let ticks: Vec<(f64, String)> =
        named.enumerate().map(|(at, (label, _))| (at as f64 + 0.5, label.clone())).collect();
    labels(&mut svg, frame, &ticks, across);
    let front = bars.len() - 1;
    let class = |number: usize| if number == front { "c0" } else { "behind" };
    for (number, (name, bars)) in bars.iter().enumerate() {
        for (at, (label, value)) in bars.iter().enumerate().filter(|(_, (_, it))| it.is_finite()) {
            let (from, width) = (x(at as f64 + 0.05), x(0.9) - x(0.0));
            let (high, low) = (y(value.max(0.0)), y(value.min(0.0)));
            let title = html! { title { (label) ": " (name) " " (short(*value)) } }.into_string();
            write(
                &mut svg,
                format_args!(
                    "<rect class='bar {}' x='{from:.1}' y='{high:.1}' width='{width:.1}' height='{:.1}'>{title}</rect>",
                    class(number),
                    low - high
                ),
            );
        }
    }
    html! {
        figure.wide[chart.is_wide] {
            (picture(chart, frame, svg, &chart.title))
            ul.legend {
                @if bars.len() > 1 { @for (number, (name, _)) in bars.iter().enumerate() { li class=(class(number)) { (name) } } }
                li.at { (chart.x) }
            }
        }
    }
}

fn finite(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect()
}

/// Returns the heights of bands and levels.
fn edges(chart: &Chart) -> impl Iterator<Item = f64> {
    chart.series.iter().flat_map(|series| match &series.data {
        Data::Band(edges) => edges.iter().flat_map(|(_, edges)| *edges).collect(),
        Data::Level(value) => vec![*value],
        Data::Line(_) | Data::Bars(_) => Vec::new(),
    })
}

/// Draws the lines of the grid, and the labels of the vertical axis.
fn grid(frame: &Frame, up: Span) -> String {
    let &Frame { left, right, top, bottom, .. } = frame;
    let mut svg = String::new();
    for value in up.ticks() {
        let (at, label) = (up.place(value, bottom, top), up.label(value));
        write(
            &mut svg,
            format_args!(
                "<path class='grid' d='M{left} {at:.1}H{right}'/><text class='y' x='{:.1}' y='{at:.1}'>{label}</text>",
                left - 5.0
            ),
        );
    }
    svg
}

/// Returns the labels of the horizontal axis with their places.
fn ticks(chart: &Chart, across: Span) -> Vec<(f64, String)> {
    if chart.ticks.is_empty() {
        return across.ticks().map(|value| (value, across.label(value))).collect();
    }
    let is_shown = |value: &f64| (across.from..=across.to).contains(value);
    chart.ticks.iter().filter(|(value, _)| is_shown(value)).cloned().collect()
}

/// Writes the labels of the horizontal axis; those that would run into each other are left out.
fn labels(svg: &mut String, frame: &Frame, ticks: &[(f64, String)], across: Span) {
    let longest = ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(1);
    let letter = frame.width / LETTERS;
    let room = (frame.right - frame.left) / (letter * (longest + 2) as f64);
    let every = ticks.len().div_ceil((room as usize).max(1)).max(1);
    for (value, label) in ticks.iter().step_by(every) {
        let at = across.place(*value, frame.left, frame.right);
        let half = letter * label.chars().count() as f64 / 2.0;
        // The last one may be too long for its place.
        let (class, x) = if at + half > frame.width { ("x last", frame.width) } else { ("x", at) };
        let (label, y) = (html! { (label) }.into_string(), frame.bottom + 8.0);
        write(svg, format_args!("<text class='{class}' x='{x:.1}' y='{y}'>{label}</text>"));
    }
}

fn path(
    points: impl Iterator<Item = (f64, f64)>,
    x: impl Fn(f64) -> f64,
    y: impl Fn(f64) -> f64,
) -> String {
    let mut path = String::new();
    for (at, value) in points.filter(|(at, value)| at.is_finite() && value.is_finite()) {
        let command = if path.is_empty() { 'M' } else { 'L' };
        write(&mut path, format_args!("{command}{:.1} {:.1}", x(at), y(value)));
    }
    path
}

/// Writing to a string cannot fail.
fn write(to: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = to.write_fmt(text);
}

/// Returns a number with four digits that count.
fn rounded(value: f64) -> f64 {
    short(value).parse().unwrap_or(value)
}

fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let places = (3.0 - value.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.places$}");
    if places == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// Returns what a screen reader says of a chart.
fn spoken(chart: &Chart, lines: &[(&Series, Vec<(f64, f64)>)]) -> String {
    let mut text = chart.title.clone();
    for (series, points) in lines {
        if let Some((x, y)) = points.last() {
            write(&mut text, format_args!("; {}: {} at {}", series.name, short(*y), short(*x)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_round() {
        let labels = |from, to| -> Vec<String> {
            let span = Span { from, to };
            span.ticks().map(|value| span.label(value)).collect()
        };
        assert_eq!(labels(0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-3.2, 3.2), ["-2", "0", "2"]);
        assert_eq!(labels(0.0, 40_000.0), ["0", "10k", "20k", "30k", "40k"]);
        assert_eq!(labels(0.0035, 0.007), ["0.004", "0.005", "0.006", "0.007"]);
        assert_eq!(labels(0.0, 2.5e6), ["0", "0.5M", "1.0M", "1.5M", "2.0M", "2.5M"]);
    }

    #[test]
    fn no_chart_breaks_the_page() {
        let chart = || Chart::new("<t>", "<x>", "<y>");
        for empty in [
            chart(),
            chart().line("one", [(0.0, 1.0)]).level("l", 0.0),
            chart().line("none", [(f64::NAN, 1.0), (1.0, f64::INFINITY)]),
        ] {
            assert_eq!(figure(&empty).into_string(), "");
        }
        let flat = chart()
            .line("<n>", [(0.0, 5.0), (9.0, 5.0)])
            .band("b", [(0.0, [f64::NAN, 5.0]), (9.0, [3.0, 7.0])])
            .level("l", 5.0);
        let text = figure(&flat).into_string();
        assert!(text.contains("&lt;t&gt;") && text.contains("&lt;n&gt; "), "{text}");
        for part in ["NaN", "inf", "<t>", "<n>", "<x>"] {
            assert!(!text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn values_stand_beside_the_picture() {
        let chart = Chart::new("Elo", "games", "Elo").line("Elo", [(0.0, 1.0), (10.0, 2.34567)]);
        let text = figure(&chart).into_string();
        assert!(text.contains("[10.0,2.346]") && text.contains("2.346</span>"), "{text}");
    }
}
