//! Two words for everybody who plays: come to an end, and stop at once.

use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by the workers of a run, its owner, and whoever listens for Ctrl-C. The flags are independent and nothing is
/// handed over with them, so they are relaxed.
#[derive(Debug, Default)]
pub struct Stop {
    finish: AtomicBool,
    abort: AtomicBool,
    by_user: AtomicBool,
}

impl Stop {
    /// Nobody has said anything.
    pub fn new() -> Self {
        Self::default()
    }

    /// The user wants an end: the first time games under way are finished, the second time they are not.
    /// Says whether it was the second.
    pub fn ask(&self) -> bool {
        self.finish.store(true, Ordering::Relaxed);
        let again = self.by_user.swap(true, Ordering::Relaxed);
        if again {
            self.abort();
        }
        again
    }

    /// What is under way is not needed any more.
    pub fn abort(&self) {
        self.finish.store(true, Ordering::Relaxed);
        self.abort.store(true, Ordering::Relaxed);
    }

    /// Whether nothing new is to be begun.
    pub fn is_finishing(&self) -> bool {
        self.finish.load(Ordering::Relaxed)
    }

    /// Whether what is under way is to be left.
    pub fn is_aborting(&self) -> bool {
        self.abort.load(Ordering::Relaxed)
    }

    /// Whether it was the user who wanted it.
    pub fn is_by_user(&self) -> bool {
        self.by_user.load(Ordering::Relaxed)
    }
}
