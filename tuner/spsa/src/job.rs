//! The pairs of games of a run as jobs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nullarbor::types::Colour;
use nullarbor_games::diagnostics::is_plain;
use nullarbor_games::end::{End, Reason};
use nullarbor_games::matches::task::opening_text;
use nullarbor_games::portable;
use nullarbor_openings::Opening;
use nullarbor_runs::{NotPortable, Portable, RunSpec, SpecError, Stop};
use nullarbor_stats::GameResult;
use serde::{Deserialize, Serialize};

use super::engine::Engine;
use super::error::{ConfigError, Error};
use super::gains::Length;
use super::pair::{Conditions, EnginePair, Played};
use super::parameter::Parameter;
use super::perturbation::Perturbation;
use super::run_file::RunFile;

/// Bytes of the description of a fault, at most.
const LONGEST_FAULT: usize = 1000;

/// Settings that the pairs of a run have in common.
pub struct Pairs {
    run: RunFile,
    length: Length,
    engine: Engine,
    parameters: Vec<Parameter>,
    conditions: Conditions,
    stop: Arc<Stop>,
    /// True if a pair could not be played. It hands nothing over, so it is relaxed.
    has_failed: AtomicBool,
}

/// A pair of games to be played.
#[derive(Debug, Serialize, Deserialize)]
pub struct PairTask {
    /// The number of its iteration, from 1.
    pub iteration: u64,
    /// The number of the pair in the run, from 0.
    pub number: u64,
    /// The settings of the iteration.
    pub settings: Perturbation,
    /// The opening of both games.
    #[serde(with = "opening_text")]
    pub opening: Opening,
}

/// The results of a pair.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedPair {
    /// The number of the pair in the run.
    pub number: u64,
    /// The number of its iteration.
    pub iteration: u64,
    /// Results of the first setting.
    pub results: [GameResult; 2],
    /// The fingerprint of all moves of both games, and of their searches.
    pub moves: u64,
    /// Fault of an engine in a game, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Packed {
    run: RunFile,
    length: Length,
    chess960: bool,
}

impl Pairs {
    /// Returns the work of a run.
    ///
    /// # Errors
    /// If the run file tunes nothing or something unknown.
    pub fn of(
        run: &RunFile,
        length: Length,
        engine: Engine,
        conditions: Conditions,
        stop: &Arc<Stop>,
    ) -> Result<Self, Error> {
        let (parameters, run, stop) = (run.tuned_parameters()?, run.clone(), Arc::clone(stop));
        let has_failed = AtomicBool::new(false);
        Ok(Self { run, length, engine, parameters, conditions, stop, has_failed })
    }

    /// Returns whether a pair could not be played: then no further one is needed.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    fn play(&self, engines: &mut EnginePair, task: PairTask) -> Result<PlayedPair, Error> {
        let PairTask { iteration, number, settings, opening } = task;
        settings.check(&self.parameters)?;
        let limit = self.run.limit_at(iteration, &self.length)?;
        let rules = &self.conditions.rules;
        let Played { results, fault, fingerprint } =
            engines.play(&self.parameters, &settings, &opening, &limit, rules)?;
        Ok(PlayedPair { number, iteration, results, moves: fingerprint.0, fault })
    }
}

impl Portable for Pairs {
    const KIND: &'static str = "spsa";
    type Task = PairTask;
    type Output = PlayedPair;
    type Error = Error;
    type Worker<'a> = EnginePair;

    fn to_spec(&self) -> Result<RunSpec, NotPortable> {
        let (mut run, length) = (self.run.clone(), self.length.clone());
        let mut spec = RunSpec::default();
        let wrong = |error: ConfigError| NotPortable(error.to_string());
        if let Some(command) = run.command().map_err(wrong)? {
            run.engine = Some(portable::pack_program(&command, "the engine", &mut spec)?);
        }
        let chess960 = self.conditions.rules.chess960;
        Ok(spec.with(&Packed { run, length, chess960 }))
    }

    fn from_spec(spec: &RunSpec, stop: &Arc<Stop>) -> Result<Self, SpecError> {
        let Packed { mut run, length, chess960 } = spec.read()?;
        let wrong = |error: Error| SpecError::Other(error.to_string());
        if let Some(text) = &run.engine {
            run.engine = Some(portable::local(text, spec)?);
        }
        run.check().map_err(|error| wrong(error.into()))?;
        if let Some(command) = run.command().map_err(|error| wrong(error.into()))? {
            portable::check(&command).map_err(SpecError::Other)?;
        }
        let conditions = Conditions::without_openings(&run, chess960).map_err(wrong)?;
        let engine = Engine::of(&run, stop).map_err(wrong)?;
        Self::of(&run, length, engine, conditions, stop).map_err(wrong)
    }

    fn worker(&self) -> Result<EnginePair, Error> {
        EnginePair::new(&self.engine, self.conditions.rules.chess960, &self.stop)
    }

    fn number(task: &PairTask) -> u64 {
        task.number
    }

    fn work(&self, engines: &mut EnginePair, task: PairTask) -> Result<PlayedPair, Error> {
        let played = self.play(engines, task);
        if played.is_err() {
            self.has_failed.store(true, Ordering::Relaxed);
        }
        played
    }

    fn check(&self, task: &PairTask, done: &PlayedPair) -> Result<(), String> {
        let PlayedPair { number, iteration, fault, .. } = done;
        if (*number, *iteration) != (task.number, task.iteration) {
            return Err(format!("it is pair {number} of iteration {iteration}: of another job"));
        }
        if matches!(self.engine, Engine::Program { .. }) {
            let is_right = fault.as_ref().is_none_or(|fault| is_plain(fault, LONGEST_FAULT));
            return is_right
                .then_some(())
                .ok_or_else(|| "a fault in text that is not plain".into());
        }
        // This engine does nothing else wrong.
        let is_known = |fault: &String| {
            let lost = |colour| End::won(colour, Reason::Time).to_string();
            self.conditions.limit.is_timed() && Colour::ALL.map(lost).contains(fault)
        };
        let is_right = fault.as_ref().is_none_or(is_known);
        is_right.then_some(()).ok_or_else(|| "a fault that this engine does not make".to_owned())
    }

    fn is_repeatable(&self) -> bool {
        !self.conditions.limit.is_timed()
    }

    fn agree(one: &PlayedPair, other: &PlayedPair) -> bool {
        one == other
    }
}
