//! Results in custody: a worker's results count once a later replay of one of them, chosen at random, has agreed.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, Instant};

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// A worker takes no further part in the run after so many of its results were refused.
const MOST_REFUSED: u64 = 5;
/// Time without a result, and number of usual intervals besides, after which a worker may be gone: no later result of it will
/// be replayed, and the run must not wait for its last ones.
const SILENCE: (Duration, u32) = (Duration::from_secs(5), 10);

/// The results of all workers of a run that do not count yet. It knows nothing of the network or of chess.
#[derive(Debug)]
pub(crate) struct Custody<T> {
    /// The share of results that are replayed, from 0 to 1.
    share: f64,
    workers: BTreeMap<String, Standing<T>>,
    /// Senders of the results that are held, by job.
    senders: HashMap<u64, String>,
    arrivals: u64,
    rng: ChaCha8Rng,
}

/// The record of a worker: its results that are held, and its faults.
#[derive(Debug)]
struct Standing<T> {
    /// Results since the last replay that agreed, by the order of their arrival.
    held: BTreeMap<u64, (u64, T)>,
    /// True if one of them has been drawn for a replay.
    is_drawn: bool,
    /// The replay under way.
    replay: Option<Replay>,
    pace: Option<Pace>,
    /// Results that could not be read, were of no job or were failures.
    refused: u64,
    is_trusted: bool,
}

impl<T> Default for Standing<T> {
    fn default() -> Self {
        let (held, is_drawn, replay, pace) = (BTreeMap::new(), false, None, None);
        Self { held, is_drawn, replay, pace, refused: 0, is_trusted: true }
    }
}

/// The times at which a worker has sent results.
#[derive(Clone, Copy, Debug)]
struct Pace {
    first: Instant,
    last: Instant,
    /// Number of results behind the first.
    intervals: u32,
}

impl Pace {
    fn with(before: Option<Self>, now: Instant) -> Self {
        let begun = Self { first: now, last: now, intervals: 0 };
        before.map_or(begun, |it| Self { last: now, intervals: it.intervals + 1, ..it })
    }

    fn is_silent(&self, now: Instant) -> bool {
        let usual = (self.last - self.first) / self.intervals.max(1);
        now.saturating_duration_since(self.last) > SILENCE.0 + usual * SILENCE.1
    }
}

#[derive(Clone, Copy, Debug)]
struct Replay {
    job: u64,
    /// The results that had arrived when the job was chosen: the replay speaks for no later one.
    arrivals: u64,
}

/// Jobs and their results.
pub(crate) type Results<T> = Vec<(u64, T)>;

