//! Plots: a line over a number of games or the like, with a band around it, inside a page or many on a sheet that stands alone; and
//! bars of a histogram.

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

/// A histogram: a bar for each bin, its height in percent, and the part of it that is filled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// What the bins are of.
    pub unit: &'static str,
    /// The least value of the first bin.
    pub first: usize,
    /// The width of a bin.
    pub width: usize,
    /// Heights of the bars, in percent.
    pub whole: Vec<f64>,
    /// Heights of their filled part, in percent, as many as there are bars; or none, and the bars are filled.
    pub filled: Vec<f64>,
    /// What the whole bar and its filled part stand for.
    pub names: [&'static str; 2],
    /// Whether the last bin holds all greater values, too.
    pub open: bool,
}

impl Bars {
    /// As a part of a page; nothing where there are no bars.
    pub fn svg(&self) -> String {
        if self.whole.is_empty() {
            return String::new();
        }
        let highest = self.whole.iter().chain(&self.filled).copied().fold(0.0, f64::max);
        let step = round_step(highest / TICKS as f64);
        let ticks = (highest / step).ceil().max(1.0);
        let height = |value: f64| (HEIGHT - TOP - BOTTOM) * value / (step * ticks);
        let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">");
        for tick in 0..=ticks as usize {
            let value = step * tick as f64;
            let y = HEIGHT - BOTTOM - height(value);
            svg += &html::level(LEFT, WIDTH - RIGHT, y, &format!("{value:.0} %"));
        }
        for number in 0..self.whole.len() {
            svg += &self.bar(number, height);
        }
        svg + &self.labels() + "</svg>"
    }

    /// A bar, its filled part and the words that a pointer on it shows.
    fn bar(&self, number: usize, height: impl Fn(f64) -> f64) -> String {
        const FILLED: &str = "#4477aa";
        let wide = 0.9 * self.room();
        let left = LEFT + self.room() * (number as f64 + 0.05);
        let part = |value: f64, fill: &str| {
            let (top, tall) = (HEIGHT - BOTTOM - height(value), height(value));
            format!(
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{tall:.1}\" fill=\"{fill}\"/>"
            )
        };
        let whole = self.whole[number];
        let [name, filled_name] = self.names.map(html::escape);
        let mut words =
            format!("{} {}: {name} {whole:.2} %", self.name(number), html::escape(self.unit));
        let rects = match self.filled.get(number) {
            None => part(whole, FILLED),
            Some(&filled) => {
                let _ = write!(words, ", {filled_name} {filled:.2} %");
                part(whole, "#8886") + &part(filled, FILLED)
            }
        };
        format!("<g><title>{words}</title>{rects}</g>")
    }

    /// The values of a bin.
    fn name(&self, number: usize) -> String {
        let least = self.first + number * self.width;
        match self.width {
            _ if self.open && number + 1 == self.whole.len() => format!("{least} or more"),
            ..=1 => least.to_string(),
            width => format!("{least} to {}", least + width - 1),
        }
    }

    /// Some of the values below the axis, and the unit.
    fn labels(&self) -> String {
        let labels = (self.whole.len() as f64 / 8.0).ceil().max(1.0) as usize;
        let mut svg = String::new();
        for number in (0..self.whole.len()).step_by(labels) {
            let least = self.first + number * self.width;
            let unit = if number == 0 { self.unit } else { "" };
            // A single value stands below the middle of its bar, a range begins at its edge.
            let shift = if self.width > 1 { 0.0 } else { 0.5 };
            // Writing to a string cannot fail.
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{}\">{least} {}</text>",
                LEFT + self.room() * (number as f64 + shift),
                HEIGHT - 6.0,
                if number == 0 { "start" } else { "middle" },
                html::escape(unit)
            );
        }
        svg
    }

    /// What a bar has from left to right, the gap with it.
    fn room(&self) -> f64 {
        (WIDTH - LEFT - RIGHT) / self.whole.len() as f64
    }
}

/// The next 1, 2 or 5 times a power of ten, at least 1: all that is plotted is counted or in percent.
pub fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.max(1.0).log10().floor());
    let round = [1.0, 2.0, 5.0].into_iter().map(|factor| factor * power).find(|&it| it >= step);
    round.unwrap_or(10.0 * power)
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
    #[test]
    fn every_bin_has_a_bar_and_its_values() {
        let bars = Bars {
            unit: "<cp>",
            first: 0,
            width: 100,
            whole: vec![60.0, 40.0, 0.0],
            filled: vec![30.0, 0.0, 0.0],
            names: ["all", "kept"],
            open: true,
        };
        let svg = bars.svg();
        assert_eq!(svg.matches("<rect").count(), 6, "{svg}");
        for part in ["0 to 99 &lt;cp&gt;: all 60.00 %, kept 30.00 %", "200 or more", ">60 %<"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        let nothing = Bars { whole: vec![0.0], width: 1, ..Bars::default() };
        for bars in [bars, nothing, Bars::default()] {
            let svg = bars.svg();
            assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("<cp>"), "{svg}");
        }
    }

    #[test]
    fn axes_have_round_numbers() {
        let steps = [0.0, 0.3, 1.0, 1.5, 4.2, 26.0, 55.0, 250.0].map(round_step);
        assert_eq!(steps, [1.0, 1.0, 1.0, 2.0, 5.0, 50.0, 100.0, 500.0]);
    }
}
