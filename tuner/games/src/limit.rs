//! Limits: how long a player may think about its moves.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use nullarbor::types::Depth;
use thiserror::Error;

use nullarbor_runs::key_value::{Item, KeyValueError, items};

/// The limit of an engine's searches: a clock, or time, nodes or depth per move.
///
/// ```
/// use nullarbor_games::limit::Limit;
///
/// assert_eq!("nodes=5000".parse(), Ok(Limit::Nodes { hard: Some(5000), soft: None }));
/// assert!("tc=40/60+0.6".parse::<Limit>().is_ok_and(|limit| limit.is_timed()));
/// assert!("nodes=5000,depth=8".parse::<Limit>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A clock for the whole game.
    Clock(TimeControl),
    /// A fixed time per move.
    MoveTime(Duration),
    /// A number of nodes per move.
    Nodes {
        /// Limit of the search.
        hard: Option<u64>,
        /// Limit after which no new iteration begins.
        soft: Option<u64>,
    },
    /// A depth in plies.
    Depth(Depth),
}

/// A clock: `40/60+0.6` is 40 moves in 60 seconds, plus 0.6 seconds per move, repeating. `3+0.03@150` counts 150 nodes as
/// one millisecond.
///
/// ```
/// use std::time::Duration;
/// use nullarbor_games::limit::TimeControl;
///
/// let control: TimeControl = "40/1:30+0.6".parse()?;
/// assert_eq!((control.moves, control.base), (Some(40), Duration::from_secs(90)));
/// assert_eq!(control.to_string(), "40/90+0.6");
/// # Ok::<(), nullarbor_games::limit::TimeControlError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Moves until the base time is added again; `None` is sudden death.
    pub moves: Option<u32>,
    /// Time at the start.
    pub base: Duration,
    /// Time added by each move.
    pub increment: Duration,
    /// Nodes that count as a millisecond; `None` is a real clock.
    pub nodestime: Option<NonZeroU32>,
}

/// Why a text is no time control.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("time control `{0}` is not of the form {TIME_CONTROL}")]
pub struct TimeControlError(String);

const TIME_CONTROL: &str = "10+0.1, 1:30+1, 40/60 or 40/60+0.6 (seconds, or minutes:seconds), or with @150 for a clock of 150 nodes per millisecond";

/// Why a text is no limit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum LimitError {
    #[error(transparent)]
    Item(#[from] KeyValueError),
    #[error("more than one limit: tc, st, nodes and depth exclude each other")]
    Several,
    #[error("no limit: write tc=1+0.01, st=0.1, nodes=5000 or depth=8")]
    Missing,
}

impl Limit {
    /// Returns whether real time is the limit. If not, a game that is played again is the same game.
    pub fn is_timed(&self) -> bool {
        self.has_clock() && !self.counts_nodes_as_time()
    }

    /// Returns whether there is a clock, that of a game or of a move.
    pub fn has_clock(&self) -> bool {
        matches!(self, Self::Clock(_) | Self::MoveTime(_))
    }

    /// Returns the limit as it is parsed.
    pub fn spec(&self) -> String {
        match self {
            Self::Clock(control) => format!("tc={control}"),
            Self::MoveTime(time) => format!("st={}", time.as_secs_f64()),
            Self::Nodes { hard, soft } => {
                let items = [("nodes", hard), ("soft-nodes", soft)];
                let items = items.map(|(key, nodes)| nodes.map(|nodes| format!("{key}={nodes}")));
                items.into_iter().flatten().collect::<Vec<_>>().join(",")
            }
            Self::Depth(depth) => format!("depth={}", depth.0),
        }
    }

    /// Returns whether the clock counts nodes.
    pub fn counts_nodes_as_time(&self) -> bool {
        matches!(self, Self::Clock(control) if control.nodestime.is_some())
    }
}

impl FromStr for Limit {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, LimitError> {
        let mut limit = LimitItems::default();
        for item in items(text, &[',']) {
            if !limit.take(&item)? {
                return Err(item.unknown(LimitItems::KEYS).into());
            }
        }
        limit.finish()?.ok_or(LimitError::Missing)
    }
}

