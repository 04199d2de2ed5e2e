//! The clock of one player in one game.

use std::fmt;
use std::time::Duration;

use nullarbor::clock::Limits;
use nullarbor::types::{ByColour, Colour};
use serde::{Deserialize, Serialize};

use super::limit::Limit;

/// The time that a player has left.
#[derive(Clone, Debug)]
pub struct Clock {
    limit: Limit,
    left: Duration,
    moves_made: u32,
}

/// A player used more time than it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overstepped {
    /// The time of the move.
    pub used: Duration,
    /// The time left and the margin together.
    pub allowed: Duration,
}

impl fmt::Display for Overstepped {
    /// Writes `31.2 ms of 30.0 ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        write!(f, "{:.1} ms of {:.1} ms", ms(self.used), ms(self.allowed))
    }
}

impl Clock {
    /// Sets the clock for a new game.
    pub fn new(limit: &Limit) -> Self {
        let left = match limit {
            Limit::Clock(control) => control.base.saturating_add(control.increment),
            Limit::MoveTime(time) => *time,
            Limit::Nodes { .. } | Limit::Depth(_) => Duration::ZERO,
        };
        Self { limit: limit.clone(), left, moves_made: 0 }
    }

    /// Returns the time that the next move may take; `None` where no clock runs.
    pub fn allowance(&self) -> Option<Duration> {
        self.limit.has_clock().then_some(self.left)
    }

    /// Counts a move that took `elapsed`.
    ///
    /// # Errors
    /// If that is more than the time left and `margin` together.
    pub fn press(&mut self, elapsed: Duration, margin: Duration) -> Result<(), Overstepped> {
        self.moves_made = self.moves_made.saturating_add(1);
        let allowed = self.left.saturating_add(margin);
        if self.limit.has_clock() && elapsed > allowed {
            return Err(Overstepped { used: elapsed, allowed });
        }
        if let Limit::Clock(control) = &self.limit {
            self.left = self.left.saturating_sub(elapsed).saturating_add(control.increment);
            if control.moves.is_some_and(|moves| self.moves_made.is_multiple_of(moves)) {
                self.left = self.left.saturating_add(control.base);
            }
        }
        Ok(())
    }

    fn moves_to_go(&self) -> Option<u32> {
        match &self.limit {
            Limit::Clock(control) => control.moves.map(|moves| moves - self.moves_made % moves),
            _ => None,
        }
    }
}

/// Returns the limits that the player to move is told.
pub fn limits(clocks: &ByColour<Clock>, mover: Colour) -> Limits {
    let own = &clocks[mover];
    let mut limits = Limits::default();
    match &own.limit {
        Limit::Clock(control) => {
            limits.nodestime = control.nodestime;
            for colour in Colour::ALL {
                // An opponent without a clock is shown with the mover's own.
                let (clock, control) = match &clocks[colour].limit {
                    Limit::Clock(control) => (&clocks[colour], control),
                    _ => (own, control),
                };
                limits.time[colour] = Some(clock.left);
                limits.increment[colour] = control.increment;
            }
            limits.moves_to_go = own.moves_to_go();
        }
        Limit::MoveTime(time) => limits.move_time = Some(*time),
        Limit::Nodes { hard, soft } => (limits.nodes, limits.soft_nodes) = (*hard, *soft),
        Limit::Depth(depth) => limits.depth = Some(*depth),
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(text: &str) -> Clock {
        Clock::new(&Limit::Clock(text.parse().expect("a time control")))
    }

    const fn ms(value: u64) -> Duration {
        Duration::from_millis(value)
    }

    #[test]
    fn the_increment_comes_after_each_move() {
        let mut clock = clock("1+0.1");
        assert_eq!(clock.allowance(), Some(ms(1100)));
        assert_eq!(clock.press(ms(600), ms(0)), Ok(()));
        assert_eq!(clock.allowance(), Some(ms(600)));
        let overstepped = Overstepped { used: ms(601), allowed: ms(600) };
        assert_eq!(clock.press(ms(601), ms(0)), Err(overstepped));
    }

    #[test]
    fn the_margin_is_forgiven_but_not_given() {
        let mut clock = clock("1+0.1");
        assert_eq!(clock.press(ms(1150), ms(50)), Ok(()));
        assert_eq!(clock.allowance(), Some(ms(100)));
        let overstepped = Overstepped { used: ms(151), allowed: ms(150) };
        assert_eq!(clock.press(ms(151), ms(50)), Err(overstepped));
    }

    #[test]
    fn a_session_adds_its_base_again() {
        let mut clock = clock("2/1");
        assert_eq!(clock.moves_to_go(), Some(2));
        clock.press(ms(400), ms(0)).expect("in time");
        assert_eq!(clock.moves_to_go(), Some(1));
        clock.press(ms(400), ms(0)).expect("in time");
        assert_eq!((clock.moves_to_go(), clock.allowance()), (Some(2), Some(ms(1200))));
    }

    #[test]
    fn nodes_as_time_are_told() {
        let clocks = ByColour([clock("3+0.03@150"), clock("3+0.03@150")]);
        let limits = limits(&clocks, Colour::White);
        assert_eq!(limits.nodestime.map(|nodes| nodes.get()), Some(150));
        assert_eq!(clocks[Colour::White].allowance(), Some(ms(3030)));
        assert!(!clocks[Colour::White].limit.is_timed());
    }

    #[test]
    fn each_side_is_told_its_own_limit() {
        let nodes = Clock::new(&Limit::Nodes { hard: Some(500), soft: None });
        let clocks = ByColour([nodes, clock("3+0.03")]);
        let white = limits(&clocks, Colour::White);
        assert_eq!((white.nodes, white.time.0), (Some(500), [None, None]));
        let black = limits(&clocks, Colour::Black);
        assert_eq!((black.nodes, black.time.0), (None, [Some(ms(3030)); 2]));
        assert_eq!(clocks[Colour::White].allowance(), None);
    }
}
