//! The trend of a match that is played at several limits in nodes.

use nullarbor_games::limit::Limit;
use nullarbor_stats::{ChiSquare, Estimate, Line, Strength};

use crate::families::{is_believed, p_text};
use crate::record::MatchRecord;

/// Returns the line through the Elo of the first scheme over the doublings of the nodes; `None` if the matches are not of the same two
/// schemes, at several limits that are all in nodes.
pub fn by_nodes(matches: &[MatchRecord]) -> Option<Line> {
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

/// Returns the Elo that the first scheme gains from the first match to the last; `None` where there is no trend.
pub fn between_ends(matches: &[MatchRecord]) -> Option<Estimate> {
    by_nodes(matches)?;
    let [first, .., last] = matches else { return None };
    let [first, last] = [first, last].map(|it| Strength::of(&it.pairs).elo);
    Some(first.until(&last))
}

/// Returns a trend as text, with its misfit where that is believed.
pub fn text(Line { slope, misfit }: &Line) -> String {
    let trend = format!("{slope:+} Elo with each doubling of the nodes ({})", p_of(slope.p()));
    let (ChiSquare { value, degrees }, p) = (misfit, misfit.p());
    if !is_believed(p) {
        return trend;
    }
    let unit = if *degrees == 1 { "degree" } else { "degrees" };
    format!(
        "{trend}; the matches scatter more about this line than chance allows (χ² {value:.1}, {degrees} {unit} of freedom, {})",
        p_of(p)
    )
}

/// Returns the difference between the first match and the last as text.
pub fn between_ends_text(difference: &Estimate) -> String {
    format!("{difference:+} Elo from the fewest nodes to the most ({})", p_of(difference.p()))
}

fn p_of(p: f64) -> String {
    let p = p_text(p);
    let equals = if p.starts_with('<') { "" } else { "= " };
    format!("p {equals}{p}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor_stats::PairCounts;

    fn played(limit: &str, [ll, ld, dd, wd, ww]: [u64; 5]) -> MatchRecord {
        let pairs = PairCounts { ll, ld, dd, wl: 0, wd, ww };
        let [first, second, limit] = ["verified", "fixed-2", limit].map(str::to_owned);
        MatchRecord { first, second, limit, pairs }
    }

    #[test]
    fn elo_falls_with_nodes() {
        // +24.5 ± 6.2 and -26.1 ± 18.5 Elo, log2(100) = 6.644 doublings apart.
        let mut matches = [
            played("nodes=1000", [477, 226, 2278, 294, 725]),
            played("nodes=100000", [95, 65, 218, 64, 58]),
        ];
        let expected = "-7.6 ± 2.9 Elo with each doubling of the nodes (p < .001)";
        assert_eq!(by_nodes(&matches).as_ref().map(text).as_deref(), Some(expected));
        let expected = "-50.6 ± 19.5 Elo from the fewest nodes to the most (p < .001)";
        assert_eq!(
            between_ends(&matches).as_ref().map(between_ends_text).as_deref(),
            Some(expected)
        );
        matches[1].second = "fixed-3".to_owned();
        assert_eq!(by_nodes(&matches), None);
        assert_eq!(between_ends(&matches), None);
        assert_eq!(by_nodes(&matches[..1]), None);
        assert_eq!(by_nodes(&[]), None);
    }

    #[test]
    fn matches_that_scatter_about_the_line_are_told() {
        let (ends, middle) = ([10, 20, 30, 20, 10], [10, 20, 30, 40, 50]);
        let text = |middle| {
            let results = [("nodes=1000", ends), ("nodes=2000", middle), ("nodes=4000", ends)];
            by_nodes(&results.map(|(limit, pairs)| played(limit, pairs))).as_ref().map(text)
        };
        let scattered = text(middle).expect("three limits");
        assert!(scattered.contains("1 degree of freedom, p < .001)"), "{scattered}");
        assert!(text(ends).expect("three limits").ends_with("(p = 1.000)"));
    }

    #[test]
    fn a_clock_has_no_trend_by_nodes() {
        let matches = ["nodes=1000", "tc=8+0.08"].map(|limit| played(limit, [1, 2, 3, 2, 1]));
        assert_eq!(by_nodes(&matches), None);
    }

    #[test]
    fn a_trend_by_chance_is_told_with_its_p_value() {
        let matches = ["nodes=1000", "nodes=2000"].map(|limit| played(limit, [10, 20, 30, 20, 10]));
        let text = by_nodes(&matches).as_ref().map(text).expect("two limits");
        assert!(text.starts_with("+0.0 ± ") && text.ends_with("(p = 1.000)"), "{text}");
    }
}