/// Collects those items of a list that are limits.
#[derive(Debug, Default)]
pub struct LimitItems {
    limits: Vec<Limit>,
    hard_nodes: Option<u64>,
    soft_nodes: Option<u64>,
}

impl LimitItems {
    /// The keys that it takes.
    pub const KEYS: &'static str = "tc, st, nodes, soft-nodes, depth";

    /// Returns whether it takes items of this key.
    pub fn is_key(key: &str) -> bool {
        Self::KEYS.split(", ").any(|known| known == key)
    }

    /// Takes an item; returns false if it is no limit.
    ///
    /// # Errors
    /// If its value is malformed.
    pub fn take(&mut self, item: &Item<'_>) -> Result<bool, KeyValueError> {
        let nodes = |value: &str| value.parse().ok().filter(|&nodes: &u64| nodes > 0);
        let positive = "a number above 0";
        match item.key {
            "tc" => self.limits.push(Limit::Clock(item.parse(TIME_CONTROL)?)),
            "st" => self.limits.push(Limit::MoveTime(
                item.parse_with("a number of seconds above 0", |value| move_time(value).ok())?,
            )),
            "nodes" => self.hard_nodes = Some(item.parse_with(positive, nodes)?),
            "soft-nodes" => self.soft_nodes = Some(item.parse_with(positive, nodes)?),
            "depth" => {
                let range = 1..=Depth::MAX.0;
                let expected = format!("a depth from 1 to {}", range.end());
                let depth = |value: &str| value.parse().ok().filter(|depth| range.contains(depth));
                self.limits.push(Limit::Depth(Depth(item.parse_with(&expected, depth)?)));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns the limit, if there is one.
    ///
    /// # Errors
    /// If there are several.
    pub fn finish(mut self) -> Result<Option<Limit>, LimitError> {
        if self.hard_nodes.is_some() || self.soft_nodes.is_some() {
            self.limits.push(Limit::Nodes { hard: self.hard_nodes, soft: self.soft_nodes });
        }
        if self.limits.len() > 1 { Err(LimitError::Several) } else { Ok(self.limits.pop()) }
    }
}

/// A limit on the command line.
#[derive(Debug, clap::Args)]
#[group(multiple = true)]
pub struct LimitArgs {
    /// Time control in seconds: 10+0.1, or 40/60+0.6 for 40 moves in 60 seconds, plus 0.6 per move, repeating; @150
    /// counts 150 nodes as one millisecond (Stockfish's nodestime; `self` only), so that games do not depend on the
    /// machine and its load
    #[arg(long, conflicts_with_all = ["st", "nodes", "soft_nodes", "depth"])]
    tc: Option<TimeControl>,
    /// Seconds per move
    #[arg(long, value_name = "SECONDS", value_parser = move_time, conflicts_with_all = ["nodes", "soft_nodes", "depth"])]
    st: Option<Duration>,
    /// Nodes per move
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "depth")]
    nodes: Option<u64>,
    /// Nodes after which no new iteration begins (`self` only)
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "depth")]
    soft_nodes: Option<u64>,
    /// Depth of each search, in plies
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..=i64::from(Depth::MAX.0)))]
    depth: Option<i32>,
}

