//! A run as sections: all of them are its HTML page, those of the network and the games its card in the dashboard.

use std::io::Write;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use nullarbor_report::html::{self, Head};
use nullarbor_report::plot::Chart;
use nullarbor_report::section::Section;
use nullarbor_report::table::{Table, grouped};
use nullarbor_runs::files::replace;
use nullarbor_stats::{Strength, Unbiased};
use nullarbor_train::trainer::evaluate::pieces;
use nullarbor_train::trainer::judge::Figures;
use nullarbor_train::trainer::page::losses;

use crate::check::Check;
use crate::config::Config;
use crate::error::Error;
use crate::event::{Anchors, Judged, MatchResult, OWN_SET, elo};
use crate::folder::Folder;
use crate::state::{Cycle, State, Step, Verdict};
use crate::under_way;

/// Seconds after which a browser loads the page of a run under way again.
const REFRESH: u64 = 30;
/// Said where generations are compared with each other alone.
pub const NO_OPPONENTS: &str = "No other engine is configured ([anchors] opponents): a rise from generation to generation may be one against relatives alone.";

/// Said about the judge.
const JUDGE: &str = "Mean squared error of the win probability on positions met in games and on neutral ones, and the share of siblings in the right order. A cycle's own set is made anew: compare the two networks within a row.";

/// Said about the sum of the gates.
const SELECTED: &str = "Elo of networks is median-unbiased, with a 95 % interval: the score at the end of a test exaggerates. The sum is one of selected results, those of accepted networks, and so it flatters; matches against the network of three generations before are not selected.";

/// Writes the page of a run. It reloads itself if the run is `live`.
///
/// # Errors
/// If it cannot be written.
pub fn write(folder: &Folder, state: &State, config: &Config, live: bool) -> Result<(), Error> {
    let html = page(folder, state, config, live);
    Ok(replace(&folder.page(), |file| file.write_all(html.as_bytes()))?)
}

fn page(folder: &Folder, state: &State, config: &Config, live: bool) -> String {
    let step = state.next(config.anchors.every);
    let refresh = (live && !matches!(step, Step::GiveUp | Step::Rebuild)).then_some(REFRESH);
    let title = format!("Breeding: generation {}", state.generation());
    let facts = vec![format!("As of {}", Zoned::now().strftime("%Y-%m-%d %H:%M"))];
    let head = Head { title, facts, refresh };
    let stopped = (step == Step::GiveUp).then(|| state.explanation());
    let others = Section::new("Against others");
    let has_opponents = !config.anchors.opponents.is_empty();
    let others = if has_opponents { others } else { others.text(NO_OPPONENTS) };
    let sections = [
        Section::new("Stopped").warnings(stopped.into_iter().flatten()),
        overview(folder, state, &step),
        Section::new("Judge")
            .text(JUDGE)
            .charts(own_charts(state))
            .charts(judge_charts(state))
            .tables([judged(state)]),
        others.tables([anchors(state)]),
        Section::new("Cycles").tables([cycles(state)]),
        games(state),
        Section::new("Gates")
            .text("Every figure with its limits, whether it passed or not; the last cycle first.")
            .tables(state.cycles.iter().rev().map(checks)),
        Section::new("Shipped").tables([shipped(state)]),
    ];
    html::page(&head, &sections)
}

/// Returns the card of a run.
pub fn card(folder: &Folder, state: &State, config: &Config) -> Vec<Section> {
    vec![overview(folder, state, &state.next(config.anchors.every)), games(state)]
}

fn overview(folder: &Folder, state: &State, step: &Step<'_>) -> Section {
    let accepted = state.accepted();
    let shape = accepted.shape;
    let network = format!(
        "{}, {} neurons, {} king and {} output buckets",
        accepted.fingerprint, shape.hidden, shape.king_buckets, shape.output_buckets,
    );
    let pause = folder.pause();
    let paused = pause.exists().then(|| ("Paused", format!("{} exists", pause.display())));
    let figures = [
        ("Generation", state.generation().to_string()),
        ("Network", network),
        ("Now", under_way::describe(folder, step)),
        ("Rejections in a row", state.rejections.to_string()),
    ];
    let trained = state.cycles.iter().rev().find_map(|cycle| cycle.trained.as_ref());
    Section::default()
        .text(SELECTED)
        .figures(figures.into_iter().chain(paused))
        .charts(charts(state))
        .charts(trained.map(|trained| losses(&trained.epochs)))
        .tables([generations(state)])
}

