//! The summary of a match as JSON. It contains nothing that depends on the clock: where no clock runs in the games, two
//! runs of the same match write the same file.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use crate::matches::identity::Identity;
use crate::matches::notices::Notices;
use crate::matches::standings::Faults;
use crate::matches::{Completion, Outcome, Plan, RunError};
use nullarbor_runs::files::{FileError, replace};
use nullarbor_stats::{Estimate, PairCounts, Sprt, Strength, Unbiased, Verdict};

#[derive(Serialize)]
struct Summary<'a> {
    status: &'static str,
    games: u64,
    /// The fingerprint of the moves and results of all games.
    games_digest: String,
    settings: Identity,
    pairings: Vec<PairingSummary<'a>>,
    engines: Vec<EngineSummary<'a>>,
    ends: &'a BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct PairingSummary<'a> {
    first: &'a str,
    second: &'a str,
    #[serde(flatten)]
    results: Results,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<Test>,
}

#[derive(Serialize)]
struct EngineSummary<'a> {
    name: &'a str,
    limit: String,
    #[serde(flatten)]
    results: Results,
    /// From all games, relative to the mean of all engines; `null` without bounds.
    rating: Option<Estimate>,
    faults: Faults,
    /// The first faults and warnings.
    #[serde(skip_serializing_if = "Notices::is_empty")]
    notices: &'a Notices,
}

/// Numbers that are infinite or undefined become `null`: where all points went to one side, Elo is infinite.
#[derive(Serialize)]
struct Results {
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    points: f64,
    pentanomial: [u64; 5],
    pairs: PairCounts,
    elo: Estimate,
    normalized_elo: Estimate,
    los: f64,
    draw_ratio: f64,
    pairs_ratio: f64,
}

#[derive(Serialize)]
struct Test {
    #[serde(flatten)]
    sprt: Sprt,
    llr: f64,
    lower: f64,
    upper: f64,
    verdict: Option<Verdict>,
    /// The strength without what the end of the test adds to it.
    unbiased: Option<Unbiased>,
}

impl Results {
    fn of(counts: &PairCounts) -> Self {
        let strength = Strength::of(counts);
        Self {
            games: counts.games(),
            wins: counts.wins(),
            draws: counts.draws(),
            losses: counts.losses(),
            points: counts.points(),
            pentanomial: counts.pentanomial(),
            pairs: *counts,
            elo: strength.elo,
            normalized_elo: strength.normalised,
            los: strength.superiority,
            draw_ratio: counts.draw_ratio(),
            pairs_ratio: counts.pairs_ratio(),
        }
    }
}

impl Test {
    fn of(sprt: Sprt, counts: &PairCounts) -> Self {
        let (lower, upper) = sprt.limits();
        let (llr, verdict) = (sprt.llr(counts), sprt.verdict(counts));
        Self { sprt, llr, lower, upper, verdict, unbiased: sprt.unbiased(counts) }
    }
}

/// Writes a summary. The file is replaced as a whole or not at all.
///
/// # Errors
/// If it cannot be written.
pub fn write(
    path: &Path,
    plan: &Plan,
    mut identity: Identity,
    outcome: &Outcome,
) -> Result<(), FileError> {
    // The same match may write its games elsewhere.
    (identity.pgn, identity.pgn_style) = (None, None);
    let standings = &outcome.standings;
    let name = |number: usize| plan.engines[number].name.as_str();
    let ratings = standings.ratings();
    let pairings = standings.pairings.iter().zip(&standings.counts);
    let summary = Summary {
        status: match &outcome.end {
            Ok(Completion::AllGames) => "complete",
            Ok(Completion::Decided(Verdict::H0)) => "H0 accepted",
            Ok(Completion::Decided(Verdict::H1)) => "H1 accepted",
            Err(RunError::Interrupted(_)) => "interrupted",
            Err(RunError::Crash(_)) => "stopped at a crash",
            Err(_) => "failed",
        },
        games: standings.games(),
        games_digest: standings.fingerprint.to_string(),
        settings: identity,
        pairings: pairings
            .map(|(pairing, counts)| PairingSummary {
                first: name(pairing.first),
                second: name(pairing.second),
                results: Results::of(counts),
                sprt: plan.sprt.map(|sprt| Test::of(sprt, counts)),
            })
            .collect(),
        engines: plan
            .engines
            .iter()
            .enumerate()
            .map(|(number, engine)| EngineSummary {
                name: &engine.name,
                limit: engine.limit.to_string(),
                results: Results::of(&standings.of(number)),
                rating: ratings[number],
                faults: standings.faults[number],
                notices: &standings.notices[number],
            })
            .collect(),
        ends: &standings.ends,
    };
    replace(path, |file| {
        serde_json::to_writer_pretty(&mut *file, &summary)?;
        file.write_all(b"\n")
    })
}
