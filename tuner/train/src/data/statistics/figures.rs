//! The key figures of a dataset, and their usual ranges.

use serde::{Deserialize, Serialize};

use super::Statistics;
use super::histogram::percent;
use crate::data::filter::DropReason;

/// The key figures; `None` if there is nothing to measure. Shares are in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Figures {
    pub kept_percent: Option<f64>,
    #[serde(rename = "repeats_percent")]
    pub duplicates_percent: Option<f64>,
    pub median_pieces: Option<f64>,
    pub few_pieces_percent: Option<f64>,
    pub fifty_20_percent: Option<f64>,
    pub fifty_40_percent: Option<f64>,
    pub median_score: Option<f64>,
    pub score_600_percent: Option<f64>,
    pub white_percent: Option<f64>,
    pub drawn_percent: Option<f64>,
    pub black_percent: Option<f64>,
    pub mean_length: Option<f64>,
    pub median_length: Option<f64>,
}

impl Figures {
    /// Computes the figures. Piece counts, halfmove clocks, scores and duplicates are those of kept positions.
    pub fn of(statistics: &Statistics) -> Self {
        let Statistics { counts, dropped, pieces, fifty, scores, lengths, keys, .. } = statistics;
        let games = |part| percent(part, counts.games);
        // Quick searches and `relabel --share` leave positions without a score on purpose.
        let scored = counts.positions - dropped[DropReason::Unscored as usize];
        Self {
            kept_percent: percent(counts.kept, scored),
            duplicates_percent: percent(keys.duplicates(), keys.positions()),
            median_pieces: pieces.kept.median(),
            few_pieces_percent: pieces.kept.percent(0, 5),
            fifty_20_percent: fifty.kept.percent(20, usize::MAX),
            fifty_40_percent: fifty.kept.percent(40, usize::MAX),
            median_score: scores.kept.median(),
            score_600_percent: scores.kept.percent(601, usize::MAX),
            white_percent: games(counts.white_wins),
            drawn_percent: games(counts.draws),
            black_percent: games(counts.black_wins),
            mean_length: lengths.mean(),
            median_length: lengths.median(),
        }
    }
}

/// A limit of a usual range.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The limit itself, which is still usual.
    pub value: f64,
    /// The problem of a value beyond it.
    pub problem: &'static str,
    /// Advice on the problem.
    pub advice: &'static str,
}

/// The name, unit and usual range of a figure.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Name of the figure.
    pub name: &'static str,
    /// Unit, or an empty string.
    pub unit: &'static str,
    /// Returns its value.
    pub get: fn(&Figures) -> Option<f64>,
    /// The lower limit of the usual range.
    pub min: Option<Limit>,
    /// The upper limit of the usual range.
    pub max: Option<Limit>,
}

/// Declares a figure without a usual range.
const fn plain(name: &'static str, unit: &'static str, get: fn(&Figures) -> Option<f64>) -> Figure {
    Figure { name, unit, get, min: None, max: None }
}

/// All figures: the only declaration of their usual ranges.
pub const FIGURES: [Figure; 13] = [
    Figure {
        min: Some(Limit {
            value: 55.0,
            problem: "few positions are kept",
            advice: "see what the filter drops most; end decided games earlier, or give each move more nodes",
        }),
        ..plain("kept positions, of those with a score", "%", |it| it.kept_percent)
    },
    Figure {
        max: Some(Limit {
            value: 5.0,
            problem: "many positions are duplicates",
            advice: "play more random plies (--plies), widen the window (--window), or use another seed for each dataset",
        }),
        ..plain("duplicates among kept positions", "%", |it| it.duplicates_percent)
    },
    Figure {
        min: Some(Limit {
            value: 14.0,
            problem: "most positions are endgames",
            advice: "end drawn and decided games earlier",
        }),
        max: Some(Limit {
            value: 22.0,
            problem: "endgames are rare",
            advice: "end games later, or begin some from endgames (--book endgames)",
        }),
        ..plain("piece count of kept positions, median", "", |it| it.median_pieces)
    },
    Figure {
        max: Some(Limit {
            value: 10.0,
            problem: "many positions have almost no pieces",
            advice: "end drawn and decided games earlier",
        }),
        ..plain("kept positions with at most 5 pieces", "%", |it| it.few_pieces_percent)
    },
    Figure {
        max: Some(Limit {
            value: 10.0,
            problem: "many games shuffle pieces",
            advice: "end drawn games earlier, or play more random plies (--plies)",
        }),
        ..plain("kept positions with a halfmove clock of 20 or more", "%", |it| it.fifty_20_percent)
    },
    plain("kept positions with a halfmove clock of 40 or more", "%", |it| it.fifty_40_percent),
    plain("absolute score of kept positions, median", "cp", |it| it.median_score),
    plain("kept positions with a score beyond 600 cp", "%", |it| it.score_600_percent),
    plain("games won by White", "%", |it| it.white_percent),
    Figure {
        min: Some(Limit {
            value: 10.0,
            problem: "few games are drawn",
            advice: "narrow the window (--window): many openings are already decided",
        }),
        max: Some(Limit {
            value: 45.0,
            problem: "many games are drawn",
            advice: "play more random plies (--plies), widen the window (--window)",
        }),
        ..plain("games drawn", "%", |it| it.drawn_percent)
    },
    plain("games won by Black", "%", |it| it.black_percent),
    plain("game length, mean", "plies", |it| it.mean_length),
    plain("game length, median", "plies", |it| it.median_length),
];

