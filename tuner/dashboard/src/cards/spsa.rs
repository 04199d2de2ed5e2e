//! Tuning runs: the path of each parameter with the band of a random walk.

use std::path::Path;

use maud::html;
use nullarbor_report::table::{Table, grouped};
use nullarbor_spsa::page::paths;
use nullarbor_spsa::record::Record;
use nullarbor_spsa::trace::Trace;

use super::{Shown, charts, figures, name, table};

/// Moments of a path.
const MOMENTS: u64 = 120;
/// Paths that are drawn, at most: those that moved farthest.
const PATHS: usize = 24;

pub(super) fn show(path: &Path) -> Shown {
    let record = Record::read(path)?;
    let trace = Trace::of(&record, MOMENTS)?;
    let (done, all) = (record.iterations.len() as u64, record.run.iterations);
    let games = 2 * done * record.run.pairs_per_iteration;
    let facts = [
        ("iterations", format!("{} of {}", grouped(done), grouped(all))),
        ("games", grouped(games)),
        ("parameters", trace.parameters.len().to_string()),
        ("done", format!("{:.0} %", 100.0 * done as f64 / all.max(1) as f64)),
    ];
    let change = |index: usize| {
        let parameter = &trace.parameters[index];
        (trace.result[index] - parameter.start) / parameter.c_end
    };
    let mut order: Vec<usize> = (0..trace.parameters.len()).collect();
    order.sort_by(|&a, &b| change(b).abs().total_cmp(&change(a).abs()));
    let row = |&index: &usize| {
        let parameter = &trace.parameters[index];
        let value = trace.result[index];
        [
            parameter.name.clone(),
            parameter.start.to_string(),
            format!("{value:.2}"),
            format!("{:+.2} c", change(index)),
        ]
    };
    let parameters =
        Table::new("", ["parameter", "start", "value", "change"], order.iter().map(row));
    let paths = paths(&trace);
    let drawn: Vec<_> = order.iter().take(PATHS).map(|&index| paths[index].clone()).collect();
    let body = html! {
        (figures(&facts)) (charts(&drawn))
        @if drawn.iter().any(|chart| chart.series.len() > 1) && done > 1 {
            p { "Grey: where a random walk alone would be two times out of three." }
        }
        (table(&parameters))
    };
    Ok((name(path), done >= all, body))
}
