//! Notices of the faults of an engine: the first few, for people to repeat.

use std::fmt;

use nullarbor::types::Colour;
use serde::Serialize;

use super::record::GameRecord;
use crate::diagnostics::{FaultReport, PvWarning, PvWarnings};
use crate::end::Reason;

/// Kept of each kind and engine.
const KEPT: usize = PvWarnings::KEPT;

/// A game that an engine lost by a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultNotice {
    /// The number of the game, from 1.
    pub game: u64,
    /// Description of the fault.
    pub what: String,
    /// Report on the fault.
    #[serde(flatten)]
    pub report: FaultReport,
}

/// A warning, and the number of its game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PvNotice {
    /// The number of the game, from 1.
    pub game: u64,
    /// Contradiction that was found.
    #[serde(flatten)]
    pub warning: PvWarning,
}

/// The notices of an engine. Faults that look alike are kept once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Notices {
    /// The first faults.
    pub faults: Vec<FaultNotice>,
    /// The first warnings.
    pub pv_warnings: Vec<PvNotice>,
}

impl Notices {
    /// Adds what a game tells of the engine that had this colour. Returns what is kept of it.
    pub fn add(&mut self, record: &GameRecord, colour: Colour) -> Self {
        let game = record.number();
        let fault = record.fault.iter().filter(|_| record.end.loser() == Some(colour));
        let fault = fault.map(|report| {
            let what = what(&record.end.reason);
            FaultNotice { game, what, report: report.clone() }
        });
        let known = |new: &FaultNotice| self.faults.iter().any(|old| old.is_like(new));
        let faults: Vec<_> =
            fault.filter(|new| !known(new)).take(KEPT - self.faults.len()).collect();
        let warnings = record.pv_warnings[colour.index()].first.iter();
        let warnings = warnings.map(|warning| PvNotice { game, warning: warning.clone() });
        let pv_warnings: Vec<_> = warnings.take(KEPT - self.pv_warnings.len()).collect();
        self.faults.extend_from_slice(&faults);
        self.pv_warnings.extend_from_slice(&pv_warnings);
        Self { faults, pv_warnings }
    }

    /// Returns whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty() && self.pv_warnings.is_empty()
    }

    /// Describes all, each by a line that begins with the name of the engine, and indented lines.
    pub fn text(&self, engine: &str) -> String {
        let faults = self.faults.iter().map(|it| format!("{engine} {it}\n"));
        let warnings = self.pv_warnings.iter().map(|it| format!("{engine}: {it}\n"));
        faults.chain(warnings).collect()
    }
}

impl FaultNotice {
    fn is_like(&self, other: &Self) -> bool {
        let key = |it: &Self| (it.what.clone(), it.report.status.clone(), it.report.stderr.clone());
        key(self) == key(other)
    }
}

fn what(reason: &Reason) -> String {
    match reason {
        Reason::Crash => "crashed".to_owned(),
        Reason::Stall => "hung".to_owned(),
        Reason::Time => "exceeded its time".to_owned(),
        Reason::IllegalMove(text) => format!("made an illegal move, {text},"),
        other => format!("lost by {other:?}"),
    }
}

impl fmt::Display for FaultNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in game {}{}", self.what, self.game, self.report)
    }
}

impl fmt::Display for FaultReport {
    /// Writes `: exit status: 101` or `: 31.2 ms of 30.0 ms`, then each further fact on a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.status.iter().try_for_each(|status| write!(f, ": {status}"))?;
        self.time.iter().try_for_each(|time| write!(f, ": {time}"))?;
        self.stderr.iter().try_for_each(|line| write!(f, "\n  last line on stderr: {line}"))?;
        if self.go.is_none() && self.time.is_none() {
            return write!(f, "\n  before its first search of the game");
        }
        let sent = self.position.iter().chain(&self.go);
        sent.into_iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}

impl fmt::Display for PvNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PvWarning { problem, position, line } = &self.warning;
        write!(f, "{problem} (game {})\n  {position}\n  {line}", self.game)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::Overstepped;
    use crate::end::End;
    use crate::pair::GameOfPair;

    fn record(pair: u64, stderr: &str) -> GameRecord {
        let report = FaultReport {
            status: Some("exit status: 101".to_owned()),
            stderr: Some(stderr.to_owned()),
            position: Some("position startpos".to_owned()),
            go: Some("go nodes 9".to_owned()),
            time: None,
        };
        let warning = PvWarning {
            problem: "illegal PV move a1a9".to_owned(),
            position: "position startpos".to_owned(),
            line: "info pv a1a9".to_owned(),
        };
        GameRecord {
            pair,
            game: GameOfPair::First,
            end: End::won(Colour::Black, Reason::Crash),
            plies: 9,
            moves: 1,
            fault: Some(report),
            pv_warnings: [PvWarnings { count: 8, first: vec![warning] }, PvWarnings::default()],
            pgn: None,
        }
    }

    #[test]
    fn each_message_is_kept_once_and_no_more_than_a_few() {
        let mut notices = Notices::default();
        for pair in 0..9 {
            notices.add(&record(pair, "boom"), Colour::White);
            notices.add(&record(pair, "boom"), Colour::Black);
        }
        assert_eq!((notices.faults.len(), notices.pv_warnings.len()), (1, KEPT));
        for pair in 0..9 {
            let new = notices.add(&record(pair, &format!("boom {pair}")), Colour::White);
            assert_eq!(new.faults.len(), usize::from(pair < 2));
            assert!(new.pv_warnings.is_empty());
        }
        assert_eq!(notices.faults.len(), KEPT);
        let ms = Duration::from_millis;
        let time = Overstepped { used: ms(31), allowed: ms(30) };
        let fault = Some(FaultReport { time: Some(time), ..FaultReport::default() });
        let late =
            GameRecord { end: End::won(Colour::Black, Reason::Time), fault, ..record(9, "") };
        let late = Notices::default().add(&late, Colour::White).text("x");
        assert!(
            late.starts_with("x exceeded its time in game 19: 31.0 ms of 30.0 ms\nx: "),
            "{late}"
        );
        let text = notices.text("x");
        for part in [
            "x crashed in game 1: exit status: 101\n  last line on stderr: boom\n  position startpos\n  go nodes 9\n",
            "x: illegal PV move a1a9 (game 5)\n  position startpos\n  info pv a1a9\n",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
}
