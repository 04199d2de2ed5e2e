//! A tuning run as sections: all of them are its HTML page, the first its card in the dashboard.

use nullarbor::params::Spec;
use nullarbor_report::html::{self, Head};
use nullarbor_report::plot::Chart;
use nullarbor_report::section::Section;
use nullarbor_report::table::{Table, grouped};
use nullarbor_stats::{ChiSquare, Estimate, PairCounts};

use super::error::ConfigError;
use super::record::Record;
use super::regression::{Finding, Regression};
use super::trace::{Moment, Trace};

/// Windows over which the scores of the games are averaged: single iterations are noise.
const WINDOWS: usize = 40;
/// Points of all paths together.
const POINTS: u64 = 900;
/// Moments of a path, at most.
const MOMENTS: u64 = 200;
/// Lines of a chart that can be told apart.
const LINES: usize = 12;
/// Paths that are drawn, at most: a page of many parameters weighs no more than one of few.
const PATHS: usize = 36;

/// Returns the history of a run with as many moments as a page shows.
///
/// # Errors
/// If the run file is impossible.
pub fn trace(record: &Record) -> Result<Trace, ConfigError> {
    let paths = record.run.tuned_parameters()?.len().clamp(1, PATHS) as u64;
    Trace::of(record, (POINTS / paths).min(MOMENTS))
}

/// Returns the page of a run. `verifications` are the matches that `spsa verify` played with its result: a title and the
/// printed results of each.
pub fn page(
    head: &Head,
    record: &Record,
    trace: &Trace,
    verifications: &[(String, String)],
) -> String {
    let verified = verifications
        .iter()
        .fold(Section::new("Verification"), |section, (title, text)| section.output(title, text));
    let parameters = parameters(trace).text(EXPLANATION);
    let games = Section::new("Games").charts(games(trace));
    let first = overview(record, trace);
    html::page(head, &[first, verified, parameters, paths_by_change(trace), games])
}

/// Returns the card of a run.
///
/// # Errors
/// If the run file is impossible.
pub fn card(record: &Record) -> Result<Vec<Section>, ConfigError> {
    let trace = trace(record)?;
    Ok(vec![overview(record, &trace), paths_by_change(&trace), parameters(&trace)])
}

fn overview(record: &Record, trace: &Trace) -> Section {
    let (done, all) = (record.iterations.len() as u64, record.run.iterations);
    let figures = [
        ("Iterations", format!("{} of {}", grouped(done), grouped(all))),
        ("Games", grouped(2 * done * record.run.pairs_per_iteration)),
        ("Parameters", trace.parameters.len().to_string()),
        ("Done", format!("{:.0} %", 100.0 * done as f64 / all.max(1) as f64)),
    ];
    let stopped = record.stopped.as_ref().map(|it| ("Stopped", it.text()));
    Section::default().figures(figures.into_iter().chain(stopped))
}

fn parameters(trace: &Trace) -> Section {
    Section::new("Parameters").tables([table(trace)]).text(overall(trace))
}

fn paths_by_change(trace: &Trace) -> Section {
    let all = trace.parameters.len();
    let which = if all > PATHS {
        format!("The {PATHS} of {all} parameters that moved farthest. ")
    } else {
        String::new()
    };
    Section::new("Paths")
        .text(which + "Grey: where a random walk alone would be two times out of three (one standard deviation).")
        .charts([moves(trace)])
        .charts(trace.by_change().into_iter().take(PATHS).map(|index| path(trace, index)))
}

const EXPLANATION: &str = "By regression on all games of the run, with half of the 95 % interval. Slope: the Elo gained by a step of c_end from the value. Cost: the Elo lost by half of the range. Best: where the slope is 0, if there is a curvature (5 %, by the distribution of Dickey and Fuller). Arrived: there is a curvature, and no slope is left. Still moving: there is an effect, and a slope. No effect seen: neither a curvature, nor a slope over the run or a return to where it was that is more than chance (false discovery rate 5 %).";

