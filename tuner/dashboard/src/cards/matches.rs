//! Matches: who leads and how surely, how far they are, and what went wrong.

use std::path::Path;
use std::time::{Duration, Instant};

use maud::{Markup, html};
use nullarbor_games::matches::Standings;
use nullarbor_games::matches::report::course::Course;
use nullarbor_games::matches::report::ranking;
use nullarbor_report::table::grouped;
use nullarbor_stats::{PairCounts, Sprt, Strength};

use super::{Shown, charts, figures, table};
use crate::state::Pace;

type Figures = Vec<(&'static str, String)>;

pub(super) fn show(path: &Path, is_locked: bool, pace: &mut Pace) -> Shown {
    let course = Course::read(path)?;
    let (names, standings) = (course.names(), &course.standings);
    let identity = &course.start.identity;
    let (played, sprt) = (course.played(), identity.sprt);
    let per_hour = if is_locked { pace.note(Instant::now(), played) } else { None };
    if !is_locked {
        *pace = Pace::default();
    }
    let mut facts = vec![
        ("limit", identity.limit().unwrap_or("?").to_owned()),
        ("games", course.progress()),
        ("book", identity.book.clone()),
    ];
    if let Some(per_hour) = per_hour {
        facts.push(("games an hour", grouped(per_hour as u64)));
        let to_go = sprt.and_then(|sprt| sprt.games_to_go(&standings.counts[0]));
        let to_target = course.target().map(|target| (target - played) as f64);
        let left = [to_go, to_target].into_iter().flatten().reduce(f64::min);
        facts.extend(left.map(|games| ("time left", format!("about {}", time(games / per_hour)))));
    }
    let title = names.join(" - ");
    let body = html! {
        (figures(&facts))
        @if let [counts] = standings.counts.as_slice() {
            @if counts.pairs() > 0 { (figures(&result(counts))) }
            @if let Some(sprt) = sprt { (figures(&test(sprt, counts, &course.state(is_locked)))) }
            (charts(&course.charts()))
        } @else {
            (table(&ranking::crosstable("Ratings from all games; points against each", &names, standings)))
            (table(&ranking::table("Each against all others", &names, standings)))
        }
        (faults(&names, standings))
    };
    Ok((title, course.is_done(), body))
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

fn test(sprt: Sprt, counts: &PairCounts, state: &str) -> Figures {
    let (low, high) = sprt.limits();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let times = [0.0, 0.01, 0.5, 3.21, 100.0, f64::INFINITY].map(time);
        assert_eq!(times[..5], ["0 s", "36 s", "30 min", "3.2 h", "4 days"]);
        assert!(times[5].ends_with("days"));
    }
}
