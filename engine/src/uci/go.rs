//! Parsing of `go`. Every `go` is answered by a move, so what is wrong in it is reported and left
//! out or clamped, and the search runs with the rest.

use std::iter::Peekable;
use std::num::IntErrorKind;
use std::str::SplitAsciiWhitespace;
use std::time::Duration;

use thiserror::Error;

use super::tokens::excerpt;
use crate::clock::Limits;
use crate::types::{Colour, Depth};

/// The parts of a `go` that were understood, and those that were not.
#[derive(Clone, Debug, Default)]
pub struct Go {
    /// Limits of the search.
    pub limits: Limits,
    /// The moves to choose from (`searchmoves`), not checked yet; empty for all.
    pub moves: Vec<String>,
    /// Parts that were left out or clamped.
    pub faults: Vec<GoFault>,
}

/// A part of a `go` that was left out or clamped.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum GoFault {
    #[error("go: `{0}` is not expected here and is ignored")]
    Unexpected(String),
    #[error("go: `{0}` needs a value and is ignored")]
    Incomplete(&'static str),
    #[error("go {token}: `{value}` is not a whole number and is ignored")]
    NotANumber { token: &'static str, value: String },
    #[error("go {token}: `{value}` is out of range; {used} is used")]
    OutOfRange { token: &'static str, value: String, used: i64 },
    #[error("go mate: {0} is not a number of moves and is ignored")]
    NoMate(i64),
    #[error("go: no limit is left; the search ends after depth 1")]
    NoLimit,
}

/// Longest time in milliseconds: a month. Longer ones are lowered to it.
const MAX_MILLISECONDS: i64 = 1000 * 60 * 60 * 24 * 30;

/// The words that may follow `go`.
const KEYWORDS: &[&str] = &[
    "wtime",
    "btime",
    "winc",
    "binc",
    "movetime",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "infinite",
    "ponder",
    "searchmoves",
];

struct Parser<'a> {
    tokens: Peekable<SplitAsciiWhitespace<'a>>,
    go: Go,
}

/// Parses what follows `go`.
pub fn parse(tokens: SplitAsciiWhitespace<'_>) -> Go {
    let mut parser = Parser { tokens: tokens.peekable(), go: Go::default() };
    while let Some(token) = parser.tokens.next() {
        match KEYWORDS.iter().find(|keyword| **keyword == token) {
            Some(keyword) => parser.parameter(keyword),
            None => parser.go.faults.push(GoFault::Unexpected(excerpt(token))),
        }
    }
    let Parser { mut go, .. } = parser;
    // A search that lost its limits would wait for a `stop` that nobody sends.
    if !go.faults.is_empty() && !go.limits.infinite && !go.limits.ends_by_itself() {
        go.limits.depth = Some(Depth::ONE);
        go.faults.push(GoFault::NoLimit);
    }
    go
}

impl Parser<'_> {
    /// Parses the values of a keyword.
    fn parameter(&mut self, keyword: &'static str) {
        match keyword {
            "wtime" => self.go.limits.time[Colour::White] = self.time(keyword),
            "btime" => self.go.limits.time[Colour::Black] = self.time(keyword),
            "winc" => self.increment(keyword, Colour::White),
            "binc" => self.increment(keyword, Colour::Black),
            "movetime" => self.go.limits.move_time = self.time(keyword),
            // Some programs send 0 where there is no next time control.
            "movestogo" => {
                let moves = self.number(keyword, 0, u32::MAX.into());
                self.go.limits.moves_to_go = moves.map(|it| it as u32).filter(|&it| it > 0);
            }
            "depth" => {
                let depth = self.number(keyword, 1, i32::MAX.into());
                self.go.limits.depth = depth.map(|depth| Depth(depth as i32));
            }
            "nodes" => {
                let nodes = self.number(keyword, 1, i64::MAX);
                self.go.limits.nodes = nodes.map(|nodes| nodes as u64);
            }
            "mate" => {
                // No search finds a mate in no moves, so one move is no better guess.
                let moves = self.number(keyword, i64::MIN, u32::MAX.into());
                self.go.faults.extend(moves.filter(|&it| it < 1).map(GoFault::NoMate));
                self.go.limits.mate = moves.filter(|&it| it > 0).map(|moves| moves as u32);
            }
            "infinite" => self.go.limits.infinite = true,
            "ponder" => self.go.limits.ponder = true,
            _ => self.search_moves(keyword),
        }
    }

    /// Takes the words up to the next keyword as moves.
    fn search_moves(&mut self, keyword: &'static str) {
        let before = self.go.moves.len();
        while let Some(token) = self.tokens.next_if(|token| !KEYWORDS.contains(token)) {
            self.go.moves.push(token.to_owned());
        }
        if self.go.moves.len() == before {
            self.go.faults.push(GoFault::Incomplete(keyword));
        }
    }

    fn increment(&mut self, token: &'static str, colour: Colour) {
        self.go.limits.increment[colour] = self.time(token).unwrap_or_default();
    }

    /// Parses a time in milliseconds. A clock may have run below zero on its way here.
    fn time(&mut self, token: &'static str) -> Option<Duration> {
        let milliseconds = self.number(token, i64::MIN, i64::MAX)?;
        Some(Duration::from_millis(milliseconds.clamp(0, MAX_MILLISECONDS) as u64))
    }

    /// Parses a number and clamps it to a range; `None` if there is none.
    fn number(&mut self, token: &'static str, min: i64, max: i64) -> Option<i64> {
        let Some(text) = self.tokens.next_if(|text| !KEYWORDS.contains(text)) else {
            self.go.faults.push(GoFault::Incomplete(token));
            return None;
        };
        let wanted = match text.parse::<i64>() {
            Ok(number) => Some(number).filter(|number| (min..=max).contains(number)),
            Err(error) if matches!(error.kind(), IntErrorKind::PosOverflow) => None,
            Err(error) if matches!(error.kind(), IntErrorKind::NegOverflow) => None,
            Err(_) => {
                self.go.faults.push(GoFault::NotANumber { token, value: excerpt(text) });
                return None;
            }
        };
        wanted.or_else(|| {
            let used = if text.starts_with('-') || text.parse() == Ok(0) { min } else { max };
            self.go.faults.push(GoFault::OutOfRange { token, value: excerpt(text), used });
            Some(used)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn go(line: &str) -> Go {
        parse(line.split_ascii_whitespace())
    }

    #[test]
    fn limits_are_read_in_any_order() {
        let Go { limits, moves, faults } =
            go("wtime 1000 btime -20 winc 10 movestogo 3 searchmoves e2e4 d2d4 depth 7");
        assert_eq!(limits.time[Colour::White], Some(Duration::from_secs(1)));
        assert_eq!(limits.time[Colour::Black], Some(Duration::ZERO));
        assert_eq!(limits.increment[Colour::White], Duration::from_millis(10));
        assert_eq!((limits.moves_to_go, limits.depth), (Some(3), Some(Depth(7))));
        assert_eq!((moves.len(), faults.len()), (2, 0));
    }

    #[test]
    fn numbers_out_of_range_are_clamped() {
        let clamped = go("depth 0 nodes -4 movestogo -3 mate 0");
        assert_eq!((clamped.limits.depth, clamped.limits.nodes), (Some(Depth::ONE), Some(1)));
        assert_eq!((clamped.limits.moves_to_go, clamped.limits.mate), (None, None));
        assert_eq!(clamped.faults.len(), 4);
        let huge = go("nodes 99999999999999999999 mate 99999999999");
        assert_eq!((huge.limits.nodes, huge.limits.mate), (Some(i64::MAX as u64), Some(u32::MAX)));
        assert_eq!(go("depth -99999999999999999999").limits.depth, Some(Depth::ONE));
    }

    #[test]
    fn what_is_no_number_is_ignored() {
        let rest = go("depth abc movetime 100");
        assert_eq!((rest.limits.depth, rest.faults.len()), (None, 1));
        // A keyword is no value of the one before it.
        let next = go("wtime btime 500");
        assert_eq!(next.faults, [GoFault::Incomplete("wtime")]);
        assert_eq!(next.limits.time[Colour::Black], Some(Duration::from_millis(500)));
    }

    #[test]
    fn a_search_that_lost_its_limits_is_short() {
        for line in ["depth abc", "nonsense", "ponder nodes x", "searchmoves", "winc 5 x"] {
            let go = go(line);
            assert_eq!(go.faults.last(), Some(&GoFault::NoLimit), "{line}");
            assert_eq!(go.limits.depth, Some(Depth::ONE), "{line}");
        }
        for line in ["", "infinite x", "infinite depth x", "ponder"] {
            assert_eq!(go(line).limits.depth, None, "{line}");
        }
    }

    proptest! {
        /// Whatever is wrong in it: a `go` either ends by itself or was told to wait.
        #[test]
        fn every_go_can_be_answered(
            words in prop::collection::vec(
                prop_oneof![
                    3 => prop::sample::select(KEYWORDS).prop_map(str::to_owned),
                    2 => any::<i64>().prop_map(|number| number.to_string()),
                    1 => "[ -~]{0,6}",
                    1 => "[a-h][1-8][a-h][1-8]",
                ],
                0..10,
            ),
        ) {
            let line = words.join(" ");
            let Go { limits, faults, .. } = go(&line);
            let waits = !limits.ends_by_itself();
            prop_assert!(!waits || limits.infinite || faults.is_empty(), "{line}: {faults:?}");
            prop_assert!(limits.depth.is_none_or(|depth| depth >= Depth::ONE));
            prop_assert!(limits.nodes != Some(0) && limits.mate != Some(0));
        }
    }
}
