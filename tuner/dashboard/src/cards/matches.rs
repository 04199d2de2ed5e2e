//! Matches: who leads and how surely, how far they are, and what went wrong.

use std::path::Path;
use std::time::{Duration, Instant};

use maud::{Markup, html};
use nullarbor_games::matches::journal::{self, Start};
use nullarbor_games::matches::report::ranking;
use nullarbor_games::matches::{GameRecord, Standings};
use nullarbor_report::plot::Chart;
use nullarbor_report::table::grouped;
use nullarbor_stats::{PairCounts, Sprt, Strength, Verdict};

use super::{Shown, charts, figures, table};
use crate::state::Pace;

/// Points of a chart, at most.
const POINTS: usize = 200;

type Figures = Vec<(&'static str, String)>;

pub(super) fn show(path: &Path, is_locked: bool, pace: &mut Pace) -> Shown {
    let (start, mut games) = journal::read(path)?;
    let start = start.ok_or("nothing was played yet")?;
    let names = start.identity.names();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let pairings = start.identity.format.pairings(names.len());
    if pairings.is_empty() {
        return Err("it names fewer than two engines".into());
    }
    games.sort_unstable_by_key(GameRecord::number);
    let played = games.len() as u64;
    let target = target(&start, pairings.len() as u64).map(|games| games.max(played));
    let mut standings = Standings::of_pairings(pairings, names.len());
    let mut history = Vec::new();
    let mut rest = games.into_iter().peekable();
    while let Some(game) = rest.next() {
        match rest.next_if(|next| next.pair == game.pair) {
            None => standings.note_faults(&game),
            Some(second) => {
                standings.add(&[game, second]);
                history.push((standings.games(), standings.counts[0]));
            }
        }
    }
    let sprt = start.identity.sprt;
    let verdict = sprt.and_then(|sprt| sprt.verdict(&standings.counts[0]));
    let is_done = verdict.is_some() || target.is_some_and(|target| played >= target);
    let per_hour = if is_locked { pace.note(Instant::now(), played) } else { None };
    if !is_locked {
        *pace = Pace::default();
    }
    let mut facts = vec![
        ("limit", start.identity.limit().unwrap_or("?").to_owned()),
        ("games", of_target(played, target, sprt.is_some())),
        ("book", start.identity.book.clone()),
    ];
    if let Some(per_hour) = per_hour {
        facts.push(("games an hour", grouped(per_hour as u64)));
        let to_go = sprt.and_then(|sprt| sprt.games_to_go(&standings.counts[0]));
        let to_target = target.map(|target| (target - played) as f64);
        let left = [to_go, to_target].into_iter().flatten().reduce(f64::min);
        facts.extend(left.map(|games| ("time left", format!("about {}", time(games / per_hour)))));
    }
    let title = names.join(" - ");
    let body = html! {
        (figures(&facts))
        @if let [counts] = standings.counts.as_slice() {
            (figures(&result(counts)))
            @if let Some(sprt) = sprt { (figures(&test(sprt, counts, is_locked, played, target))) }
            (charts(&progress(&thinned(&history), sprt)))
        } @else {
            (table(&ranking::crosstable("Ratings from all games; points against each", &names, &standings)))
            (table(&ranking::table("Each against all others", &names, &standings)))
        }
        (faults(&names, &standings))
    };
    Ok((title, is_done, body))
}

/// Returns the games that were planned. Journals of earlier versions tell only by their command line.
fn target(start: &Start, pairings: u64) -> Option<u64> {
    start.games.or_else(|| {
        let words = start.command.iter().zip(start.command.iter().skip(1));
        let apart = words.filter(|(name, _)| *name == "--games").map(|(_, value)| value.as_str());
        let joined = start.command.iter().filter_map(|word| word.strip_prefix("--games="));
        let games: u64 = apart.chain(joined).last()?.parse().ok()?;
        games.checked_mul(pairings)
    })
}

fn of_target(played: u64, target: Option<u64>, is_test: bool) -> String {
    let most = if is_test { "at most " } else { "" };
    target.map_or_else(
        || grouped(played),
        |target| format!("{} of {most}{}", grouped(played), grouped(target)),
    )
}

/// Returns a time in hours as people say it.
fn time(hours: f64) -> String {
    let time = Duration::try_from_secs_f64(3600.0 * hours.max(0.0)).unwrap_or(Duration::MAX);
    match time.as_secs() {
        seconds @ ..100 => format!("{seconds} s"),
        seconds @ ..6_000 => format!("{} min", (seconds + 30) / 60),
        seconds @ ..172_800 => format!("{:.1} h", seconds as f64 / 3600.0),
        seconds => format!("{} days", seconds / 86_400),
    }
}

fn result(counts: &PairCounts) -> Figures {
    let pentanomial = counts.pentanomial().map(|it| it.to_string()).join(", ");
    vec![
        ("Elo", format!("{:+}", Strength::of(counts).elo)),
        (
            "won, drawn, lost",
            format!("+{} ={} −{}", counts.wins(), counts.draws(), counts.losses()),
        ),
        ("pairs worth 0 to 2", format!("[{pentanomial}]")),
    ]
}

fn test(
    sprt: Sprt,
    counts: &PairCounts,
    is_locked: bool,
    played: u64,
    target: Option<u64>,
) -> Figures {
    let (low, high) = sprt.limits();
    let state = match sprt.verdict(counts) {
        Some(Verdict::H1) => "H1 accepted".to_owned(),
        Some(Verdict::H0) => "H0 accepted".to_owned(),
        None if is_locked => "under way".to_owned(),
        None if target.is_some_and(|target| played >= target) => {
            format!("undecided after {} games", of_target(played, target, false))
        }
        None => format!("stopped after {} games, undecided", grouped(played)),
    };
    vec![
        ("LLR", format!("{:.2} ({low:.2}, {high:.2})", sprt.llr(counts))),
        ("SPRT", format!("[{}, {}] {state}", sprt.elo0, sprt.elo1)),
    ]
}

/// Shows the faults of each engine that made some.
fn faults(names: &[&str], standings: &Standings) -> Markup {
    let told: Vec<(&str, String)> = names
        .iter()
        .zip(&standings.faults)
        .map(|(name, faults)| {
            let counts = [
                (faults.time, "lost on time"),
                (faults.crash, "crashed"),
                (faults.stall, "hung"),
                (faults.illegal_move, "illegal moves"),
                (faults.pv_warnings, "PV warnings"),
            ];
            let some = counts.iter().filter(|(count, _)| *count > 0);
            (
                *name,
                some.map(|(count, what)| format!("{what} {}", grouped(*count))).collect::<Vec<_>>(),
            )
        })
        .filter(|(_, told)| !told.is_empty())
        .map(|(name, told)| (name, told.join(", ")))
        .collect();
    let notices = names.iter().zip(&standings.notices);
    let notices: String = notices.map(|(name, notices)| notices.text(name)).collect();
    html! { @if !told.is_empty() {
        h3 { "Faults" }
        @for (name, told) in &told { p.error { (name) ": " (told) } }
        @if !notices.is_empty() { details { summary { "The first of them" } pre { (notices) } } }
    } }
}

/// Returns a part of the history that a chart can show, the last point with it.
fn thinned(history: &[(u64, PairCounts)]) -> Vec<(u64, PairCounts)> {
    let step = history.len().div_ceil(POINTS).max(1);
    let last = history.len().saturating_sub(1);
    let kept = history.iter().enumerate().filter(|(at, _)| at % step == 0 || *at == last);
    kept.map(|(_, it)| *it).collect()
}

fn progress(history: &[(u64, PairCounts)], sprt: Option<Sprt>) -> Vec<Chart> {
    let strengths: Vec<_> = history
        .iter()
        .map(|(games, counts)| (*games as f64, Strength::of(counts).elo))
        .filter(|(_, elo)| elo.value.is_finite() && elo.error.is_finite())
        .collect();
    // The first games have errors that hide everything else.
    let shown: Vec<_> = strengths.iter().skip(strengths.len() / 20).collect();
    let band = shown.iter().map(|(x, elo)| (*x, [elo.value - elo.error, elo.value + elo.error]));
    let elo = Chart::new("Elo, with 95 % interval", "games", "Elo")
        .band("95 %", band)
        .line("Elo", shown.iter().map(|(x, elo)| (*x, elo.value)))
        .level("even", 0.0);
    let mut all = vec![elo];
    if let Some(sprt) = sprt {
        let (low, high) = sprt.limits();
        let llr = history.iter().map(|(games, counts)| (*games as f64, sprt.llr(counts)));
        all.push(
            Chart::new("LLR", "games", "LLR").line("LLR", llr).level("H0", low).level("H1", high),
        );
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor_stats::Model;

    #[test]
    fn a_test_says_how_it_stands() {
        let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05, Model::Normalized).expect("a test");
        let state = |counts: &PairCounts, is_locked, played, target| {
            test(sprt, counts, is_locked, played, target).pop().expect("a state").1
        };
        let few = PairCounts { ww: 3, ll: 3, dd: 4, ..PairCounts::default() };
        assert_eq!(state(&few, true, 20, Some(100)), "[0, 10] under way");
        assert_eq!(state(&few, true, 20, None), "[0, 10] under way");
        assert_eq!(state(&few, false, 20, Some(100)), "[0, 10] stopped after 20 games, undecided");
        assert_eq!(state(&few, false, 20, Some(20)), "[0, 10] undecided after 20 of 20 games");
        let won = PairCounts { ww: 200, ll: 10, ..PairCounts::default() };
        assert_eq!(state(&won, false, 400, Some(1000)), "[0, 10] H1 accepted");
    }

    #[test]
    fn times_are_short() {
        let times = [0.0, 0.01, 0.5, 3.21, 100.0, f64::INFINITY].map(time);
        assert_eq!(times[..5], ["0 s", "36 s", "30 min", "3.2 h", "4 days"]);
        assert!(times[5].ends_with("days"));
    }
}