/// The games of each cycle.
fn games(state: &State) -> Section {
    let warnings = state.cycles.iter().flat_map(warnings);
    Section::new("Games").tables([game_figures(state), piece_counts(state)]).warnings(warnings)
}

/// The cycle in which a generation was trained.
fn cycle_of(state: &State, generation: usize) -> Option<&Cycle> {
    let cycle = state.generations[generation].cycle?;
    state.cycles.get(cycle.checked_sub(1)? as usize)
}

/// Returns charts of the strength and the loss over generations.
fn charts(state: &State) -> [Chart; 3] {
    let (mut sum, mut line, mut losses) = (0.0, vec![(0.0, 0.0)], Vec::new());
    for generation in 1..state.generations.len() {
        let Some(cycle) = cycle_of(state, generation) else { continue };
        let x = generation as f64;
        if let Some(Unbiased { elo, .. }) = cycle.nodes.as_ref().and_then(MatchResult::unbiased) {
            sum += elo;
            line.push((x, sum));
        }
        losses.extend(cycle.trained.iter().map(|trained| (x, trained.evaluation.loss)));
    }
    let against_self = Chart::new("Elo at fixed nodes, summed up", "generation", "Elo")
        .line("sum of selected results", line);
    [
        against_self,
        outside(state),
        Chart::new("Held-out loss", "generation", "loss").line("loss", losses),
    ]
}

/// The Elo against each opponent over generations.
fn outside(state: &State) -> Chart {
    let mut names: Vec<&str> = Vec::new();
    for result in state.anchors.iter().flat_map(|anchors| &anchors.results) {
        if !result.opponent.starts_with("generation ") && !names.contains(&result.opponent.as_str())
        {
            names.push(&result.opponent);
        }
    }
    let chart = Chart::new("Elo against other engines", "generation", "Elo");
    names.into_iter().fold(chart, |chart, name| {
        let point = |anchors: &Anchors| {
            let result = anchors.results.iter().find(|result| result.opponent == name)?;
            let elo = Strength::of(&result.pairs).elo.value;
            elo.is_finite().then_some((anchors.generation as f64, elo))
        };
        chart.line(name, state.anchors.iter().filter_map(point))
    })
}

/// Generations, with what is known of each.
fn generations(state: &State) -> Table {
    let row = |number: usize| {
        let cycle = cycle_of(state, number);
        let of = |text: fn(&Cycle) -> Option<String>| cycle.and_then(text).unwrap_or_default();
        vec![
            number.to_string(),
            state.generations[number].network.fingerprint.clone(),
            state.generations[number].network.shape.hidden.to_string(),
            of(|cycle| Some(cycle.begun.cycle.to_string())),
            of(|cycle| Some(grouped(cycle.trained.as_ref()?.positions))),
            of(|cycle| Some(format!("{:.6}", cycle.trained.as_ref()?.evaluation.loss))),
            of(|cycle| cycle.nodes.as_ref().map(MatchResult::elo)),
            of(|cycle| cycle.clock.as_ref().map(MatchResult::elo)),
        ]
    };
    let head = [
        "generation",
        "network",
        "neurons",
        "cycle",
        "positions",
        "held-out loss",
        "fixed nodes",
        "clock",
    ];
    Table::new("", head, (0..state.generations.len()).map(row))
}

/// One of the figures of a network.
pub(crate) type Figure = fn(&Figures) -> Option<f64>;

/// The figures that decide, and their names.
pub(crate) const FIGURES: [(&str, Figure); 3] =
    [("met", Figures::met_loss), ("neutral", Figures::neutral_loss), ("order", Figures::order)];

