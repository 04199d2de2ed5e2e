//! Claims of the sources, and their verdicts by the records.

use nullarbor_lab::numbers::percent;
use nullarbor_lab::result::Cell;
use nullarbor_stats::{Strength, sign_test};

use crate::families::{self, Compared, is_believed, p_equals};
use crate::record::{Differing, MatchRecord, Record, SchemeRecord, SuiteRecord};
use crate::trend::Trend;

/// A claim of a source.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Author and year.
    pub source: &'static str,
    /// Claim of the source, with its figures.
    pub claim: &'static str,
    /// The experiment that tests it.
    pub experiment: &'static str,
    /// Judges it by the record; `None` if the record does not hold what is needed.
    pub judge: fn(&Record) -> Option<Judgement>,
}

/// A verdict and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// A word of the list in the document.
    pub verdict: &'static str,
    /// The figures.
    pub evidence: String,
}

const CONFIRMED: &str = "confirmed";
const NOT_CONFIRMED: &str = "not confirmed";
const DIFFERS: &str = "differs";
const IN_PART: &str = "in part";
const DEPENDS: &str = "depends on nodes";
const MORE: &str = "more";
const LESS: &str = "less";
const NOT_TESTABLE: &str = "not testable";
const NOT_MEASURED: &str = "not yet measured";

/// All verdicts, in the order in which they are counted.
const VERDICTS: &[&str] =
    &[CONFIRMED, NOT_CONFIRMED, MORE, LESS, DIFFERS, IN_PART, DEPENDS, NOT_TESTABLE, NOT_MEASURED];

/// Returns the verdict and the figures of a claim, by the record of its experiment.
pub fn judged(claim: &Claim, record: Option<&Record>) -> Judgement {
    record.and_then(claim.judge).unwrap_or_else(|| Judgement {
        verdict: NOT_MEASURED,
        evidence: format!("`{}`", claim.experiment),
    })
}

/// Returns how many claims have each verdict, as text.
pub fn counted(judgements: &[Judgement]) -> String {
    let count = |verdict| judgements.iter().filter(|it| it.verdict == verdict).count();
    let counts = VERDICTS.iter().map(|verdict| (count(*verdict), verdict));
    let counts = counts.filter(|(count, _)| *count > 0);
    let texts: Vec<String> = counts.map(|(count, verdict)| format!("{count} {verdict}")).collect();
    format!("Of {} claims: {}.", judgements.len(), texts.join(", "))
}

