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
        let is_alone = |it: &&Differing| it.is_solved_by(one) && !it.is_solved_by(other);
        suite.differing.iter().filter(is_alone).count()
    };
    let counts = pairs.iter().map(|(one, other)| (alone(one, other), alone(other, one)));
    compared(&counts.collect::<Vec<_>>())
}

fn compared(counts: &[(usize, usize)]) -> Vec<Compared> {
    let p = counts.iter().map(|&(one, other)| sign_test(one as u64, other as u64));
    let corrected = holm(&p.collect::<Vec<_>>());
    counts.iter().zip(corrected).map(|(&(one, other), p)| Compared { one, other, p }).collect()
}

/// Returns the p-value of each match, two-sided. The primary comparison stands alone; all others are one family, and corrected for
/// each other.
pub fn played(matches: &[MatchRecord]) -> Vec<f64> {
    let p = |it: &MatchRecord| {
        let superiority = Strength::of(&it.pairs).superiority;
        2.0 * superiority.min(1.0 - superiority)
    };
    let others = matches.iter().filter(|it| !it.is_primary());
    let mut others = holm(&others.map(p).collect::<Vec<_>>()).into_iter();
    let own = |it: &MatchRecord| if it.is_primary() { None } else { others.next() };
    let corrected: Vec<Option<f64>> = matches.iter().map(own).collect();
    matches.iter().zip(corrected).map(|(it, own)| own.unwrap_or_else(|| p(it))).collect()
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

/// Returns a p-value with its sign, `p = .035`.
pub fn p_equals(p: f64) -> String {
    let p = p_text(p);
    let equals = if p.starts_with('<') { "" } else { "= " };
    format!("p {equals}{p}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::MatchPlan;
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
            ..MatchRecord::default()
        };
        // Two of the five triggers.
        let mut matches = [[40, 165, 527, 220, 48], [52, 196, 549, 162, 41]].map(played_so);
        let texts =
            |matches: &[MatchRecord]| played(matches).into_iter().map(p_text).collect::<Vec<_>>();
        assert_eq!(texts(&matches[..1]), [".009"]);
        assert_eq!(texts(&matches[..]), [".017", ".038"]);
        // The primary comparison has a family of its own, and so has what is left.
        matches[0].plan = Some(MatchPlan { games: Some(2000), seed: 1, is_primary: true });
        assert_eq!(texts(&matches[..]), [".009", ".038"]);
        assert_eq!((p_text(1.0), p_text(1e-9)), ("1.000".to_owned(), "< .001".to_owned()));
        assert_eq!([0.25, 1e-9].map(p_equals), ["p = .250", "p < .001"]);
    }
}
