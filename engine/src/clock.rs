//! Time management: from the limits of a `go` to a [`Budget`] with a soft and a hard limit.
//!
//! No iteration is started after the soft limit; the search is aborted at the hard one.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use crate::params::{Params, UNIT};
use crate::types::{ByColour, Colour, Depth};

/// The limits of a search as a `go` command gives them. Several may be combined; the first one
/// reached ends the search.
///
/// ```
/// use std::time::Duration;
/// use nullarbor::clock::Limits;
/// use nullarbor::params::Params;
/// use nullarbor::types::{Colour, Depth};
///
/// let fixed = Limits { nodes: Some(5000), ..Limits::default() };
/// assert!(!fixed.waits_for_stop());
/// assert!(Limits::default().waits_for_stop(), "nothing else would end it");
///
/// let mut clock = Limits { depth: Some(Depth(30)), ..Limits::default() };
/// clock.time[Colour::White] = Some(Duration::from_secs(60));
/// clock.increment[Colour::White] = Duration::from_millis(600);
/// let overhead = Duration::from_millis(10);
/// let (now, params) = (std::time::Instant::now(), Params::default());
/// let budget = clock.budget(now, Colour::White, 20, overhead, &params);
/// assert!(budget.soft < budget.hard && budget.hard < Some(Duration::from_secs(60)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Time left on the clock of each side.
    pub time: ByColour<Option<Duration>>,
    /// Time that each move adds.
    pub increment: ByColour<Duration>,
    /// Moves to the next time control; `None` for sudden death.
    pub moves_to_go: Option<u32>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// Maximum depth.
    pub depth: Option<Depth>,
    /// Hard limit on nodes.
    pub nodes: Option<u64>,
    /// Soft limit on nodes: no iteration is started after it.
    pub soft_nodes: Option<u64>,
    /// The same where the position is noisy: the side to move is in check, or in two iterations in
    /// a row its best move was a capture or promotion. Self-play spends few nodes on positions that
    /// training leaves out.
    pub noisy_soft_nodes: Option<u64>,
    /// End as soon as a mate in this number of moves is found.
    pub mate: Option<u32>,
    /// Search until told to stop, whatever is found.
    pub infinite: bool,
    /// Search on the opponent's time until told that it moved as expected.
    pub ponder: bool,
    /// Nodes that count as a millisecond of the clock, so that a search on a clock does not depend
    /// on the machine and its load. `None` is a real clock.
    pub nodestime: Option<NonZeroU32>,
}

/// The limits of a search in the engine's terms.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Time at which the clock started.
    pub start: Instant,
    /// Soft limit of a quiet position, before [`Stability`] scales it; `None` without a clock.
    pub soft: Option<Duration>,
    /// Hard limit.
    pub hard: Option<Duration>,
    /// Depth of the last iteration.
    pub depth: Depth,
    /// Limit of nodes, as in [`Limits`].
    pub nodes: Option<u64>,
    /// Soft limit of nodes, as in [`Limits`].
    pub soft_nodes: Option<u64>,
    /// Soft limit of nodes of a noisy position, as in [`Limits`].
    pub noisy_soft_nodes: Option<u64>,
    /// Length of the mate to find, as in [`Limits`].
    pub mate: Option<u32>,
    /// Nodes that count as a millisecond, as in [`Limits`].
    pub nodestime: Option<NonZeroU32>,
}

/// Limits that guard against a loss on time; what may be tuned is in the parameters, group `clock`.
mod guard {
    /// Cyclic control: how many equal parts one move may take at most.
    pub const CYCLIC_HARD: f64 = 4.0;
    /// Share of the time left that one move may take, be it the last before the control or one that
    /// lives on the increment. A GUI that lags is forgiven the rest.
    pub const ONE_MOVE: f64 = 0.85;
    /// Share of the time left for a move in time trouble, so that hundreds more are possible.
    pub const EMERGENCY: f64 = 1.0 / 1000.0;
    /// And the most that it may take.
    pub const EMERGENCY_HARD: f64 = 1.0 / 100.0;
}

