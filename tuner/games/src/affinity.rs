//! Processors that games are bound to: each worker, with the engines that it starts, to one of its own.

use std::str::FromStr;

use thiserror::Error;

use crate::engine_config::{EngineConfig, Program};

pub use system::bind;
use system::usable;

/// The processors that were asked for; none stands for all that this process may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affinity(Vec<usize>);

/// Why games cannot be bound to processors.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum AffinityError {
    #[error("`{0}` is no list of processors such as 0,2-5")]
    List(String),
    #[error("--affinity: games are bound to processors on Linux alone; leave it out")]
    System,
    #[error("--affinity: processor {0} is none of those that this process may use: {1:?}")]
    Processor(usize, Vec<usize>),
    #[error(
        "--affinity: {workers} games at a time need as many processors, and there are {processors}"
    )]
    Few { workers: usize, processors: usize },
    #[error("--affinity: {0} has several threads, which would share one processor; leave it out")]
    Threads(String),
    #[error("--affinity: {0} ponders, and would share a processor with its opponent; leave it out")]
    Ponder(String),
}

/// More processors than any machine has.
const MOST: usize = 1 << 16;

impl FromStr for Affinity {
    type Err = AffinityError;

    /// Reads a list such as `3,5,7-11`; an empty one stands for all processors.
    fn from_str(text: &str) -> Result<Self, AffinityError> {
        let wrong = || AffinityError::List(text.to_owned());
        let number = |text: &str| {
            text.trim().parse::<usize>().ok().filter(|it| *it < MOST).ok_or_else(wrong)
        };
        let mut all = Vec::new();
        for part in text.split(',').filter(|_| !text.is_empty()) {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let (from, to) = (number(from)?, number(to)?);
            if from > to {
                return Err(wrong());
            }
            all.extend(from..=to);
        }
        all.sort_unstable();
        all.dedup();
        Ok(Self(all))
    }
}

impl Affinity {
    /// Returns a processor for each of a number of workers.
    ///
    /// # Errors
    /// If there are not as many, one that was asked for cannot be used, or an engine has several threads or ponders.
    pub fn processors(
        &self,
        workers: usize,
        engines: &[EngineConfig],
    ) -> Result<Vec<usize>, AffinityError> {
        if let Some(engine) = engines.iter().find(|engine| has_threads(engine)) {
            return Err(AffinityError::Threads(engine.name.clone()));
        }
        if let Some(engine) = engines.iter().find(|engine| engine.ponders()) {
            return Err(AffinityError::Ponder(engine.name.clone()));
        }
        self.of(workers, usable().ok_or(AffinityError::System)?)
    }

    fn of(&self, workers: usize, usable: Vec<usize>) -> Result<Vec<usize>, AffinityError> {
        if let Some(&unknown) = self.0.iter().find(|it| !usable.contains(it)) {
            return Err(AffinityError::Processor(unknown, usable));
        }
        let mut all = if self.0.is_empty() { usable } else { self.0.clone() };
        if all.len() < workers {
            return Err(AffinityError::Few { workers, processors: all.len() });
        }
        all.truncate(workers);
        Ok(all)
    }
}

fn has_threads(engine: &EngineConfig) -> bool {
    let Program::External(command) = &engine.program else { return false };
    let is_threads = |name: &str| name.eq_ignore_ascii_case("Threads");
    command.options.iter().any(|(name, value)| is_threads(name) && value.trim() != "1")
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// Returns the processors that this thread may use; `None` if they are not known.
    pub fn usable() -> Option<Vec<usize>> {
        let set = sched_getaffinity(None).ok()?;
        Some((0..CpuSet::MAX_CPU).filter(|&processor| set.is_set(processor)).collect())
    }

    /// Binds this thread, and the threads and processes that it starts from now on, to a processor; returns whether it is bound.
    pub fn bind(processor: usize) -> bool {
        let mut set = CpuSet::new();
        if processor < CpuSet::MAX_CPU {
            set.set(processor);
        }
        sched_setaffinity(None, &set).is_ok()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    /// Nothing is known.
    pub fn usable() -> Option<Vec<usize>> {
        None
    }

    /// Binds nothing.
    pub fn bind(_: usize) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let list = |text: &str| text.parse::<Affinity>().map(|it| it.0);
        assert_eq!(list("3,5,7-9,3"), Ok(vec![3, 5, 7, 8, 9]));
        assert_eq!(list(""), Ok(vec![]));
        for wrong in ["a", "1,", "5-3", "-1", "1-", "99999999"] {
            assert!(list(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_worker_has_a_processor_of_its_own() {
        let of = |text: &str, workers| {
            text.parse::<Affinity>().expect(text).of(workers, vec![0, 1, 2, 3])
        };
        assert_eq!(of("", 2), Ok(vec![0, 1]));
        assert_eq!(of("2-3", 2), Ok(vec![2, 3]));
        assert_eq!(of("2-3", 3), Err(AffinityError::Few { workers: 3, processors: 2 }));
        assert!(matches!(of("9", 1), Err(AffinityError::Processor(9, _))));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_and_what_it_starts_are_bound() {
        let usable = usable().expect("Linux tells");
        let last = *usable.last().expect("one at least");
        let bound = std::thread::spawn(move || {
            assert!(bind(last));
            std::thread::spawn(super::usable).join().expect("no panic")
        });
        let bound = bound.join().expect("no panic").expect("Linux tells");
        assert_eq!(bound, [last]);
    }
}
