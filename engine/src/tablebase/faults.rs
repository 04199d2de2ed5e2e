//! Tables that cannot be read: each is reported once and not tried again.

use std::collections::HashSet;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use shakmaty_syzygy::{Metric, SyzygyError};

/// What could not be read.
#[derive(Debug, Default)]
pub struct Faults {
    /// There are any: without them, which is the rule, nobody takes the lock.
    any: AtomicBool,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Tables that could not be probed, by metric and material.
    known: HashSet<(Metric, u64)>,
    /// All that was ever reported.
    reported: HashSet<String>,
    unreported: Vec<String>,
}

impl Faults {
    /// Returns whether a table could not be probed before.
    pub fn is_known(&self, table: (Metric, u64)) -> bool {
        // Relaxed: whoever misses it probes in vain once more.
        self.any.load(Ordering::Relaxed) && self.inner.lock().known.contains(&table)
    }

    /// Notes that a table could not be probed.
    pub fn note(&self, table: (Metric, u64), error: &SyzygyError) {
        let mut inner = self.inner.lock();
        inner.known.insert(table);
        // A set that lacks one table lacks many, and one line says so.
        let text = match error {
            SyzygyError::MissingTable { .. } if inner.reported.contains(MISSING) => return,
            SyzygyError::MissingTable { .. } => {
                inner.reported.insert(MISSING.to_owned());
                format!("{error}; others may be missing, too")
            }
            _ => first_line(&error.to_string()),
        };
        if inner.reported.insert(text.clone()) {
            inner.unreported.push(text);
        }
        drop(inner);
        self.any.store(true, Ordering::Relaxed);
    }

    /// Returns what has not been reported yet.
    pub fn take(&self) -> Vec<String> {
        if !self.any.load(Ordering::Relaxed) {
            return Vec::new();
        }
        mem::take(&mut self.inner.lock().unreported)
    }
}

/// Stands for all missing tables among the reported faults.
const MISSING: &str = "missing";

/// Returns the text without the stack trace that the crate may add.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.split(": disabled backtrace").next().unwrap_or_default().trim_end().to_owned()
}
