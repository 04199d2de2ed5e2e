//! Interactions: is a scheme worth more without another rule of the search? The difference of two differences.

use nullarbor_report::table::Table;
use nullarbor_stats::{Estimate, Strength, holm};

use crate::families::p_text;
use crate::record::MatchRecord;

/// The games of a search without a rule, and those of the search with it.
#[derive(Clone, Debug)]
pub struct Ablation {
    /// Name of the search without it.
    pub search: &'static str,
    /// Its matches.
    pub without: Vec<MatchRecord>,
    /// The matches of the search with it.
    pub with: Vec<MatchRecord>,
}

/// By how much more a scheme is worth in the search without the rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Interaction {
    /// Name of the search without the rule.
    pub search: &'static str,
    /// The limit of both matches.
    pub limit: String,
    /// Elo in the search without the rule, less Elo in the search with it, as if the two matches were independent.
    pub difference: Estimate,
    /// The p-value, corrected for all other interactions.
    pub p: f64,
}

/// Compares the matches of the same schemes at the same limit; all are one family.
pub fn of(ablations: &[Ablation]) -> Vec<Interaction> {
    let elo = |it: &MatchRecord| Strength::of(&it.pairs).elo;
    let mut found: Vec<Interaction> = Vec::new();
    for Ablation { search, without, with } in ablations {
        for own in without {
            let is_same = |it: &&MatchRecord| {
                (&it.first, &it.second, &it.limit) == (&own.first, &own.second, &own.limit)
            };
            let Some(base) = with.iter().find(is_same) else { continue };
            let (difference, limit) = (elo(base).until(&elo(own)), own.limit.clone());
            found.push(Interaction { search, limit, difference, p: difference.p() });
        }
    }
    let corrected = holm(&found.iter().map(|it| it.p).collect::<Vec<_>>());
    found.iter_mut().zip(corrected).for_each(|(it, p)| it.p = p);
    found
}

/// Returns the interactions as a table.
pub fn table(interactions: &[Interaction]) -> Table {
    let head = ["search", "limit", "Elo more than with the rule", "p", "p (Holm)"];
    let row = |it: &Interaction| {
        let [alone, corrected] = [it.difference.p(), it.p].map(p_text);
        let difference = format!("{:+}", it.difference);
        [it.search.to_owned(), it.limit.replace('=', " "), difference, alone, corrected]
    };
    Table::new("", head, interactions.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor_stats::PairCounts;

    fn played(limit: &str, [ll, ld, dd, wd, ww]: [u64; 5]) -> MatchRecord {
        let [first, second, limit] = ["nullarbor", "off", limit].map(str::to_owned);
        let pairs = PairCounts { ll, ld, dd, wl: 0, wd, ww };
        MatchRecord { first, second, limit, pairs, ..MatchRecord::default() }
    }

    #[test]
    fn differences_of_differences_are_one_family() {
        let with = vec![
            played("nodes=5000", [150, 373, 971, 354, 152]),
            played("nodes=80000", [13, 84, 309, 80, 14]),
        ];
        let without = vec![played("nodes=5000", [162, 327, 934, 372, 205])];
        let ablation = |search| Ablation { search, without: without.clone(), with: with.clone() };
        let one = of(&[ablation("a")]);
        // +11.4 ± 7.9 less -1.3 ± 7.5: 12.7 ± 10.9, 2.28 standard errors.
        let [interaction] = &one[..] else { panic!("one limit is common") };
        assert_eq!(format!("{:+}", interaction.difference), "+12.7 ± 10.9");
        assert!((interaction.p - 0.0226).abs() < 0.001, "{}", interaction.p);
        // Twice that where there are two.
        let two = of(&[ablation("a"), ablation("b")]);
        assert!((two[1].p - 2.0 * interaction.p).abs() < 1e-12);
        assert_eq!(table(&two).rows[1][..3], ["b", "nodes 5000", "+12.7 ± 10.9"]);
    }
}
