//! Matches: Elo and LLR over games.

use std::path::Path;

use maud::html;
use nullarbor_games::matches::{GameRecord, journal};
use nullarbor_games::pair::Pairing;
use nullarbor_games::stats::{PairCounts, Sprt, Strength, Verdict};
use nullarbor_report::plot::Chart;
use nullarbor_report::table::{Table, grouped};

use super::{Shown, charts, figures, table};

/// Points of a chart, at most.
const POINTS: usize = 200;

pub(super) fn show(path: &Path) -> Shown {
    let (start, mut games) = journal::read(path)?;
    let start = start.ok_or("nothing was played yet")?;
    let identity = start.identity;
    let names = identity.names();
    let limit = identity.limit().unwrap_or("?").to_owned();
    games.sort_unstable_by_key(GameRecord::number);
    let pairings = identity.format.pairings(names.len());
    if pairings.is_empty() {
        return Err("it names fewer than two engines".into());
    }
    let mut counts = vec![PairCounts::default(); pairings.len()];
    let mut history = Vec::new();
    let pairs = games.windows(2).filter(|two| two[0].pair == two[1].pair);
    for (number, two) in pairs.enumerate() {
        let Some(count) = counts.get_mut(two[0].pair as usize % pairings.len()) else { continue };
        count.add(two[0].result(), two[1].result());
        history.push((2 * (number as u64 + 1), *count));
    }
    let title = names.join(" - ");
    let common =
        [("limit", limit), ("games", grouped(games.len() as u64)), ("book", identity.book.clone())];
    let body = if let [counts] = counts.as_slice() {
        let step = history.len().div_ceil(POINTS).max(1);
        let last = history.len().saturating_sub(1);
        let points: Vec<_> = history
            .iter()
            .enumerate()
            .filter(|(at, _)| at % step == 0 || *at == last)
            .map(|(_, it)| *it)
            .collect();
        html! {
            (figures(&common)) (figures(&result(counts, identity.sprt)))
            (charts(&progress(&points, identity.sprt)))
        }
    } else {
        let row = |(&Pairing { first, second }, counts): (&Pairing, &PairCounts)| {
            let pairing = format!("{} - {}", names[first], names[second]);
            [pairing, grouped(counts.games()), elo(counts)]
        };
        let rows = pairings.iter().zip(&counts).map(row);
        html! { (figures(&common)) (table(&Table::new("", ["pairing", "games", "Elo"], rows))) }
    };
    Ok((title, body))
}

/// Describes the difference in Elo.
pub(super) fn elo(counts: &PairCounts) -> String {
    let elo = Strength::of(counts).elo;
    if elo.value.is_finite() && elo.error.is_finite() {
        format!("{:+.1} ± {:.1}", elo.value, elo.error)
    } else {
        format!("{:.0} %", 100.0 * counts.score())
    }
}

fn result(counts: &PairCounts, sprt: Option<Sprt>) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("Elo", elo(counts)),
        ("won, drawn, lost", format!("{} {} {}", counts.wins(), counts.draws(), counts.losses())),
        ("pentanomial", counts.pentanomial().map(|it| it.to_string()).join(" ")),
    ];
    if let Some(sprt) = sprt {
        let (low, high) = sprt.limits();
        let verdict = match sprt.verdict(counts) {
            Some(Verdict::H1) => "H1 accepted",
            Some(Verdict::H0) => "H0 accepted",
            None => "under way",
        };
        all.push(("LLR", format!("{:.2} ({low:.2}, {high:.2})", sprt.llr(counts))));
        all.push(("SPRT", format!("[{}, {}] {verdict}", sprt.elo0, sprt.elo1)));
    }
    all
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
