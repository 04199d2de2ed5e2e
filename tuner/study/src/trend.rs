//! The trend of a match that is played at several limits in nodes.

use nullarbor_games::limit::Limit;
use nullarbor_stats::{ChiSquare, Estimate, Line, Strength, holm};

use crate::families::{is_believed, p_equals};
use crate::record::MatchRecord;

/// What the matches of two schemes at several limits in nodes say together: two tests, corrected for each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Trend {
    /// Elo that the first scheme gains from the first match to the last.
    pub difference: Estimate,
    /// The corrected p-value of the difference.
    pub p: f64,
    /// The line through three matches or more, and the corrected p-value of its slope. Of two matches it repeats the difference.
    line: Option<(Line, f64)>,
}

impl Trend {
    /// Returns the trend; `None` if the matches are not of the same two schemes, at several limits that are all in nodes.
    pub fn of(matches: &[MatchRecord]) -> Option<Self> {
        let line = by_nodes(matches)?;
        let [first, between @ .., last] = matches else { return None };
        let [first, last] = [first, last].map(|it| Strength::of(&it.pairs).elo);
        let difference = first.until(&last);
        if between.is_empty() {
            return Some(Self { difference, p: difference.p(), line: None });
        }
        let corrected = holm(&[difference.p(), line.slope.p()]);
        Some(Self { difference, p: corrected[0], line: Some((line, corrected[1])) })
    }

    /// Returns the difference as text.
    pub fn ends(&self) -> String {
        let Self { difference, p, .. } = self;
        format!("{difference:+} Elo from the fewest nodes to the most ({})", p_equals(*p))
    }

    /// Returns the difference and the slope as text; a line that does not fit has no slope.
    pub fn text(&self) -> String {
        let ends = self.ends();
        let Some((Line { slope, misfit }, p)) = &self.line else { return ends };
        let ChiSquare { value, degrees } = misfit;
        if is_believed(misfit.p()) {
            let (unit, p) =
                (if *degrees == 1 { "degree" } else { "degrees" }, p_equals(misfit.p()));
            return format!(
                "{ends}; no straight line fits the matches (χ² {value:.1}, {degrees} {unit} of freedom, {p})"
            );
        }
        format!("{ends}; {slope:+} Elo with each doubling of the nodes ({})", p_equals(*p))
    }
}

/// Returns the line through the Elo of the first scheme over the doublings of the nodes.
fn by_nodes(matches: &[MatchRecord]) -> Option<Line> {
    let pairing = |it: &MatchRecord| (it.first.clone(), it.second.clone());
    let [first, others @ ..] = matches else { return None };
    if others.iter().any(|it| pairing(it) != pairing(first)) {
        return None;
    }
    let place = |it: &MatchRecord| match it.limit.parse() {
        Ok(Limit::Nodes { hard: Some(nodes), .. }) => {
            Some(((nodes as f64).log2(), Strength::of(&it.pairs).elo))
        }
        _ => None,
    };
    Line::through(&matches.iter().map(place).collect::<Option<Vec<_>>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor_stats::PairCounts;

    fn played(limit: &str, [ll, ld, dd, wd, ww]: [u64; 5]) -> MatchRecord {
        let pairs = PairCounts { ll, ld, dd, wl: 0, wd, ww };
        let [first, second, limit] = ["verified", "fixed-2", limit].map(str::to_owned);
        MatchRecord { first, second, limit, pairs, ..MatchRecord::default() }
    }

    #[test]
    fn elo_falls_with_nodes() {
        // +24.5 ± 6.2 and -26.1 ± 18.5 Elo, log2(100) = 6.644 doublings apart.
        let mut matches = [
            played("nodes=1000", [477, 226, 2278, 294, 725]),
            played("nodes=100000", [95, 65, 218, 64, 58]),
        ];
        let slope = by_nodes(&matches).map(|it| format!("{:+}", it.slope));
        assert_eq!(slope.as_deref(), Some("-7.6 ± 2.9"));
        // Two matches have no slope besides their difference.
        let expected = "-50.6 ± 19.5 Elo from the fewest nodes to the most (p < .001)";
        let trend = Trend::of(&matches).expect("two limits");
        assert_eq!((trend.text(), trend.ends()), (expected.to_owned(), expected.to_owned()));
        matches[1].second = "fixed-3".to_owned();
        assert_eq!(Trend::of(&matches), None);
        assert_eq!(Trend::of(&matches[..1]), None);
        assert_eq!(Trend::of(&[]), None);
    }

    #[test]
    fn matches_that_scatter_about_the_line_have_no_slope() {
        let (ends, middle) = ([10, 20, 30, 20, 10], [10, 20, 30, 40, 50]);
        let text = |middle| {
            let results = [("nodes=1000", ends), ("nodes=2000", middle), ("nodes=4000", ends)];
            let matches = results.map(|(limit, pairs)| played(limit, pairs));
            Trend::of(&matches).expect("three limits").text()
        };
        let scattered = text(middle);
        assert!(scattered.contains("1 degree of freedom, p < .001)"), "{scattered}");
        assert!(!scattered.contains("each doubling"), "{scattered}");
        let even = text(ends);
        assert!(even.contains("each doubling") && even.ends_with("(p = 1.000)"), "{even}");
    }

    #[test]
    fn difference_and_slope_are_corrected_for_each_other() {
        let matches = [("nodes=1000", 20), ("nodes=2000", 24), ("nodes=4000", 32)];
        let matches = matches.map(|(limit, won)| played(limit, [10, 20, 30, 20, won]));
        let Trend { difference, p, line } = Trend::of(&matches).expect("three limits");
        let (line, slope_p) = line.expect("three limits");
        // The least of two is doubled, the other is not less than that.
        let (least, most) =
            (difference.p().min(line.slope.p()), difference.p().max(line.slope.p()));
        assert!(p.min(slope_p) == 2.0 * least && p.max(slope_p) == most.max(2.0 * least));
    }

    #[test]
    fn a_clock_has_no_trend_by_nodes() {
        let matches = ["nodes=1000", "tc=8+0.08"].map(|limit| played(limit, [1, 2, 3, 2, 1]));
        assert_eq!(Trend::of(&matches), None);
    }

    #[test]
    fn a_trend_by_chance_is_told_with_its_p_value() {
        let matches = ["nodes=1000", "nodes=2000"].map(|limit| played(limit, [10, 20, 30, 20, 10]));
        let text = Trend::of(&matches).expect("two limits").text();
        assert!(text.starts_with("+0.0 ± ") && text.ends_with("(p = 1.000)"), "{text}");
    }
}