impl LimitArgs {
    /// Returns the limit, if one is given.
    pub fn limit(&self) -> Option<Limit> {
        match self {
            Self { tc: Some(control), .. } => Some(Limit::Clock(control.clone())),
            Self { st: Some(time), .. } => Some(Limit::MoveTime(*time)),
            Self { depth: Some(depth), .. } => Some(Limit::Depth(Depth(*depth))),
            Self { nodes: None, soft_nodes: None, .. } => None,
            Self { nodes, soft_nodes, .. } => {
                Some(Limit::Nodes { hard: *nodes, soft: *soft_nodes })
            }
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clock(control) => write!(f, "{control}"),
            Self::MoveTime(time) => write!(f, "{}/move", time.as_secs_f64()),
            Self::Nodes { hard, soft } => {
                let parts = [("", hard), ("soft ", soft)];
                let parts =
                    parts.map(|(kind, nodes)| nodes.map(|nodes| format!("{kind}{nodes} nodes")));
                let parts: Vec<String> = parts.into_iter().flatten().collect();
                write!(f, "{}", parts.join(" "))
            }
            Self::Depth(depth) => write!(f, "{} plies", depth.0),
        }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if self.increment > Duration::ZERO {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        if let Some(nodes) = self.nodestime {
            write!(f, "@{nodes}")?;
        }
        Ok(())
    }
}

impl TimeControl {
    fn is_possible(&self) -> bool {
        let times = [self.base, self.increment];
        self.moves != Some(0)
            && times.iter().all(|time| *time <= LONGEST_CLOCK)
            && times.iter().any(|time| !time.is_zero())
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        parse(text).ok_or_else(|| TimeControlError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<TimeControl> {
    let (text, nodestime) = match text.split_once('@') {
        Some((text, nodes)) => (text, Some(nodes.parse().ok()?)),
        None => (text, None),
    };
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => (Some(moves.parse().ok()?), rest),
        None => (None, text),
    };
    let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
    let (minutes, seconds) = base.split_once(':').unwrap_or(("0", base));
    let base = self::seconds(minutes)? * 60 + self::seconds(seconds)?;
    let increment = self::seconds(increment)?;
    Some(TimeControl { moves, base, increment, nodestime }).filter(TimeControl::is_possible)
}

/// A month.
const LONGEST: Duration = Duration::from_secs(31 * 86_400);
/// A month in minutes, as it can be written, and a month in seconds.
const LONGEST_CLOCK: Duration = Duration::from_secs(61 * 31 * 86_400);

/// Parses a number of seconds from 0 to a month.
pub fn seconds(text: &str) -> Option<Duration> {
    let value: f64 = text.parse().ok()?;
    (0.0..=LONGEST.as_secs_f64()).contains(&value).then(|| Duration::from_secs_f64(value))
}

/// Parses a number of seconds above 0.
///
/// # Errors
/// If it is none.
pub fn move_time(text: &str) -> Result<Duration, String> {
    let time = seconds(text).filter(|time| !time.is_zero());
    time.ok_or_else(|| format!("`{text}` is not a number of seconds above 0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_are_read_and_written() {
        let control = |moves, base, increment| TimeControl {
            moves,
            base: Duration::from_millis(base),
            increment: Duration::from_millis(increment),
            nodestime: None,
        };
        let of_nodes = TimeControl { nodestime: NonZeroU32::new(150), ..control(None, 3000, 30) };
        for (text, expected, written) in [
            ("1+0.01", control(None, 1000, 10), "1+0.01"),
            ("40/60", control(Some(40), 60_000, 0), "40/60"),
            ("40/1:30+0.6", control(Some(40), 90_000, 600), "40/90+0.6"),
            ("0+1", control(None, 0, 1000), "0+1"),
            ("3+0.03@150", of_nodes, "3+0.03@150"),
        ] {
            let found: TimeControl = text.parse().expect(text);
            assert_eq!(found, expected, "{text}");
            assert_eq!(found.to_string(), written);
        }
        for text in ["", "x", "0", "-1+1", "1+x", "0/1", "1e99", "nan", "1+-1", "1@", "1@0", "1@-1"]
        {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    #[test]
    fn limits_are_read() {
        assert_eq!("nodes=5000".parse(), Ok(Limit::Nodes { hard: Some(5000), soft: None }));
        for text in ["tc=40/60+0.6", "tc=3+0.03@150", "st=0.1", "nodes=9,soft-nodes=8", "depth=8"] {
            assert_eq!(text.parse::<Limit>().expect(text).spec(), text);
        }
        for text in
            ["", "Hash=3", "nodes=x", "dog", "nodes=5,Hash=3", "st=0", "depth=0", "tc=1,nodes=3"]
        {
            assert!(text.parse::<Limit>().is_err(), "{text}");
        }
    }
}
