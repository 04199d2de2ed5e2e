//! How long to think: from the limits of a `go` to a budget, and from the budget to "enough".

use std::time::{Duration, Instant};

use crate::types::{ByColour, Colour, Depth};

/// What the outside allows a search.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Time left on the clock of each side.
    pub time: ByColour<Option<Duration>>,
    /// Time that each move adds.
    pub increment: ByColour<Duration>,
    /// Moves until the clock is filled up again.
    pub moves_to_go: Option<u32>,
    /// Exactly this long.
    pub move_time: Option<Duration>,
    /// No deeper than this.
    pub depth: Option<Depth>,
    /// Not a node more.
    pub nodes: Option<u64>,
    /// No new iteration after so many nodes.
    pub soft_nodes: Option<u64>,
    /// The same where the position is noisy: the side to move is in check, or two iterations running its best move was
    /// a capture or promotion. Self-play spends little on positions that training leaves out.
    pub noisy_soft_nodes: Option<u64>,
    /// Until a mate in so many moves is found.
    pub mate: Option<u32>,
    /// Until told to stop, whatever is found.
    pub infinite: bool,
    /// On the opponent's time, until told that it moved as expected.
    pub ponder: bool,
}

/// What the engine makes of the limits.
#[derive(Clone, Debug)]
pub struct Budget {
    /// When the clock started to run.
    pub start: Instant,
    /// A quiet position is left after this; `None` without a clock.
    pub soft: Option<Duration>,
    /// Nothing is thought over for longer.
    pub hard: Option<Duration>,
    /// The deepest iteration.
    pub depth: Depth,
    /// As in [`Limits`].
    pub nodes: Option<u64>,
    /// As in [`Limits`].
    pub soft_nodes: Option<u64>,
    /// As in [`Limits`].
    pub noisy_soft_nodes: Option<u64>,
    /// As in [`Limits`].
    pub mate: Option<u32>,
}

/// Shares of the time left. They are no parameters of the search: what is right for them is decided
/// by clocks, not by trees.
mod share {
    /// Sudden death: part of the time for the first move, rising to [`LATE`] by the game's length.
    pub const EARLY: f64 = 0.028;
    pub const LATE: f64 = 0.058;
    pub const MOVES_TO_LATE: f64 = 26.0;
    /// Part of the increment that is spent at once.
    pub const INCREMENT: f64 = 0.75;
    /// Part of what a move of a session is due.
    pub const SESSION: f64 = 0.85;
    /// Most of the time left that one move may take.
    pub const HARD: f64 = 0.55;
    /// Most of the time left in a session that one move may take, by moves to go.
    pub const HARD_SESSION: f64 = 4.0;
    /// A move in need gets this part of what is left, so that hundreds of moves more are possible.
    pub const NEED: f64 = 1.0 / 1000.0;
    /// And never more than this.
    pub const NEED_HARD: f64 = 1.0 / 100.0;
}

impl Limits {
    /// Whether the search is answered just when somebody says so: `infinite`, or no limit at all.
    pub fn waits_for_stop(&self) -> bool {
        let timed = self.move_time.is_some() || self.time.0.iter().any(Option::is_some);
        let counted = self.depth.is_some() || self.nodes.is_some() || self.soft_nodes.is_some();
        self.infinite || self.ponder || !(timed || counted || self.mate.is_some())
    }

    /// Works the budget out for the side to move at move `fullmove`; `overhead` is lost at each move
    /// between the engine and the clock.
    pub fn budget(
        &self,
        start: Instant,
        us: Colour,
        fullmove: usize,
        overhead: Duration,
    ) -> Budget {
        let (soft, hard) = match (self.move_time, self.time[us]) {
            _ if self.infinite => (None, None),
            (Some(exact), _) => {
                let exact = exact.saturating_sub(overhead);
                (Some(exact), Some(exact))
            }
            (None, Some(left)) => {
                let (soft, hard) = self.shares(left, us, fullmove, overhead);
                (Some(soft), Some(hard))
            }
            (None, None) => (None, None),
        };
        Budget {
            start,
            soft,
            hard,
            depth: self.depth.unwrap_or(Depth::MAX).min(Depth::MAX),
            nodes: self.nodes,
            soft_nodes: self.soft_nodes,
            noisy_soft_nodes: self.noisy_soft_nodes,
            mate: self.mate,
        }
    }

    fn shares(
        &self,
        left: Duration,
        us: Colour,
        fullmove: usize,
        overhead: Duration,
    ) -> (Duration, Duration) {
        let (left, overhead) = (left.as_secs_f64(), overhead.as_secs_f64());
        let increment = self.increment[us].as_secs_f64();
        // Never the last of the clock: each move to come loses some of it, and without an increment to pay for that
        // two hundred of them must be possible.
        let reserve = match self.moves_to_go {
            Some(moves) => overhead * f64::from(moves.clamp(1, 20) + 1),
            None if increment > overhead => overhead * 2.0,
            None if increment * 2.0 > overhead => overhead * 10.0,
            None => overhead * 20.0,
        };
        let usable = left - reserve;
        let (soft, hard) = match self.moves_to_go {
            Some(moves) => session_shares(usable, f64::from(moves.max(1))),
            None => sudden_death_shares(usable, increment, fullmove as f64),
        };
        let hard = hard.min(left - overhead).max(left * share::NEED_HARD);
        let soft = soft.max(left * share::NEED).min(hard);
        (Duration::from_secs_f64(soft), Duration::from_secs_f64(hard))
    }
}

