//! The events of a run that the journal records: a line for each finished step.

use nullarbor_runs::journal::Kind;
use nullarbor_stats::{PairCounts, Strength, Unbiased};
use nullarbor_train::data::shard::Counts;
use nullarbor_train::data::statistics::figures::Figures;
use nullarbor_train::trainer::checkpoint::EpochMetrics;
use nullarbor_train::trainer::judge;
use nullarbor_train::trainer::quantise::QuantisationError;
use nullarbor_train::trainer::{Evaluation, Shape};
use serde::{Deserialize, Serialize};

use crate::check::Check;
use crate::config::{Config, sprt};

/// The journal of a run.
pub const BREED: Kind =
    Kind { key: "nullarbor_breed", name: "breeding run", reads_unsealed: false };

/// A network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkId {
    /// CRC-32 of its file, in hexadecimal.
    pub fingerprint: String,
    /// Shape of the network.
    pub shape: Shape,
}

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The network that the run began with: generation 0.
    pub network: NetworkId,
}

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Time at which it was written, in seconds since 1970.
    pub at: u64,
    /// Event of the line.
    #[serde(flatten)]
    pub event: Event,
}

/// An event of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Event {
    /// A cycle began.
    Begun(Box<Begun>),
    /// The games of the cycle were played.
    Games(Games),
    /// The network of the cycle was trained.
    Trained(Trained),
    /// The network was checked on its own.
    Sanity(Checked),
    /// The held-out loss of the network was compared.
    Loss(Checked),
    /// The network was judged by positions with labels from deep searches.
    Judged(Judged),
    /// The network played at fixed nodes.
    Nodes(MatchResult),
    /// The network played on a clock.
    Clock(MatchResult),
    /// The network is the accepted one from now on.
    Adopted { cycle: u64, generation: u64 },
    /// The network was rejected.
    Rejected { cycle: u64, gates: Vec<String> },
    /// A generation played against others.
    Anchors(Anchors),
    /// A person let the run go on after three rejections.
    Retried { cycle: u64 },
    /// A generation was put into a source tree.
    Shipped { generation: u64, result: MatchResult },
}

/// The beginning of a cycle, and all that decides it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Begun {
    /// Number of the cycle, from 1.
    pub cycle: u64,
    /// The generation that plays the games.
    pub generation: u64,
    /// Kept positions to play.
    pub positions: u64,
    /// Kept positions of the earlier games in the window, those of the first network included.
    pub pile: u64,
    /// The cycles whose games are trained on, this one included.
    pub window: Vec<u64>,
    /// True if the datasets of the first network are trained on, too.
    pub with_start: bool,
    /// The configuration.
    #[serde(deserialize_with = "Config::journalled")]
    pub config: Config,
}

impl Begun {
    /// Returns the maximum hours of the games, if they are limited: those of the configuration, and as many times as long
    /// as there are more positions than its number.
    pub fn hours(&self) -> Option<f64> {
        let games = &self.config.games;
        Some(games.hours? * self.positions as f64 / games.positions as f64)
    }
}

/// The games of a cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Games {
    /// The cycle.
    pub cycle: u64,
    /// Games and positions.
    pub counts: Counts,
    /// The time that they took, in seconds without pauses; 0 where it was not recorded.
    #[serde(default)]
    pub seconds: u64,
    /// Figures of the games.
    pub figures: Figures,
    /// Kept positions by piece count: up to 4, 8, and so on to 32.
    pub pieces: [u64; 8],
    /// Figures that are unusual.
    pub warnings: Vec<String>,
}

/// A network that was trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// The cycle.
    pub cycle: u64,
    /// The network.
    pub network: NetworkId,
    /// Kept positions of all datasets, whatever their score.
    pub positions: u64,
    /// The losses of each epoch.
    pub epochs: Vec<EpochMetrics>,
    /// The held-out loss.
    pub evaluation: Evaluation,
    /// The quantisation error.
    pub quantisation: QuantisationError,
}

impl Trained {
    /// Returns the number of examples in an epoch.
    pub fn examples(&self) -> u64 {
        self.epochs.last().map_or(0, |last| last.examples / self.epochs.len() as u64)
    }
}

/// The measurements of a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// The cycle.
    pub cycle: u64,
    /// The figures with their limits.
    pub checks: Vec<Check>,
}

impl Checked {
    /// Returns whether every figure is within its limits.
    pub fn passed(&self) -> bool {
        self.checks.iter().all(Check::passed)
    }
}

/// The name of the set that a cycle makes.
pub const OWN_SET: &str = "own set";

/// The judgement of a network by sets of positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The cycle.
    pub cycle: u64,
    /// The figures with their limits.
    pub checks: Vec<Check>,
    /// All figures on each set.
    pub sets: Vec<JudgedBySet>,
}

/// The figures of two networks on a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedBySet {
    /// Folder of the set, or [`OWN_SET`].
    pub set: String,
    /// Figures of the new network.
    pub candidate: judge::Figures,
    /// Figures of the accepted one.
    pub accepted: judge::Figures,
}

impl JudgedBySet {
    /// Returns the set without the folder where it lies on this machine.
    pub fn name(&self) -> &str {
        last_name(&self.set)
    }
}

impl Judged {
    /// Returns whether every figure is within its limits.
    pub fn passed(&self) -> bool {
        self.checks.iter().all(Check::passed)
    }
}

/// The end of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Decision {
    /// The lower bound was accepted.
    H0,
    /// The upper bound was accepted.
    H1,
    /// All games were played without a decision.
    Undecided,
}