impl<T> Custody<T> {
    /// Holds nothing yet. The jobs that are replayed cannot be foreseen.
    pub fn new(share: f64) -> Self {
        // Its keys are random.
        let seed = RandomState::new().build_hasher().finish();
        let (workers, senders) = (BTreeMap::new(), HashMap::new());
        Self { share, workers, senders, arrivals: 0, rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    fn standing(&mut self, worker: &str) -> &mut Standing<T> {
        self.workers.entry(worker.to_owned()).or_default()
    }

    /// Returns whether a worker's results are taken.
    pub fn trusts(&self, worker: &str) -> bool {
        self.workers.get(worker).is_none_or(|standing| standing.is_trusted)
    }

    /// Takes a result into custody.
    pub fn hold(&mut self, worker: &str, job: u64, result: T, now: Instant) {
        let is_drawn = self.rng.random::<f64>() < self.share;
        self.arrivals += 1;
        let arrival = self.arrivals;
        let standing = self.standing(worker);
        standing.held.insert(arrival, (job, result));
        standing.is_drawn |= is_drawn;
        standing.pace = Some(Pace::with(standing.pace, now));
        self.senders.insert(job, worker.to_owned());
    }

    /// Returns whether a result of this job is held.
    pub fn holds(&self, job: u64) -> bool {
        self.senders.contains_key(&job)
    }

    /// Returns the result of a job that is held.
    pub fn held(&self, job: u64) -> Option<&T> {
        let held = &self.workers.get(self.senders.get(&job)?)?.held;
        held.values().find(|(held, _)| *held == job).map(|(_, result)| result)
    }

    /// Returns the number of results that are held.
    pub fn count(&self) -> usize {
        self.senders.len()
    }

    /// Returns the jobs to be replayed: one of each worker of whom one was drawn or which is silent, or of each if more
    /// results are held than jobs are under way, as the run may wait for them.
    pub fn begin_replays(&mut self, under_way: usize, now: Instant) -> Vec<u64> {
        let is_waiting = self.count() > under_way;
        let (arrivals, rng) = (self.arrivals, &mut self.rng);
        let is_due = |it: &Standing<T>| {
            it.is_drawn || is_waiting || it.pace.is_some_and(|pace| pace.is_silent(now))
        };
        let waiting = self.workers.values_mut().filter(|it| it.replay.is_none());
        let due = waiting.filter(|it| !it.held.is_empty() && is_due(it));
        due.map(|standing| {
            let index = rng.random_range(0..standing.held.len());
            let job = standing.held.values().nth(index).map_or(0, |(job, _)| *job);
            standing.is_drawn = false;
            standing.replay = Some(Replay { job, arrivals });
            job
        })
        .collect()
    }

    /// Returns the results that a replay has confirmed, in the order of their arrival.
    pub fn confirm(&mut self, job: u64) -> Results<T> {
        let Some(worker) = self.senders.get(&job).cloned() else { return Vec::new() };
        let standing = self.standing(&worker);
        let Some(replay) = standing.replay.take_if(|replay| replay.job == job) else {
            return Vec::new();
        };
        let later = standing.held.split_off(&(replay.arrivals + 1));
        let confirmed = std::mem::replace(&mut standing.held, later);
        self.forget(confirmed)
    }

    /// Trusts the worker no more whose result a replay has refuted; returns its name and all of its results that are held.
    pub fn refute(&mut self, job: u64) -> (String, Results<T>) {
        let Some(worker) = self.senders.get(&job).cloned() else { return Default::default() };
        let dropped = self.exclude(&worker);
        (worker, dropped)
    }

    /// Counts a result that is no answer; returns how many there are of the worker, and whether it is trusted no more.
    pub fn refuse(&mut self, worker: &str) -> (u64, bool) {
        let standing = self.standing(worker);
        standing.refused += 1;
        // Those who tell no name are not one worker.
        (standing.refused, standing.refused >= MOST_REFUSED && !worker.is_empty())
    }

    /// Trusts a worker no more; returns all of its results that are held.
    pub fn exclude(&mut self, worker: &str) -> Results<T> {
        let standing = self.standing(worker);
        standing.is_trusted = false;
        standing.replay = None;
        let held = std::mem::take(&mut standing.held);
        self.forget(held)
    }

    fn forget(&mut self, results: BTreeMap<u64, (u64, T)>) -> Results<T> {
        let results: Results<T> = results.into_values().collect();
        for (job, _) in &results {
            self.senders.remove(job);
        }
        results
    }

    /// Returns the workers of whom results were refused, and how many.
    pub fn refused(&self) -> impl Iterator<Item = (&str, u64)> {
        let all = self.workers.iter().map(|(worker, it)| (worker.as_str(), it.refused));
        all.filter(|(_, refused)| *refused > 0)
    }

    /// Returns the workers that are trusted no more.
    pub fn excluded(&self) -> Vec<String> {
        let excluded = self.workers.iter().filter(|(_, it)| !it.is_trusted);
        excluded.map(|(worker, _)| worker.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn jobs(results: Results<&'static str>) -> Vec<u64> {
        results.into_iter().map(|(job, _)| job).collect()
    }

    #[test]
    fn a_replay_speaks_for_what_had_arrived_when_it_began() {
        let begun = Instant::now();
        let mut custody = Custody::new(0.0);
        (0..5).for_each(|job| custody.hold("a", job, "x", begun));
        custody.hold("b", 9, "x", begun);
        assert!(
            custody.begin_replays(6, begun).is_empty(),
            "nothing was drawn, and jobs are under way"
        );
        let replayed = custody.begin_replays(5, begun);
        assert!(replayed.len() == 2 && replayed[0] < 5 && replayed[1] == 9, "{replayed:?}");
        custody.hold("a", 5, "x", begun);
        assert_eq!(jobs(custody.confirm(replayed[0])), [0, 1, 2, 3, 4]);
        assert_eq!((custody.held(5), custody.held(4), custody.count()), (Some(&"x"), None, 2));
        assert!(custody.confirm(replayed[0]).is_empty(), "a replay speaks once");
    }

    #[test]
    fn a_liar_loses_what_it_sent_since_the_last_good_replay_and_no_more() {
        let begun = Instant::now();
        let mut custody = Custody::new(1.0);
        custody.hold("liar", 1, "x", begun);
        custody.hold("honest", 2, "x", begun);
        assert_eq!(custody.begin_replays(100, begun), [2, 1], "each is drawn");
        assert_eq!(jobs(custody.confirm(1)), [1]);
        (3..6).for_each(|job| custody.hold("liar", job, "x", begun));
        let replayed = custody.begin_replays(100, begun);
        let (worker, dropped) = custody.refute(replayed[0]);
        assert_eq!((worker.as_str(), jobs(dropped)), ("liar", vec![3, 4, 5]));
        assert!(!custody.trusts("liar") && custody.trusts("honest") && custody.trusts("new"));
        assert_eq!((custody.excluded(), custody.count()), (vec!["liar".to_owned()], 1));
    }

    #[test]
    fn the_last_results_of_a_silent_worker_are_replayed() {
        let begun = Instant::now();
        let at = |second| begun + Duration::from_secs(second);
        let mut custody = Custody::new(0.0);
        (0..4).for_each(|job| custody.hold("slow", job, "x", at(3 * job)));
        custody.hold("new", 9, "x", at(9));
        assert!(custody.begin_replays(100, at(14)).is_empty());
        assert_eq!(custody.begin_replays(100, at(15)), [9], "five seconds after its first");
        assert!(custody.begin_replays(100, at(44)).is_empty(), "three seconds are usual");
        let replayed = custody.begin_replays(100, at(45));
        assert_eq!(replayed.len(), 1);
        assert_eq!(jobs(custody.confirm(replayed[0])), [0, 1, 2, 3]);
        assert!(custody.begin_replays(100, at(100)).is_empty(), "nothing of it is held");
    }

    #[test]
    fn who_sends_nonsense_is_counted_and_left_out_at_last() {
        let mut custody: Custody<()> = Custody::new(0.5);
        let counts: Vec<_> = (0..6).map(|_| custody.refuse("bad")).collect();
        assert_eq!(counts[3..], [(4, false), (5, true), (6, true)]);
        assert_eq!((0..9).map(|_| custody.refuse("")).last(), Some((9, false)));
        assert_eq!(custody.refused().collect::<Vec<_>>(), [("", 9), ("bad", 6)]);
    }

    #[test]
    fn the_share_is_what_was_asked_for() {
        let begun = Instant::now();
        let mut custody = Custody::new(0.02);
        let mut replays = 0;
        for job in 0..20_000 {
            custody.hold("a", job, "x", begun);
            for job in custody.begin_replays(usize::MAX, begun) {
                replays += 1;
                custody.confirm(job);
            }
        }
        // Binomial: 400 expected, standard deviation 19.8.
        assert!((300..500).contains(&replays), "{replays}");
    }

    proptest! {
        /// Whatever arrives and whoever lies, each job is confirmed or dropped once, and nothing is confirmed that was not
        /// there when its replay began.
        #[test]
        fn each_result_leaves_once(
            share in 0.0..1.0,
            steps in prop::collection::vec((0..4_usize, any::<bool>(), 0..9_usize), 1..200),
        ) {
            const WORKERS: [&str; 4] = ["a", "b", "c", "d"];
            let begun = Instant::now();
        let mut custody = Custody::new(share);
            let mut out = Vec::new();
            let mut replays = Vec::new();
            let mut held = 0;
            for (job, (worker, is_good, under_way)) in (0..).zip(steps) {
                if custody.trusts(WORKERS[worker]) {
                    custody.hold(WORKERS[worker], job, "x", begun);
                    held += 1;
                }
                if job % 3 == 0 {
                    replays.extend(custody.begin_replays(under_way, begun));
                } else if let Some(job) = replays.pop() {
                    let left = if is_good { custody.confirm(job) } else { custody.refute(job).1 };
                    out.extend(jobs(left));
                }
                prop_assert_eq!(custody.count() + out.len(), held);
            }
            out.sort_unstable();
            let count = out.len();
            out.dedup();
            prop_assert_eq!(out.len(), count);
        }
    }
}