/// All claims, by the year of their source.
pub const CLAIMS: &[Claim] = &[
    Claim {
        source: "Heinz 1999",
        claim: "Adaptive R = 2 or 3 saves 10 to 30 % of the effort of R = 2",
        experiment: "wcs",
        judge: |record| {
            let suite = suite(record)?;
            let saved = -change(suite, "heinz", "fixed-2")?;
            let evidence = format!("saves {saved:.1} % of the nodes {}", at_last(suite)?);
            Some(in_range(saved, 10.0, 30.0, evidence))
        },
    },
    Claim {
        source: "David-Tabibi and Netanyahu 2002",
        claim: "R = 3 needs a smaller tree than verified R = 3: 38 to 48 % less on WCS at depths 8 to 10",
        experiment: "wcs-deep",
        judge: |record| {
            let changes = changes(suite(record)?, "fixed-3", "verified")?;
            let saved = -changes.iter().sum::<f64>() / changes.len() as f64;
            let evidence = format!("{}, on average {saved:.1} % less", against_verified(&changes));
            Some(in_range(saved, 38.0, 48.0, evidence))
        },
    },
    Claim {
        source: "David-Tabibi and Netanyahu 2002",
        claim: "R = 2 outgrows verified R = 3 with depth: -14 %, +47 %, +47 % on WCS at depths 8, 9, 10",
        experiment: "wcs-deep",
        judge: outgrows,
    },
    Claim {
        source: "David-Tabibi and Netanyahu 2002",
        claim: "The same on ECM: +11 %, +17 %, +107 % at depths 9, 10, 11",
        experiment: "ecm-deep",
        judge: outgrows,
    },
    Claim {
        source: "David-Tabibi and Netanyahu 2002",
        claim: "Verified R = 3 solves most: 866 of WCS at depth 10 against 850 (R = 2) and 849 (R = 3)",
        experiment: "wcs-deep",
        judge: |record| {
            let [verified, two, three] =
                ["verified", "fixed-2", "fixed-3"].map(|name| solved(record, name));
            let (verified, two, three) = (verified?, two?, three?);
            let evidence = format!("{verified} against {two} (R = 2) and {three} (R = 3)");
            let rivals = [("verified", "fixed-2"), ("verified", "fixed-3")];
            let family = families::solved(suite(record)?, &rivals);
            Some(judgement(family.iter().all(Compared::is_ahead), evidence))
        },
    },
    Claim {
        source: "David-Tabibi and Netanyahu 2002",
        claim: "A ply deeper than they take, verification finds most mates that R = 3 misses: 431 of 434 mates in 4 against 379",
        experiment: "mates",
        judge: finds_mates,
    },
    Claim {
        source: "David-Tabibi and Netanyahu 2002",
        claim: "The same with 340 of 353 mates in 5 against 286",
        experiment: "mates-deep",
        judge: finds_mates,
    },
    Claim {
        source: "David-Tabibi and Netanyahu 2002",
        claim: "Verification detects most zugzwangs that R = 3 misses",
        experiment: "zugzwang",
        judge: |record| repairs(record, "fixed-3+verification=reduce"),
    },
    Claim {
        source: "David-Tabibi and Netanyahu 2002",
        claim: "Verified R = 3 beats R = 2: 68.5 of 100 points at 60 minutes a game",
        experiment: "match",
        judge: beats,
    },
    Claim {
        source: "Muller, micro-Max 4",
        claim: "A guard by captured material avoids zugzwang, here with R = 3",
        experiment: "zugzwang",
        judge: |record| repairs(record, "fixed-3+guard=captured"),
    },
    Claim {
        source: "Pettersson 2007",
        claim: "R = 1 is too slow, R = 3 too risky",
        experiment: "wcs",
        judge: |record| {
            let suite = suite(record)?;
            let slower = change(suite, "fixed-1", "fixed-2")?;
            let (two, three) = (solved(record, "fixed-2")?, solved(record, "fixed-3")?);
            let [risk] = families::solved(suite, &[("fixed-2", "fixed-3")])[..] else {
                return None;
            };
            let Compared { one: only_two, other: only_three, .. } = risk;
            let evidence = format!(
                "{}: R = 1 needs {slower:+.1} % nodes against R = 2; R = 2 solves {two}, R = 3 {three}: {only_two} and {only_three} that the other does not",
                at_last(suite)?
            );
            let verdict = match (slower > 20.0, risk.is_ahead()) {
                (true, true) => CONFIRMED,
                (false, false) => NOT_CONFIRMED,
                _ => IN_PART,
            };
            Some(Judgement { verdict, evidence })
        },
    },
    Claim {
        source: "Lea 2016",
        claim: "22 to 28 % of null moves cut; with a mined trigger 80 to 85 %",
        experiment: "wcs",
        judge: trigger_raises,
    },
    Claim {
        source: "Lea 2016",
        claim: "The same in the search as it plays, where most null moves fail as in his program",
        experiment: "ecm-full",
        judge: trigger_raises,
    },
    Claim {
        source: "Lea 2016",
        claim: "With the trigger the program searches about two plies deeper in the same time",
        experiment: "wcs",
        judge: |record| {
            let suite = suite(record)?;
            let by_nodes = |scheme| plies_gained(suite, scheme, "off", |cell| cell.nodes as f64);
            let plies = plies_gained(suite, "impchess-triggered", "off", |cell| cell.seconds)?;
            let [nodes, without] = ["impchess-triggered", "impchess"].map(by_nodes);
            let evidence = format!(
                "{plies:.1} plies in the time of a search without null moves {}; with its nodes {:.1}, and {:.1} without the trigger",
                at_last(suite)?,
                nodes?,
                without?
            );
            Some(in_range(plies, 1.5, 2.5, evidence))
        },
    },
    Claim {
        source: "Chess Programming Guide",
        claim: "60 to 80 % of null moves cut",
        experiment: "wcs",
        judge: |record| cuts(record, "guide-fixed"),
    },
    Claim {
        source: "Chess Programming Guide",
        claim: "The same by its formula for tournament engines",
        experiment: "wcs",
        judge: |record| cuts(record, "guide-formula"),
    },
    Claim {
        source: "Chess Programming Guide",
        claim: "40 to 60 % of the nodes saved",
        experiment: "wcs",
        judge: |record| saves(record, "guide-fixed"),
    },
    Claim {
        source: "Chess Programming Guide",
        claim: "The same by its formula",
        experiment: "wcs",
        judge: |record| saves(record, "guide-formula"),
    },
    Claim {
        source: "Chess Programming Guide",
        claim: "2 to 3 times as fast",
        experiment: "wcs",
        judge: |record| speeds_up(record, "guide-fixed"),
    },
    Claim {
        source: "Chess Programming Guide",
        claim: "The same by its formula",
        experiment: "wcs",
        judge: |record| speeds_up(record, "guide-formula"),
    },
    Claim {
        source: "Chess Programming Guide",
        claim: "100 to 150 Elo, here by the engine's own scheme",
        experiment: "worth-on-a-clock",
        judge: |record| {
            let lines: Vec<String> = record.matches.iter().map(elo).collect();
            let longest = Strength::of(&record.matches.last()?.pairs).elo.value;
            let evidence = lines.join("; ");
            Some(if *families::ahead(&record.matches).last()? {
                in_range(longest, 100.0, 150.0, evidence)
            } else {
                judgement(false, evidence)
            })
        },
    },
];