/// The test over all parameters together.
fn overall(trace: &Trace) -> String {
    let test = Regression::overall(&trace.findings);
    let (ChiSquare { value, degrees }, p) = (test, test.p());
    let count = |of: fn(&Finding) -> bool| trace.findings.iter().filter(|it| of(it)).count();
    let verdict = if p < 0.05 {
        "the parameters have an effect"
    } else {
        "no effect of any parameter is shown"
    };
    let p = if p < 0.0001 { "p < 0.0001".to_owned() } else { format!("p = {p:.4}") };
    format!(
        "All parameters together: chi-square {value:.1} with {degrees} degrees of freedom, {p}: {verdict}. {} of {} have an effect beyond chance, {} a curvature. {} Elo remain to be gained, if half of a range costs some Elo.",
        count(|it| it.has_effect),
        trace.findings.len(),
        count(|it| it.is_curved),
        trace.remaining,
    )
}

fn table(trace: &Trace) -> Table {
    let signed = |of: Option<Estimate>, digits: usize| {
        of.map_or_else(|| "-".to_owned(), |it| format!("{it:+.digits$}"))
    };
    let row = |index: usize| {
        let parameter = &trace.parameters[index];
        let (value, found) = (trace.result[index], &trace.findings[index]);
        let c_end = parameter.c_end;
        let slope = Estimate { value: found.slope.value * c_end, error: found.slope.error * c_end };
        let optimum = found.optimum.map_or_else(|| "-".to_owned(), |it| it.to_string());
        vec![
            parameter.name.clone(),
            parameter.start.to_string(),
            format!("{value:.2}"),
            format!("{:+.2} c", trace.change(index)),
            trace.remark(index).to_owned(),
            signed(Some(slope), 2),
            signed(Some(found.curvature), 1),
            optimum,
            c_end.to_string(),
            format!("{} to {}", parameter.range.min, parameter.range.max),
        ]
    };
    let head = [
        "parameter",
        "start",
        "value",
        "change",
        "verdict",
        "slope",
        "cost",
        "best",
        "c_end",
        "range",
    ];
    Table::new("", head, trace.by_change().into_iter().map(row))
}

/// The parameters that moved farthest in one chart, in units of their perturbations.
fn moves(trace: &Trace) -> Chart {
    let chart =
        Chart::new("Change of the parameters that moved farthest", "games", "units of c_end")
            .wide();
    trace.by_change().into_iter().take(LINES).fold(chart, |chart, index| {
        let parameter = &trace.parameters[index];
        let change = |moment: &Moment| (moment.theta[index] - parameter.start) / parameter.c_end;
        chart.line(&parameter.name, trace.moments.iter().map(|it| (it.games as f64, change(it))))
    })
}

/// Returns a chart of the path of each parameter.
pub fn paths(trace: &Trace) -> Vec<Chart> {
    (0..trace.parameters.len()).map(|index| path(trace, index)).collect()
}

/// Returns a chart of the path of a parameter, with the band of a random walk around its start, and its default.
fn path(trace: &Trace, index: usize) -> Chart {
    let parameter = &trace.parameters[index];
    let moments = || trace.moments.iter().map(|moment| (moment.games as f64, moment));
    let band = moments().map(|(games, moment)| {
        let sigma = moment.random_walk[index];
        (games, [parameter.start - sigma, parameter.start + sigma])
    });
    let spec = Spec::find(&parameter.name);
    let chart = Chart::new(&parameter.name, "games", spec.map_or("value", |spec| spec.unit))
        .band("random walk (1 sigma)", band)
        .line("value", moments().map(|(games, moment)| (games, moment.theta[index])))
        .level("result, an average", trace.result[index]);
    spec.map_or(chart.clone(), |spec| chart.level("default", f64::from(spec.default)))
}

/// The score of the first of the two settings that each pair of games compares, and how many games are drawn.
fn games(trace: &Trace) -> [Chart; 2] {
    let windows = windows(trace);
    let percent = |of: fn(&PairCounts) -> f64| {
        windows.iter().map(move |(games, counts)| (*games, 100.0 * of(counts)))
    };
    let error = windows.iter().map(|(games, counts)| {
        let (score, error) = (counts.score(), standard_error(counts));
        (*games, [100.0 * (score - error), 100.0 * (score + error)])
    });
    [
        Chart::new("Score of theta + c against theta - c", "games", "%")
            .band("standard error", error)
            .line("score, mean of a window", percent(PairCounts::score))
            .level("even", 50.0),
        Chart::new("Draws", "games", "%").from_zero().line(
            "drawn, mean of a window",
            percent(|counts| counts.draws() as f64 / counts.games().max(1) as f64),
        ),
    ]
}

