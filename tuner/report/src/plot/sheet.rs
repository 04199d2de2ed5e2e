//! Charts as a single SVG file, without interaction.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::{BAND_OPACITY, Chart, Data, coloured};

/// The size of a chart in pixels.
const SIZE: (u32, u32) = (520, 280);
/// Charts side by side.
const COLUMNS: usize = 2;
const FONT: &str = "system-ui, sans-serif";

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn<'a> = Result<(), Box<dyn std::error::Error + 'a>>;

/// Returns an SVG file with charts in rows of two. Bars are not drawn.
pub fn sheet(charts: &[Chart]) -> String {
    let (columns, rows) = (charts.len().clamp(1, COLUMNS), charts.len().div_ceil(COLUMNS).max(1));
    let mut svg = String::new();
    {
        let size = (SIZE.0 * columns as u32, SIZE.1 * rows as u32);
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
        .margin_right(20)
        .x_label_area_size(38)
        .y_label_area_size(58)
        .build_cartesian_2d(left..right, bottom..top)?;
    plot.configure_mesh()
        .x_desc(&chart.x)
        .y_desc(&chart.y)
        .label_style((FONT, 12))
        .light_line_style(TRANSPARENT)
        .x_labels(6)
        .y_labels(6)
        .x_label_formatter(&|value| short(*value, right - left))
        .y_label_formatter(&|value| short(*value, top - bottom))
        .draw()?;
    for (series, _, (red, green, blue)) in coloured(&chart.series) {
        let colour = RGBColor(red, green, blue);
        match &series.data {
            Data::Line(points) => {
                let points = points.iter().copied().filter(|(_, y)| y.is_finite());
                plot.draw_series(LineSeries::new(points, colour.stroke_width(2)))?;
            }
            Data::Band(edges) => {
                let edge = |side: usize| edges.iter().map(move |(x, edges)| (*x, edges[side]));
                let outline: Vec<_> = edge(1).chain(edge(0).rev()).collect();
                plot.draw_series([Polygon::new(outline, colour.mix(BAND_OPACITY).filled())])?;
            }
            Data::Level(value) => {
                let ends = [(left, *value), (right, *value)];
                plot.draw_series(DashedLineSeries::new(ends, 6, 4, colour.stroke_width(1)))?;
            }
            Data::Bars(_) => {}
        }
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

/// Returns a number with as many digits as a range of this span needs.
fn short(value: f64, span: f64) -> String {
    let digits = (1.5 - span.log10()).ceil().clamp(0.0, 6.0) as usize;
    match value.abs() {
        10_000.0.. if span > 10_000.0 => format!("{:.0}k", value / 1000.0),
        _ => format!("{value:.digits$}"),
    }
}
