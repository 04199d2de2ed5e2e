//! Where searches are looked at.

use std::time::Duration;

use nullarbor::clock::Limits;
use nullarbor::types::Depth;

use super::experiment::{Sample, Trial};

/// Depths or times, from the least to the greatest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marks {
    /// At the ends of iterations, in plies.
    Depths(Vec<usize>),
    /// After so much time.
    Times(Vec<Duration>),
}

impl Marks {
    /// How far to search.
    pub fn limits(&self) -> Limits {
        match self {
            Self::Depths(depths) => {
                let deepest = depths.iter().copied().max().unwrap_or(1);
                Limits { depth: Some(Depth(deepest as i32)), ..Limits::default() }
            }
            Self::Times(times) => {
                Limits { move_time: times.iter().copied().max(), ..Limits::default() }
            }
        }
    }

    /// All that is counted: each depth up to the greatest, or each time.
    pub fn counted(&self) -> Vec<Mark> {
        match self {
            Self::Depths(depths) => {
                (1..=depths.iter().copied().max().unwrap_or(1)).map(Mark::Depth).collect()
            }
            Self::Times(times) => times.iter().copied().map(Mark::Time).collect(),
        }
    }

    /// The numbers of those that were asked for, among the counted.
    pub fn shown(&self) -> Vec<usize> {
        match self {
            Self::Depths(depths) => depths.iter().map(|depth| depth - 1).collect(),
            Self::Times(times) => (0..times.len()).collect(),
        }
    }
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The end of this iteration.
    Depth(usize),
    /// This much time.
    Time(Duration),
}

impl Mark {
    /// As heads of columns say it.
    pub fn label(self) -> String {
        match self {
            Self::Depth(depth) => format!("depth {depth}"),
            Self::Time(time) => format!("{} s", time.as_secs_f64()),
        }
    }

    /// What a search had found there, and the depth that it had finished. One that ended before counts with what it had.
    pub fn of(self, trial: &Trial) -> Option<(Sample, usize)> {
        let samples = &trial.samples;
        match self {
            Self::Depth(depth) => {
                let sample = samples.get(depth - 1).or(samples.last())?;
                Some((*sample, depth.min(samples.len())))
            }
            Self::Time(time) => {
                // A search that was given the time ends a little after it.
                let is_over = samples.last()?.elapsed <= time + LATE;
                let before = samples.iter().filter(|sample| sample.elapsed <= time).count();
                let index = if is_over { samples.len() } else { before.max(1) };
                Some((samples[index - 1], index.min(samples.len() - 1).max(1)))
            }
        }
    }
}

/// By how much a search may miss its end.
const LATE: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(ends: &[u64]) -> Trial {
        let sample = |(index, &end): (usize, &u64)| Sample {
            nodes: 10 * (index as u64 + 1),
            elapsed: Duration::from_millis(end),
            solved: index > 1,
        };
        Trial { samples: ends.iter().enumerate().map(sample).collect(), ..Trial::default() }
    }

    #[test]
    fn a_search_is_looked_at_where_it_was_then() {
        let searched = trial(&[1, 5, 40, 101]);
        let at = |mark: Mark| mark.of(&searched).map(|(sample, depth)| (sample.nodes, depth));
        assert_eq!(at(Mark::Depth(2)), Some((20, 2)));
        assert_eq!(at(Mark::Depth(9)), Some((40, 4)));
        let time = |millis| Mark::Time(Duration::from_millis(millis));
        assert_eq!(at(time(0)), Some((10, 1)), "there is always a move");
        assert_eq!(at(time(39)), Some((20, 2)));
        assert_eq!(at(time(50)), Some((30, 3)));
        assert_eq!(at(time(100)), Some((40, 3)), "what it ended with");
        assert!(time(5).of(&Trial::default()).is_none());
    }

    #[test]
    fn the_limit_is_the_greatest() {
        let marks = Marks::Depths(vec![3, 5]);
        assert_eq!((marks.limits().depth, marks.counted().len()), (Some(Depth(5)), 5));
        assert_eq!(marks.shown(), [2, 4]);
        let times = Marks::Times([10, 300].map(Duration::from_millis).to_vec());
        assert_eq!(times.limits().move_time, Some(Duration::from_millis(300)));
        assert_eq!(times.counted()[1].label(), "0.3 s");
    }
}