/// The result of a match of a new network against another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    /// The cycle.
    pub cycle: u64,
    /// The limit of both.
    pub limit: String,
    /// The bounds of the test in normalised Elo.
    pub sprt: [f64; 2],
    /// The maximum number of games.
    pub games: u64,
    /// The results.
    pub pairs: PairCounts,
    /// The results from each book.
    pub books: Vec<BookResult>,
    /// Games lost by faults, such as exceeding the time: of the new network, of the other.
    pub faults: [u64; 2],
    /// End of the test.
    pub decision: Decision,
    /// True if the result is enough.
    pub passed: bool,
}

/// The results from one book.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BookResult {
    /// The book: a name or a path.
    pub book: String,
    /// The results.
    pub pairs: PairCounts,
}

impl BookResult {
    /// Returns the book without the folder where it lies on this machine.
    pub fn name(&self) -> &str {
        last_name(&self.book)
    }
}

/// Returns the last part of a path.
fn last_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The results of a generation against others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchors {
    /// The generation.
    pub generation: u64,
    /// The limit of all.
    pub limit: String,
    /// Each opponent, and the results against it. Empty if there was none.
    pub results: Vec<AnchorResult>,
    /// Number of the opponents that are other engines.
    pub outside: u64,
}

/// The result against one opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnchorResult {
    /// Name of the opponent.
    pub opponent: String,
    /// The results.
    pub pairs: PairCounts,
}

impl Event {
    /// Returns the cycle that it belongs to, if it is part of one.
    pub fn cycle(&self) -> Option<u64> {
        Some(match self {
            Self::Begun(begun) => begun.cycle,
            Self::Games(games) => games.cycle,
            Self::Trained(trained) => trained.cycle,
            Self::Sanity(checked) | Self::Loss(checked) => checked.cycle,
            Self::Judged(judged) => judged.cycle,
            Self::Nodes(result) | Self::Clock(result) => result.cycle,
            Self::Adopted { cycle, .. } | Self::Rejected { cycle, .. } => *cycle,
            Self::Anchors(_) | Self::Retried { .. } | Self::Shipped { .. } => return None,
        })
    }
}

impl MatchResult {
    /// Returns the median-unbiased strength: the score at the end of a test exaggerates. `None` after too few games.
    pub fn unbiased(&self) -> Option<Unbiased> {
        let unbiased = sprt(self.sprt).ok()?.unbiased(&self.pairs)?;
        [unbiased.elo, unbiased.low, unbiased.high]
            .iter()
            .all(|it| it.is_finite())
            .then_some(unbiased)
    }

    /// Describes the median-unbiased difference in Elo with its 95 % interval, and the number of games.
    pub fn elo(&self) -> String {
        self.unbiased().map_or_else(
            || elo(&self.pairs),
            |Unbiased { elo, low, high }| {
                format!("{elo:+.1} [{low:+.1}, {high:+.1}] Elo ({} games)", self.pairs.games())
            },
        )
    }

    /// Describes the result.
    pub fn text(&self) -> String {
        let decision = match self.decision {
            Decision::H0 => "H0",
            Decision::H1 => "H1",
            Decision::Undecided => "undecided",
        };
        format!("{}, {decision}", self.elo())
    }
}

/// Describes the score as a difference in Elo, and the number of games.
pub fn elo(pairs: &PairCounts) -> String {
    format!("{:+} Elo ({} games)", Strength::of(pairs).elo, pairs.games())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::testing::played;

    #[test]
    fn a_cycle_that_began_without_a_factoriser_goes_on_without() {
        let begun = |key: &str| {
            let config = serde_json::to_string(&Config::default()).expect("plain data");
            let config = config.replace(r#""factoriser":0.9,"#, key);
            let text = format!(
                r#"{{"cycle":1,"generation":0,"positions":9,"pile":0,"window":[1],"with_start":true,"config":{config}}}"#
            );
            let begun: Begun = serde_json::from_str(&text).expect(&text);
            assert_eq!(serde_json::to_string(&begun).expect("plain data"), text);
            begun.config.training(1, Vec::new()).factoriser
        };
        assert_eq!([begun(""), begun(r#""factoriser":0.0,"#)], [0.0; 2]);
        assert_eq!(begun(r#""factoriser":0.9,"#), 0.9);
    }

    #[test]
    fn a_stopped_test_is_told_without_its_luck() {
        let pairs = PairCounts { ll: 4, ld: 40, dd: 50, wl: 60, wd: 110, ww: 24 };
        let result = MatchResult { pairs, ..played(1, true) };
        let (raw, unbiased) = (Strength::of(&pairs).elo.value, result.unbiased().expect("games"));
        assert!(0.0 < unbiased.elo && unbiased.elo < raw, "{unbiased:?}, {raw}");
        assert!(unbiased.low < unbiased.elo && unbiased.elo < unbiased.high, "{unbiased:?}");
        assert!(result.text().starts_with(&format!("{:+.1} [", unbiased.elo)), "{}", result.text());
        let few = MatchResult { pairs: PairCounts { dd: 2, ..PairCounts::default() }, ..result };
        assert_eq!(few.elo(), "+0.0 ± 0.0 Elo (4 games)");
    }

    #[test]
    fn the_name_of_a_book_has_no_folder() {
        for (book, name) in
            [("unbalanced", "unbalanced"), ("a/b/c.epd", "c.epd"), (r"a\b.pgn", "b.pgn")]
        {
            let result = BookResult { book: book.to_owned(), pairs: PairCounts::default() };
            assert_eq!(result.name(), name);
        }
    }
}
