//! The results of a match in the lines of fastchess, so that scripts that read those read these.

use std::fmt::Write;
use std::path::Path;

use nullarbor_report::terminal::printable;

use super::ranking;
use crate::engine_config::Program;
use crate::matches::{Completion, Outcome, Plan, RunError, Standings};
use crate::pair::Pairing;
use nullarbor_stats::{PairCounts, Sprt, Strength, Unbiased, Verdict, decimals};

const RULE: &str = "--------------------------------------------------\n";

/// Returns the standings, and how the match ended.
pub fn results(plan: &Plan, outcome: &Outcome) -> String {
    let mut text = standings(plan, &outcome.standings);
    text += &plan.sprt.map_or_else(String::new, |sprt| {
        outcome.standings.counts.first().map_or_else(String::new, |counts| unbiased(&sprt, counts))
    });
    text += &match &outcome.end {
        Ok(Completion::Decided(Verdict::H1)) => "SPRT: H1 was accepted\n".to_owned(),
        Ok(Completion::Decided(Verdict::H0)) => "SPRT: H0 was accepted\n".to_owned(),
        Ok(Completion::AllGames) => plan
            .sprt
            .map_or_else(String::new, |sprt| undecided(plan, &sprt, &outcome.standings.counts[0])),
        Err(RunError::Interrupted(_)) => "Interrupted\n".to_owned(),
        Err(RunError::Crash(_)) => "Stopped: an engine crashed or hung\n".to_owned(),
        Err(_) => "Ended by an error\n".to_owned(),
    };
    text
}

/// Returns the strength without what the end of the test adds to it.
fn unbiased(sprt: &Sprt, counts: &PairCounts) -> String {
    sprt.unbiased(counts).map_or_else(String::new, |Unbiased { elo, low, high }| {
        let [elo, low, high] = [elo, low, high].map(|value| decimals(value, 2));
        format!("Elo, median-unbiased: {elo}, 95 % interval [{low}, {high}]\n")
    })
}

/// Returns what an SPRT that ended without a decision lacks.
fn undecided(plan: &Plan, sprt: &Sprt, counts: &PairCounts) -> String {
    let (lower, upper) = sprt.limits();
    let next = if plan.exhausts_book() {
        "all openings are played; repeat with a larger --book to go on".to_owned()
    } else {
        format!("re-run with --games {} to go on", 2 * plan.games)
    };
    format!(
        "SPRT: undecided after {} games (LLR {:.2} of [{lower:.2}, {upper:.2}]); {next}\n",
        counts.games(),
        sprt.llr(counts),
    )
}

/// Returns the results of each pairing, and the ranking.
pub fn standings(plan: &Plan, standings: &Standings) -> String {
    let mut text = RULE.to_owned();
    for (pairing, counts) in standings.pairings.iter().zip(&standings.counts) {
        text += &pairing_lines(plan, *pairing, counts);
        text += RULE;
    }
    let ranking = ranking::table("", &plan.names(), standings).text();
    text += ranking.trim_start_matches('\n');
    text += RULE;
    if plan.engines.len() > 2 {
        let title = "Ratings by maximum likelihood over all games, relative to their mean; points against each";
        text += &ranking::crosstable(title, &plan.names(), standings).text();
        text += RULE;
    }
    let notices = standings.notices.iter().zip(&plan.engines);
    let notices: String = notices.map(|(notices, engine)| notices.text(&engine.name)).collect();
    if !notices.is_empty() {
        text += "Faults and warnings, the first of each engine:\n";
        text += &printable(&notices);
        text += RULE;
    }
    text
}

fn pairing_lines(plan: &Plan, pairing: Pairing, counts: &PairCounts) -> String {
    let [first, second] = [pairing.first, pairing.second].map(|number| &plan.engines[number].name);
    let setting = setting(plan, pairing);
    let mut text = format!("Results of {first} vs {second} ({setting}):\n{}", lines(counts));
    if let Some(sprt) = &plan.sprt {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", llr(sprt, counts));
    }
    text
}

fn lines(counts: &PairCounts) -> String {
    let Strength { elo, normalised, superiority } = Strength::of(counts);
    let [ll, ld, even, wd, ww] = counts.pentanomial();
    let two = |value| decimals(value, 2);
    format!(
        "Elo: {} +/- {}, nElo: {} +/- {}\n\
         LOS: {:.2} %, DrawRatio: {} %, PairsRatio: {}\n\
         Games: {}, Wins: {}, Losses: {}, Draws: {}, Points: {:.1} ({:.2} %)\n\
         Ptnml(0-2): [{ll}, {ld}, {even}, {wd}, {ww}], WL/DD Ratio: {}\n",
        two(elo.value),
        two(elo.error),
        two(normalised.value),
        two(normalised.error),
        100.0 * superiority,
        two(100.0 * counts.draw_ratio()),
        two(counts.pairs_ratio()),
        counts.games(),
        counts.wins(),
        counts.losses(),
        counts.draws(),
        counts.points(),
        100.0 * counts.score(),
        two(counts.wl_dd_ratio()),
    )
}

