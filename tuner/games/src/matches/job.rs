//! The games of a match as jobs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::error::RunError;
use super::finished::FinishedGame;
use super::plan::Plan;
use super::record::GameRecord;
use super::task::GameTask;
use crate::engine_config::{EngineConfig, EngineStartError, Program, StartContext};
use crate::game::Rules;
use crate::pair::PlayerCache;
use crate::portable;
use nullarbor_runs::fingerprint::Fingerprint;
use nullarbor_runs::{Interrupted, NotPortable, Portable, RunSpec, SpecError, Stop};

/// Settings that the games of a match have in common.
#[derive(Debug)]
pub struct Games {
    engines: Vec<EngineConfig>,
    rules: Rules,
    context: StartContext,
    /// True if the games are written, so that their moves are needed.
    is_written: bool,
    /// Seed and fingerprint of the openings, which tell the match from others between the same engines.
    order: (u64, u64),
    /// Number of workers so far.
    workers: AtomicUsize,
}

/// As on the command line.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(86_400);

/// Why a player could not be started: its name, and the reason.
type NotStarted = (String, String);

impl Games {
    /// Returns the work of a match.
    pub fn of(plan: &Plan, context: &StartContext) -> Self {
        // Which games there are, the tasks tell.
        let Plan { engines, rules, pgn, seed, book, format: _, games: _, sprt: _ } = plan;
        Self {
            engines: engines.clone(),
            rules: rules.clone(),
            context: context.clone(),
            is_written: pgn.is_some(),
            order: (*seed, Fingerprint(book.fingerprint()).0),
            workers: AtomicUsize::new(0),
        }
    }

    fn has_program(&self) -> bool {
        self.engines.iter().any(|it| matches!(it.program, Program::External(_)))
    }
}

impl Portable for Games {
    const KIND: &'static str = "match";
    type Task = GameTask;
    type Output = Result<FinishedGame, NotStarted>;
    type Error = RunError;
    type Worker<'a> = PlayerCache<'a>;

    fn to_spec(&self) -> Result<RunSpec, NotPortable> {
        if self.rules.tables.is_some() {
            return Err(NotPortable("adjudication by the tables of this machine".to_owned()));
        }
        let mut spec = RunSpec::default();
        let mut packed = |engine: &EngineConfig| {
            let (name, spec) = (engine.name.clone(), portable::pack(engine, &mut spec)?);
            Ok(PackedEngine { name, spec })
        };
        let engines = self.engines.iter().map(&mut packed).collect::<Result<_, _>>()?;
        let packed = Packed {
            engines,
            rules: self.rules.clone(),
            is_written: self.is_written,
            timeout: self.context.timeout,
            order: self.order,
        };
        Ok(spec.with(&packed))
    }

    fn from_spec(spec: &RunSpec, stop: &Arc<Stop>) -> Result<Self, SpecError> {
        let Packed { engines, rules, is_written, timeout, order } = spec.read()?;
        if timeout > LONGEST_TIMEOUT {
            return Err(SpecError::Other(format!("{timeout:?} are no timeout")));
        }
        let unpacked = |it: &PackedEngine| portable::unpack(&it.spec, &it.name, spec);
        let engines = engines.iter().map(unpacked).collect::<Result<_, _>>()?;
        let (chess960, stop) = (rules.chess960, Arc::clone(stop));
        let processors = Vec::new();
        let context = StartContext { chess960, timeout, stop, log: None, processors };
        let workers = AtomicUsize::new(0);
        Ok(Self { engines, rules, context, is_written, order, workers })
    }

