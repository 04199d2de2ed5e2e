//! Which iterations may be played now, so that nobody waits and the result depends on nobody's speed.
//!
//! Iteration `k` is played around the point that the first `k - 1 - lag` iterations led to, no earlier and no later one. So up to
//! `lag + 1` iterations are under way at a time, and results are applied in the order of their numbers.

use std::collections::VecDeque;

use super::perturbation::Perturbation;
use super::theta::Path;

/// The iterations of a run, begun in order and ended in order.
#[derive(Clone, Debug)]
pub struct Pipeline {
    path: Path,
    seed: u64,
    lag: u64,
    iterations: u64,
    /// Begun and not applied yet, in order.
    under_way: VecDeque<Perturbation>,
}

impl Pipeline {
    /// Before the first iteration.
    pub fn new(path: Path, seed: u64, lag: u64, iterations: u64) -> Self {
        Self { path, seed, lag, iterations, under_way: VecDeque::new() }
    }

    /// Where the parameters are.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether all iterations were applied.
    pub fn is_done(&self) -> bool {
        self.path.applied() == self.iterations
    }

    /// Begins the next iteration, if it may: its number, from 1, and its settings.
    pub fn begin(&mut self) -> Option<(u64, &Perturbation)> {
        let begun = self.path.applied() + self.under_way.len() as u64;
        if begun == self.iterations || self.under_way.len() as u64 > self.lag {
            return None;
        }
        let number = begun + 1;
        self.under_way.push_back(self.path.perturb(self.seed, number));
        self.under_way.back().map(|perturbation| (number, perturbation))
    }

    /// The iterations that were begun and not applied yet, with their numbers.
    pub fn under_way(&self) -> impl Iterator<Item = (u64, &Perturbation)> {
        (self.path.applied() + 1..).zip(&self.under_way)
    }

    /// Applies the oldest iteration under way; gives its settings. `None` where none is.
    pub fn apply(&mut self, net: i64) -> Option<Perturbation> {
        let oldest = self.under_way.pop_front()?;
        self.path.apply(&oldest, net);
        Some(oldest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gains::{Mode, Schedule};
    use crate::perturbation::Range;
    use crate::theta::Axis;

    fn pipeline(lag: u64) -> Pipeline {
        let schedule =
            Schedule { mode: Mode::Classic, alpha: 0.6, gamma: 0.1, a_ratio: 0.1, iterations: 30 };
        let range = Range { min: 0, max: 1000 };
        let axis = Axis { name: "x".to_owned(), start: 500.0, range, c_end: 9.0, r_end: 0.1 };
        Pipeline::new(Path::new(schedule, vec![axis]), 3, lag, 30)
    }

    /// Plays to the end: the higher setting always wins by one. `eager` asks for work after each result, else only when
    /// there is nothing under way.
    fn played(lag: u64, eager: bool) -> Vec<f64> {
        let mut pipeline = pipeline(lag);
        let mut points = Vec::new();
        while !pipeline.is_done() {
            if eager || pipeline.under_way.is_empty() {
                while pipeline.begin().is_some() {}
            }
            let net = pipeline.under_way[0].moved().next().expect("a parameter").signum();
            pipeline.apply(net as i64);
            points.push(pipeline.path().point()[0]);
        }
        points
    }

    #[test]
    fn so_many_are_under_way_and_no_more() {
        let mut pipeline = pipeline(4);
        let mut begun = || {
            std::iter::from_fn(|| pipeline.begin().map(|(number, _)| number)).collect::<Vec<_>>()
        };
        assert_eq!(begun(), [1, 2, 3, 4, 5]);
        pipeline.apply(0);
        assert!(pipeline.under_way().map(|(number, _)| number).eq(2..=5));
        assert_eq!(pipeline.begin().map(|(number, _)| number), Some(6));
        assert!(pipeline.begin().is_none());
    }

    #[test]
    fn the_higher_setting_wins_so_the_value_rises() {
        let points = played(4, true);
        assert_eq!(points.len(), 30);
        assert!(points.is_sorted() && points[29] > points[0]);
        assert_ne!(played(0, true), points, "the lag is part of the run");
    }
}