fn llr(sprt: &Sprt, counts: &PairCounts) -> String {
    let llr = sprt.llr(counts);
    let (lower, upper) = sprt.limits();
    format!(
        "LLR: {llr:.2} ({:.1}%) ({lower:.2}, {upper:.2}) [{:.2}, {:.2}]",
        sprt.progress(llr),
        sprt.elo0,
        sprt.elo1
    )
}

/// Returns limit, threads, table and book as fastchess writes them.
fn setting(plan: &Plan, pairing: Pairing) -> String {
    let one = |number: usize| {
        let engine = &plan.engines[number];
        let option = |name: &str| match &engine.program {
            Program::InProcess(options) => (name == "Hash").then(|| options.hash.to_string()),
            Program::External(command) => {
                let mut options = command.options.iter();
                let option = options.find(|(known, _)| known.eq_ignore_ascii_case(name));
                option.map(|(_, value)| value.clone())
            }
        };
        let threads = option("Threads").unwrap_or_else(|| "1".to_owned()) + "t";
        let hash = option("Hash").map_or_else(|| "default".to_owned(), |hash| hash + "MB");
        [engine.limit.to_string(), threads, hash]
    };
    let (first, second) = (one(pairing.first), one(pairing.second));
    let join = |(one, other): (&String, &String)| {
        if one == other { one.clone() } else { format!("{one} - {other}") }
    };
    let parts: Vec<String> = first.iter().zip(&second).map(join).collect();
    let book = Path::new(&plan.book.name).file_name().unwrap_or_default();
    format!("{}, {}", parts.join(", "), book.display())
}

#[cfg(test)]
mod tests {
    use super::super::super::plan::tests::plan;
    use super::*;
    use crate::matches::Format;
    use nullarbor_stats::Model;

    fn sprt() -> Sprt {
        Sprt::new(0.0, 5.0, 0.05, 0.05, Model::Normalized).expect("a test")
    }

    #[test]
    fn lines_are_those_of_fastchess() {
        let counts = PairCounts { ll: 10, ld: 120, dd: 100, wl: 160, wd: 150, ww: 20 };
        let plan = Plan { sprt: Some(sprt()), ..plan(2, Format::Gauntlet) };
        assert_eq!(
            pairing_lines(&plan, Pairing { first: 0, second: 1 }, &counts),
            "Results of e0 vs e1 (100 nodes, 1t, 16MB, b):\n\
             Elo: 15.52 +/- 11.97, nElo: 26.44 +/- 20.35\n\
             LOS: 99.46 %, DrawRatio: 46.43 %, PairsRatio: 1.31\n\
             Games: 1120, Wins: 350, Losses: 300, Draws: 470, Points: 585.0 (52.23 %)\n\
             Ptnml(0-2): [10, 120, 260, 150, 20], WL/DD Ratio: 1.60\n\
             LLR: 1.11 (37.6%) (-2.94, 2.94) [0.00, 5.00]\n"
        );
        let behind = llr(&sprt(), &counts.reversed());
        assert!(behind.starts_with("LLR: -") && behind.contains("(-"), "{behind}");
    }

    #[test]
    fn what_is_infinite_or_unknown_is_a_dash() {
        let won = lines(&PairCounts { ww: 3, ..PairCounts::default() });
        assert!(won.starts_with("Elo: - +/- -, nElo: - +/- -\nLOS: 100.00 %"), "{won}");
        let none = lines(&PairCounts::default());
        assert!(!none.contains("NaN") && !none.contains("inf"), "{none}");
    }

    #[test]
    fn an_undecided_test_tells_how_to_go_on() {
        let counts = PairCounts { ll: 1, dd: 2, ww: 2, ..PairCounts::default() };
        let plan = plan(2, Format::Gauntlet);
        let text = undecided(&plan, &sprt(), &counts);
        assert!(text.starts_with("SPRT: undecided after 10 games (LLR 0."), "{text}");
        assert!(text.contains("of [-2.94, 2.94]); re-run with --games 20 to go on"), "{text}");
        let limited = plan.checked().expect("a match");
        assert!(undecided(&limited, &sprt(), &counts).contains("larger --book"));
    }
}
