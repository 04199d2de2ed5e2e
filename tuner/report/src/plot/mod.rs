//! Charts: what is drawn, apart from how. [`fn@figure`] draws one for a page, with values under the pointer; [`fn@sheet`] draws
//! several as one SVG file.

mod figure;
mod sheet;

pub use figure::{SCRIPT, figure};
pub use sheet::sheet;

/// A chart: series over one horizontal axis, with their names in a legend.
///
/// ```
/// use nullarbor_report::plot::{Chart, sheet};
///
/// let chart = Chart::new("Loss", "million positions", "squared error")
///     .line("training", [(1.0, 0.06), (2.0, 0.05)])
///     .line("validation", [(1.0, 0.07), (2.0, 0.06)])
///     .level("best", 0.06);
/// assert_eq!(chart.series.len(), 3);
/// assert!(sheet(&[chart]).starts_with("<svg"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Title of the chart.
    pub title: String,
    /// The quantity or unit of the horizontal axis.
    pub x: String,
    /// The quantity or unit of the vertical axis.
    pub y: String,
    /// Series, from the back to the front.
    pub series: Vec<Series>,
    /// Values of the horizontal axis with labels of their own; empty for labels that the library chooses.
    pub ticks: Vec<(f64, String)>,
    /// True if the chart takes the whole width of a page.
    pub is_wide: bool,
    /// True if the vertical axis begins at zero.
    pub from_zero: bool,
}

/// A named part of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Values of the series.
    pub data: Data,
}

/// The values of a series.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A line through points.
    Line(Vec<(f64, f64)>),
    /// The area between a lower and an upper edge.
    Band(Vec<(f64, [f64; 2])>),
    /// A dashed line across the chart at one value.
    Level(f64),
    /// A bar for each label.
    Bars(Vec<(String, f64)>),
}

impl Chart {
    /// Returns an empty chart with a title and the names of its axes.
    pub fn new(title: impl Into<String>, x: impl Into<String>, y: impl Into<String>) -> Self {
        Self { title: title.into(), x: x.into(), y: y.into(), ..Self::default() }
    }

    /// Adds a line through points.
    pub fn line(self, name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.with(name, Data::Line(points.into_iter().collect()))
    }

    /// Adds a value with its error as an upright bar, with a dash at the value.
    pub fn interval(self, name: &str, x: f64, value: f64, error: f64) -> Self {
        let (low, high, side) = (value - error, value + error, INTERVAL_DASH);
        // The value comes last: it is what a page shows.
        let dash = [(x, value), (x - side, value), (x + side, value), (x, value)];
        self.line(name, [(x, low), (x, high)].into_iter().chain(dash))
    }

    /// Adds the area between a lower and an upper edge.
    pub fn band(self, name: &str, edges: impl IntoIterator<Item = (f64, [f64; 2])>) -> Self {
        self.with(name, Data::Band(edges.into_iter().collect()))
    }

    /// Adds a dashed line across the chart.
    pub fn level(self, name: &str, value: f64) -> Self {
        self.with(name, Data::Level(value))
    }

    /// Adds a bar for each label; the bars of later series stand before those of earlier ones.
    pub fn bars(self, name: &str, bars: impl IntoIterator<Item = (String, f64)>) -> Self {
        self.with(name, Data::Bars(bars.into_iter().collect()))
    }

    /// Labels values of the horizontal axis.
    pub fn ticks(self, ticks: impl IntoIterator<Item = (f64, String)>) -> Self {
        Self { ticks: ticks.into_iter().collect(), ..self }
    }

    /// Lets the chart take the whole width of a page.
    pub fn wide(self) -> Self {
        Self { is_wide: true, ..self }
    }

    /// Lets the vertical axis begin at zero.
    pub fn from_zero(self) -> Self {
        Self { from_zero: true, ..self }
    }

    fn with(mut self, name: &str, data: Data) -> Self {
        self.series.push(Series { name: name.to_owned(), data });
        self
    }