/// The reserve of time: the overhead of a number of moves, and a lag of the machine.
mod reserve {
    /// Cyclic control: at most this number of moves, and one more.
    pub const MOVES: u32 = 20;
    /// The increment pays for the overhead.
    pub const PAID: f64 = 2.0;
    /// Seconds that are kept besides where the increment pays: one lag of the machine must not lose a game that lives on it.
    pub const LAG: f64 = 0.08;
    /// The increment pays for half of the overhead.
    pub const HALF_PAID: f64 = 10.0;
    /// The increment does not pay for it: two hundred moves must be possible.
    pub const UNPAID: f64 = 20.0;
}

/// Hard limit up to which a search is brief.
const BRIEF: Duration = Duration::from_millis(20);

/// Factor for the soft limit where there is a single legal move, which needs no thought.
const FORCED: f64 = 0.1;

/// Returns a parameter that counts 1024ths as a number.
fn share(param: i32) -> f64 {
    f64::from(param) / f64::from(UNIT)
}

impl Limits {
    /// Returns whether the search is answered only on `stop`: `infinite`, `ponder`, or no limit at
    /// all.
    pub fn waits_for_stop(&self) -> bool {
        self.infinite || self.ponder || !self.ends_by_itself()
    }

    /// Returns whether there is a clock or another limit.
    pub fn ends_by_itself(&self) -> bool {
        self.time.0.iter().any(Option::is_some) || self.is_limited_without_clock()
    }

    /// Returns whether there is a limit besides the clocks.
    fn is_limited_without_clock(&self) -> bool {
        let counted = self.depth.is_some() || self.nodes.is_some() || self.soft_nodes.is_some();
        self.move_time.is_some() || counted || self.mate.is_some()
    }

    /// Gives `us` the clock of the opponent where that alone would have to end the search; returns
    /// whether it did.
    pub fn borrow_clock(&mut self, us: Colour) -> bool {
        let borrows = self.time[us].is_none()
            && self.time[!us].is_some()
            && !self.infinite
            && !self.is_limited_without_clock();
        if borrows {
            self.time[us] = self.time[!us];
            self.increment[us] = self.increment[!us];
        }
        borrows
    }

    /// Works out the budget of `us` at move number `fullmove`; `overhead` is lost at each move
    /// between the engine and the clock.
    pub fn budget(
        &self,
        start: Instant,
        us: Colour,
        fullmove: usize,
        overhead: Duration,
        params: &Params,
    ) -> Budget {
        let of_move = self.move_time.map(|exact| exact.saturating_sub(overhead));
        let of_clock = self.time[us].map(|left| self.shares(left, us, fullmove, overhead, params));
        let (soft, hard) = match (of_move, of_clock) {
            _ if self.infinite => (None, None),
            (Some(exact), Some((soft, hard))) => (Some(exact.min(soft)), Some(exact.min(hard))),
            (Some(exact), None) => (Some(exact), Some(exact)),
            (None, Some((soft, hard))) => (Some(soft), Some(hard)),
            (None, None) => (None, None),
        };
        let hard_nodes = hard.zip(self.nodestime).map(|(hard, rate)| nodes_in(hard, rate));
        Budget {
            start,
            soft,
            hard,
            depth: self.depth.unwrap_or(Depth::MAX).min(Depth::MAX),
            nodes: self.nodes.into_iter().chain(hard_nodes).min(),
            soft_nodes: self.soft_nodes,
            noisy_soft_nodes: self.noisy_soft_nodes,
            mate: self.mate,
            nodestime: self.nodestime,
        }
    }