fn judgement(holds: bool, evidence: String) -> Judgement {
    Judgement { verdict: if holds { CONFIRMED } else { NOT_CONFIRMED }, evidence }
}

/// Judges a figure by the range that the source gives: below 0 it is the opposite.
fn in_range(value: f64, least: f64, most: f64, evidence: String) -> Judgement {
    let verdict = if (least..=most).contains(&value) {
        CONFIRMED
    } else if value > most {
        MORE
    } else if value > 0.0 {
        LESS
    } else {
        NOT_CONFIRMED
    };
    Judgement { verdict, evidence }
}

fn suite(record: &Record) -> Option<&SuiteRecord> {
    record.suites.first()
}

/// Names the last depth of a suite.
fn at_last(suite: &SuiteRecord) -> Option<String> {
    Some(format!("at depth {}", suite.schemes.first()?.last()?.depth?))
}

fn solved(record: &Record, scheme: &str) -> Option<usize> {
    Some(suite(record)?.scheme(scheme)?.last()?.solved)
}

/// Returns by how many percent a scheme needs more nodes than another at each checkpoint.
fn changes(suite: &SuiteRecord, scheme: &str, other: &str) -> Option<Vec<f64>> {
    let cells = suite.scheme(scheme)?.cells.iter().zip(&suite.scheme(other)?.cells);
    let change = |own: u64, base: u64| 100.0 * (own as f64 / base.max(1) as f64 - 1.0);
    Some(cells.map(|(own, base)| change(own.nodes, base.nodes)).collect())
}

fn change(suite: &SuiteRecord, scheme: &str, other: &str) -> Option<f64> {
    changes(suite, scheme, other)?.last().copied()
}

/// Returns how many plies deeper a scheme gets with the effort that another takes to the last depth: its own effort grows by the
/// same factor with each further ply.
fn plies_gained(
    suite: &SuiteRecord,
    scheme: &str,
    other: &str,
    effort: fn(&Cell) -> f64,
) -> Option<f64> {
    let [.., before, last] = &suite.scheme(scheme)?.cells[..] else { return None };
    let plies = last.depth?.checked_sub(before.depth?)? as f64;
    let growth = (effort(last) / effort(before)).ln() / plies;
    let gained = (effort(suite.scheme(other)?.last()?) / effort(last)).ln() / growth;
    gained.is_finite().then_some(gained)
}

/// Judges by the figures of Lea 2016 whether his trigger raises the share of null moves that cut.
fn trigger_raises(record: &Record) -> Option<Judgement> {
    let suite = suite(record)?;
    let [without, with] = ["impchess", "impchess-triggered"].map(|name| suite.scheme(name));
    let (without, with) = (rate(without?), rate(with?));
    let verdict = match with > without + 5.0 {
        true if (22.0..=28.0).contains(&without) && (80.0..=85.0).contains(&with) => CONFIRMED,
        true => DIFFERS,
        false => NOT_CONFIRMED,
    };
    let evidence = format!("{without:.1} % cut without the trigger, {with:.1} % with it");
    Some(Judgement { verdict, evidence })
}

