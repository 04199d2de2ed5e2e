//! The pairs of games of a run as jobs.

use std::sync::Arc;

use nullarbor_games::matches::job::opening_text;
use nullarbor_games::stats::GameResult;
use nullarbor_games::work::{NotPortable, Parcel, Portable, Stop, UnpackError};
use nullarbor_openings::Opening;
use serde::{Deserialize, Serialize};

use super::error::Error;
use super::pair::{Conditions, EnginePair};
use super::perturbation::Perturbation;
use super::run_file::RunFile;
use super::theta::Parameter;

/// What the pairs of a run have in common.
pub struct Pairs {
    run: RunFile,
    parameters: Vec<Parameter>,
    conditions: Conditions,
    stop: Arc<Stop>,
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
#[derive(Debug, Serialize, Deserialize)]
pub struct PlayedPair {
    /// The number of its iteration.
    pub iteration: u64,
    /// Those of the first setting.
    pub results: [GameResult; 2],
}

#[derive(Serialize, Deserialize)]
struct Packed {
    run: RunFile,
    chess960: bool,
}

impl Pairs {
    /// Returns the work of a run.
    ///
    /// # Errors
    /// If the run file tunes nothing or something unknown.
    pub fn of(run: &RunFile, conditions: Conditions, stop: &Arc<Stop>) -> Result<Self, Error> {
        let parameters = run.tuned_parameters()?;
        Ok(Self { run: run.clone(), parameters, conditions, stop: Arc::clone(stop) })
    }
}

impl Portable for Pairs {
    const KIND: &'static str = "spsa";
    type Task = PairTask;
    type Done = PlayedPair;
    type Error = Error;
    type Hands<'a> = EnginePair;

    fn pack(&self) -> Result<Parcel, NotPortable> {
        let chess960 = self.conditions.rules.chess960;
        Ok(Parcel::of(&Packed { run: self.run.clone(), chess960 }))
    }

    fn unpack(parcel: &Parcel, stop: &Arc<Stop>) -> Result<Self, UnpackError> {
        let Packed { run, chess960 } = parcel.read()?;
        let wrong = |error: Error| UnpackError::Other(error.to_string());
        run.check().map_err(|error| wrong(error.into()))?;
        let conditions = Conditions::without_openings(&run, chess960).map_err(wrong)?;
        Self::of(&run, conditions, stop).map_err(wrong)
    }

    fn hands(&self) -> Result<EnginePair, Error> {
        Ok(EnginePair::new(self.run.hash, &self.stop)?)
    }

    fn number(task: &PairTask) -> u64 {
        task.number
    }

    fn work(&self, engines: &mut EnginePair, task: PairTask) -> Result<PlayedPair, Error> {
        let PairTask { iteration, settings, opening, .. } = task;
        let results = engines.play(&self.parameters, &settings, &opening, &self.conditions)?;
        Ok(PlayedPair { iteration, results })
    }
}
