//! Charts as a single SVG file, without interaction.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::{BAND_OPACITY, COLOURS, Chart, Data, coloured};

/// The size of a chart in pixels.
const SIZE: (u32, u32) = (520, 280);
/// Charts side by side.
const COLUMNS: usize = 2;
/// Room for the names of series, and for one of them, in pixels.
const LEGEND: u32 = 230;
const LINE: i32 = 15;
/// Dashes and the gaps between them in pixels.
const DASH: u32 = 6;
const GAP: u32 = 4;
/// Labels of an axis at most.
const MOST_LABELS: usize = 6;
const FONT: &str = "system-ui, sans-serif";

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn<'a> = Result<(), Box<dyn std::error::Error + 'a>>;

/// The size of a chart that takes the whole width, with the names of its series beside it.
const WIDE: (u32, u32) = (960, 400);

/// Returns an SVG file with charts in rows of two, or one below the other if they are wide; those have legends. Bars are not drawn.
pub fn sheet(charts: &[Chart]) -> String {
    let wide = !charts.is_empty() && charts.iter().all(|chart| chart.is_wide);
    let most = if wide { 1 } else { COLUMNS };
    let (columns, rows) = (charts.len().clamp(1, most), charts.len().div_ceil(most).max(1));
    let mut svg = String::new();
    {
        let one = if wide { WIDE } else { SIZE };
        let size = (one.0 * columns as u32, one.1 * rows as u32);
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let areas = root.split_evenly((rows, columns));
        let drawn = root.fill(&WHITE).map_err(Into::into).and_then(|()| {
            areas.iter().zip(charts).try_for_each(|(area, chart)| draw(area, chart))
        });
        // The only errors of this backend are those of writing a file.
        drawn.and_then(|()| root.present().map_err(Into::into)).expect("a string takes everything");
    }
    svg
}

fn draw<'a>(area: &Area<'a>, chart: &Chart) -> Drawn<'a> {
    let points = chart.points();
    let levels = chart.series.iter().filter_map(|series| match series.data {
        Data::Level(value) => Some(value),
        _ => None,
    });
    let (left, right) = range(points.iter().map(|(x, _)| *x), 0.0);
    let (bottom, top) = range(points.iter().map(|(_, y)| *y).chain(levels), 0.05);
    let mut plot = ChartBuilder::on(area)
        .caption(&chart.title, (FONT, 15))
        .margin(8)
        .margin_right(if chart.is_wide { LEGEND } else { 20 })
        .x_label_area_size(38)
        .y_label_area_size(58)
        .build_cartesian_2d(left..right, bottom..top)?;
    plot.configure_mesh()
        .x_desc(&chart.x)
        .y_desc(&chart.y)
        .label_style((FONT, 12))
        .light_line_style(TRANSPARENT)
        .x_labels(if chart.ticks.is_empty() { MOST_LABELS } else { chart.ticks.len() })
        .y_labels(y_labels(&points, top - bottom))
        .x_label_formatter(&|value| {
            let named = chart.ticks.iter().find(|(at, _)| (at - value).abs() < 1e-9);
            match named {
                Some((_, label)) => label.clone(),
                None if chart.ticks.is_empty() => short(*value, right - left),
                None => String::new(),
            }
        })
        .y_label_formatter(&|value| short(*value, top - bottom))
        .draw()?;
    let mut names = Vec::new();
    for (series, turn, (red, green, blue)) in coloured(&chart.series) {
        let is_dashed = turn >= COLOURS.len();
        let colour = RGBColor(red, green, blue);
        match &series.data {
            Data::Line(points) => {
                let points: Vec<_> =
                    points.iter().copied().filter(|(_, y)| y.is_finite()).collect();
                let (ends, style) = (points.iter().copied(), colour.stroke_width(2));
                if is_dashed {
                    plot.draw_series(DashedLineSeries::new(ends, DASH, GAP, style))?;
                } else {
                    plot.draw_series(LineSeries::new(ends, style))?;
                }
                if chart.is_wide
                    && let Some(last) = points.last()
                {
                    let (_, y) = plot.backend_coord(last);
                    names.push(Name { y, text: series.name.clone(), colour, is_dashed });
                }
            }
            Data::Band(edges) => {
                let edge = |side: usize| edges.iter().map(move |(x, edges)| (*x, edges[side]));
                let outline: Vec<_> = edge(1).chain(edge(0).rev()).collect();
                plot.draw_series([Polygon::new(outline, colour.mix(BAND_OPACITY).filled())])?;
            }
            Data::Level(value) => {
                let ends = [(left, *value), (right, *value)];
                plot.draw_series(DashedLineSeries::new(ends, DASH, GAP, colour.stroke_width(1)))?;
            }
            Data::Bars(_) => {}
        }
    }
    name_lines(area, names)
}