/// Judges by the guide's figures how many null moves of a scheme cut.
fn cuts(record: &Record, scheme: &str) -> Option<Judgement> {
    let rate = rate(suite(record)?.scheme(scheme)?);
    Some(in_range(rate, 60.0, 80.0, format!("{rate:.1} %")))
}

/// Judges by the guide's figures how many nodes a scheme saves.
fn saves(record: &Record, scheme: &str) -> Option<Judgement> {
    let suite = suite(record)?;
    let saved = -change(suite, scheme, "off")?;
    let evidence = format!("{saved:.1} % {}", at_last(suite)?);
    Some(in_range(saved, 40.0, 60.0, evidence))
}

/// Judges by the guide's figures how many times as fast a scheme is.
fn speeds_up(record: &Record, scheme: &str) -> Option<Judgement> {
    let suite = suite(record)?;
    let seconds = |name| Some(suite.scheme(name)?.last()?.seconds);
    let times = seconds("off")? / seconds(scheme)?.max(f64::MIN_POSITIVE);
    Some(in_range(times, 2.0, 3.0, format!("{times:.1} times {}", at_last(suite)?)))
}

fn against_verified(changes: &[f64]) -> String {
    let list: Vec<String> = changes.iter().map(|change| format!("{change:+.1} %")).collect();
    format!("{} against verified", list.join(", "))
}

fn outgrows(record: &Record) -> Option<Judgement> {
    let suite = suite(record)?;
    let changes = changes(suite, "fixed-2", "verified")?;
    let (first, last) = (changes.first()?, changes.last()?);
    let at = suite.scheme("verified")?.cells.iter().filter_map(|cell| cell.depth);
    let at: Vec<String> = at.map(|depth| depth.to_string()).collect();
    let evidence = format!("{} at depths {}", against_verified(&changes), at.join(", "));
    Some(judgement(last > first && *last > 0.0, evidence))
}

/// Judges at the last depth whether verification finds most of the mates that R = 3 misses, and more by more than chance.
fn finds_mates(record: &Record) -> Option<Judgement> {
    let suite = suite(record)?;
    let [found] = families::solved(suite, &[("verified", "fixed-3")])[..] else { return None };
    let [verified, three] = ["verified", "fixed-3"].map(|name| suite.scheme(name));
    let cells = verified?.cells.iter().zip(&three?.cells);
    let gained = |(own, three): (&Cell, &Cell)| {
        let missed = suite.tasks.saturating_sub(three.solved);
        (own.solved.saturating_sub(three.solved), missed, own.label.clone())
    };
    let gained: Vec<(usize, usize, String)> = cells.map(gained).collect();
    let (net, missed, _) = gained.last()?;
    let texts = gained.iter().rev().map(|(net, missed, at)| format!("{net} of {missed} at {at}"));
    let evidence = format!(
        "{} (only one of the two finds {} / {}, {})",
        texts.collect::<Vec<_>>().join(", "),
        found.one,
        found.other,
        p_equals(found.p)
    );
    Some(judgement(2 * net > *missed && found.is_ahead(), evidence))
}

/// Judges at the last depth whether a scheme solves most of what R = 3 misses and a search without null moves solves, and more than
/// R = 3 by more than chance. There must be so many of these that repairing all of them would be more than chance.
fn repairs(record: &Record, scheme: &str) -> Option<Judgement> {
    let suite = suite(record)?;
    let [against] = families::solved(suite, &[(scheme, "fixed-3")])[..] else { return None };
    let is_missed = |it: &&Differing| it.is_solved_by("off") && !it.is_solved_by("fixed-3");
    let missed = suite.differing.iter().filter(is_missed);
    let repaired = missed.clone().filter(|it| it.is_solved_by(scheme)).count();
    let missed = missed.count();
    let verdict = match against.is_ahead() {
        _ if !is_believed(sign_test(missed as u64, 0)) => NOT_TESTABLE,
        true if 2 * repaired > missed => CONFIRMED,
        true if 4 * repaired >= missed => IN_PART,
        _ => NOT_CONFIRMED,
    };
    let nodes = change(suite, scheme, "fixed-3")?;
    let without = change(suite, "off", "fixed-3")?;
    let evidence = format!(
        "repairs {repaired} of {missed} errors {}; against R = 3 only one solves {} / {} ({}); {nodes:+.1} % nodes (without null moves {without:+.1} %)",
        at_last(suite)?,
        against.one,
        against.other,
        p_equals(against.p)
    );
    Some(Judgement { verdict, evidence })
}

