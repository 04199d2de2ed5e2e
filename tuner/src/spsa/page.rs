//! A run as one HTML page.

use std::fmt::Write;

use super::path::Axis;
use super::trace::{Moment, Trace};
use crate::html::{self, Head, figure};

/// The whole page.
pub fn page(head: &Head, trace: &Trace) -> String {
    let mut body = html::table("Parameters", &columns(), &rows(trace));
    body += "<p>Slope: what a move by c_end gains in Elo, by all games of the run, and its standard error.</p>\n";
    body += "<h2>Paths</h2>\n<p>The grey band is where chance alone would have led, two times out of three.</p>\n<div class=\"plots\">\n";
    for (index, axis) in trace.axes.iter().enumerate() {
        body += &figure(&axis.name, &path_plot(axis, &trace.moments, index));
    }
    body += "</div>\n<h2>Games</h2>\n<div class=\"plots\">\n";
    let share = |of: fn(&Moment) -> f64| {
        let later = trace.moments.iter().skip(1);
        later.map(|moment| (moment.games as f64, 100.0 * of(moment))).collect::<Vec<_>>()
    };
    let score = share(|moment| moment.counts.score());
    body += &figure("Score of the first setting, %", &plot(&score, &[], None));
    let drawn = share(|moment| moment.counts.draws() as f64 / moment.counts.games().max(1) as f64);
    body += &figure("Games drawn, %", &plot(&drawn, &[], None));
    body += "</div>\n";
    html::page(head, &body)
}

fn columns() -> Vec<String> {
    let columns = [
        "parameter",
        "start",
        "value",
        "moved by",
        "least",
        "greatest",
        "c_end",
        "slope",
        "+/-",
        "",
    ];
    columns.map(str::to_owned).to_vec()
}

fn rows(trace: &Trace) -> Vec<Vec<String>> {
    let row = |(index, axis): (usize, &Axis)| {
        let (value, slope) = (trace.result[index], trace.slopes[index]);
        vec![
            axis.name.clone(),
            axis.start.to_string(),
            format!("{value:.2}"),
            format!("{:+.2} c", (value - axis.start) / axis.c_end),
            axis.range.min.to_string(),
            axis.range.max.to_string(),
            axis.c_end.to_string(),
            format!("{:+.2}", slope.elo),
            format!("{:.2}", slope.error),
            trace.remark(index).to_owned(),
        ]
    };
    trace.axes.iter().enumerate().map(row).collect()
}

/// Where a parameter went, with the band of chance around its start.
fn path_plot(axis: &Axis, moments: &[Moment], index: usize) -> String {
    let line: Vec<(f64, f64)> =
        moments.iter().map(|moment| (moment.games as f64, moment.point[index])).collect();
    let band: Vec<(f64, f64)> =
        moments.iter().map(|moment| (moment.games as f64, moment.noise[index])).collect();
    plot(&line, &band, Some(axis.start))
}

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 24.0;
const TICKS: usize = 4;

/// A line, and around a middle a band of so much to either side.
fn plot(line: &[(f64, f64)], band: &[(f64, f64)], middle: Option<f64>) -> String {
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">");
    let sides = |sign: f64| {
        band.iter().map(move |&(x, half)| (x, middle.unwrap_or_default() + sign * half))
    };
    let all = || line.iter().copied().chain(sides(1.0)).chain(sides(-1.0));
    let most = line.iter().map(|(x, _)| *x).fold(1.0, f64::max);
    let (low, high) =
        all().fold((f64::MAX, f64::MIN), |(low, high), (_, y)| (low.min(y), high.max(y)));
    if low > high {
        return svg + "</svg>";
    }
    let room = (high - low).max(high.abs() * 0.01).max(0.1) * 0.08;
    let (low, high) = (low - room, high + room);
    let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * value / most;
    let y = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low);
    let points = |list: &mut dyn Iterator<Item = (f64, f64)>| {
        let points: Vec<String> = list.map(|(a, b)| format!("{:.1},{:.1}", x(a), y(b))).collect();
        points.join(" ")
    };
    for tick in 0..=TICKS {
        let value = low + (high - low) * tick as f64 / TICKS as f64;
        let digits = if high - low < 20.0 { 2 } else { 0 };
        svg += &html::level(LEFT, WIDTH - RIGHT, y(value), &format!("{value:.digits$}"));
    }
    for share in [0.0, 0.5, 1.0] {
        let anchor = if share == 1.0 { "end" } else { "middle" };
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{:.0} games</text>",
            x(most * share),
            HEIGHT - 6.0,
            most * share
        );
    }
    if !band.is_empty() {
        let mut outline = sides(1.0).chain(sides(-1.0).rev());
        let _ = write!(svg, "<polygon points=\"{}\" fill=\"#8883\"/>", points(&mut outline));
    }
    let _ = write!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#4477aa\" stroke-width=\"2\"/>",
        points(&mut line.iter().copied())
    );
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_hold_no_nonsense() {
        let line = [(0.0, 5.0), (10.0, 5.0)];
        let flat = plot(&line, &[(0.0, 0.0), (10.0, 2.0)], Some(5.0));
        assert!(flat.contains("<polygon") && flat.contains("<polyline"));
        for text in [flat, plot(&[], &[], None), plot(&[(0.0, 0.0)], &[], None)] {
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }
}