    /// Returns the soft and the hard limit for a clock with `left` on it.
    fn shares(
        &self,
        left: Duration,
        us: Colour,
        fullmove: usize,
        overhead: Duration,
        params: &Params,
    ) -> (Duration, Duration) {
        let (left, overhead) = (left.as_secs_f64(), overhead.as_secs_f64());
        let increment = self.increment[us].as_secs_f64();
        // Some of the clock is kept for the overhead of the moves to come, and for a lag.
        let reserved = match self.moves_to_go {
            Some(moves) => overhead * f64::from(moves.clamp(1, reserve::MOVES) + 1),
            None if increment > overhead => overhead * reserve::PAID + reserve::LAG,
            None if increment * 2.0 > overhead => overhead * reserve::HALF_PAID,
            None => overhead * reserve::UNPAID,
        };
        let usable = left - reserved;
        let (soft, hard) = match self.moves_to_go {
            Some(moves) => cyclic_shares(usable, increment, f64::from(moves.max(1)), params),
            None => sudden_death_shares(usable, increment, fullmove as f64, params),
        };
        let most = (left - overhead).min(left * guard::ONE_MOVE);
        let hard = hard.min(most).max(left * guard::EMERGENCY_HARD);
        let soft = soft.max(left * guard::EMERGENCY).min(hard);
        (Duration::from_secs_f64(soft), Duration::from_secs_f64(hard))
    }
}

/// Returns the time that a number of nodes stands for.
pub fn time_of(nodes: u64, nodestime: NonZeroU32) -> Duration {
    Duration::from_secs_f64(nodes as f64 / 1000.0 / f64::from(nodestime.get()))
}

/// Returns the nodes that a time stands for, at least one.
fn nodes_in(time: Duration, nodestime: NonZeroU32) -> u64 {
    let nodes = time.as_secs_f64() * 1000.0 * f64::from(nodestime.get());
    (nodes as u64).max(1)
}

/// Returns the soft and the hard limit with `moves` to the next time control, in seconds.
fn cyclic_shares(usable: f64, increment: f64, moves: f64, params: &Params) -> (f64, f64) {
    let due = usable / moves;
    let most = if moves > 1.0 { share(params.clock_hard_share) } else { guard::ONE_MOVE };
    let spent = increment * share(params.clock_increment_share);
    let hard = (due * guard::CYCLIC_HARD).min(usable * most);
    (due * share(params.clock_cyclic_share) + spent, hard + spent)
}

/// Returns the soft and the hard limit in sudden death, in seconds.
fn sudden_death_shares(usable: f64, increment: f64, fullmove: f64, params: &Params) -> (f64, f64) {
    let lateness = 1.0 - (-fullmove / f64::from(params.clock_moves_to_late)).exp();
    let (first, late) = (share(params.clock_first_share), share(params.clock_late_share));
    let part = first + (late - first) * lateness;
    let spent = increment * share(params.clock_increment_share);
    (usable * part + spent, usable * share(params.clock_hard_share) + spent)
}

/// Signs of how settled the search is after an iteration; they scale the soft limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stability {
    /// Share of the nodes that went into the best move, 0 to 1.
    pub best_move_effort: f64,
    /// Iterations since the best move changed.
    pub best_move_age: u32,
    /// Centipawns by which the score has fallen since earlier iterations.
    pub score_fall: i32,
    /// True if there is only one legal move.
    pub forced: bool,
}

impl Stability {
    /// Returns the factor for the soft limit: a product of lines, each clamped to a range.
    fn factor(self, params: &Params) -> f64 {
        if self.forced {
            return FORCED;
        }
        // A clear move needs less time,
        let effort = share(params.clock_effort_base)
            - share(params.clock_effort_scale) * self.best_move_effort;
        // so does one that has been the best for long,
        let age = share(params.clock_age_base)
            - share(params.clock_age_scale) * f64::from(self.best_move_age);
        // and more where things get worse.
        let fall = share(params.clock_fall_base)
            + share(params.clock_fall_scale) * f64::from(self.score_fall);
        effort.max(share(params.clock_effort_min))
            * age.max(share(params.clock_age_min))
            * fall.clamp(share(params.clock_fall_min), share(params.clock_fall_max))
    }
}

impl Budget {
    /// Returns the time since the start, or that which `nodes` nodes stand for.
    pub fn elapsed(&self, nodes: u64) -> Duration {
        match self.nodestime {
            Some(rate) => time_of(nodes, rate),
            None => self.start.elapsed(),
        }
    }

    /// Returns whether the clock ends the search within milliseconds. Each line of output then wakes a
    /// reader that may take the processor from the search for longer than it has.
    pub fn is_brief(&self) -> bool {
        self.hard.is_some_and(|hard| hard <= BRIEF)
    }

