//! The journal of searches, from which an experiment is resumed.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use nullarbor::search::null_move::{Counts, Stats, Verification};
use nullarbor::types::Depth;
use nullarbor_games::scheme::NamedScheme;
use nullarbor_lab::counters;
use nullarbor_lab::experiment::Place;
use nullarbor_lab::trial::{Sample, Trial};
use nullarbor_runs::journal::{Journal, JournalError, Kind};
use serde::{Deserialize, Serialize};

const KIND: Kind = Kind { key: "nullarbor-study", name: "study", reads_unsealed: false };

/// A line of the journal.
#[derive(Serialize, Deserialize)]
struct Saved {
    place: Place,
    /// Nodes, microseconds and whether the task was solved, at the end of each iteration.
    samples: Vec<(u64, u64, bool)>,
    /// Null-move counters by remaining depth, from 0.
    null_moves: Vec<Vec<u64>>,
}

/// The searches that are known.
pub type Known = BTreeMap<Place, Trial>;

/// Opens the journal of an experiment; its name says what the searches depend on, so that those of another experiment are never
/// taken for its own.
///
/// # Errors
/// If it cannot be read or written, or is damaged.
pub fn open(
    path: &Path,
    subject: &str,
    schemes: &[NamedScheme],
) -> Result<(Journal, Known), JournalError> {
    let opened = Journal::open::<String, Saved>(KIND, path)?;
    let mut journal = opened.journal;
    journal.begin(&subject)?;
    let known = opened.pieces.into_iter().map(|saved| (saved.place, saved.trial(schemes)));
    Ok((journal, known.collect()))
}

/// Adds a search.
///
/// # Errors
/// If it cannot be written.
pub fn add(journal: &mut Journal, place: Place, trial: &Trial) -> Result<(), JournalError> {
    journal.add(&Saved::new(place, trial))
}

impl Saved {
    fn new(place: Place, trial: &Trial) -> Self {
        let sample = |it: &Sample| (it.nodes, it.elapsed.as_micros() as u64, it.solved);
        Self {
            place,
            samples: trial.samples.iter().map(sample).collect(),
            null_moves: numbers(trial.null_moves.by_depth()),
        }
    }

    fn trial(&self, schemes: &[NamedScheme]) -> Trial {
        let sample = |&(nodes, micros, solved): &(u64, u64, bool)| {
            let elapsed = Duration::from_micros(micros);
            Sample { nodes, elapsed, solved }
        };
        let mut null_moves = Stats::default();
        let named = schemes.get(self.place.scheme);
        let verification = named.map_or(Verification::None, |it| it.scheme.verification);
        for (depth, numbers) in (0..).zip(&self.null_moves) {
            *null_moves.at(Depth(depth)) = counters::from_numbers(numbers, verification);
        }
        Trial { samples: self.samples.iter().map(sample).collect(), null_moves }
    }
}

/// Returns counters as numbers in the order of [`COUNTERS`](counters::COUNTERS), without the zeros of depths that were not reached.
pub fn numbers(by_depth: &[Counts]) -> Vec<Vec<u64>> {
    let used = by_depth.iter().rposition(|counts| *counts != Counts::default());
    let used = used.map_or(0, |last| last + 1);
    by_depth[..used].iter().map(|counts| counters::numbers(counts).to_vec()).collect()
}

/// Returns the counters that [`numbers`] wrote.
pub fn counts(numbers: &[u64]) -> Counts {
    counters::from_numbers(numbers, Verification::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_come_back_as_they_were() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("j");
        let place = Place { suite: 0, scheme: 1, problem: 2 };
        let mut null_moves = Stats::default();
        *null_moves.at(Depth(3)) = counts(&[6, 5, 4, 3, 2, 1, 8]);
        let elapsed = Duration::from_micros(12);
        let samples = vec![Sample { nodes: 7, elapsed, solved: true }];
        let trial = Trial { samples, null_moves };
        let (mut journal, known) = open(&path, "x", &[]).expect("a journal");
        assert!(known.is_empty());
        add(&mut journal, place, &trial).expect("room");
        drop(journal);
        let (_, known) = open(&path, "x", &[]).expect("a journal");
        let found = &known[&place];
        assert_eq!((&found.samples, &found.null_moves), (&trial.samples, &trial.null_moves));
    }
}
