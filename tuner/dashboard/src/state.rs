//! The state of a run and its speed.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde::Serialize;

/// The state of a run, in the order of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// A process works on it.
    Running,
    /// The run can be resumed.
    Stopped,
    /// There is nothing left to do, or nothing that could tell.
    Done,
}

impl State {
    /// Returns the state of a run that a process works on, or that is done.
    pub fn of(is_locked: bool, is_done: bool) -> Self {
        match (is_locked, is_done) {
            (true, _) => Self::Running,
            (false, true) => Self::Done,
            (false, false) => Self::Stopped,
        }
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Done => "done",
        }
    }
}

/// A stamp that changes with the run: the times and lengths of its files, and whether a process holds its lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Seconds since 1970, and bytes.
    pub files: Vec<(u64, u64)>,
    /// True if a process works on the run.
    pub is_locked: bool,
}

/// The growth of a number per unit of time, by the values seen.
#[derive(Debug, Default)]
pub struct Pace {
    seen: VecDeque<(Instant, u64)>,
}

impl Pace {
    /// Time over which it is measured.
    const SPAN: Duration = Duration::from_secs(600);
    /// The minimum time that tells something.
    const SHORTEST: Duration = Duration::from_secs(5);

    /// Notes a number. Returns how much it grows in an hour, once that is known.
    pub fn note(&mut self, now: Instant, number: u64) -> Option<f64> {
        self.seen.push_back((now, number));
        while self.seen.len() > 2 && now.duration_since(self.seen[1].0) >= Self::SPAN {
            self.seen.pop_front();
        }
        let &(then, first) = self.seen.front()?;
        let time = now.duration_since(then);
        let grown = number.checked_sub(first).filter(|grown| *grown > 0)?;
        (time >= Self::SHORTEST).then(|| 3600.0 * grown as f64 / time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_is_that_of_the_last_minutes() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut pace = Pace::default();
        assert_eq!(pace.note(at(0), 100), None);
        assert_eq!(pace.note(at(1), 101), None, "too early");
        assert_eq!(pace.note(at(10), 110), Some(3600.0));
        let later: Vec<_> =
            (2..2000).map(|tens| pace.note(at(10 * tens), 110 + 2 * tens)).collect();
        assert_eq!(later.last().copied().flatten().map(f64::round), Some(720.0));
        assert!(pace.seen.len() < 70, "{}", pace.seen.len());
        assert_eq!(pace.note(at(20_000), 5), None, "begun anew");
    }
}
