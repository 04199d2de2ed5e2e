//! How long a player may think.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use nullarbor::types::Depth;
use thiserror::Error;

/// What ends the thinking of one player about each of its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A clock for the whole game.
    Clock(TimeControl),
    /// The same time for each move.
    MoveTime(Duration),
    /// Nodes: no more than `hard`, and no new iteration after `soft`.
    Nodes {
        /// Not a node more.
        hard: Option<u64>,
        /// No new iteration after so many.
        soft: Option<u64>,
    },
    /// Plies.
    Depth(Depth),
}

/// A clock: `40/60+0.6` is 60 seconds for each 40 moves, and 0.6 more for each move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Moves until the base time is added again; `None` is sudden death.
    pub moves: Option<u32>,
    /// Time at the start.
    pub base: Duration,
    /// Time that each move adds.
    pub increment: Duration,
}

/// Why a text is no time control.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "time control `{0}` is not of the form 10+0.1, 1:30+1, 40/60 or 40/60+0.6 (seconds, or minutes:seconds)"
)]
pub struct TimeControlError(String);

impl Limit {
    /// Whether it is time that decides: then no two games are the same.
    pub fn is_timed(&self) -> bool {
        matches!(self, Self::Clock(_) | Self::MoveTime(_))
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
        Ok(())
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        parse(text).ok_or_else(|| TimeControlError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<TimeControl> {
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => (Some(moves.parse().ok().filter(|&moves| moves > 0)?), rest),
        None => (None, text),
    };
    let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
    let (minutes, seconds) = base.split_once(':').unwrap_or(("0", base));
    let base = self::seconds(minutes)? * 60 + self::seconds(seconds)?;
    let increment = self::seconds(increment)?;
    (base + increment > Duration::ZERO).then_some(TimeControl { moves, base, increment })
}

/// A number of seconds that is not negative and not longer than a month.
pub fn seconds(text: &str) -> Option<Duration> {
    const LONGEST: f64 = 31.0 * 86_400.0;
    let value: f64 = text.parse().ok()?;
    (0.0..=LONGEST).contains(&value).then(|| Duration::from_secs_f64(value))
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
        };
        for (text, expected, written) in [
            ("1+0.01", control(None, 1000, 10), "1+0.01"),
            ("40/60", control(Some(40), 60_000, 0), "40/60"),
            ("40/1:30+0.6", control(Some(40), 90_000, 600), "40/90+0.6"),
            ("0+1", control(None, 0, 1000), "0+1"),
        ] {
            let found: TimeControl = text.parse().expect(text);
            assert_eq!(found, expected, "{text}");
            assert_eq!(found.to_string(), written);
        }
        for text in ["", "x", "0", "-1+1", "1+x", "0/1", "1e99", "nan", "1+-1"] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }
}