/// Returns charts of how the new network of each cycle differs from the accepted one on the set of that cycle, which is made anew.
fn own_charts(state: &State) -> Vec<Chart> {
    let chart = |(name, figure): (&str, Figure)| {
        let point = |judged: &Judged| {
            let own = judged.sets.iter().find(|set| set.set == OWN_SET)?;
            Some((judged.cycle as f64, figure(&own.candidate)? - figure(&own.accepted)?))
        };
        let points = state.cycles.iter().filter_map(|cycle| point(cycle.judged.as_ref()?));
        let points: Vec<(f64, f64)> = points.collect();
        let title = format!("{name}, {OWN_SET}: new minus accepted");
        (!points.is_empty())
            .then(|| Chart::new(title, "cycle", name).line(name, points).level("as before", 0.0))
    };
    FIGURES.into_iter().filter_map(chart).collect()
}

/// Returns charts of the figures of accepted networks on each set that does not change.
fn judge_charts(state: &State) -> Vec<Chart> {
    let mut sets: Vec<&str> = Vec::new();
    let judged = || state.cycles.iter().filter_map(|cycle| Some((cycle, cycle.judged.as_ref()?)));
    for set in judged().flat_map(|(_, judged)| &judged.sets) {
        if set.set != OWN_SET && !sets.contains(&set.set.as_str()) {
            sets.push(&set.set);
        }
    }
    let points = |name: &str, figure: Figure| -> Vec<(f64, f64)> {
        let point = |(cycle, judged): (&Cycle, &Judged)| {
            let Some(Verdict::Adopted(generation)) = cycle.verdict else { return None };
            let set = judged.sets.iter().find(|set| set.set == name)?;
            Some((generation as f64, figure(&set.candidate)?))
        };
        judged().filter_map(point).collect()
    };
    let chart = |(title, figure): (&str, Figure)| {
        let chart = Chart::new(title, "generation", title);
        sets.iter().fold(chart, |chart, set| chart.line(set, points(set, figure)))
    };
    if sets.is_empty() { Vec::new() } else { FIGURES.map(chart).into() }
}

/// Returns the figures of both networks of each cycle on each set.
fn judged(state: &State) -> Table {
    let text = |figure: Option<f64>, digits: usize| {
        figure.map_or_else(String::new, |figure| format!("{figure:.digits$}"))
    };
    let figures = |it: &Figures| {
        [
            text(it.met_loss(), 4),
            text(it.neutral_loss(), 4),
            text(it.equal_material, 3),
            text(it.order(), 3),
        ]
    };
    let rows = state.cycles.iter().filter_map(|cycle| cycle.judged.as_ref()).flat_map(|judged| {
        judged.sets.iter().flat_map(move |set| {
            [("new", &set.candidate), ("accepted", &set.accepted)].map(|(network, it)| {
                let [met, neutral, r, order] = figures(it);
                let (cycle, set) = (judged.cycle.to_string(), set.set.clone());
                [cycle, set, network.to_owned(), met, neutral, r, order]
            })
        })
    });
    let head = ["cycle", "set", "network", "met", "neutral", "equal material: r", "order"];
    Table::new("", head, rows)
}

fn anchors(state: &State) -> Table {
    let rows = state.anchors.iter().flat_map(|anchors| {
        anchors.results.iter().map(|result| {
            let generation = anchors.generation.to_string();
            [generation, result.opponent.clone(), anchors.limit.clone(), elo(&result.pairs)]
        })
    });
    Table::new("", ["generation", "opponent", "limit", "Elo"], rows)
}

