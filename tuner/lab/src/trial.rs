//! The record of one search: what it had found at the end of each iteration.

use std::time::Duration;

use nullarbor::search::null_move::{self, Verification};
use nullarbor::types::Depth;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::checkpoint::Checkpoint;
use crate::counters;

/// The state of a search at the end of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Nodes of all iterations so far.
    pub nodes: u64,
    /// Time of all iterations so far.
    pub elapsed: Duration,
    /// True if the best move and its score solved the task.
    pub solved: bool,
}

/// The search of one position with one scheme.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Trial {
    /// One sample for each iteration, from depth 1. Under a time limit the last one is the state at the end.
    pub samples: Vec<Sample>,
    /// Null-move counters by remaining depth.
    #[serde(serialize_with = "counts", deserialize_with = "read_counts")]
    pub null_moves: null_move::Stats,
}

/// All searches of an experiment, indexed by suite, scheme and problem.
pub type Trials = Vec<Vec<Vec<Trial>>>;

/// Writes counts by depth, in the order of [`counters::COUNTERS`].
fn counts<S: Serializer>(stats: &null_move::Stats, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(stats.by_depth().iter().map(counters::numbers))
}

fn read_counts<'de, D: Deserializer<'de>>(from: D) -> Result<null_move::Stats, D::Error> {
    let rows = Vec::<[u64; counters::COUNTERS.len()]>::deserialize(from)?;
    let mut stats = null_move::Stats::default();
    for (depth, row) in (0..).zip(rows) {
        *stats.at(Depth(depth)) = counters::from_numbers(&row, Verification::None);
    }
    Ok(stats)
}

/// Time by which a search may overrun its time limit.
const OVERRUN: Duration = Duration::from_millis(20);

impl Trial {
    /// Returns whether the task was solved when the search ended.
    pub fn is_solved(&self) -> bool {
        self.samples.last().is_some_and(|sample| sample.solved)
    }

    /// Returns the state of the search at a checkpoint and the depth it had completed there. A search that ended earlier
    /// counts with its last state; `None` without any iteration.
    pub fn at(&self, checkpoint: Checkpoint) -> Option<(Sample, usize)> {
        let samples = &self.samples;
        let last = samples.last()?;
        match checkpoint {
            Checkpoint::Depth(depth) => {
                let sample = samples.get(depth - 1).unwrap_or(last);
                Some((*sample, depth.min(samples.len())))
            }
            Checkpoint::Time(time) => {
                let has_ended = last.elapsed <= time + OVERRUN;
                let before = samples.iter().filter(|sample| sample.elapsed <= time).count();
                let count = if has_ended { samples.len() } else { before.max(1) };
                Some((samples[count - 1], count.min(samples.len() - 1).max(1)))
            }
        }
    }
}

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
    fn a_checkpoint_gives_the_state_at_that_time() {
        let searched = trial(&[1, 5, 40, 101]);
        let at = |checkpoint| searched.at(checkpoint).map(|(sample, depth)| (sample.nodes, depth));
        assert_eq!(at(Checkpoint::Depth(2)), Some((20, 2)));
        assert_eq!(at(Checkpoint::Depth(9)), Some((40, 4)));
        let time = |millis| Checkpoint::Time(Duration::from_millis(millis));
        assert_eq!(at(time(0)), Some((10, 1)), "there is always a move");
        assert_eq!(at(time(39)), Some((20, 2)));
        assert_eq!(at(time(50)), Some((30, 3)));
        assert_eq!(at(time(100)), Some((40, 3)), "the state at the end");
        assert!(Trial::default().at(time(5)).is_none());
    }
}