    /// Returns all points of lines and edges of bands.
    fn points(&self) -> Vec<(f64, f64)> {
        let points = |series: &Series| match &series.data {
            Data::Line(points) => points.clone(),
            Data::Band(edges) => {
                edges.iter().flat_map(|&(x, [low, high])| [(x, low), (x, high)]).collect()
            }
            Data::Level(_) | Data::Bars(_) => Vec::new(),
        };
        self.series
            .iter()
            .flat_map(points)
            .filter(|(x, y)| x.is_finite() && y.is_finite())
            .collect()
    }
}

/// Colours that differ for most colour-blind readers too, on light and on dark ground (Paul Tol's schemes, 2021).
const COLOURS: [(u8, u8, u8); 8] = [
    (0x44, 0x77, 0xaa),
    (0xee, 0x66, 0x77),
    (0x22, 0x88, 0x33),
    (0xcc, 0xaa, 0x22),
    (0x66, 0xbb, 0xdd),
    (0xaa, 0x33, 0x77),
    (0x99, 0x99, 0x99),
    (0xee, 0x77, 0x33),
];
/// The colour of levels.
const LEVEL: (u8, u8, u8) = (0xcc, 0x66, 0x77);
/// The grey of bands, grids and axes, which suits light and dark ground.
const GREY: (u8, u8, u8) = (0x88, 0x88, 0x88);
/// Half of the dash at the value of an interval, on the horizontal axis.
const INTERVAL_DASH: f64 = 0.15;
/// The opacity of bands.
const BAND_OPACITY: f64 = 0.25;

/// Returns each series with its colour and the number of lines and bars before it, which take turns with [`COLOURS`]. Bars behind
/// other bars are grey.
fn coloured(series: &[Series]) -> impl Iterator<Item = (&Series, usize, (u8, u8, u8))> {
    let is_bars = |series: &Series| matches!(series.data, Data::Bars(_));
    let front = series.iter().rposition(is_bars);
    let mut turn = 0;
    series.iter().enumerate().map(move |(number, series)| {
        let before = turn;
        let colour = match series.data {
            Data::Level(_) => LEVEL,
            Data::Band(_) => GREY,
            Data::Bars(_) if front != Some(number) => GREY,
            Data::Line(_) | Data::Bars(_) => {
                turn += 1;
                COLOURS[before % COLOURS.len()]
            }
        };
        (series, before, colour)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Charts that are easily drawn wrongly: empty, flat, a single point, numbers that are none.
    fn awkward() -> Vec<Chart> {
        let chart = || Chart::new("<title>", "<x>", "<y>");
        vec![
            chart(),
            chart().line("<none>", []),
            chart().line("point", [(0.0, 0.0)]).level("<level>", 0.0),
            chart()
                .line("flat", [(0.0, 5.0), (9.0, 5.0)])
                .band("band", [(0.0, [5.0, 5.0]), (9.0, [3.0, 7.0])]),
            chart().line("gap", [(0.0, f64::NAN), (1.0, f64::INFINITY), (2.0, 1.0)]),
            chart().bars("<all>", [("0".to_owned(), 0.0)]).bars("none", []),
        ]
    }

    #[test]
    fn no_chart_breaks_a_picture() {
        for chart in awkward() {
            let texts = [
                figure(&chart).into_string(),
                sheet(std::slice::from_ref(&chart)),
                sheet(&[chart.clone(), chart]),
            ];
            for text in texts {
                for part in ["NaN", "inf\"", "<x>", "<level>", "<all>"] {
                    assert!(!text.contains(part), "{part}: {text}");
                }
            }
        }
        assert!(sheet(&[]).starts_with("<svg"));
    }

    #[test]
    fn every_series_is_named() {
        let chart =
            Chart::new("t", "x", "y").line("one", [(0.0, 1.0), (1.0, 2.0)]).level("two", 1.0);
        let text = figure(&chart).into_string();
        for name in ["one", "two"] {
            assert!(text.contains(&format!(">{name} ")), "{text}");
        }
    }
}
