//! The figures of a dataset, and the range in which each usually lies.

use serde::Serialize;

use super::Statistics;
use super::histogram::percent;

/// The figures; `None` where there is nothing to measure. Shares are in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct Figures {
    pub kept_percent: Option<f64>,
    pub repeats_percent: Option<f64>,
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
    /// The figures of some games. Piece counts, clocks, scores and repeats are those of the positions that are kept.
    pub fn of(statistics: &Statistics) -> Self {
        let Statistics { counts, pieces, fifty, scores, lengths, keys, .. } = statistics;
        let games = |part| percent(part, counts.games);
        Self {
            kept_percent: percent(counts.kept, counts.positions),
            repeats_percent: percent(keys.repeats(), keys.positions()),
            median_pieces: pieces.kept.median(),
            few_pieces_percent: pieces.kept.percent(0, 5),
            fifty_20_percent: fifty.kept.percent(20, usize::MAX),
            fifty_40_percent: fifty.kept.percent(40, usize::MAX),
            median_score: scores.kept.median(),
            score_600_percent: scores.kept.percent(601, usize::MAX),
            white_percent: games(counts.white),
            drawn_percent: games(counts.drawn),
            black_percent: games(counts.black),
            mean_length: lengths.mean(),
            median_length: lengths.median(),
        }
    }
}

/// An end of a usual range.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The last usual value.
    pub at: f64,
    /// What is wrong beyond it.
    pub wrong: &'static str,
    /// What to do then.
    pub remedy: &'static str,
}

/// How a figure is called and what is usual.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// What it is measured in, or nothing.
    pub unit: &'static str,
    /// Where it is.
    pub of: fn(&Figures) -> Option<f64>,
    /// The lower end of the usual range.
    pub least: Option<Limit>,
    /// The upper end of the usual range.
    pub most: Option<Limit>,
}

/// A figure without a usual range.
const fn plain(name: &'static str, unit: &'static str, of: fn(&Figures) -> Option<f64>) -> Kind {
    Kind { name, unit, of, least: None, most: None }
}

/// All figures. Text and checks use these ranges and no others.
pub const KINDS: [Kind; 13] = [
    Kind {
        least: Some(Limit {
            at: 55.0,
            wrong: "few positions are kept",
            remedy: "see which filter drops most; end decided games earlier, or give each move more nodes",
        }),
        ..plain("kept positions", "%", |it| it.kept_percent)
    },
    Kind {
        most: Some(Limit {
            at: 5.0,
            wrong: "many positions are repeats",
            remedy: "play more random plies (--plies), widen the window (--window), or use another seed in each folder",
        }),
        ..plain("repeats among kept positions", "%", |it| it.repeats_percent)
    },
    Kind {
        least: Some(Limit {
            at: 14.0,
            wrong: "endgames prevail",
            remedy: "end drawn and decided games earlier",
        }),
        most: Some(Limit {
            at: 22.0,
            wrong: "endgames are rare",
            remedy: "end games later, or begin some from endgames (--book endgames)",
        }),
        ..plain("piece count of kept positions, median", "", |it| it.median_pieces)
    },
    Kind {
        most: Some(Limit {
            at: 10.0,
            wrong: "many positions are almost bare",
            remedy: "end drawn and decided games earlier",
        }),
        ..plain("kept positions with at most 5 pieces", "%", |it| it.few_pieces_percent)
    },
    Kind {
        most: Some(Limit {
            at: 10.0,
            wrong: "many games shuffle",
            remedy: "end drawn games earlier, or play more random plies (--plies)",
        }),
        ..plain("kept positions with a fifty-move clock of 20 or more", "%", |it| {
            it.fifty_20_percent
        })
    },
    plain("kept positions with a fifty-move clock of 40 or more", "%", |it| it.fifty_40_percent),
    plain("absolute score of kept positions, median", "cp", |it| it.median_score),
    plain("kept positions with a score beyond 600 cp", "%", |it| it.score_600_percent),
    plain("games won by White", "%", |it| it.white_percent),
    Kind {
        least: Some(Limit {
            at: 10.0,
            wrong: "few games are drawn",
            remedy: "narrow the window (--window): many openings decide the game",
        }),
        most: Some(Limit {
            at: 45.0,
            wrong: "many games are drawn",
            remedy: "play more random plies (--plies), widen the window (--window)",
        }),
        ..plain("games drawn", "%", |it| it.drawn_percent)
    },
    plain("games won by Black", "%", |it| it.black_percent),
    plain("game length, mean", "plies", |it| it.mean_length),
    plain("game length, median", "plies", |it| it.median_length),
];

impl Kind {
    /// A value with its unit; a dash for none.
    pub fn text(&self, value: Option<f64>) -> String {
        match value {
            None => "-".to_owned(),
            Some(value) => format!("{value:.2} {}", self.unit).trim_end().to_owned(),
        }
    }

    /// The usual range in words; empty where there is none.
    pub fn usual(&self) -> String {
        let text = match [self.least, self.most].map(|limit| limit.map(|limit| limit.at)) {
            [None, None] => return String::new(),
            [Some(least), None] => format!("at least {least}"),
            [None, Some(most)] => format!("at most {most}"),
            [Some(least), Some(most)] => format!("{least} to {most}"),
        };
        format!("{text} {}", self.unit).trim_end().to_owned()
    }

    /// The end of the usual range beyond which a value lies.
    fn passed(&self, value: f64) -> Option<Limit> {
        let below = self.least.filter(|least| value < least.at);
        below.or_else(|| self.most.filter(|most| value > most.at))
    }

    fn warning(&self, figures: &Figures) -> Option<Warning> {
        let value = (self.of)(figures)?;
        let Limit { wrong, remedy, .. } = self.passed(value)?;
        let usual = self.usual();
        let text = format!(
            "{wrong} ({}: {}, usually {usual}): {remedy}",
            self.name,
            self.text(Some(value))
        );
        Some(Warning { figure: self.name, value, usual, text })
    }
}

/// A figure outside of its usual range.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Warning {
    /// Its name.
    pub figure: &'static str,
    /// Its value.
    pub value: f64,
    /// The usual range.
    pub usual: String,
    /// What is wrong, and what to do.
    pub text: String,
}

/// The figures that are outside of their usual range.
pub fn warnings(figures: &Figures) -> Vec<Warning> {
    KINDS.iter().filter_map(|kind| kind.warning(figures)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_given_beyond_the_limits_only() {
        type Set = fn(&mut Figures, f64);
        let limits: [(Set, f64, f64); 7] = [
            (|it, value| it.kept_percent = Some(value), 55.0, -1.0),
            (|it, value| it.repeats_percent = Some(value), 5.0, 1.0),
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
    fn nothing_is_not_out_of_range() {
        let figures = Figures::of(&Statistics::new(crate::data::filter::Filter::default()));
        assert_eq!(figures, Figures::default());
        assert_eq!(warnings(&figures), []);
    }
}