/// Judges whether the first scheme beats the second by 60 % of the points or more: by the match with the most nodes, unless it
/// is ahead by more than chance at one of the fewest and the most nodes and not at the other (by how much does not count), and
/// the two matches differ by more than chance.
fn beats(record: &Record) -> Option<Judgement> {
    let ahead = families::ahead(&record.matches);
    let (at_fewest, at_most) = (*ahead.first()?, *ahead.last()?);
    let trend = Trend::of(&record.matches);
    let depends = at_fewest != at_most && trend.as_ref().is_some_and(|it| is_believed(it.p));
    let verdict = match at_most {
        _ if depends => DEPENDS,
        true if record.matches.last()?.pairs.score() > 0.6 => CONFIRMED,
        true => DIFFERS,
        false => NOT_CONFIRMED,
    };
    let ends = match &record.matches[..] {
        [first, .., last] => vec![elo(first), elo(last)],
        few => few.iter().map(elo).collect(),
    };
    let lines: Vec<String> = ends.into_iter().chain(trend.as_ref().map(Trend::ends)).collect();
    let all = if record.matches.len() > 2 { " ([all](#games))" } else { "" };
    Some(Judgement { verdict, evidence: format!("{}{all}", lines.join("; ")) })
}

fn rate(scheme: &SchemeRecord) -> f64 {
    let total = scheme.total();
    percent(total.cutoffs, total.attempts).parse().unwrap_or(0.0)
}