    fn worker(&self) -> Result<PlayerCache<'_>, RunError> {
        let worker = self.workers.fetch_add(1, Ordering::Relaxed);
        let processor = self.context.processors.get(worker).copied();
        Ok(PlayerCache::new(&self.engines, &self.rules, &self.context).bound_to(processor))
    }

    fn number(task: &GameTask) -> u64 {
        GameRecord::number_of(task.pair, task.game)
    }

    /// Plays a game. The inner result is an error if a player cannot be started.
    fn work(
        &self,
        players: &mut PlayerCache<'_>,
        task: GameTask,
    ) -> Result<Self::Output, RunError> {
        let GameTask { pair, game, pairing, opening } = task;
        let named = |number: usize| {
            let unknown = || (format!("{number}"), "the match has no such engine".to_owned());
            self.engines.get(number).ok_or_else(unknown)
        };
        if let [Err(unknown), _] | [_, Err(unknown)] = pairing.seats(game).0.map(named) {
            return Ok(Err(unknown));
        }
        let played = match players.play(pairing, game, &opening) {
            Ok(played) => played?,
            Err(error) if Interrupted::is_cause_of(&error) => return Err(Interrupted.into()),
            Err(error) => return Ok(Err(error.into_text())),
        };
        Ok(Ok(FinishedGame::of(pair, game, &opening, &played, self.is_written)))
    }

    fn check(&self, task: &GameTask, done: &Self::Output) -> Result<(), String> {
        match done {
            Ok(game) => game.check(task, self.is_written, self.has_program()),
            Err((name, problem)) => Err(format!("{name} does not start: {problem}")),
        }
    }

    fn is_repeatable(&self) -> bool {
        self.engines.iter().all(EngineConfig::repeats)
    }

    fn agree(one: &Self::Output, other: &Self::Output) -> bool {
        match (one, other) {
            (Ok(one), Ok(other)) => one.agrees(other),
            _ => false,
        }
    }
}

/// Returns the outcome of [`Games::work`], its error as one of this machine.
pub(super) fn started(done: <Games as Portable>::Output) -> Result<FinishedGame, EngineStartError> {
    done.map_err(EngineStartError::from_text)
}

#[derive(Debug, Serialize, Deserialize)]
struct Packed {
    engines: Vec<PackedEngine>,
    rules: Rules,
    is_written: bool,
    timeout: Duration,
    order: (u64, u64),
}

/// An engine as `--engine` describes it, without its name; files and programs by their index in the spec.
#[derive(Debug, Serialize, Deserialize)]
struct PackedEngine {
    name: String,
    spec: String,
}

#[cfg(test)]
mod tests {
    use nullarbor::params::SearchRule;

    use super::*;
    use crate::in_process::EngineOptions;
    use crate::limit::Limit;
    use crate::scheme::{EngineKind, NamedScheme};

    fn unpacked(games: &Games) -> Games {
        let spec = games.to_spec().expect("portable");
        Games::from_spec(&spec, &games.context.stop).expect("well-formed")
    }

    fn games(program: Program) -> Games {
        let limit = Limit::Depth(nullarbor::types::Depth(3));
        let context = StartContext {
            chess960: false,
            timeout: Duration::from_secs(9),
            stop: Arc::new(Stop::new()),
            log: None,
            processors: Vec::new(),
        };
        let engines = vec![EngineConfig { name: "a".to_owned(), program, limit }];
        let workers = AtomicUsize::new(0);
        let order = (1, u64::MAX);
        Games { engines, rules: Rules::default(), context, is_written: false, order, workers }
    }

    #[test]
    fn engines_come_back_with_their_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("mine.toml");
        std::fs::write(&file, "scheme = \"fixed-3\"\n").expect("room");
        let network = folder.path().join("a.nnue");
        let text = format!("{}+guard=piece", file.display());
        let options = EngineOptions {
            null_move: NamedScheme::read(&text).expect("a scheme"),
            scheme_file: Some(file.clone()),
            network: Some(network.clone()),
            params: vec![("null_move_base".to_owned(), 4096)],
            engine: EngineKind::Without(SearchRule::ReverseFutility),
            hash: 5,
        };
        let games = games(Program::InProcess(options));
        assert_eq!(games.to_spec().expect("portable").files, [file, network]);
        assert_eq!(unpacked(&games).engines, games.engines);
    }
}
