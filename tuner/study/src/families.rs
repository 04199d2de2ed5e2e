//! Families of comparisons: each is one of several, and its p-value is corrected for the others (Holm 1979).

use nullarbor_stats::{Strength, holm, sign_test};

use crate::record::{Differing, MatchRecord, SuiteRecord};

/// Differences that chance gives less often than this are believed.
const LEVEL: f64 = 0.05;

/// Two counts of positions, each solved by one of two schemes alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// Positions that only the first scheme solves.
    pub one: usize,
    /// Positions that only the second solves.
    pub other: usize,
    /// The corrected p-value of the sign test.
    pub p: f64,
}

impl Compared {
    /// Returns whether the first scheme solves more by more than chance.
    pub fn is_ahead(&self) -> bool {
        self.one > self.other && is_believed(self.p)
    }
}

/// Returns whether a corrected p-value is small enough.
pub fn is_believed(p: f64) -> bool {
    p < LEVEL
}

/// Compares the positions solved at the last checkpoint by the two schemes of each pair, all pairs being one family.
pub fn solved(suite: &SuiteRecord, pairs: &[(&str, &str)]) -> Vec<Compared> {
    let alone = |one: &str, other: &str| {
        let solves = |it: &Differing, name: &str| it.solved_by.iter().any(|own| own == name);
        suite.differing.iter().filter(|it| solves(it, one) && !solves(it, other)).count()
    };
    let counts = pairs.iter().map(|(one, other)| (alone(one, other), alone(other, one)));
    compared(&counts.collect::<Vec<_>>())
}

fn compared(counts: &[(usize, usize)]) -> Vec<Compared> {
    let p = counts.iter().map(|&(one, other)| sign_test(one as u64, other as u64));
    let corrected = holm(&p.collect::<Vec<_>>());
    counts.iter().zip(corrected).map(|(&(one, other), p)| Compared { one, other, p }).collect()
}

/// Returns the corrected p-value of each match, two-sided, all matches being one family.
pub fn played(matches: &[MatchRecord]) -> Vec<f64> {
    let p = |it: &MatchRecord| {
        let superiority = Strength::of(&it.pairs).superiority;
        2.0 * superiority.min(1.0 - superiority)
    };
    holm(&matches.iter().map(p).collect::<Vec<_>>())
}

/// Returns for each match whether the first scheme is ahead by more than chance.
pub fn ahead(matches: &[MatchRecord]) -> Vec<bool> {
    let played = matches.iter().zip(played(matches));
    played.map(|(it, p)| it.pairs.score() > 0.5 && is_believed(p)).collect()
}

/// Returns a p-value as text, `.035`.
pub fn p_text(p: f64) -> String {
    if p < 0.0005 {
        "< .001".to_owned()
    } else {
        format!("{p:.3}").trim_start_matches('0').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor_stats::PairCounts;

    #[test]
    fn a_scheme_that_solves_a_few_positions_more_is_not_better() {
        let solved_by = |names: &[&str]| Differing {
            id: String::new(),
            fen: String::new(),
            solved_by: names.iter().map(|name| (*name).to_owned()).collect(),
        };
        let (two, three, both) = (&["fixed-2"], &["fixed-3"], &["fixed-2", "fixed-3"]);
        let some = [solved_by(two), solved_by(two), solved_by(three), solved_by(both)];
        let suite = SuiteRecord {
            suite: "s".to_owned(),
            positions: 4,
            tasks: 4,
            sha256: String::new(),
            about_zugzwang: false,
            schemes: Vec::new(),
            differing: some.to_vec(),
        };
        let found = solved(&suite, &[("fixed-2", "fixed-3"), ("fixed-3", "fixed-2")]);
        assert_eq!(found.iter().map(|it| (it.one, it.other)).collect::<Vec<_>>(), [(2, 1), (1, 2)]);
        let is_more = |one, other| compared(&[(one, other)])[0].is_ahead();
        assert!(!is_more(2, 1) && !is_more(1, 2) && is_more(12, 2));
        // The normal approximation calls all of these significant.
        let few = [(4, 0), (5, 0), (7, 1), (9, 2), (12, 4), (15, 6)];
        assert!(few.iter().all(|&(one, other)| !is_more(one, other)));
        assert!(is_more(6, 0) && !is_more(0, 6));
    }

    #[test]
    fn a_comparison_pays_for_the_others_of_its_family() {
        assert!(compared(&[(6, 0)])[0].is_ahead());
        let both = compared(&[(6, 0), (3, 3)]);
        assert_eq!((both[0].p, both[1].p), (2.0 * compared(&[(6, 0)])[0].p, 1.0));
        assert!(!both[0].is_ahead());
    }

    #[test]
    fn matches_are_one_family() {
        let played_so = |[ll, ld, dd, wd, ww]: [u64; 5]| MatchRecord {
            first: "rule:cutoffs".to_owned(),
            second: "nullarbor".to_owned(),
            limit: "nodes=20000".to_owned(),
            pairs: PairCounts { ll, ld, dd, wl: 0, wd, ww },
        };
        // Two of the five triggers.
        let matches = [[40, 165, 527, 220, 48], [52, 196, 549, 162, 41]].map(played_so);
        let texts = |matches| played(matches).into_iter().map(p_text).collect::<Vec<_>>();
        assert_eq!(texts(&matches[..1]), [".009"]);
        assert_eq!(texts(&matches[..]), [".017", ".038"]);
        assert_eq!((p_text(1.0), p_text(1e-9)), ("1.000".to_owned(), "< .001".to_owned()));
    }
}
