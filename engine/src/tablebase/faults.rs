//! Tables that cannot be read: each is reported once and not tried again.

use std::collections::HashSet;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, RwLock};
use shakmaty_syzygy::{Metric, SyzygyError};

/// The tables that could not be read.
#[derive(Debug, Default)]
pub struct Faults {
    /// There are any: without them, which is the rule, nobody takes a lock.
    any: AtomicBool,
    /// Tables that could not be probed, by metric and material.
    known: RwLock<HashSet<(Metric, u64)>>,
    /// There is something to report.
    is_news: AtomicBool,
    reports: Mutex<Reports>,
}

#[derive(Debug, Default)]
struct Reports {
    /// All that was ever reported.
    reported: HashSet<String>,
    unreported: Vec<String>,
}

impl Faults {
    /// Returns whether a table could not be probed before.
    pub fn is_known(&self, table: (Metric, u64)) -> bool {
        // Relaxed: whoever misses it probes in vain once more.
        self.any.load(Ordering::Relaxed) && self.known.read().contains(&table)
    }

    /// Notes that a table could not be probed.
    pub fn note(&self, table: (Metric, u64), error: &SyzygyError) {
        self.known.write().insert(table);
        self.any.store(true, Ordering::Relaxed);
        let mut reports = self.reports.lock();
        // A set that lacks one table lacks many, and one line says so.
        let text = match error {
            SyzygyError::MissingTable { .. } if reports.reported.contains(MISSING) => return,
            SyzygyError::MissingTable { .. } => {
                reports.reported.insert(MISSING.to_owned());
                format!("{error}; others may be missing, too")
            }
            _ => first_line(&error.to_string()),
        };
        if reports.reported.insert(text.clone()) {
            reports.unreported.push(text);
            self.is_news.store(true, Ordering::Relaxed);
        }
    }

    /// Returns what has not been reported yet.
    pub fn take(&self) -> Vec<String> {
        // Relaxed: whoever misses it takes it after the next probe.
        if !self.is_news.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let mut reports = self.reports.lock();
        self.is_news.store(false, Ordering::Relaxed);
        mem::take(&mut reports.unreported)
    }
}

/// Stands for all missing tables among the reported faults.
const MISSING: &str = "missing";

/// Returns the text without the stack trace that the crate may add.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.split(": disabled backtrace").next().unwrap_or_default().trim_end().to_owned()
}
