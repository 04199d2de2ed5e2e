//! Reports of judged networks: tables, JSON and a page.

use nullarbor::eval::nnue::features::output_bucket;
use nullarbor::eval::nnue::format::MAX_OUTPUT_BUCKETS;
use nullarbor_report::html::{self, Head};
use nullarbor_report::plot::Chart;
use nullarbor_report::section::Section;
use nullarbor_report::table::Table;
use serde::Serialize;

use super::changes::Changes;
use super::figures::{Estimate, Figures, FileFigures, Part};
use crate::trainer::evaluate::{BUCKETS, pieces};

/// A network and its figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// The name of the network.
    pub network: String,
    /// The fingerprint of its file, if it is one.
    pub fingerprint: Option<String>,
    /// Figures of the network.
    #[serde(flatten)]
    pub figures: Figures,
    /// The changes from the first network that is judged, by file: met, neutral. Empty for that network.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Option<Changes>>,
}

/// Text in place of a figure that a set does not have.
const NONE: &str = "-";

/// One of the two files of positions, and where its figures are.
type File = (&'static str, fn(&Figures) -> Option<&FileFigures>);

/// The files of positions.
const FILES: [File; 2] =
    [("met", |figures| figures.met.as_ref()), ("neutral", |figures| figures.neutral.as_ref())];

/// The terms of the tables and what they mean.
const GLOSSARY: [(&str, &str); 9] = [
    (
        "met",
        "Mean squared error of the win probability on positions from games against engines of other strength: what the network knows where games are decided.",
    ),
    (
        "neutral",
        "The same on positions that nobody's mistakes selected: books played on, and endgames.",
    ),
    ("equal material r", "Correlation with the labels over the positions met with equal material."),
    (
        "order",
        "Share of the pairs of quiet siblings in the right order, weighted by how far apart their labels are: what a search needs.",
    ),
    (
        "noise",
        "Standard deviation of the error among siblings, in centipawns at equality: the part of the error that changes from move to move.",
    ),
    (
        "k",
        "The logistic scale, in centipawns, at which the network's errors on the neutral positions are least.",
    ),
    (
        "r",
        "Correlation of the changes from the first network with those that would correct it; its square is the share of the error that they can remove.",
    ),
    ("part", "The part of the changes that removes most of the error: below 1, they go too far."),
    ("±", "Half of the interval of 95 %, from the spread within the set."),
];

/// Returns the main figures, a network in each row.
pub fn summary(judged: &[Judged]) -> Table {
    let head =
        ["network", "met", "±", "neutral", "±", "equal material r", "order", "±", "noise, cp", "k"];
    let row = |Judged { network, figures, .. }: &Judged| {
        let estimate = |estimate: Option<Estimate>, digits: usize| {
            let shown = |value: f64| format!("{value:.digits$}");
            estimate.map_or([NONE; 2].map(str::to_owned), |it| [it.value, it.error].map(shown))
        };
        let [met, neutral] =
            FILES.map(|(_, file)| estimate(file(figures).map(|file| file.loss), 4));
        let siblings = figures.siblings;
        let order = estimate(siblings.map(|it| it.order), 3);
        let number = |number: Option<f64>, digits: usize| {
            number.map_or(NONE.to_owned(), |number| format!("{number:.digits$}"))
        };
        let r = number(figures.equal_material, 3);
        let noise = number(siblings.map(|it| it.noise), 1);
        let (name, k) = (network.clone(), figures.scale.to_string());
        [vec![name], met.into(), neutral.into(), vec![r], order.into(), vec![noise, k]].concat()
    };
    Table::new("Networks", head, judged.iter().map(row))
}

/// Returns how far the changes from the first network correct its errors, a network in each row; `None` for one network.
pub fn changes(judged: &[Judged]) -> Option<Table> {
    let base = &judged.first()?.network;
    let head = ["network", "met: r", "±", "part", "neutral: r", "±", "part"];
    let row = |Judged { network, changes, .. }: &Judged| {
        let cells = changes.iter().flat_map(|changes| {
            let shown = |it: &Changes| [it.correlation.value, it.correlation.error, it.part];
            let known = changes.as_ref().map(shown);
            let cell = |number: f64, digits: usize| format!("{number:.digits$}");
            known.map_or([NONE; 3].map(str::to_owned), |[r, error, part]| {
                [cell(r, 3), cell(error, 3), cell(part, 2)]
            })
        });
        [network.clone()].into_iter().chain(cells).collect::<Vec<String>>()
    };
    let others: Vec<_> = judged.iter().filter(|it| !it.changes.is_empty()).map(row).collect();
    let title = format!("Changes from {base}, against its errors");
    (!others.is_empty()).then(|| Table::new(&title, head, others))
}

/// Returns the figures by piece count, by side to move and by output bucket, a network in each column.
pub fn details(judged: &[Judged]) -> Vec<Table> {
    let mut tables = Vec::new();
    for (name, file) in FILES {
        let title = format!("Mean squared error, {name}, by piece count");
        let cell = |part: &Part| format!("{:.4}", part.loss);
        let rows = (0..BUCKETS).map(|bucket| {
            let [least, most] = pieces(bucket);
            let part = move |figures: &Figures| file(figures).map(|it| it.by_pieces[bucket]);
            (format!("{least}-{most}"), row(judged, part, cell))
        });
        tables.push(table(judged, &title, "pieces", rows));
    }
    let mut rows = Vec::new();
    for (name, file) in FILES {
        let cell = |part: &Part| format!("{:.4}, {:+.1}", part.loss, part.bias);
        for (index, side) in ["White", "Black", "either"].into_iter().enumerate() {
            let part = move |figures: &Figures| {
                let file = file(figures)?;
                Some(file.by_mover.get(index).copied().unwrap_or_else(|| file.all()))
            };
            rows.push((format!("{name}, {side} to move"), row(judged, part, cell)));
        }
    }
    let title = "Mean squared error, and bias for the side to move in centipawns";
    tables.push(table(judged, title, "positions of", rows));
    let rows = (0..MAX_OUTPUT_BUCKETS).map(|bucket| {
        let positions = |judged: &Judged| judged.figures.bucket_scales[bucket].positions;
        let scale = |judged: &Judged| {
            let scale = judged.figures.bucket_scales[bucket].scale;
            scale.map_or(NONE.to_owned(), |scale| scale.to_string())
        };
        let cells = judged.iter().map(scale).collect();
        (bucket_pieces(bucket), Some((judged.first().map_or(0, positions), cells)))
    });
    tables.push(table(
        judged,
        "Fitted logistic scale in centipawns, by piece count",
        "pieces",
        rows,
    ));
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

/// The number of positions, which all networks share, and a cell for each network; `None` without positions.
type Cells = Option<(usize, Vec<String>)>;

fn row(
    judged: &[Judged],
    part: impl Fn(&Figures) -> Option<Part>,
    cell: impl Fn(&Part) -> String,
) -> Cells {
    let parts: Option<Vec<Part>> = judged.iter().map(|it| part(&it.figures)).collect();
    let parts = parts.filter(|parts| parts.iter().any(|part| part.positions > 0))?;
    Some((parts[0].positions, parts.iter().map(cell).collect()))
}

/// Returns a table of the rows that have positions.
fn table(
    judged: &[Judged],
    title: &str,
    first: &str,
    rows: impl IntoIterator<Item = (String, Cells)>,
) -> Table {
    let networks = judged.iter().map(|judged| judged.network.clone());
    let head = [first.to_owned(), "positions".to_owned()].into_iter().chain(networks).collect();
    let row = |(name, cells): (String, Cells)| {
        let (positions, cells) = cells.filter(|(positions, _)| *positions > 0)?;
        Some([vec![name, positions.to_string()], cells].concat())
    };
    Table { title: title.to_owned(), head, rows: rows.into_iter().filter_map(row).collect() }
}

/// The piece counts of an output bucket.
fn bucket_pieces(bucket: usize) -> String {
    let is_in = |pieces: &usize| output_bucket(*pieces, MAX_OUTPUT_BUCKETS) == bucket;
    let (least, most) = ((2..=32).find(is_in), (2..=32).rfind(is_in));
    format!("{}-{}", least.unwrap_or(2), most.unwrap_or(32))
}

/// Returns the page of some networks.
pub fn page(head: &Head, judged: &[Judged]) -> String {
    html::page(head, &[figures(judged), parts(judged)])
}

fn figures(judged: &[Judged]) -> Section {
    Section::new("Figures")
        .tables([summary(judged)])
        .tables(changes(judged))
        .glossary("What the columns mean", GLOSSARY.to_vec())
        .charts([
            bars("Mean squared error, met", "error", judged, |it| {
                it.met.as_ref().map(|met| met.loss.value)
            }),
            bars("Mean squared error, neutral", "error", judged, |it| {
                it.neutral.as_ref().map(|neutral| neutral.loss.value)
            }),
            bars("Order of siblings", "share", judged, |it| it.siblings.map(|it| it.order.value)),
            bars("Noise among siblings", "cp", judged, |it| it.siblings.map(|it| it.noise)),
        ])
}

fn parts(judged: &[Judged]) -> Section {
    let loss = |part: &Part| (part.positions > 0).then_some(part.loss);
    let by_pieces = |(name, file): File| {
        let title = format!("Mean squared error, {name}, by piece count");
        curves(&title, "error", judged, BUCKETS, middle, move |figures, bucket| {
            file(figures).and_then(|file| loss(&file.by_pieces[bucket]))
        })
    };
    let scales = curves(
        "Fitted logistic scale by piece count",
        "cp",
        judged,
        MAX_OUTPUT_BUCKETS,
        bucket_middle,
        |figures, bucket| figures.bucket_scales[bucket].scale.map(f64::from),
    );
    let bias = bars("Bias for the side to move, met", "cp", judged, |it| {
        it.met.as_ref().map(|met| met.all().bias)
    });
    Section::new("Parts")
        .text("Errors by the number of pieces; the scale at which a network's centipawns are best, which is the same for all piece counts where an evaluation is of one piece.")
        .charts(FILES.map(by_pieces))
        .charts([scales, bias])
        .tables(details(judged))
}

/// Returns how the main figures went over epochs or generations.
pub fn course<'a>(
    unit: &str,
    figures: impl Iterator<Item = (f64, &'a Figures)> + Clone,
) -> [Chart; 2] {
    let losses = Chart::new("Mean squared error of the win probability", unit, "error");
    let losses = FILES.into_iter().fold(losses, |chart, (name, file)| {
        let points = figures.clone().filter_map(|(x, it)| Some((x, file(it)?.loss.value)));
        with_line(chart, name, points.collect())
    });
    let order = figures.filter_map(|(x, it)| Some((x, it.siblings?.order.value)));
    let chart = Chart::new("Order of siblings", unit, "share of pairs");
    [losses, with_line(chart, "order", order.collect())]
}

fn with_line(chart: Chart, name: &str, points: Vec<(f64, f64)>) -> Chart {
    if points.is_empty() { chart } else { chart.line(name, points) }
}

/// The middle of the piece counts of a bucket of [`pieces`].
fn middle(bucket: usize) -> f64 {
    let [least, most] = pieces(bucket);
    (least + most) as f64 / 2.0
}

/// The middle of the piece counts of an output bucket.
fn bucket_middle(bucket: usize) -> f64 {
    let inside = (2..=32).filter(|&pieces| output_bucket(pieces, MAX_OUTPUT_BUCKETS) == bucket);
    let (sum, count) = inside.fold((0, 0), |(sum, count), pieces| (sum + pieces, count + 1));
    f64::from(sum as u32) / f64::from(count.max(1))
}

/// A bar for each network; no series where the set has nothing to say.
fn bars(title: &str, unit: &str, judged: &[Judged], of: impl Fn(&Figures) -> Option<f64>) -> Chart {
    let bar = |judged: &Judged| Some((judged.network.clone(), of(&judged.figures)?));
    let bars: Vec<(String, f64)> = judged.iter().filter_map(bar).collect();
    let chart = Chart::new(title, "network", unit);
    if bars.is_empty() { chart } else { chart.bars(title, bars) }
}

/// A line for each network over the piece counts.
fn curves(
    title: &str,
    unit: &str,
    judged: &[Judged],
    buckets: usize,
    pieces: impl Fn(usize) -> f64,
    of: impl Fn(&Figures, usize) -> Option<f64>,
) -> Chart {
    let mut chart = Chart::new(title, "pieces", unit).from_zero();
    for Judged { network, figures, .. } in judged {
        let point = |bucket: usize| Some((pieces(bucket), of(figures, bucket)?));
        let points: Vec<(f64, f64)> = (0..buckets).filter_map(point).collect();
        chart = with_line(chart, network, points);
    }
    chart
}

#[cfg(test)]
mod tests {
    use nullarbor::eval::nnue::Network;
    use nullarbor::eval::nnue::format::NetworkFile;

    use super::*;
    use crate::trainer::judge::set::{JudgeSet, Labelled};
    use crate::trainer::quantise::Quantised;
    use crate::trainer::testing::random_positions;

    fn judged(set: &JudgeSet) -> Vec<Judged> {
        let network = Quantised(NetworkFile::parse(Network::embedded_file()).expect("a network"));
        let figures = Figures::of(&network, set);
        ["one", "<two>"]
            .map(|name| Judged {
                network: name.to_owned(),
                fingerprint: None,
                figures: figures.clone(),
                changes: Vec::new(),
            })
            .into()
    }

    fn labelled(seed: u64) -> Vec<Labelled> {
        let positions = random_positions(200, seed);
        let label = |(number, position)| Labelled::new(position, (number % 8) as f64 * 20.0);
        positions.iter().enumerate().map(label).collect()
    }

    #[test]
    fn every_table_has_a_cell_for_each_network() {
        let set = JudgeSet {
            met: labelled(1),
            neutral: labelled(2),
            siblings: labelled(3).chunks(8).map(<[_]>::to_vec).collect(),
        };
        let judged = judged(&set);
        let page = page(&Head::default(), &judged);
        let summary = summary(&judged);
        assert_eq!(summary.rows.len(), 2);
        assert!(!summary.text().contains(" - "), "{}", summary.text());
        let details = details(&judged);
        assert_eq!(details.len(), 4);
        for table in &details {
            assert!(table.rows.iter().all(|row| row.len() == 4 && row.len() == table.head.len()));
            assert!(page.contains(&format!("<h3>{}", table.title)), "{}", table.title);
        }
        assert!(page.matches("<figure").count() == 8 && !page.contains("<two>"));
        let json = serde_json::to_string(&judged).expect("JSON");
        assert!(json.contains("\"equal_material\":") && !json.contains("null,\"met\""), "{json}");
    }

    #[test]
    fn what_a_set_lacks_gives_dashes_and_no_tables() {
        let judged = judged(&JudgeSet { neutral: labelled(4), ..JudgeSet::default() });
        let summary = summary(&judged).text();
        assert!(
            summary.lines().nth(2).is_some_and(|row| row.matches(" -").count() == 6),
            "{summary}"
        );
        let titles: Vec<String> = details(&judged).into_iter().map(|table| table.title).collect();
        assert_eq!(titles.len(), 3, "{titles:?}");
        let page = page(&Head::default(), &judged);
        assert!(!page.contains("<td>NaN") && !page.contains("Order of siblings"));
    }

    #[test]
    fn output_buckets_are_named_by_their_piece_counts() {
        assert_eq!((bucket_pieces(0), bucket_pieces(7)), ("2-5".to_owned(), "30-32".to_owned()));
        assert!((0..8).map(bucket_middle).is_sorted());
    }
}