/// The name of a line, and the height at which it ends, in pixels.
struct Name {
    y: i32,
    text: String,
    colour: RGBColor,
    is_dashed: bool,
}

/// Writes the name of each line beside its end, from top to bottom, none over another.
fn name_lines<'a>(area: &Area<'a>, mut names: Vec<Name>) -> Drawn<'a> {
    names.sort_by_key(|name| name.y);
    let ((_, top), (width, height)) = (area.get_base_pixel(), area.dim_in_pixel());
    let room = height as i32 - 60;
    let mut lowest = 20;
    for (number, Name { y, text, colour, is_dashed }) in names.iter().enumerate() {
        let below = (names.len() - 1 - number) as i32 * LINE;
        let y = (y - top).max(lowest).min(room - below);
        lowest = y + LINE;
        let x = width as i32 - LEGEND as i32 + 12;
        let dash = DASH as i32;
        let strokes: &[[i32; 2]] =
            if *is_dashed { &[[0, dash], [14 - dash, 14]] } else { &[[0, 14]] };
        for stroke in strokes {
            let ends = stroke.map(|end| (x + end, y));
            area.draw(&PathElement::new(ends, colour.stroke_width(2)))?;
        }
        area.draw(&Text::new(text.clone(), (x + 20, y - 6), (FONT, 12)))?;
    }
    Ok(())
}

/// Returns the least and the greatest value, and a share of their distance more on both sides; never an empty range.
fn range(values: impl Iterator<Item = f64>, room: f64) -> (f64, f64) {
    let (low, high) =
        values.fold((f64::MAX, f64::MIN), |(low, high), it| (low.min(it), high.max(it)));
    match high - low {
        ..0.0 => (0.0, 1.0),
        0.0 => (low - 0.5, high + 0.5),
        span => (low - room * span, high + room * span),
    }
}

/// Returns the number of labels of the vertical axis: counts get none between whole numbers.
fn y_labels(points: &[(f64, f64)], span: f64) -> usize {
    let are_counts = points.iter().all(|(_, y)| y.fract() == 0.0);
    if are_counts { MOST_LABELS.min(span as usize + 1) } else { MOST_LABELS }
}

/// Returns a number with as many digits as a range of this span needs; a whole number in a range of several needs none.
fn short(value: f64, span: f64) -> String {
    let is_whole = span > 2.0 && (value - value.round()).abs() < 1e-9;
    let digits = if is_whole { 0 } else { (1.5 - span.log10()).ceil().clamp(0.0, 6.0) as usize };
    match value.abs() {
        10_000.0.. if span > 10_000.0 => format!("{:.0}k", value / 1000.0),
        _ => format!("{value:.digits$}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_share_a_colour_differ() {
        let name = |number: usize| format!("line {number}");
        let lines = |count: usize| {
            let chart = Chart::new("t", "x", "y").wide();
            (0..count)
                .fold(chart, |chart, it| chart.line(&name(it), [(0.0, it as f64), (9.0, 1.0)]))
        };
        let strokes = |count: usize| sheet(&[lines(count)]).matches("<polyline").count();
        let (all, one_more) = (strokes(COLOURS.len()), strokes(COLOURS.len() + 1));
        assert!(one_more > all + 10, "the ninth line is dashed: {all} and {one_more} strokes");
    }

    #[test]
    fn counts_have_whole_labels() {
        let counts = [(1.0, 58.0), (2.0, 60.0)];
        assert_eq!(y_labels(&counts, 2.2), 3);
        assert_eq!(y_labels(&[(1.0, 0.5), (2.0, 1.0)], 0.6), MOST_LABELS);
        assert_eq!([short(4.0, 6.0), short(1.5, 6.0), short(1.0, 0.6)], ["4", "1.5", "1.00"]);
    }
}
