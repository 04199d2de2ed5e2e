//! Checkpoints: the depths or times at which the searches of an experiment are compared.

use std::time::Duration;

use nullarbor::clock::Limits;
use nullarbor::types::Depth;

/// Depths or times, ascending; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checkpoints {
    /// The ends of iterations, in plies.
    Depths(Vec<usize>),
    /// Times since the start of a search.
    Times(Vec<Duration>),
}

/// One depth or time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkpoint {
    /// The end of the iteration of this depth, in plies.
    Depth(usize),
    /// This time since the start of the search.
    Time(Duration),
}

impl Checkpoints {
    /// Returns the given depths, or the given times if there is no depth, sorted and without duplicates.
    pub fn new(depths: &[usize], times: &[Duration]) -> Self {
        match depths {
            [] => Self::Times(sorted(times)),
            _ => Self::Depths(sorted(depths)),
        }
    }

    /// Returns the limits of a search that reaches every checkpoint.
    pub fn limits(&self) -> Limits {
        match self {
            Self::Depths(depths) => {
                let deepest = depths.last().copied().unwrap_or(1);
                Limits { depth: Some(Depth(deepest as i32)), ..Limits::default() }
            }
            Self::Times(times) => Limits { move_time: times.last().copied(), ..Limits::default() },
        }
    }

    /// Returns the checkpoints that are evaluated: every depth up to the greatest one, or the given times.
    pub fn evaluated(&self) -> Vec<Checkpoint> {
        match self {
            Self::Depths(depths) => {
                (1..=depths.last().copied().unwrap_or(1)).map(Checkpoint::Depth).collect()
            }
            Self::Times(times) => times.iter().copied().map(Checkpoint::Time).collect(),
        }
    }

    /// Returns the indices of the requested checkpoints among the evaluated ones.
    pub fn requested(&self) -> Vec<usize> {
        match self {
            Self::Depths(depths) => depths.iter().map(|depth| depth - 1).collect(),
            Self::Times(times) => (0..times.len()).collect(),
        }
    }
}

impl Checkpoint {
    /// Returns the column heading of the checkpoint.
    pub fn label(self) -> String {
        match self {
            Self::Depth(depth) => format!("depth {depth}"),
            Self::Time(time) => format!("{} s", time.as_secs_f64()),
        }
    }
}

fn sorted<T: Ord + Copy>(list: &[T]) -> Vec<T> {
    std::collections::BTreeSet::from_iter(list).into_iter().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_the_greatest() {
        let depths = Checkpoints::new(&[5, 3, 5], &[]);
        assert_eq!((depths.limits().depth, depths.evaluated().len()), (Some(Depth(5)), 5));
        assert_eq!(depths.requested(), [2, 4]);
        let times = Checkpoints::new(&[], &[300, 10].map(Duration::from_millis));
        assert_eq!(times.limits().move_time, Some(Duration::from_millis(300)));
        assert_eq!(times.evaluated()[1].label(), "0.3 s");
    }
}
