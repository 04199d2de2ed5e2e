//! Requests to stop: finish what is in progress, or abort it.

use std::error::Error;
use std::iter;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use thiserror::Error;

/// Shared by the workers of a run, its owner, and the handler of Ctrl-C. The flags are independent and nothing is handed
/// over with them, so they are relaxed.
#[derive(Debug, Default)]
pub struct Stop {
    finish: AtomicBool,
    abort: AtomicBool,
    by_user: AtomicBool,
    pause: AtomicBool,
    paused: Mutex<Paused>,
}

/// The pauses so far.
#[derive(Debug, Default)]
struct Paused {
    /// Beginning of the present one.
    since: Option<Instant>,
    /// Length of those before.
    before: Duration,
}

/// Interval at which a paused worker checks whether it may go on.
const POLL: Duration = Duration::from_millis(50);

/// The user interrupted the work. The error types of all crates carry it as a source (`#[error("...")]
/// Interrupted(#[from] Interrupted)`, not `transparent`), so that the command line finds it in any of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("interrupted")]
pub struct Interrupted;

impl Interrupted {
    /// Returns whether an error, or one of its sources, is an interruption.
    ///
    /// ```
    /// use nullarbor_runs::Interrupted;
    ///
    /// #[derive(Debug, thiserror::Error)]
    /// enum RunError {
    ///     #[error("interrupted; re-run the same command to resume")]
    ///     Interrupted(#[from] Interrupted),
    /// }
    /// assert!(Interrupted::is_cause_of(&RunError::from(Interrupted)));
    /// assert!(!Interrupted::is_cause_of(&std::io::Error::other("full")));
    /// ```
    pub fn is_cause_of(error: &(dyn Error + 'static)) -> bool {
        iter::successors(Some(error), |&error| error.source()).any(|error| error.is::<Self>())
    }
}

impl Stop {
    /// Returns a state without requests.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests a stop by the user: the first time tasks in progress are finished, the second time they are aborted.
    /// Returns whether it was the second time.
    pub fn request_stop(&self) -> bool {
        self.finish.store(true, Ordering::Relaxed);
        let again = self.by_user.swap(true, Ordering::Relaxed);
        if again {
            self.abort();
        }
        again
    }

    /// Aborts the tasks in progress: their results are not needed any more.
    pub fn abort(&self) {
        self.finish.store(true, Ordering::Relaxed);
        self.abort.store(true, Ordering::Relaxed);
    }

    /// Returns whether no new task may begin.
    pub fn is_finishing(&self) -> bool {
        self.finish.load(Ordering::Relaxed)
    }

    /// Lets no new task begin while it is `true`; tasks in progress are finished.
    pub fn set_paused(&self, paused: bool) {
        self.pause.store(paused, Ordering::Relaxed);
        let mut state = self.paused.lock();
        let since = if paused { state.since.or_else(|| Some(Instant::now())) } else { None };
        if let (Some(begun), None) = (state.since, since) {
            state.before += begun.elapsed();
        }
        state.since = since;
    }

    /// Returns how long the work has been paused in all until an instant, which may lie in the present pause or after
    /// the last one.
    pub fn time_paused(&self, until: Instant) -> Duration {
        let Paused { since, before } = *self.paused.lock();
        before + since.map_or(Duration::ZERO, |since| until.saturating_duration_since(since))
    }

    /// Returns when the work is not, or no longer, paused. A stop ends the wait, too.
    pub fn wait_while_paused(&self) {
        while self.pause.load(Ordering::Relaxed) && !self.is_finishing() {
            thread::sleep(POLL);
        }
    }

    /// Fails if no new task is to be begun, for loops that end early by `?`. Waits while the work is paused.
    ///
    /// # Errors
    /// [`Interrupted`] as [`Stop::is_finishing`] says.
    pub fn check(&self) -> Result<(), Interrupted> {
        self.wait_while_paused();
        if self.is_finishing() { Err(Interrupted) } else { Ok(()) }
    }

    /// Returns whether tasks in progress are to be aborted.
    pub fn is_aborting(&self) -> bool {
        self.abort.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_ends_by_itself_or_by_a_stop() {
        let stop = Stop::new();
        stop.wait_while_paused();
        for end in [|stop: &Stop| stop.set_paused(false), |stop: &Stop| _ = stop.request_stop()] {
            stop.set_paused(true);
            thread::scope(|scope| {
                let waiting = scope.spawn(|| stop.check());
                thread::sleep(2 * POLL);
                assert!(!waiting.is_finished());
                end(&stop);
            });
        }
        assert_eq!(stop.check(), Err(Interrupted));
    }

    #[test]
    fn pauses_add_up() {
        let (stop, begun) = (Stop::new(), Instant::now());
        assert_eq!(stop.time_paused(begun), Duration::ZERO);
        // Measured: where clocks are coarse, a sleep may be shorter than it was told to be.
        let mut slept = [Duration::ZERO; 2];
        for paused in [true, true, false, false, true] {
            stop.set_paused(paused);
            let since = Instant::now();
            thread::sleep(POLL);
            slept[usize::from(paused)] += since.elapsed();
        }
        let found = stop.time_paused(Instant::now());
        assert!(found >= slept[1] && found <= begun.elapsed() - slept[0], "{found:?} {slept:?}");
    }
}