    /// Returns whether the search is due, and what comes before it, such as reading tablebases, must
    /// end: after half of the soft limit, but not before 20 ms unless half of the hard limit is less.
    pub fn search_is_due(&self) -> bool {
        const LEAST: Duration = Duration::from_millis(20);
        match (self.soft, self.hard) {
            (Some(soft), Some(hard)) if self.nodestime.is_none() => {
                self.start.elapsed() >= (soft / 2).max(LEAST).min(hard / 2)
            }
            _ => false,
        }
    }

    /// Returns whether the search must end at once.
    pub fn hard_limit_reached(&self, nodes: u64) -> bool {
        self.hard.is_some_and(|hard| self.elapsed(nodes) >= hard)
    }

    /// Returns whether no further iteration should be started.
    pub fn soft_limit_reached(&self, stability: Stability, nodes: u64, params: &Params) -> bool {
        match (self.soft, self.hard) {
            (Some(soft), Some(hard)) if soft < hard => {
                self.elapsed(nodes) >= soft.mul_f64(stability.factor(params)).min(hard)
            }
            _ => self.hard_limit_reached(nodes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::SPECS;

    const OVERHEAD: Duration = Duration::from_millis(10);

    fn budget(left: u64, increment: u64, moves_to_go: Option<u32>) -> (Duration, Duration) {
        let mut limits = Limits { moves_to_go, ..Limits::default() };
        limits.time[Colour::White] = Some(Duration::from_millis(left));
        limits.increment[Colour::White] = Duration::from_millis(increment);
        let budget = limits.budget(Instant::now(), Colour::White, 20, OVERHEAD, &Params::default());
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
    fn a_move_that_lives_on_the_increment_leaves_room_for_a_lag() {
        for overhead in [Duration::ZERO, OVERHEAD] {
            for left in [100, 1000, 10_000] {
                let left = Duration::from_millis(left);
                let mut limits = Limits::default();
                limits.time[Colour::White] = Some(left);
                limits.increment[Colour::White] = left;
                let budget =
                    limits.budget(Instant::now(), Colour::White, 40, overhead, &Params::default());
                let rest = left - budget.hard.expect("a clock");
                assert!(rest >= left / 10, "{rest:?} of {left:?}");
            }
        }
    }

    #[test]
    fn no_setting_of_a_parameter_takes_all_the_time() {
        let (left, overhead) = (Duration::from_millis(500), OVERHEAD);
        let mut limits = Limits::default();
        limits.time[Colour::White] = Some(left);
        for spec in SPECS.iter().filter(|spec| spec.group == "clock") {
            for value in [spec.min, spec.max] {
                let mut params = Params::default();
                params.set(spec.name, value).expect("in its range");
                for moves_to_go in [None, Some(1), Some(30)] {
                    limits.moves_to_go = moves_to_go;
                    let budget =
                        limits.budget(Instant::now(), Colour::White, 60, overhead, &params);
                    assert!(budget.soft <= budget.hard, "{} {value}", spec.name);
                    assert!(budget.hard <= Some(left - overhead), "{} {value}", spec.name);
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
    fn a_game_that_lives_on_the_increment_survives_a_lag_at_any_move() {
        let (mut left, increment) = (3030, 30);
        for mv in 0..300 {
            // Each move takes all that it may.
            let (_, hard) = budget(left, increment, None);
            left -= hard.as_millis() as u64;
            assert!(left > 70, "{left} ms after move {mv}");
            left += increment;
        }
        assert!(left < 200, "{left} ms are never used");
    }

    #[test]
    fn a_cyclic_control_is_used_up_but_not_over() {
        let mut left = Duration::from_secs(2);
        for moves in (1..=40).rev() {
            let (soft, hard) = budget(left.as_millis() as u64, 0, Some(moves));
            assert!(hard < left);
            left -= soft;
        }
        assert!(left < Duration::from_millis(700), "{left:?} left unused");
    }

    #[test]
    fn a_cyclic_control_spends_its_increment() {
        let [with, without] = [10_000, 0].map(|increment| budget(10_000, increment, Some(40)).0);
        assert!(with > 3 * without, "{with:?} {without:?}");
    }

    #[test]
    fn the_first_limit_of_time_ends_the_search() {
        let clock = |left, move_time: Option<u64>| {
            let mut limits = Limits::default();
            limits.time[Colour::White] = Some(Duration::from_millis(left));
            limits.move_time = move_time.map(Duration::from_millis);
            let budget =
                limits.budget(Instant::now(), Colour::White, 20, OVERHEAD, &Params::default());
            (budget.soft, budget.hard)
        };
        assert_eq!(clock(100, Some(1500)), clock(100, None), "the clock runs out before");
        let short = Some(Duration::from_millis(40));
        assert_eq!(clock(600_000, Some(50)), (short, short));
    }

    #[test]
    fn the_last_move_before_the_control_leaves_room_for_a_lag() {
        let (_, hard) = budget(4000, 0, Some(1));
        let left = Duration::from_millis(4000) - hard;
        assert!((500..900).contains(&left.as_millis()), "{left:?}");
    }

    #[test]
    fn what_comes_before_the_search_has_a_share_of_the_time() {
        let search_is_due = |limits: &Limits, after: Duration| {
            let start = Instant::now().checked_sub(after).expect("a clock that runs for seconds");
            limits.budget(start, Colour::White, 20, OVERHEAD, &Params::default()).search_is_due()
        };
        let mut limits = Limits::default();
        let (at_once, late) = (Duration::ZERO, Duration::from_secs(5));
        assert!(!search_is_due(&limits, late), "no clock");
        limits.time[Colour::White] = Some(Duration::from_secs(60));
        assert!(!search_is_due(&limits, at_once) && search_is_due(&limits, late));
        limits.nodestime = NonZeroU32::new(100);
        assert!(!search_is_due(&limits, late), "a clock of nodes");
    }

    #[test]
    fn nodes_can_be_the_clock() {
        let nodestime = NonZeroU32::new(100);
        let mut limits = Limits { nodestime, ..Limits::default() };
        limits.time[Colour::White] = Some(Duration::from_secs(1));
        let budget = limits.budget(Instant::now(), Colour::White, 20, OVERHEAD, &Params::default());
        let hard = budget.nodes.expect("a hard limit");
        assert!(hard < 100_000, "{hard} of 1000 ms");
        assert_eq!(budget.elapsed(50_000), Duration::from_millis(500));
        assert!(budget.hard_limit_reached(hard + 1) && !budget.hard_limit_reached(hard - 1));
        limits.nodes = Some(7);
        let budget = limits.budget(Instant::now(), Colour::White, 20, OVERHEAD, &Params::default());
        assert_eq!(budget.nodes, Some(7));
    }

    #[test]
    fn only_searches_in_time_trouble_are_brief() {
        let is_brief = |limits: &Limits| {
            limits
                .budget(Instant::now(), Colour::White, 20, OVERHEAD, &Params::default())
                .is_brief()
        };
        let mut limits = Limits::default();
        assert!(!is_brief(&limits), "no clock");
        limits.time[Colour::White] = Some(Duration::from_millis(100));
        assert!(is_brief(&limits));
        assert!(!is_brief(&Limits { infinite: true, ..limits.clone() }));
        limits.time[Colour::White] = Some(Duration::from_secs(10));
        assert!(!is_brief(&limits));
    }

    #[test]
    fn a_falling_score_gets_more_time() {
        let params = Params::default();
        let calm = Stability { best_move_effort: 0.6, best_move_age: 5, ..Stability::default() };
        assert!(Stability { score_fall: 40, ..calm }.factor(&params) > calm.factor(&params));
        assert!(Stability { best_move_age: 0, ..calm }.factor(&params) > calm.factor(&params));
        assert!(
            Stability { best_move_effort: 0.95, ..calm }.factor(&params) < calm.factor(&params)
        );
        assert!(Stability { forced: true, ..calm }.factor(&params) < 0.2);
    }
}
