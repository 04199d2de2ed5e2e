//! The steps of a cycle. Each can be done again after it was interrupted, goes on where it was, and gives the same result.

mod adoption;
mod engines;
mod games;
mod judge;
mod matches;
mod network;
mod training;

use std::sync::Arc;

use nullarbor_runs::{Stop, Workers, worker_count};

use crate::books::Part;
use crate::config::{Config, Run};
use crate::error::Error;
use crate::event::{Begun, Checked, Event, MatchResult, Trained};
use crate::folder::Folder;
use crate::gates::Undecided;
use crate::state::{Cycle, Gate, Stage, State};
pub(crate) use matches::NetworkMatch;
pub(crate) use network::{read, read_named};

/// The state that steps work with.
pub(crate) struct Work<'a> {
    pub folder: &'a Folder,
    pub state: &'a State,
    /// Settings that decide no result.
    pub run: &'a Run,
    /// Threads or machines that play the games.
    pub workers: &'a Workers,
    pub quiet: bool,
    pub stop: &'a Arc<Stop>,
}

/// Matches play openings in different orders.
const SEEDS_PER_CYCLE: u64 = 10;

/// Number that the seed of a match adds to that of its cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Use {
    Nodes = 1,
    Clock = 2,
    Anchors = 3,
    Ship = 4,
    Judge = 5,
}

/// Returns the seed of the openings of a match.
pub(crate) fn seed(config: &Config, cycle: u64, of: Use) -> u64 {
    config.seed + SEEDS_PER_CYCLE * cycle + of as u64
}

impl Work<'_> {
    pub fn threads(&self) -> usize {
        worker_count(self.run.threads)
    }

    /// Does a step of the cycle under way, and returns what the journal records of it.
    pub fn step(&self, cycle: &Cycle, stage: &Stage<'_>) -> Result<Event, Error> {
        let begun = &cycle.begun;
        let number = begun.cycle;
        Ok(match *stage {
            Stage::Games => Event::Games(self.games(begun)?),
            Stage::Train => Event::Trained(self.train(begun)?),
            Stage::Gate(gate, trained) => self.test(gate, begun, trained)?,
            Stage::Adopt(trained) => {
                let generation = self.state.generation() + 1;
                self.adopt(cycle, trained, generation)?;
                Event::Adopted { cycle: number, generation }
            }
            Stage::Reject(gates) => {
                self.remove_checkpoint(number);
                let gates = gates.iter().map(|gate| gate.name().to_owned()).collect();
                Event::Rejected { cycle: number, gates }
            }
        })
    }

    fn test(&self, gate: Gate, begun: &Begun, trained: &Trained) -> Result<Event, Error> {
        let checked = |checks| Checked { cycle: begun.cycle, checks };
        Ok(match gate {
            Gate::Sanity => Event::Sanity(checked(self.sanity(begun, trained)?)),
            Gate::Loss => Event::Loss(checked(self.loss(begun, trained)?)),
            Gate::Judge => Event::Judged(self.judge(begun, trained)?),
            Gate::Nodes => Event::Nodes(self.nodes(begun, trained)?),
            Gate::Clock => Event::Clock(self.clock(begun, trained)?),
        })
    }

    fn nodes(&self, begun: &Begun, trained: &Trained) -> Result<MatchResult, Error> {
        let config = &begun.config;
        let gate = &config.gates.nodes;
        let limit = nullarbor_games::limit::Limit::Nodes { hard: Some(gate.nodes), soft: None };
        self.gate(
            (begun, trained),
            "nodes",
            NetworkMatch {
                limit,
                sprt: gate.sprt,
                games: gate.games,
                part: Part::Gates,
                seed: seed(config, begun.cycle, Use::Nodes),
                undecided: Undecided::Fails,
            },
        )
    }

    fn clock(&self, begun: &Begun, trained: &Trained) -> Result<MatchResult, Error> {
        let config = &begun.config;
        let gate = &config.gates.clock;
        self.gate(
            (begun, trained),
            "clock",
            NetworkMatch {
                limit: config.clock_limit()?,
                sprt: gate.sprt,
                games: gate.games,
                part: Part::Gates,
                seed: seed(config, begun.cycle, Use::Clock),
                undecided: Undecided::PassesIfPositive,
            },
        )
    }

    /// Plays the match of a gate: the new network against the accepted one.
    fn gate(
        &self,
        (begun, trained): (&Begun, &Trained),
        name: &str,
        network_match: NetworkMatch,
    ) -> Result<MatchResult, Error> {
        let number = begun.cycle;
        let new = (self.folder.candidate(number), &trained.network);
        let old = (self.folder.generation(self.state.generation()), self.state.accepted());
        let journal = self.folder.gate(number, name);
        self.network_match(&network_match, &begun.config, number, [new, old], &journal)
    }
}
