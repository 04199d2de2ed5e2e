//! The statistics of a dataset, for programs and for pages.

use crate::data::compact::levels::SCALE;
use serde::Serialize;

use super::figures::{Figures, KINDS, Warning, warnings};
use super::histogram::{Bins, Histogram, percent};
use super::{Both, Statistics};
use crate::data::filter::{Dropped, Filter};
use crate::data::shard::Counts;

/// Everything that is known of a dataset, but for the keys of its positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Games, positions and results.
    #[serde(flatten)]
    pub counts: Counts,
    /// The filter that says which positions are kept.
    pub filter: Filter,
    /// The positions that it leaves out, each under the first reason that applies.
    pub dropped: DroppedCounts,
    /// The figures.
    pub figures: Figures,
    /// How repeats were counted.
    pub repeats: Repeats,
    /// Changes in win probability from ply to ply.
    pub score_change: Vec<ScoreChange>,
    /// Counts by value.
    pub histograms: Histograms,
    /// The figures that are outside of their usual range.
    pub warnings: Vec<Warning>,
}

/// Positions that are left out, by reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct DroppedCounts {
    pub early: u64,
    pub in_check: u64,
    pub capture_or_promotion: u64,
    pub mate_score: u64,
    pub beyond_score_limit: u64,
}

/// Repeats of kept positions, counted on those whose key ends in so many zero bits: one key of 2^bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Repeats {
    pub key_bits: u32,
    pub positions: u64,
    pub repeats: u64,
}

/// Changes in win probability, from 0 to 1, over a number of plies.
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

/// A histogram: the last bin holds all greater values, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// The least value of the first bin.
    pub first: usize,
    /// The width of a bin.
    pub width: usize,
    /// Counts of all positions, or games.
    pub all: Vec<u64>,
    /// Counts of the positions that are kept; empty for games.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<u64>,
}

impl Counted {
    fn of(histogram: &Histogram) -> Self {
        let Bins { first, width, .. } = histogram.bins();
        Self { first, width, all: histogram.binned(), kept: Vec::new() }
    }

    fn of_both(both: &Both) -> Self {
        Self { kept: both.kept.binned(), ..Self::of(&both.all) }
    }
}

impl Summary {
    /// The summary of some games.
    pub fn of(statistics: &Statistics) -> Self {
        let Statistics { counts, filter, pieces, fifty, scores, plies, lengths, .. } = statistics;
        let figures = Figures::of(statistics);
        let dropped = |reason: Dropped| statistics.dropped[reason as usize];
        Self {
            counts: *counts,
            filter: *filter,
            dropped: DroppedCounts {
                early: dropped(Dropped::Early),
                in_check: dropped(Dropped::InCheck),
                capture_or_promotion: dropped(Dropped::Noisy),
                mate_score: dropped(Dropped::Decisive),
                beyond_score_limit: dropped(Dropped::Score),
            },
            figures,
            repeats: Repeats {
                key_bits: statistics.keys.bits(),
                positions: statistics.keys.positions(),
                repeats: statistics.keys.repeats(),
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

    /// A row for each figure: its name, its value and its usual range.
    pub fn figure_rows(&self) -> Vec<Vec<String>> {
        let row = |kind: &super::figures::Kind| {
            vec![kind.name.to_owned(), kind.text((kind.of)(&self.figures)), kind.usual()]
        };
        KINDS.iter().map(row).collect()
    }

    /// A row for each reason to leave a position out, and for those kept: positions and percent of all.
    pub fn filter_rows(&self) -> Vec<Vec<String>> {
        let DroppedCounts { early, in_check, capture_or_promotion, mate_score, beyond_score_limit } =
            self.dropped;
        let counts = [early, in_check, capture_or_promotion, mate_score, beyond_score_limit];
        let row = |name: &str, count: u64| {
            let share = percent(count, self.counts.positions);
            let share = share.map_or("-".to_owned(), |share| format!("{share:.2}"));
            vec![name.to_owned(), count.to_string(), share]
        };
        let reasons = Dropped::ALL.into_iter().zip(counts);
        let mut rows: Vec<Vec<String>> =
            reasons.map(|(reason, count)| row(reason.name(), count)).collect();
        rows.push(row("kept", self.counts.kept));
        rows
    }

    /// A row for each distance in plies: mean squared and mean absolute change in win probability.
    pub fn change_rows(&self) -> Vec<Vec<String>> {
        let text = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.5}"));
        let row = |change: &ScoreChange| {
            vec![change.plies.to_string(), text(change.mean_square), text(change.mean_absolute)]
        };
        self.score_change.iter().map(row).collect()
    }

    /// How repeats and score changes were measured, a sentence each.
    pub fn notes(&self) -> [String; 2] {
        let sample = match self.repeats.key_bits {
            0 => "among all kept positions".to_owned(),
            bits => format!(
                "exactly among the kept positions whose key is a multiple of {}",
                1u64 << bits
            ),
        };
        [
            format!("Repeats are counted {sample}."),
            format!(
                "Win probability is sigmoid(score / {SCALE} cp), from the same side's point of view at both plies."
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
