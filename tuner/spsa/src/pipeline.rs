//! The iterations in flight. They overlap, so that no worker waits for the longest game.
//!
//! Iteration `k` is played around the iterate after exactly `k - 1 - staleness` iterations. So at most `staleness + 1`
//! iterations are in flight at a time, results are applied in the order of their numbers, and the values do not depend on
//! the speed or the number of the workers.

use std::collections::VecDeque;

use super::perturbation::Perturbation;
use super::theta::Theta;

/// The iterations of a run, begun in order and applied in order.
#[derive(Clone, Debug)]
pub struct Pipeline {
    theta: Theta,
    seed: u64,
    staleness: u64,
    /// Begun and not applied yet, in order.
    in_flight: VecDeque<Perturbation>,
}

impl Pipeline {
    /// Creates the pipeline before the first iteration.
    pub fn new(theta: Theta, seed: u64, staleness: u64) -> Self {
        Self { theta, seed, staleness, in_flight: VecDeque::new() }
    }

    /// Returns the iterate.
    pub fn theta(&self) -> &Theta {
        &self.theta
    }

    /// Returns whether all iterations were applied.
    pub fn is_done(&self) -> bool {
        self.theta.iteration() == self.theta.iterations()
    }

    /// Begins the next iteration and returns its number, from 1, and its settings; `None` while the pipeline is full or where
    /// none is left.
    pub fn begin(&mut self) -> Option<(u64, &Perturbation)> {
        let begun = self.theta.iteration() + self.in_flight.len() as u64;
        if begun == self.theta.iterations() || self.in_flight.len() as u64 > self.staleness {
            return None;
        }
        let number = begun + 1;
        self.in_flight.push_back(self.theta.perturb(self.seed, number));
        self.in_flight.back().map(|perturbation| (number, perturbation))
    }

    /// Returns the iterations that were begun and not applied yet, with their numbers.
    pub fn in_flight(&self) -> impl Iterator<Item = (u64, &Perturbation)> {
        (self.theta.iteration() + 1..).zip(&self.in_flight)
    }

    /// Applies the oldest iteration in flight and returns its settings; `None` where there is none. `net_wins` is wins minus
    /// losses of its first setting.
    pub fn apply(&mut self, net_wins: i64) -> Option<Perturbation> {
        let oldest = self.in_flight.pop_front()?;
        self.theta.update(&oldest, net_wins);
        Some(oldest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gains::{Mode, Schedule};
    use crate::parameter::Parameter;
    use crate::parameter::Range;

    fn pipeline(staleness: u64) -> Pipeline {
        let schedule = Schedule {
            mode: Mode::Classic,
            alpha: 0.6,
            gamma: 0.1,
            a_ratio: 0.1,
            length: 30.into(),
        };
        let range = Range { min: 0, max: 1000 };
        let parameter =
            Parameter { name: "x".to_owned(), start: 500.0, range, c_end: 9.0, r_end: 0.1 };
        Pipeline::new(Theta::new(schedule, 0.0, vec![parameter]), 3, staleness)
    }

    /// Plays to the end: the higher setting always wins by one.
    fn played(staleness: u64) -> Vec<f64> {
        let mut pipeline = pipeline(staleness);
        let mut points = Vec::new();
        while !pipeline.is_done() {
            while pipeline.begin().is_some() {}
            let sign = pipeline.in_flight[0].deltas().next().expect("a parameter").signum();
            pipeline.apply(sign as i64);
            points.push(pipeline.theta().values()[0]);
        }
        points
    }

    #[test]
    fn at_most_staleness_plus_one_are_in_flight() {
        let mut pipeline = pipeline(4);
        let mut begun = || {
            std::iter::from_fn(|| pipeline.begin().map(|(number, _)| number)).collect::<Vec<_>>()
        };
        assert_eq!(begun(), [1, 2, 3, 4, 5]);
        pipeline.apply(0);
        assert!(pipeline.in_flight().map(|(number, _)| number).eq(2..=5));
        assert_eq!(pipeline.begin().map(|(number, _)| number), Some(6));
        assert!(pipeline.begin().is_none());
    }

    #[test]
    fn the_higher_setting_wins_so_the_value_rises() {
        let points = played(4);
        assert_eq!(points.len(), 30);
        assert!(points.is_sorted() && points[29] > points[0]);
        assert_ne!(played(0), points, "the staleness is part of the run");
    }
}
