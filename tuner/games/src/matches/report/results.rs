//! The result of one pairing in the lines that fastchess prints, so that scripts which read those read these.

use std::fmt::Write;

use crate::stats::{PairCounts, Sprt, Strength};

/// What a pairing played.
#[derive(Clone, Debug)]
pub struct Pairing<'a> {
    /// The name of the first player, whose results are counted.
    pub first: &'a str,
    /// The name of the other.
    pub second: &'a str,
    /// Limit, table and book, as people call them.
    pub setting: &'a str,
    /// The results.
    pub counts: PairCounts,
    /// The test, if there is one.
    pub sprt: Option<Sprt>,
}

/// The lines, with an end of line after each.
pub fn results(pairing: &Pairing<'_>) -> String {
    let Pairing { first, second, setting, counts, sprt } = pairing;
    let Strength { elo, normalised, superiority } = Strength::of(counts);
    let [ll, ld, even, wd, ww] = counts.pentanomial();
    let mut text = format!(
        "Results of {first} vs {second} ({setting}):\n\
         Elo: {:.2} +/- {:.2}, nElo: {:.2} +/- {:.2}\n\
         LOS: {:.2} %, DrawRatio: {:.2} %, PairsRatio: {:.2}\n\
         Games: {}, Wins: {}, Losses: {}, Draws: {}, Points: {:.1} ({:.2} %)\n\
         Ptnml(0-2): [{ll}, {ld}, {even}, {wd}, {ww}], WL/DD Ratio: {:.2}\n",
        elo.value,
        elo.error,
        normalised.value,
        normalised.error,
        100.0 * superiority,
        100.0 * counts.draw_ratio(),
        counts.pairs_ratio(),
        counts.games(),
        counts.wins(),
        counts.losses(),
        counts.draws(),
        counts.points(),
        100.0 * counts.score(),
        counts.wl_dd_ratio(),
    );
    if let Some(sprt) = sprt {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", llr(sprt, counts));
    }
    text
}

/// The state of a test.
pub fn llr(sprt: &Sprt, counts: &PairCounts) -> String {
    let llr = sprt.llr(counts);
    let (lower, upper) = sprt.limits();
    format!(
        "LLR: {llr:.2} ({:.1}%) ({lower:.2}, {upper:.2}) [{:.2}, {:.2}]",
        sprt.progress(llr),
        sprt.elo0,
        sprt.elo1
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Model;

    #[test]
    fn lines_are_those_of_fastchess() {
        let counts = PairCounts { ll: 10, ld: 120, dd: 100, wl: 160, wd: 150, ww: 20 };
        let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, Model::Normalized).expect("a test");
        let pairing = Pairing {
            first: "new",
            second: "old",
            setting: "1+0.01, 1t, 16MB, book.epd",
            counts,
            sprt: Some(sprt),
        };
        assert_eq!(
            results(&pairing),
            "Results of new vs old (1+0.01, 1t, 16MB, book.epd):\n\
             Elo: 15.52 +/- 11.97, nElo: 26.44 +/- 20.35\n\
             LOS: 99.46 %, DrawRatio: 46.43 %, PairsRatio: 1.31\n\
             Games: 1120, Wins: 350, Losses: 300, Draws: 470, Points: 585.0 (52.23 %)\n\
             Ptnml(0-2): [10, 120, 260, 150, 20], WL/DD Ratio: 1.60\n\
             LLR: 1.11 (37.6%) (-2.94, 2.94) [0.00, 5.00]\n"
        );
        let behind = llr(&sprt, &counts.reversed());
        assert!(behind.starts_with("LLR: -") && behind.contains("(-"), "{behind}");
    }
}
