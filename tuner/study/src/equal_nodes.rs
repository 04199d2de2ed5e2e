//! Positions solved at equal nodes: between two depths the number solved is interpolated over the logarithm of the nodes.
//!
//! To the same depth one scheme may search twice the nodes of another; what it solves there does not tell what the nodes are worth.

use std::collections::BTreeMap;

use nullarbor_report::plot::Chart;
use nullarbor_report::table::Table;

use crate::record::Record;

/// What a scheme solves of a suite with how many nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name of the scheme.
    pub scheme: String,
    /// Nodes of all positions together, and the positions solved with them.
    pub points: BTreeMap<u64, usize>,
}

/// Returns a curve for each scheme on the first suite of some records; `None` if these are not of one engine and one suite, or not
/// of searches to a depth.
pub fn curves(records: &[Record]) -> Option<Vec<Curve>> {
    let [first, ..] = records else { return None };
    let sha256 = &first.suites.first()?.sha256;
    let mut curves: Vec<Curve> = Vec::new();
    for record in records {
        let suite = record.suites.first()?;
        if record.engine != first.engine || suite.sha256 != *sha256 {
            return None;
        }
        for scheme in &suite.schemes {
            if scheme.cells.iter().any(|cell| cell.depth.is_none()) {
                return None;
            }
            let points = scheme.cells.iter().map(|cell| (cell.nodes, cell.solved));
            match curves.iter_mut().find(|it| it.scheme == scheme.scheme) {
                Some(known) => known.points.extend(points),
                None => {
                    curves.push(Curve { scheme: scheme.scheme.clone(), points: points.collect() })
                }
            }
        }
    }
    Some(curves)
}

impl Curve {
    /// Returns how many positions are solved with so many nodes; `None` outside of the nodes that were measured.
    pub fn solved_at(&self, nodes: u64) -> Option<f64> {
        let (below, before) = self.points.range(..=nodes).next_back()?;
        let (above, after) = self.points.range(nodes..).next()?;
        let [before, after] = [*before, *after].map(|solved| solved as f64);
        if below == above {
            return Some(before);
        }
        let [nodes, below, above] = [nodes, *below, *above].map(|nodes| (nodes.max(1) as f64).ln());
        Some(before + (after - before) * (nodes - below) / (above - below))
    }
}

/// Returns what each scheme solves with the nodes that the first one takes for each depth.
pub fn table(title: &str, curves: &[Curve]) -> Table {
    let budgets: Vec<u64> =
        curves.iter().take(1).flat_map(|it| it.points.keys().copied()).collect();
    let head = budgets.iter().map(|&nodes| millions(nodes));
    let row = |curve: &Curve| {
        let solved = budgets.iter().map(|&nodes| curve.solved_at(nodes));
        let solved = solved.map(|it| it.map_or_else(|| "-".to_owned(), |it| format!("{it:.0}")));
        std::iter::once(curve.scheme.clone()).chain(solved).collect()
    };
    Table {
        title: title.to_owned(),
        head: std::iter::once("scheme".to_owned()).chain(head).collect(),
        rows: curves.iter().map(row).collect(),
    }
}

/// Returns the curves over the logarithm of the nodes.
pub fn chart(curves: &[Curve]) -> Chart {
    let place = |nodes: u64| (nodes.max(1) as f64).log10();
    let x = "nodes of all positions, as powers of ten";
    let chart = Chart::new("Solved at equal nodes", x, "solved").wide();
    curves.iter().fold(chart, |chart, curve| {
        let points = curve.points.iter().map(|(&nodes, &solved)| (place(nodes), solved as f64));
        chart.line(&curve.scheme, points)
    })
}

fn millions(nodes: u64) -> String {
    format!("{:.1} M", nodes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{SchemeRecord, SuiteRecord};
    use nullarbor_games::scheme::EngineKind;
    use nullarbor_lab::result::Cell;

    fn record(schemes: &[(&str, &[(u64, usize)])]) -> Record {
        let cell = |&(nodes, solved): &(u64, usize)| Cell {
            depth: Some(1),
            nodes,
            solved,
            ..Cell::default()
        };
        let schemes = schemes.iter().map(|(name, points)| SchemeRecord {
            scheme: (*name).to_owned(),
            cells: points.iter().map(cell).collect(),
            ..SchemeRecord::default()
        });
        let suite = SuiteRecord { schemes: schemes.collect(), ..SuiteRecord::default() };
        let record = Record::new("ecm-full", EngineKind::Plain, String::new());
        Record { suites: vec![suite], ..record }
    }

    #[test]
    fn between_two_depths_the_logarithm_of_the_nodes_decides() {
        let shallow = record(&[
            ("off", &[(1_000_000, 100), (4_000_000, 140)]),
            ("fixed-2", &[(2_000_000, 110), (8_000_000, 130)]),
        ]);
        let deep = record(&[("off", &[(4_000_000, 140), (16_000_000, 160)])]);
        let curves = curves(&[shallow, deep]).expect("one engine");
        let [off, two] = &curves[..] else { panic!("two schemes") };
        // Half of the way from 1 to 4 million is 2 million, and from 4 to 16 it is 8.
        assert_eq!(off.points.len(), 3);
        for (nodes, solved) in [(1_000_000, 100.0), (2_000_000, 120.0), (8_000_000, 150.0)] {
            let found = off.solved_at(nodes).expect("between");
            assert!((found - solved).abs() < 1e-9, "{nodes}: {found}");
        }
        assert_eq!((off.solved_at(999_999), off.solved_at(16_000_001)), (None, None));
        let table = table("ecm", &curves);
        assert_eq!(table.head, ["scheme", "1.0 M", "4.0 M", "16.0 M"]);
        assert_eq!(table.rows, [["off", "100", "140", "160"], ["fixed-2", "-", "120", "-"]]);
        assert!(two.solved_at(4_000_000).is_some_and(|it| (it - 120.0).abs() < 1e-9));
        assert_eq!(chart(&curves).series.len(), 2);
    }

    #[test]
    fn records_of_two_engines_have_no_curve() {
        let one = record(&[("off", &[(1, 1)])]);
        let other = Record { engine: "another".to_owned(), ..one.clone() };
        assert_eq!(curves(&[one.clone(), other]), None);
        let mut timed = one.clone();
        timed.suites[0].schemes[0].cells[0].depth = None;
        assert_eq!(curves(&[one, timed]), None);
        assert_eq!(curves(&[]), None);
    }
}
