//! Standings: the results of all pairs so far.

use std::collections::BTreeMap;

use nullarbor::types::Colour;
use serde::Serialize;

use super::notices::Notices;
use super::plan::Plan;
use super::record::GameRecord;
use crate::end::Reason;
use crate::pair::Pairing;
use nullarbor_runs::fingerprint::Fingerprint;
use nullarbor_stats::{Encounter, Estimate, PairCounts, ratings};

/// Counts of the games that an engine lost by its faults, and of its warnings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Faults {
    pub time: u64,
    pub crash: u64,
    pub stall: u64,
    pub illegal_move: u64,
    pub pv_warnings: u64,
}

/// The results of all counted pairs.
#[derive(Clone, Debug)]
pub struct Standings {
    /// The pairings of the match.
    pub pairings: Vec<Pairing>,
    /// The results of each pairing, for its first engine.
    pub counts: Vec<PairCounts>,
    /// The faults of each engine.
    pub faults: Vec<Faults>,
    /// The notices of each engine.
    pub notices: Vec<Notices>,
    /// Number of games by the way in which they ended.
    pub ends: BTreeMap<&'static str, u64>,
    /// The fingerprint of the moves and results of all games, and of their order.
    pub fingerprint: Fingerprint,
}

impl Standings {
    /// Returns empty standings of a match.
    pub fn new(plan: &Plan) -> Self {
        Self::of_pairings(plan.pairings(), plan.engines.len())
    }

    /// Returns empty standings of a number of engines.
    pub fn of_pairings(pairings: Vec<Pairing>, engines: usize) -> Self {
        Self {
            counts: vec![PairCounts::default(); pairings.len()],
            pairings,
            faults: vec![Faults::default(); engines],
            notices: vec![Notices::default(); engines],
            ends: BTreeMap::new(),
            fingerprint: Fingerprint::default(),
        }
    }

    /// Adds a pair of games.
    pub fn add(&mut self, games: &[GameRecord; 2]) {
        let pairing = (games[0].pair % self.pairings.len() as u64) as usize;
        self.counts[pairing].add(games[0].result(), games[1].result());
        for game in games {
            self.fingerprint.add(game.moves);
            self.fingerprint.add(game.end.winner.map_or(0, |winner| 1 + winner as u64));
            *self.ends.entry(game.end.reason.name()).or_default() += 1;
            self.note_faults(game);
        }
    }

    /// Notes the faults of a game. One without the other game of its pair has no result that counts, but its faults do.
    pub fn note_faults(&mut self, game: &GameRecord) {
        let pairing = (game.pair % self.pairings.len() as u64) as usize;
        let seats = self.pairings[pairing].seats(game.game);
        for colour in Colour::ALL {
            let engine = seats[colour];
            self.notices[engine].add(game, colour);
            let warnings = &mut self.faults[engine].pv_warnings;
            *warnings = warnings.saturating_add(game.pv_warnings[colour.index()].count);
        }
        let Some(loser) = game.end.loser() else { return };
        let faults = &mut self.faults[seats[loser]];
        match game.end.reason {
            Reason::Time => faults.time += 1,
            Reason::Crash => faults.crash += 1,
            Reason::Stall => faults.stall += 1,
            Reason::IllegalMove(_) => faults.illegal_move += 1,
            _ => {}
        }
    }

    /// Returns the number of games in all counted pairs.
    pub fn games(&self) -> u64 {
        self.counts.iter().map(PairCounts::games).sum()
    }

    /// Returns the rating of each engine from all games, relative to their mean, if it has one.
    pub fn ratings(&self) -> Vec<Option<Estimate>> {
        let encounters = self.pairings.iter().zip(&self.counts);
        let encounters: Vec<Encounter<'_>> =
            encounters.map(|(pairing, counts)| (pairing.first, pairing.second, counts)).collect();
        ratings(self.faults.len(), &encounters).collect()
    }

    /// Returns the results of one engine against another, if they meet.
    pub fn between(&self, one: usize, other: usize) -> Option<PairCounts> {
        let mut met = self.pairings.iter().zip(&self.counts);
        met.find_map(|(pairing, counts)| match (pairing.first, pairing.second) {
            (first, second) if (first, second) == (one, other) => Some(*counts),
            (first, second) if (first, second) == (other, one) => Some(counts.reversed()),
            _ => None,
        })
    }

    /// Returns the results of one engine against all others.
    pub fn of(&self, engine: usize) -> PairCounts {
        let mut total = PairCounts::default();
        for (pairing, counts) in self.pairings.iter().zip(&self.counts) {
            if pairing.first == engine {
                total.merge(counts);
            } else if pairing.second == engine {
                total.merge(&counts.reversed());
            }
        }
        total
    }
}