fn elo(games: &MatchRecord) -> String {
    let MatchRecord { limit, pairs, .. } = games;
    let (elo, limit) = (Strength::of(pairs).elo, limit.replace('=', " "));
    format!("{elo:+} Elo at {limit} ({:.1} %)", 100.0 * pairs.score())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declared::Declared;
    use nullarbor_games::scheme::EngineKind;
    use nullarbor_lab::result::Cell;
    use nullarbor_stats::PairCounts;

    fn record(nodes: [[u64; 2]; 3]) -> Record {
        let cell = |nodes, depth| Cell { nodes, depth: Some(depth), ..Cell::default() };
        let cells = |[first, second]: [u64; 2]| vec![cell(first, 7), cell(second, 8)];
        let names = ["verified", "fixed-2", "fixed-3"];
        let schemes = names.iter().zip(nodes).map(|(name, nodes)| SchemeRecord {
            scheme: (*name).to_owned(),
            cells: cells(nodes),
            ..SchemeRecord::default()
        });
        let suite = SuiteRecord {
            suite: "s".to_owned(),
            positions: 1,
            tasks: 1,
            schemes: schemes.collect(),
            ..SuiteRecord::default()
        };
        let record = Record::new("wcs-deep", EngineKind::Plain, String::new());
        Record { suites: vec![suite], ..record }
    }

    #[test]
    fn every_claim_has_its_experiment() {
        for claim in CLAIMS {
            assert!(Declared::named(claim.experiment).is_some(), "{}", claim.experiment);
            let empty = Record::new(claim.experiment, EngineKind::Plain, String::new());
            let judged = (claim.judge)(&empty);
            // A match without games proves nothing.
            assert!(judged.is_none_or(|it| it.verdict == NOT_CONFIRMED), "{}", claim.claim);
        }
    }

    #[test]
    fn on_a_clock_the_longest_match_decides() {
        let claim = CLAIMS.iter().find(|it| it.experiment == "worth-on-a-clock").expect("a claim");
        let judged = |results: [[u64; 2]; 2]| {
            let played = |(limit, [lost, won]): (&str, [u64; 2])| {
                let pairs = PairCounts { ll: lost, ww: won, ..PairCounts::default() };
                let [first, second, limit] = ["nullarbor", "off", limit].map(str::to_owned);
                MatchRecord { first, second, limit, pairs, ..MatchRecord::default() }
            };
            let matches = ["tc=1+0.01", "tc=8+0.08"].into_iter().zip(results).map(played).collect();
            let record = Record::new("worth-on-a-clock", EngineKind::Full, String::new());
            (claim.judge)(&Record { matches, ..record }).expect("matches").verdict
        };
        // 66 % of the points are 115 Elo.
        assert_eq!(judged([[100, 100], [68, 132]]), CONFIRMED);
        assert_eq!(judged([[68, 132], [80, 120]]), "less");
        // However many games are won at the shorter limit.
        assert_eq!(judged([[68, 132], [100, 100]]), NOT_CONFIRMED);
        assert_eq!(judged([[680, 1320], [132, 68]]), NOT_CONFIRMED);
        // p = .038 alone, and twice that beside a match that shows nothing.
        assert_eq!(judged([[100, 100], [85, 114]]), NOT_CONFIRMED);
    }

    #[test]
    fn a_match_that_turns_with_the_nodes_depends_on_them() {
        const AHEAD: [u64; 5] = [40, 100, 200, 150, 60];
        const EVEN: [u64; 5] = [50, 125, 200, 125, 50];
        const BEHIND: [u64; 5] = [60, 150, 200, 100, 40];
        const FAR_AHEAD: [u64; 5] = [10, 50, 200, 150, 140];
        const BARELY: [u64; 5] = [40, 100, 200, 119, 50];
        const FEW: [u64; 5] = [4, 10, 20, 15, 6];
        let judged = |results: &[[u64; 5]]| {
            let played = |(number, [ll, ld, dd, wd, ww]): (u32, [u64; 5])| MatchRecord {
                first: "verified".to_owned(),
                second: "fixed-2".to_owned(),
                limit: format!("nodes={}", 1000 << number),
                pairs: PairCounts { ll, ld, dd, wl: 0, wd, ww },
                ..MatchRecord::default()
            };
            let matches = (0..).zip(results.iter().copied()).map(played).collect();
            let record = Record::new("match", EngineKind::Plain, String::new());
            beats(&Record { matches, ..record }).expect("matches")
        };
        for (results, verdict) in [
            (&[AHEAD, EVEN, BEHIND][..], DEPENDS),
            (&[BEHIND, EVEN, AHEAD], DEPENDS),
            // It holds at one end only.
            (&[AHEAD, AHEAD, EVEN], DEPENDS),
            // The ends decide, whatever is between them.
            (&[AHEAD, BEHIND, FAR_AHEAD, EVEN], DEPENDS),
            // The ends do not differ by more than chance.
            (&[AHEAD, BARELY], NOT_CONFIRMED),
            // The lead grows, but the games at the end are too few to show it.
            (&[AHEAD, FAR_AHEAD, FEW], NOT_CONFIRMED),
            // It holds at both, or at neither.
            (&[FAR_AHEAD, AHEAD, AHEAD], DIFFERS),
            (&[AHEAD, AHEAD, FAR_AHEAD], CONFIRMED),
            (&[EVEN, AHEAD, EVEN], NOT_CONFIRMED),
            (&[EVEN, BEHIND, BEHIND], NOT_CONFIRMED),
        ] {
            let found = judged(results);
            assert_eq!(found.verdict, verdict, "{}", found.evidence);
            assert!(found.evidence.contains("from the fewest nodes to the most"), "{found:?}");
        }
        // One match has no trend: it decides.
        assert_eq!(judged(&[FAR_AHEAD]).verdict, CONFIRMED);
        assert_eq!(judged(&[EVEN]).evidence.matches(';').count(), 0);
    }

    /// As many positions as the counts say, each solved by the schemes beside it.
    fn differing(counts: &[(usize, &[&str])]) -> Vec<Differing> {
        let position = |solved_by: &[&str]| Differing {
            id: String::new(),
            fen: String::new(),
            solved_by: solved_by.iter().map(|name| (*name).to_owned()).collect(),
        };
        let these = counts.iter().map(|&(count, by)| vec![position(by); count]);
        these.flatten().collect()
    }

    #[test]
    fn what_a_guard_repairs_counts_at_the_last_depth() {
        let mut record = record([[100, 300], [90, 400], [60, 150]]);
        for (scheme, name) in record.suites[0].schemes.iter_mut().zip(["off", "guard", "fixed-3"]) {
            scheme.scheme = name.to_owned();
        }
        let both: &[&str] = &["off", "guard"];
        let mut judged = |counts: &[(usize, &[&str])]| {
            record.suites[0].differing = differing(counts);
            repairs(&record, "guard").expect("three schemes")
        };
        let all = judged(&[(6, both)]);
        assert_eq!(all.verdict, CONFIRMED);
        assert!(all.evidence.starts_with("repairs 6 of 6 errors at depth 8"), "{}", all.evidence);
        assert!(all.evidence.contains("6 / 0 (p = .031); +166.7 % nodes"), "{}", all.evidence);
        // 5 of 5 are no more than chance (p = .0625), whatever the scheme does.
        assert_eq!(judged(&[(5, both)]).verdict, NOT_TESTABLE);
        assert_eq!(judged(&[(6, both), (10, &["off"])]).verdict, IN_PART);
        assert_eq!(judged(&[(6, both), (20, &["off"])]).verdict, NOT_CONFIRMED);
        // 4 / 1 is p = .375.
        assert_eq!(judged(&[(4, both), (3, &["off"]), (1, &["fixed-3"])]).verdict, NOT_CONFIRMED);
    }

    #[test]
    fn mates_are_found_by_more_than_chance() {
        let mut record = record([[1, 2]; 3]);
        let suite = &mut record.suites[0];
        suite.tasks = 20;
        for (scheme, solved) in suite.schemes.iter_mut().zip([[9, 17], [8, 9], [7, 10]]) {
            scheme.cells.iter_mut().zip(solved).for_each(|(cell, solved)| cell.solved = solved);
            scheme.cells.iter_mut().for_each(|cell| cell.label = "depth".to_owned());
        }
        suite.differing = differing(&[(8, &["verified"]), (1, &["fixed-3"])]);
        let judged = finds_mates(&record).expect("two schemes");
        // 9 chances in 2^9, and the one beyond, on both sides: 20 / 512.
        let expected =
            "7 of 10 at depth, 2 of 13 at depth (only one of the two finds 8 / 1, p = .039)";
        assert_eq!((judged.verdict, judged.evidence.as_str()), (CONFIRMED, expected));
        record.suites[0].differing = differing(&[(7, &["verified"]), (2, &["fixed-3"])]);
        assert_eq!(finds_mates(&record).expect("two schemes").verdict, NOT_CONFIRMED);
    }

    #[test]
    fn verdicts_are_counted() {
        let judged = |verdict| Judgement { verdict, evidence: String::new() };
        let all = [LESS, CONFIRMED, LESS, NOT_TESTABLE].map(judged);
        assert_eq!(counted(&all), "Of 4 claims: 1 confirmed, 2 less, 1 not testable.");
        let claim = &CLAIMS[0];
        assert_eq!(super::judged(claim, None).verdict, NOT_MEASURED);
    }

    #[test]
    fn plies_are_gained_by_the_growth_of_the_own_tree() {
        let record = record([[100, 400], [50, 100], [5, 25]]);
        let nodes = |cell: &Cell| cell.nodes as f64;
        let gained = |name| plies_gained(&record.suites[0], name, "verified", nodes);
        // Four times the nodes are two doublings; sixteen times are ln 16 / ln 5.
        assert!((gained("fixed-2").expect("nodes") - 2.0).abs() < 1e-9);
        assert!((gained("fixed-3").expect("nodes") - 1.722_706).abs() < 1e-6);
        // Records without times.
        let seconds = |cell: &Cell| cell.seconds;
        assert_eq!(plies_gained(&record.suites[0], "fixed-2", "verified", seconds), None);
    }

    #[test]
    fn growth_with_depth_is_judged() {
        let judged = |nodes| outgrows(&record(nodes)).expect("nodes");
        let grown = judged([[100, 300], [90, 400], [60, 150]]);
        assert_eq!(grown.verdict, CONFIRMED);
        assert_eq!(grown.evidence, "-10.0 %, +33.3 % against verified at depths 7, 8");
        assert_eq!(judged([[100, 300], [90, 250], [60, 150]]).verdict, NOT_CONFIRMED);
    }
}