fn cycles(state: &State) -> Table {
    let row = |cycle: &Cycle| {
        let result = match &cycle.verdict {
            None => "under way".to_owned(),
            Some(Verdict::Adopted(generation)) => format!("generation {generation}"),
            Some(Verdict::Rejected(_)) => "rejected".to_owned(),
        };
        let played = |result: &Option<MatchResult>| {
            result.as_ref().map_or_else(String::new, MatchResult::text)
        };
        let loss = cycle.trained.as_ref().map(|trained| format!("{:.6}", trained.evaluation.loss));
        vec![
            cycle.begun.cycle.to_string(),
            times(cycle),
            cycle.begun.generation.to_string(),
            grouped(cycle.begun.positions),
            grouped(cycle.begun.pile),
            loss.unwrap_or_default(),
            played(&cycle.nodes),
            played(&cycle.clock),
            result,
            reasons(cycle),
        ]
    };
    let head = [
        "cycle",
        "begun, took",
        "games by",
        "new positions",
        "positions before",
        "held-out loss",
        "fixed nodes",
        "clock",
        "result",
        "why",
    ];
    Table::new("", head, state.cycles.iter().map(row))
}

/// Returns the beginning of a cycle, by the clock of this place, and how long it has taken, breaks included.
fn times(cycle: &Cycle) -> String {
    let Some([began, last]) = cycle.times else { return String::new() };
    let Ok(date) = Timestamp::from_second(began as i64) else { return String::new() };
    let date = date.to_zoned(TimeZone::system()).strftime("%m-%d %H:%M").to_string();
    format!("{date}, {:.1} h", last.saturating_sub(began) as f64 / 3600.0)
}

/// Why a cycle's network was rejected.
fn reasons(cycle: &Cycle) -> String {
    let Some(Verdict::Rejected(gates)) = &cycle.verdict else { return String::new() };
    let failed = cycle.checks().filter(|check| !check.passed());
    let failed: Vec<String> =
        failed.map(|it| format!("{} {} ({})", it.name, it.text(), it.limits())).collect();
    if failed.is_empty() { gates.join("; ") } else { failed.join("; ") }
}

fn game_figures(state: &State) -> Table {
    let row = |cycle: &Cycle| {
        let games = cycle.games.as_ref()?;
        let figures = games.figures;
        let number =
            |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.1}"));
        Some(vec![
            cycle.begun.cycle.to_string(),
            grouped(games.counts.games),
            grouped(games.counts.kept),
            number(figures.kept_percent),
            number(figures.duplicates_percent),
            number(figures.drawn_percent),
            number(figures.mean_length),
            number(figures.median_pieces),
            number(figures.median_score),
        ])
    };
    let head = [
        "cycle",
        "games",
        "kept",
        "kept % of scored",
        "duplicates %",
        "drawn %",
        "plies",
        "median pieces",
        "median score",
    ];
    Table::new("New games of each cycle", head, state.cycles.iter().filter_map(row))
}

fn piece_counts(state: &State) -> Table {
    let mut table =
        Table { title: "Kept positions by piece count, %".to_owned(), ..Table::default() };
    table.head.push("cycle".to_owned());
    table.head.extend((0..8).map(|bucket| {
        let [min, max] = pieces(bucket);
        format!("{min}-{max}")
    }));
    for games in state.cycles.iter().filter_map(|cycle| cycle.games.as_ref()) {
        let all = games.pieces.iter().sum::<u64>().max(1) as f64;
        let mut row = vec![games.cycle.to_string()];
        row.extend(games.pieces.map(|count| format!("{:.1}", 100.0 * count as f64 / all)));
        table.rows.push(row);
    }
    table
}

fn warnings(cycle: &Cycle) -> Vec<String> {
    let warnings = cycle.games.iter().flat_map(|games| &games.warnings);
    warnings.map(|warning| format!("cycle {}: {warning}", cycle.begun.cycle)).collect()
}