/// The games of the run in about [`WINDOWS`] parts, with the number of games at the end of each.
fn windows(trace: &Trace) -> Vec<(f64, PairCounts)> {
    let played = trace.moments.get(1..).unwrap_or_default();
    let window = |moments: &[Moment]| {
        let mut counts = PairCounts::default();
        moments.iter().for_each(|moment| counts.merge(&moment.counts));
        (moments.last().map_or(0.0, |moment| moment.games as f64), counts)
    };
    played.chunks(played.len().div_ceil(WINDOWS).max(1)).map(window).collect()
}

/// The standard error of the score, from the variance over pairs of games.
fn standard_error(counts: &PairCounts) -> f64 {
    (counts.variance() / counts.pairs().max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Iteration;
    use crate::run_file::RunFile;
    use nullarbor::params::SPECS;

    fn record() -> Record {
        let specs: Vec<&Spec> = SPECS.iter().filter(|spec| spec.group == "razoring").collect();
        let run = RunFile::of(&specs);
        let length = run.iterations.into();
        Record { run, length, iterations: Vec::new(), stopped: None }
    }

    fn page_of(trace: &Trace, verifications: &[(String, String)]) -> String {
        page(&Head::default(), &record(), trace, verifications)
    }

    fn trace() -> Trace {
        Trace::of(&record(), 10).expect("a run")
    }

    #[test]
    fn a_page_shows_every_parameter_before_the_first_game_and_after() {
        let mut trace = trace();
        let count = trace.parameters.len();
        for games in [0, 8, 16] {
            let page = page_of(&trace, &[]);
            let figures = page.matches("<figure").count();
            assert!(!page.contains("Verification") && page.contains("razor_base"));
            if games == 0 {
                assert_eq!(figures, 0, "there is nothing to draw");
            } else {
                for part in ["random walk (1 sigma)", "default", "even"] {
                    assert!(page.contains(part), "{part} after {games} games");
                }
                assert!(figures > count, "{figures} figures after {games} games");
            }
            let counts = PairCounts { wd: 3, ll: 1, ..PairCounts::default() };
            let start = trace.moments[0].clone();
            trace.moments.push(Moment { games: games + 8, counts, ..start });
        }
        assert_eq!(windows(&trace).len(), 3);
    }

    #[test]
    fn a_page_of_many_parameters_is_no_larger_than_one_of_few() {
        for count in [3, SPECS.len()] {
            let specs: Vec<&Spec> = SPECS.iter().take(count).collect();
            let run = RunFile { iterations: 400, pairs_per_iteration: 1, ..RunFile::of(&specs) };
            let pairs =
                |number| PairCounts { wd: number % 2, ld: 1 - number % 2, ..PairCounts::default() };
            let iterations = (1..=400).map(|number| Iteration { number, pairs: pairs(number) });
            let length = run.iterations.into();
            let record = Record { run, length, iterations: iterations.collect(), stopped: None };
            let trace = super::trace(&record).expect("a run");
            let html = page(&Head::default(), &record, &trace, &[]);
            assert!(html.contains(&format!("of {count} parameters")) == (count > PATHS));
            assert!(html.len() < 150_000, "{count} parameters: {} bytes", html.len());
        }
    }

    #[test]
    fn verifications_are_quoted() {
        let verification = ("verify-start.txt".to_owned(), "Elo: <5>".to_owned());
        let page = page_of(&trace(), &[verification]);
        assert!(page.contains("<pre>Elo: &lt;5&gt;</pre>"));
    }

    #[test]
    fn the_standard_error_is_that_of_the_mean_of_pairs() {
        let counts = PairCounts { ww: 2, ll: 2, ..PairCounts::default() };
        assert!((standard_error(&counts) - 0.25).abs() < 1e-12);
        assert_eq!(standard_error(&PairCounts::default()), 0.0);
    }
}