fn session_shares(usable: f64, moves: f64) -> (f64, f64) {
    let due = usable / moves;
    let hard =
        (due * share::HARD_SESSION).min(usable * if moves > 1.0 { share::HARD } else { 1.0 });
    (due * share::SESSION, hard)
}

fn sudden_death_shares(usable: f64, increment: f64, fullmove: f64) -> (f64, f64) {
    let lateness = 1.0 - (-fullmove / share::MOVES_TO_LATE).exp();
    let part = share::EARLY + (share::LATE - share::EARLY) * lateness;
    let spent = increment * share::INCREMENT;
    (usable * part + spent, usable * share::HARD + spent)
}

/// What the last iterations say of the position; moves the soft limit.
#[derive(Clone, Copy, Debug)]
pub struct Stability {
    /// Share of the nodes that went into the best move, 0 to 1.
    pub best_move_effort: f64,
    /// Iterations since the best move changed.
    pub best_move_age: u32,
    /// Centipawns that the score has fallen since earlier iterations.
    pub score_fall: i32,
    /// Whether there is just one legal move.
    pub forced: bool,
}

impl Stability {
    /// The factor for the soft limit: less where the best move is clear, more where things get worse.
    fn factor(self) -> f64 {
        if self.forced {
            return 0.1;
        }
        let effort = (2.3 - 1.75 * self.best_move_effort).max(0.55);
        let age = (1.30 - 0.05 * f64::from(self.best_move_age)).max(0.80);
        let fall = (0.95 + 0.008 * f64::from(self.score_fall)).clamp(0.80, 1.45);
        effort * age * fall
    }
}

impl Budget {
    /// Time gone since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether the search must end at once.
    pub fn is_spent(&self) -> bool {
        self.hard.is_some_and(|hard| self.elapsed() >= hard)
    }

    /// Whether another iteration should not be begun.
    pub fn is_enough(&self, stability: Stability) -> bool {
        match (self.soft, self.hard) {
            (Some(soft), Some(hard)) if soft < hard => {
                self.elapsed() >= soft.mul_f64(stability.factor()).min(hard)
            }
            _ => self.is_spent(),
        }
    }
}

/// Whole nodes per second.
pub fn nodes_per_second(nodes: u64, elapsed: Duration) -> u64 {
    (nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(10);

    fn budget(left: u64, increment: u64, moves_to_go: Option<u32>) -> (Duration, Duration) {
        let mut limits = Limits { moves_to_go, ..Limits::default() };
        limits.time[Colour::White] = Some(Duration::from_millis(left));
        limits.increment[Colour::White] = Duration::from_millis(increment);
        let budget = limits.budget(Instant::now(), Colour::White, 20, OVERHEAD);
        (budget.soft.expect("a clock"), budget.hard.expect("a clock"))
    }

    #[test]
    fn no_move_may_take_all_the_time() {
        for left in [1, 5, 20, 100, 1000, 60_000] {
            for increment in [0, 10, 100] {
                for moves_to_go in [None, Some(1), Some(2), Some(40)] {
                    let (soft, hard) = budget(left, increment, moves_to_go);
                    let text = format!("{left} {increment} {moves_to_go:?}: {soft:?} {hard:?}");
                    assert!(soft <= hard, "{text}");
                    let reserve = if left > 100 { OVERHEAD } else { Duration::ZERO };
                    assert!(hard + reserve <= Duration::from_millis(left), "{text}");
                }
            }
        }
    }

    #[test]
    fn a_long_game_without_increment_never_runs_out() {
        // What a slow match runner takes of each move.
        const LOST: Duration = Duration::from_micros(700);
        let mut left = Duration::from_secs(1);
        for _ in 0..230 {
            let (soft, _) = budget(left.as_millis() as u64, 0, None);
            left = left.checked_sub(soft + LOST).expect("time left");
        }
    }

    #[test]
    fn a_session_is_used_up_but_not_over() {
        let mut left = Duration::from_secs(2);
        for moves in (1..=40).rev() {
            let (soft, hard) = budget(left.as_millis() as u64, 0, Some(moves));
            assert!(hard < left);
            left -= soft;
        }
        assert!(left < Duration::from_millis(700), "{left:?} left unused");
    }

    #[test]
    fn a_falling_score_gets_more_time() {
        let calm =
            Stability { best_move_effort: 0.6, best_move_age: 5, score_fall: 0, forced: false };
        assert!(Stability { score_fall: 40, ..calm }.factor() > calm.factor());
        assert!(Stability { best_move_age: 0, ..calm }.factor() > calm.factor());
        assert!(Stability { best_move_effort: 0.95, ..calm }.factor() < calm.factor());
        assert!(Stability { forced: true, ..calm }.factor() < 0.2);
    }
}
