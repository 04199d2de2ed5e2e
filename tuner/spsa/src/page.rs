//! A run as one HTML page.

use nullarbor::params::Spec;

use super::theta::Axis;
use super::trace::{Moment, Trace};
use nullarbor_report::html::{self, Head, figure};
use nullarbor_report::plot::Plot;

/// The whole page.
pub fn page(head: &Head, trace: &Trace) -> String {
    let mut body = html::table("Parameters", &columns(), &rows(trace));
    body += "<p>Slope: what a move by c_end gains in Elo, by all games of the run, and its standard error.</p>\n";
    body += "<h2>Paths</h2>\n<p>The grey band is where chance alone would have led, two times out of three; the dashed line is the \
             default.</p>\n<div class=\"plots\">\n";
    paths(trace).iter().for_each(|(name, plot)| body += &figure(name, &plot.svg()));
    body += "</div>\n<h2>Games</h2>\n<div class=\"plots\">\n";
    let share = |of: fn(&Moment) -> f64| {
        let later = trace.moments.iter().skip(1);
        let line = later.map(|moment| (moment.games as f64, 100.0 * of(moment))).collect();
        Plot { unit: "games", line, ..Plot::default() }.svg()
    };
    let score = share(|moment| moment.counts.score());
    body += &figure("Score of the first setting, %", &score);
    let drawn = share(|moment| moment.counts.draws() as f64 / moment.counts.games().max(1) as f64);
    body += &figure("Games drawn, %", &drawn);
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

/// A plot of each parameter with its name: where it went, the band of chance around its start, and its default.
pub fn paths(trace: &Trace) -> Vec<(String, Plot)> {
    let plot = |(index, axis): (usize, &Axis)| {
        let (line, band) = trace
            .moments
            .iter()
            .map(|moment| {
                let (games, noise) = (moment.games as f64, moment.noise[index]);
                let band = [axis.start - noise, axis.start + noise];
                ((games, moment.point[index]), (games, band))
            })
            .unzip();
        let mark = Spec::find(&axis.name).map(|spec| f64::from(spec.default));
        (axis.name.clone(), Plot { unit: "games", line, band, mark })
    };
    trace.axes.iter().enumerate().map(plot).collect()
}
