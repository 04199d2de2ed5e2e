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

use crate::config::{Config, Part, Run};
use crate::error::Error;
use crate::event::{Checked, Event, MatchResult};
use crate::folder::Folder;
use crate::gates::Undecided;
use crate::state::{Cycle, State, Step};
pub(crate) use matches::Duel;
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
    pub fn step(&self, step: &Step, cycle: &Cycle) -> Result<Event, Error> {
        let number = cycle.begun.cycle;
        Ok(match step {
            Step::Games => Event::Games(self.games(&cycle.begun)?),
            Step::Train => Event::Trained(self.train(&cycle.begun)?),
            Step::Sanity => Event::Sanity(Checked { cycle: number, checks: self.sanity(cycle)? }),
            Step::Loss => Event::Loss(Checked { cycle: number, checks: self.loss(cycle)? }),
            Step::Judge => Event::Judged(self.judge(cycle)?),
            Step::Nodes => Event::Nodes(self.nodes(cycle)?),
            Step::Clock => Event::Clock(self.clock(cycle)?),
            Step::Adopt => {
                let generation = self.state.generation() + 1;
                self.adopt(cycle, generation)?;
                Event::Adopted { cycle: number, generation }
            }
            Step::Reject(gates) => {
                self.remove_checkpoint(number);
                Event::Rejected { cycle: number, gates: gates.clone() }
            }
            // These are not of a cycle.
            Step::Begin | Step::Anchors | Step::GiveUp | Step::Rebuild => {
                unreachable!("{step:?} is not a step of a cycle")
            }
        })
    }

    fn nodes(&self, cycle: &Cycle) -> Result<MatchResult, Error> {
        let config = &cycle.begun.config;
        let gate = &config.gates.nodes;
        let limit = nullarbor_games::limit::Limit::Nodes { hard: Some(gate.nodes), soft: None };
        self.gate(
            cycle,
            "nodes",
            Duel {
                limit,
                sprt: gate.sprt,
                games: gate.games,
                part: Part::Gates,
                seed: seed(config, cycle.begun.cycle, Use::Nodes),
                undecided: Undecided::Fails,
            },
        )
    }

    fn clock(&self, cycle: &Cycle) -> Result<MatchResult, Error> {
        let config = &cycle.begun.config;
        let gate = &config.gates.clock;
        self.gate(
            cycle,
            "clock",
            Duel {
                limit: config.clock_limit()?,
                sprt: gate.sprt,
                games: gate.games,
                part: Part::Gates,
                seed: seed(config, cycle.begun.cycle, Use::Clock),
                undecided: Undecided::PassesIfPositive,
            },
        )
    }

    /// Plays the match of a gate: the new network against the accepted one.
    fn gate(&self, cycle: &Cycle, name: &str, duel: Duel) -> Result<MatchResult, Error> {
        let number = cycle.begun.cycle;
        let Some(trained) = &cycle.trained else { unreachable!("it was trained before it plays") };
        let new = (self.folder.candidate(number), &trained.network);
        let old = (self.folder.generation(self.state.generation()), self.state.accepted());
        let journal = self.folder.gate(number, name);
        self.duel(&duel, &cycle.begun.config, number, [new, old], &journal)
    }
}
