//! Jobs that will not come back by themselves: they are given away again.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Time without results after which the queue is looked at.
const QUIET: Duration = Duration::from_secs(5);

/// Jobs, results and workers of a run, as the server has them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backlog {
    /// Number of jobs that no worker has fetched.
    pub jobs: u64,
    /// Number of jobs that were fetched and are not acknowledged.
    pub fetched: usize,
    /// Number of results that have not been delivered.
    pub results: u64,
    /// Number of results that were delivered and are not acknowledged.
    pub delivered: usize,
    /// The workers that have jobs of the run, and their last signs of life.
    pub workers: BTreeMap<String, u64>,
    /// The workers that refuse the run, and why.
    pub refusing: BTreeMap<String, String>,
}

/// Looks at the queue while no results come.
#[derive(Debug)]
pub(crate) struct Watch {
    /// Time after which the server gives a job to another worker.
    ack_wait: Duration,
    /// Time at which a result came last.
    news: Instant,
    /// Time of the last look, or of the last result if it is later.
    looked: Instant,
    /// True if the queue was empty at the last look, with nothing new since.
    was_idle: bool,
    /// The workers of the last look.
    workers: Option<BTreeMap<String, u64>>,
}

impl Watch {
    pub fn new(ack_wait: Duration, now: Instant) -> Self {
        Self { ack_wait, news: now, looked: now, was_idle: false, workers: None }
    }

    pub fn note_news(&mut self, now: Instant) {
        *self = Self::new(self.ack_wait, now);
    }

    pub fn is_due(&self, now: Instant) -> bool {
        now.duration_since(self.looked) >= QUIET
    }

    /// Notes what the server has, `None` if it does not answer; returns whether jobs that are not done are lost. `held` is the
    /// number of results that are delivered and held here.
    ///
    /// They are if the server has nothing of them at two looks. Or if it has given all of them to workers, none of whom
    /// says that it has any: servers have been seen not to give jobs of dead workers to others.
    pub fn are_lost(&mut self, backlog: Option<&Backlog>, held: usize, now: Instant) -> bool {
        self.looked = now;
        let Some(backlog) = backlog else {
            self.was_idle = false;
            return false;
        };
        let Backlog { jobs, fetched, results, delivered, workers, .. } = backlog;
        let is_delivered = *jobs == 0 && *results == 0;
        let is_idle = is_delivered && *fetched == 0 && *delivered <= held;
        let is_late = now.duration_since(self.news) >= 2 * self.ack_wait + 2 * QUIET;
        let before = self.workers.replace(workers.clone());
        let is_alive = |(name, seen)| before.as_ref().is_none_or(|it| it.get(name) != Some(seen));
        let is_forsaken = is_delivered && is_late && !workers.iter().any(is_alive);
        let are_lost = is_idle && self.was_idle || is_forsaken;
        self.was_idle = is_idle;
        if are_lost {
            self.note_news(now);
        }
        are_lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks every five seconds until jobs are lost; returns after how many seconds they are, up to two minutes.
    fn seconds(watch: &mut Watch, begun: Instant, backlog: impl Fn(u64) -> Backlog) -> Option<u64> {
        (5..=120).step_by(5).find(|&second| {
            let now = begun + Duration::from_secs(second);
            assert!(watch.is_due(now));
            watch.are_lost(Some(&backlog(second)), 2, now)
        })
    }

    #[test]
    fn jobs_are_lost_if_the_queue_is_empty_or_nobody_has_them() {
        let begun = Instant::now();
        let lost = |backlog: &dyn Fn(u64) -> Backlog| {
            seconds(&mut Watch::new(Duration::from_secs(10), begun), begun, backlog)
        };
        let worker = |seen| BTreeMap::from([("a".to_owned(), seen)]);
        assert_eq!(lost(&|_| Backlog { delivered: 2, ..Backlog::default() }), Some(10));
        assert_eq!(lost(&|_| Backlog { fetched: 1, ..Backlog::default() }), Some(30));
        let dead = |_| Backlog { fetched: 1, workers: worker(7), ..Backlog::default() };
        assert_eq!(lost(&dead), Some(30), "its last sign of life is an old one");
        let alive = |at| Backlog { fetched: 1, workers: worker(at), ..Backlog::default() };
        assert_eq!(lost(&alive), None);
        assert_eq!(
            lost(&|_| Backlog { jobs: 1, ..Backlog::default() }),
            None,
            "no worker is there"
        );
        assert_eq!(lost(&|_| Backlog { results: 1, ..Backlog::default() }), None);
    }

    #[test]
    fn news_and_silence_of_the_server_begin_the_wait_again() {
        let begun = Instant::now();
        let at = |second| begun + Duration::from_secs(second);
        let mut watch = Watch::new(Duration::from_secs(10), begun);
        assert!(!watch.is_due(at(4)) && watch.is_due(at(5)));
        let empty = Backlog::default();
        assert!(!watch.are_lost(Some(&empty), 0, at(5)));
        assert!(!watch.are_lost(None, 0, at(10)));
        assert!(!watch.are_lost(Some(&empty), 0, at(15)));
        watch.note_news(at(16));
        assert!(!watch.is_due(at(20)));
        assert!(!watch.are_lost(Some(&empty), 0, at(21)));
        assert!(watch.are_lost(Some(&empty), 0, at(26)));
        assert!(!watch.are_lost(Some(&empty), 0, at(31)), "they are given away again");
    }
}
