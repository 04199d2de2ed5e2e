//! The summary of the statistics of a dataset, as tables and as JSON.

use crate::data::compact::levels::SCALE;
use nullarbor_report::table::{Table, grouped};
use serde::{Serialize, Serializer};

use super::figures::{FIGURES, Figure, Figures, Warning, warnings};
use super::histogram::{Bins, Histogram, percent};
use super::{AllAndKept, Statistics};
use crate::data::filter::{DropReason, Filter};
use crate::data::shard::Counts;

/// The statistics of a dataset without the keys of its positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Games, positions and results.
    #[serde(flatten)]
    pub counts: Counts,
    /// The filter.
    pub filter: Filter,
    /// The positions that it drops, each under the first reason that applies.
    #[serde(serialize_with = "by_reason")]
    pub dropped: [u64; DropReason::ALL.len()],
    /// The key figures.
    pub figures: Figures,
    /// The sample in which duplicates were counted.
    #[serde(rename = "repeats")]
    pub duplicates: Duplicates,
    /// Changes of the win probability from ply to ply.
    pub score_change: Vec<ScoreChange>,
    /// The histograms.
    pub histograms: Histograms,
    /// The figures outside their usual range.
    pub warnings: Vec<Warning>,
}

fn by_reason<S: Serializer>(
    dropped: &[u64; DropReason::ALL.len()],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(DropReason::ALL.iter().zip(dropped))
}

/// Duplicates among the kept positions whose key ends in `key_bits` zero bits: one key in 2^`key_bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Duplicates {
    pub key_bits: u32,
    pub positions: u64,
    #[serde(rename = "repeats")]
    pub duplicates: u64,
}

/// Changes of the win probability, from 0 to 1, over a number of plies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct ScoreChange {
    pub plies: usize,
    pub pairs: u64,
    pub mean_square: Option<f64>,
    pub mean_absolute: Option<f64>,
}

/// The histograms.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Histograms {
    pub piece_count: Counted,
    pub fifty_move_clock: Counted,
    pub absolute_score: Counted,
    pub ply: Counted,
    pub game_length: Counted,
}

/// A histogram; the last bin includes all larger values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// The first value of the first bin.
    pub first: usize,
    /// The width of a bin.
    pub width: usize,
    /// Counts of all positions or games.
    pub all: Vec<u64>,
    /// Counts of the kept positions; empty for games.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<u64>,
}

impl Counted {
    fn of(histogram: &Histogram) -> Self {
        let Bins { first, width, .. } = histogram.bins;
        Self { first, width, all: histogram.binned(), kept: Vec::new() }
    }

    fn of_both(both: &AllAndKept) -> Self {
        Self { kept: both.kept.binned(), ..Self::of(&both.all) }
    }
}

impl Summary {
    /// Summarises statistics.
    pub fn of(statistics: &Statistics) -> Self {
        let Statistics { counts, filter, pieces, fifty, scores, plies, lengths, .. } = statistics;
        let figures = Figures::of(statistics);
        Self {
            counts: *counts,
            filter: *filter,
            dropped: statistics.dropped,
            figures,
            duplicates: Duplicates {
                key_bits: statistics.keys.bits,
                positions: statistics.keys.positions(),
                duplicates: statistics.keys.duplicates(),
            },
            score_change: statistics.changes.iter().map(ScoreChange::of).collect(),
            histograms: Histograms {
                piece_count: Counted::of_both(pieces),
                fifty_move_clock: Counted::of_both(fifty),
                absolute_score: Counted::of_both(scores),
                ply: Counted::of_both(plies),
                game_length: Counted::of(lengths),
            },
            warnings: warnings(&figures),
        }
    }

    /// Returns the tables of the figures, of the filter and of the changes of the win probability.
    pub fn tables(&self) -> [Table; 3] {
        [
            Table::new("Dataset", ["figure", "value", "usual"], self.figure_rows()),
            Table::new(
                "Filter: each position under the first reason that applies",
                ["reason", "positions", "%"],
                self.filter_rows(),
            ),
            Table::new(
                "Change of the win probability",
                ["plies", "mean squared", "mean absolute"],
                self.change_rows(),
            ),
        ]
    }

    /// Returns a row for each figure: its name, its value and its usual range.
    fn figure_rows(&self) -> Vec<Vec<String>> {
        let row = |figure: &Figure| {
            vec![figure.name.to_owned(), figure.text((figure.get)(&self.figures)), figure.usual()]
        };
        FIGURES.iter().map(row).collect()
    }

    /// Returns a row for each reason to drop a position, and one for those kept: positions and percent of all.
    fn filter_rows(&self) -> Vec<Vec<String>> {
        let row = |name: &str, count: u64| {
            let share = percent(count, self.counts.positions);
            let share = share.map_or("-".to_owned(), |share| format!("{share:.2}"));
            vec![name.to_owned(), grouped(count), share]
        };
        let reasons = DropReason::ALL.into_iter().zip(self.dropped);
        let mut rows: Vec<Vec<String>> =
            reasons.map(|(reason, count)| row(reason.name(), count)).collect();
        rows.push(row("kept", self.counts.kept));
        rows
    }

    /// Returns a row for each distance in plies: the mean squared and mean absolute change of the win probability.
    fn change_rows(&self) -> Vec<Vec<String>> {
        let text = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.5}"));
        let row = |change: &ScoreChange| {
            vec![change.plies.to_string(), text(change.mean_square), text(change.mean_absolute)]
        };
        self.score_change.iter().map(row).collect()
    }

    /// Says how duplicates and changes of the win probability were measured, a sentence each.
    pub fn notes(&self) -> [String; 2] {
        let sample = match self.duplicates.key_bits {
            0 => "among all kept positions".to_owned(),
            bits => format!("among the kept positions whose key is a multiple of {}", 1u64 << bits),
        };
        [
            format!("Duplicates are counted {sample}."),
            format!(
                "The win probability is sigmoid(score / {SCALE} cp), from the same side's point of view at both plies."
            ),
        ]
    }
}

impl ScoreChange {
    fn of(change: &super::change::Change) -> Self {
        Self {
            plies: change.plies,
            pairs: change.pairs,
            mean_square: change.mean_square(),
            mean_absolute: change.mean_absolute(),
        }
    }
}