fn checks(cycle: &Cycle) -> Table {
    let verdict = |passed: bool| if passed { "passed" } else { "failed" }.to_owned();
    let check = |check: &Check| {
        vec![check.name.clone(), check.text(), check.limits(), verdict(check.passed())]
    };
    let mut rows: Vec<Vec<String>> = cycle.checks().map(check).collect();
    for result in [&cycle.nodes, &cycle.clock].into_iter().flatten() {
        let [elo0, elo1] = result.sprt;
        let limits = format!("SPRT [{elo0}, {elo1}], up to {} games", grouped(result.games));
        let name = format!("match, {}", result.limit);
        rows.push(vec![name, result.text(), limits, verdict(result.passed)]);
        for book in &result.books {
            let name = format!("from {}", book.name());
            rows.push(vec![name, elo(&book.pairs), String::new(), String::new()]);
        }
        if result.faults != [0, 0] {
            let [new, old] = result.faults;
            let text = format!("{new} by the new network, {old} by the old one");
            rows.push(vec!["games lost by faults".to_owned(), text, String::new(), String::new()]);
        }
    }
    let title = format!("Cycle {}", cycle.begun.cycle);
    Table::new(&title, ["figure", "value", "limits", ""], rows)
}

fn shipped(state: &State) -> Table {
    let row = |(generation, result): &(u64, MatchResult)| {
        let verdict = if result.passed { "shipped" } else { "not shipped" };
        [generation.to_string(), result.limit.clone(), result.text(), verdict.to_owned()]
    };
    let rows = state.shipped.iter().map(row);
    Table::new("", ["generation", "limit", "fresh match", ""], rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{AnchorResult, Event};
    use crate::state::testing::{cycle, judged_by, played, state};

    #[test]
    fn the_own_set_is_charted_by_cycle_as_a_difference() {
        let (mut state, config) = (state(), Config::default());
        for passes in [true, false] {
            cycle(&mut state, &config, passes);
        }
        assert!(own_charts(&state).is_empty());
        for (cycle, met) in state.cycles.iter_mut().zip([0.024, 0.027]) {
            let set = judged_by(OWN_SET, [0.025, 0.74], [met, 0.75]);
            cycle.judged.as_mut().expect("judged").sets = vec![set];
        }
        let charts = own_charts(&state);
        let titles: Vec<&str> = charts.iter().map(|chart| chart.title.as_str()).collect();
        assert_eq!(
            titles,
            ["met, own set: new minus accepted", "order, own set: new minus accepted"]
        );
        let expected = Chart::new(titles[0], "cycle", "met")
            .line("met", [(1.0, 0.024 - 0.025), (2.0, 0.027 - 0.025)])
            .level("as before", 0.0);
        assert_eq!(charts[0], expected);
        assert!(judge_charts(&state).is_empty());
        assert!(page(&Folder("nowhere".into()), &state, &config, false).contains(titles[0]));
    }

    #[test]
    fn a_page_shows_what_was_adopted_and_why_others_were_rejected() {
        let folder = Folder("nowhere".into());
        let (mut state, config) = (state(), Config::default());
        let empty = page(&folder, &state, &config, true);
        assert!(empty.contains("generation 0") && empty.contains(NO_OPPONENTS));
        for passes in [true, false, true, true, false, false, false] {
            cycle(&mut state, &config, passes);
        }
        let pairs = played(1, true).pairs;
        let results = vec![AnchorResult { opponent: "<other>".to_owned(), pairs }];
        let anchors = Anchors { generation: 3, limit: "tc=3+0.03".to_owned(), results, outside: 1 };
        state.apply(&Event::Anchors(anchors)).expect("in order");
        state.apply(&Event::Shipped { generation: 3, result: played(0, false) }).expect("accepted");
        let html = page(&folder, &state, &config, true);
        for part in [
            "Stopped",
            "&lt;other&gt;",
            "match at fixed nodes",
            "rejected",
            "not shipped",
            "0.002990",
            "0.0240",
            "equal material: r",
            "SPRT [0, 10], up to 6,000 games",
            "cycle 7: few",
            "sum of selected results",
            "Kept positions by piece count",
        ] {
            assert!(html.contains(part), "{part}");
        }
        let (head, body) = html.split_once("<body>").expect("a body");
        assert!(!head.contains("http-equiv=\"refresh\"") && !body.contains("NaN"));
        assert!(empty.contains("http-equiv=\"refresh\""));
    }
}
