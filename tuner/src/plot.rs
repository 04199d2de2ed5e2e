//! A line over a number of games or the like, with a band around it: inside a page, or many of them on a sheet that stands alone.

use std::fmt::Write;

use crate::html;

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 24.0;
const TICKS: usize = 4;

/// What is drawn. The first of each point is a number from 0 on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Of what it is a number.
    pub unit: &'static str,
    /// The line.
    pub line: Vec<(f64, f64)>,
    /// Lower and upper edge of the band.
    pub band: Vec<(f64, [f64; 2])>,
    /// A value to be compared with: a dashed line across.
    pub mark: Option<f64>,
}

impl Plot {
    /// As a part of a page.
    pub fn svg(&self) -> String {
        let size = format!("viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\"");
        format!("<svg {size}>{}</svg>", self.inside())
    }

    fn inside(&self) -> String {
        let edges = |side: usize| self.band.iter().map(move |(x, edges)| (*x, edges[side]));
        let all = self.line.iter().copied().chain(edges(0)).chain(edges(1));
        let most = self.line.iter().map(|(x, _)| *x).fold(1.0, f64::max);
        let values = all.map(|(_, y)| y).chain(self.mark);
        let (low, high) =
            values.fold((f64::MAX, f64::MIN), |(low, high), y| (low.min(y), high.max(y)));
        if self.line.is_empty() {
            return String::new();
        }
        let room = (high - low).max(high.abs() * 0.01).max(1e-6) * 0.08;
        let (low, high) = (low - room, high + room);
        let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * value / most;
        let y = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low);
        let points = |list: &mut dyn Iterator<Item = (f64, f64)>| {
            let points: Vec<String> =
                list.map(|(a, b)| format!("{:.1},{:.1}", x(a), y(b))).collect();
            points.join(" ")
        };
        let mut svg = String::new();
        for tick in 0..=TICKS {
            let value = low + (high - low) * tick as f64 / TICKS as f64;
            let digits = match high - low {
                ..0.05 => 5,
                0.05..20.0 => 2,
                _ => 0,
            };
            svg += &html::level(LEFT, WIDTH - RIGHT, y(value), &format!("{value:.digits$}"));
        }
        for share in [0.0, 0.5, 1.0] {
            let anchor = if share == 1.0 { "end" } else { "middle" };
            // Writing to a string cannot fail.
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{:.0} {}</text>",
                x(most * share),
                HEIGHT - 6.0,
                most * share,
                self.unit
            );
        }
        if !self.band.is_empty() {
            let mut outline = edges(1).chain(edges(0).rev());
            let _ = write!(svg, "<polygon points=\"{}\" fill=\"#8883\"/>", points(&mut outline));
        }
        if let Some(mark) = self.mark {
            let (right, height) = (WIDTH - RIGHT, y(mark));
            let _ = write!(
                svg,
                "<line x1=\"{LEFT}\" x2=\"{right}\" y1=\"{height:.1}\" y2=\"{height:.1}\" stroke=\"#cc6677\" stroke-dasharray=\"6 4\"/>"
            );
        }
        let line = points(&mut self.line.iter().copied());
        let _ = write!(
            svg,
            "<polyline points=\"{line}\" fill=\"none\" stroke=\"#4477aa\" stroke-width=\"2\"/>"
        );
        svg
    }
}

const COLUMNS: usize = 2;
/// Above each plot of a sheet.
const CAPTION: f64 = 26.0;
const STYLE: &str = "<style>text { fill: #222; font: 12px system-ui, sans-serif; } .caption { font-weight: 600; font-size: 14px; }\
@media (prefers-color-scheme: dark) { text { fill: #ddd; } }</style>";

/// Plots with their titles, as a picture of its own.
pub fn sheet(plots: &[(String, Plot)]) -> String {
    let columns = plots.len().clamp(1, COLUMNS);
    let (width, row) = (WIDTH * columns as f64, HEIGHT + CAPTION);
    let height = row * plots.len().div_ceil(columns) as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n{STYLE}\n"
    );
    for (index, (title, plot)) in plots.iter().enumerate() {
        let (left, top) = ((index % columns) as f64 * WIDTH, (index / columns) as f64 * row);
        let _ = writeln!(
            svg,
            "<g transform=\"translate({left} {top})\"><text class=\"caption\" x=\"{LEFT}\" y=\"18\">{}</text>\
             <g transform=\"translate(0 {CAPTION})\">{}</g></g>",
            html::escape(title),
            plot.inside()
        );
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_hold_no_nonsense() {
        let line = vec![(0.0, 5.0), (10.0, 5.0)];
        let band = vec![(0.0, [5.0, 5.0]), (10.0, [3.0, 7.0])];
        let flat = Plot { unit: "games", line, band, mark: Some(5.0) };
        assert!(flat.svg().contains("<polygon") && flat.svg().contains("<polyline"));
        let point = Plot { line: vec![(0.0, 0.0)], ..Plot::default() };
        for plot in [flat, Plot::default(), point] {
            let text = plot.svg() + &sheet(&[("<dog>".to_owned(), plot)]);
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            assert!(!text.contains("<dog>"));
        }
    }
}