impl Figure {
    /// Formats a value with its unit; a dash for `None`.
    pub fn text(&self, value: Option<f64>) -> String {
        match value {
            None => "-".to_owned(),
            Some(value) => format!("{value:.2} {}", self.unit).trim_end().to_owned(),
        }
    }

    /// Describes the usual range; empty if there is none.
    pub fn usual(&self) -> String {
        let text = match [self.min, self.max].map(|limit| limit.map(|limit| limit.value)) {
            [None, None] => return String::new(),
            [Some(min), None] => format!("at least {min}"),
            [None, Some(max)] => format!("at most {max}"),
            [Some(min), Some(max)] => format!("{min} to {max}"),
        };
        format!("{text} {}", self.unit).trim_end().to_owned()
    }

    /// Returns the limit that a value exceeds, if any.
    fn exceeded(&self, value: f64) -> Option<Limit> {
        let below = self.min.filter(|min| value < min.value);
        below.or_else(|| self.max.filter(|max| value > max.value))
    }

    fn warning(&self, figures: &Figures) -> Option<Warning> {
        let value = (self.get)(figures)?;
        let Limit { problem, advice, .. } = self.exceeded(value)?;
        let usual = self.usual();
        let text = format!(
            "{problem} ({}: {}, usually {usual}): {advice}",
            self.name,
            self.text(Some(value))
        );
        Some(Warning { figure: self.name, value, usual, text })
    }
}

/// A figure outside its usual range.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Warning {
    /// Name of the figure.
    pub figure: &'static str,
    /// Value of the figure.
    pub value: f64,
    /// The usual range.
    pub usual: String,
    /// The problem, and what to do about it.
    pub text: String,
}

/// Returns a warning for each figure outside its usual range.
pub fn warnings(figures: &Figures) -> Vec<Warning> {
    FIGURES.iter().filter_map(|figure| figure.warning(figures)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_given_beyond_the_limits_only() {
        type Set = fn(&mut Figures, f64);
        let limits: [(Set, f64, f64); 7] = [
            (|it, value| it.kept_percent = Some(value), 55.0, -1.0),
            (|it, value| it.duplicates_percent = Some(value), 5.0, 1.0),
            (|it, value| it.median_pieces = Some(value), 14.0, -1.0),
            (|it, value| it.median_pieces = Some(value), 22.0, 1.0),
            (|it, value| it.few_pieces_percent = Some(value), 10.0, 1.0),
            (|it, value| it.fifty_20_percent = Some(value), 10.0, 1.0),
            (|it, value| it.drawn_percent = Some(value), 45.0, 1.0),
        ];
        for (set, limit, beyond) in limits {
            let mut figures = Figures::default();
            set(&mut figures, limit);
            assert_eq!(warnings(&figures), [], "at {limit}");
            set(&mut figures, limit + 0.01 * beyond);
            assert_eq!(warnings(&figures).len(), 1, "beyond {limit}");
        }
        let few = Figures { drawn_percent: Some(9.0), ..Figures::default() };
        let [warning] = warnings(&few).try_into().expect("one warning");
        assert!(warning.text.contains("games drawn: 9.00 %, usually 10 to 45 %"), "{warning:?}");
        assert!(warning.text.contains("--window"), "{warning:?}");
        let enough = Figures { drawn_percent: Some(10.0), ..Figures::default() };
        assert_eq!(warnings(&enough), []);
    }

    #[test]
    fn an_empty_dataset_has_no_warnings() {
        let figures = Figures::of(&Statistics::new(crate::data::filter::Filter::default()));
        assert_eq!(figures, Figures::default());
        assert_eq!(warnings(&figures), []);
    }
}
