//! Charts for pages, drawn in the browser by plotly.js: values under the pointer, series that can be switched off, zoom.

use plotly::common::{DashType, Fill, Font, Label, Line, Marker, Mode, Orientation};
use plotly::configuration::DisplayModeBar;
use plotly::layout::{Axis, BarMode, HoverMode, Legend, Margin, RangeMode};
use plotly::{Bar, Configuration, Layout, Plot, Scatter, Trace};

use super::{BAND_OPACITY, COLOURS, Chart, Data, GREY, Series, coloured};

/// Labels of an axis at most.
const MOST_TICKS: usize = 8;
/// Points of a line that are marked as well.
const FEW: usize = 30;

/// Returns the script element that a page with charts needs once: plotly.js, without the typesetter for formulas.
pub(crate) fn library() -> String {
    const END: &str = "</script>";
    let mut scripts = Plot::offline_js_sources();
    scripts.truncate(scripts.find(END).map_or(0, |end| end + END.len()));
    scripts
}

/// Returns a chart as an element of a page; `number` tells it from the other charts of the page.
pub(crate) fn div(chart: &Chart, number: usize) -> String {
    let mut plot = Plot::new();
    for (series, turn, colour) in coloured(&chart.series) {
        traces(chart, series, turn, colour).into_iter().for_each(|trace| plot.add_trace(trace));
    }
    plot.set_layout(layout(chart));
    plot.set_configuration(
        Configuration::new()
            .responsive(true)
            .display_logo(false)
            .display_mode_bar(DisplayModeBar::Hover),
    );
    plot.to_inline_html(Some(&format!("chart-{number}")))
}

fn traces(
    chart: &Chart,
    series: &Series,
    turn: usize,
    colour: (u8, u8, u8),
) -> Vec<Box<dyn Trace>> {
    let name = series.name.as_str();
    match &series.data {
        Data::Line(points) => {
            let dash = if turn < COLOURS.len() { DashType::Solid } else { DashType::Dash };
            let mode = if points.len() <= FEW { Mode::LinesMarkers } else { Mode::Lines };
            let style = Line::new().color(css(colour, 1.0)).width(2.0).dash(dash);
            vec![scatter(points.iter().copied()).name(name).mode(mode).line(style)]
        }
        Data::Band(edges) => {
            let edge = |side: usize, name: &str| {
                scatter(edges.iter().map(|(x, edges)| (*x, edges[side])))
                    .name(name)
                    .mode(Mode::Lines)
                    .line(Line::new().width(0.0).color(css(colour, 1.0)))
                    .legend_group(&series.name)
            };
            let lower = edge(0, &format!("{name}, lower")).show_legend(false);
            let upper = edge(1, name).fill(Fill::ToNextY).fill_color(css(colour, BAND_OPACITY));
            vec![lower, upper]
        }
        Data::Level(value) => {
            let xs = chart.points().into_iter().map(|(x, _)| x);
            let [first, last] =
                xs.fold([f64::MAX, f64::MIN], |[low, high], x| [low.min(x), high.max(x)]);
            let ends = [first, last].into_iter().filter(|_| first <= last);
            let style = Line::new().color(css(colour, 1.0)).width(1.5).dash(DashType::Dash);
            vec![scatter(ends.map(|x| (x, *value))).name(name).mode(Mode::Lines).line(style)]
        }
        Data::Bars(bars) => {
            let (labels, values) = bars.iter().cloned().unzip();
            let marker = Marker::new().color(css(colour, 1.0));
            vec![Bar::new(labels, values).name(name).marker(marker)]
        }
    }
}

/// JSON has no numbers that are none: their points are left out.
fn scatter(points: impl Iterator<Item = (f64, f64)>) -> Box<Scatter<f64, f64>> {
    let (xs, ys) = points.filter(|(x, y)| x.is_finite() && y.is_finite()).unzip();
    Scatter::new(xs, ys)
}

fn layout(chart: &Chart) -> Layout {
    let axis = |title: &str| {
        Axis::new()
            .title(title)
            .auto_margin(true)
            .grid_color(css(GREY, 0.25))
            .zero_line_color(css(GREY, 0.5))
            .hover_format(",.6~r")
            .n_ticks(MOST_TICKS)
    };
    let mut x_axis = axis(&chart.x);
    if !chart.ticks.is_empty() {
        let (values, labels) = chart.ticks.iter().cloned().unzip();
        x_axis = x_axis.tick_values(values).tick_text(labels);
    }
    let mut y_axis = axis(&chart.y);
    if chart.from_zero {
        y_axis = y_axis.range_mode(RangeMode::ToZero);
    }
    let legend = if chart.is_wide {
        Legend::new()
    } else {
        Legend::new().orientation(Orientation::Horizontal).y(1.15).x(0.0)
    };
    // The ground is that of the page; a style sheet gives the text the page's colour.
    let ground = css(GREY, 0.0);
    let bubble = Label::new().background_color("#333").font(Font::new().color("#fff"));
    Layout::new()
        .auto_size(true)
        .font(Font::new().family("system-ui, sans-serif").size(13))
        .margin(Margin::new().top(24).right(16).left(56).bottom(48))
        .paper_background_color(ground.clone())
        .plot_background_color(ground)
        .hover_mode(HoverMode::XUnified)
        .hover_label(bubble)
        .bar_mode(BarMode::Overlay)
        .bar_gap(0.1)
        .show_legend(chart.series.len() > 1)
        .legend(legend)
        .x_axis(x_axis)
        .y_axis(y_axis)
}

fn css((red, green, blue): (u8, u8, u8), opacity: f64) -> String {
    format!("rgba({red},{green},{blue},{opacity})")
}
