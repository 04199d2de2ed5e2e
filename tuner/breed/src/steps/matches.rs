//! Matches between networks, and against other engines.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nullarbor_games::adjudication::Adjudication;
use nullarbor_games::engine_config::{EngineConfig, Program, StartContext};
use nullarbor_games::engine_spec;
use nullarbor_games::game::Rules;
use nullarbor_games::limit::Limit;
use nullarbor_games::matches::{Completion, Format, Plan, Session, Standings, journal};
use nullarbor_openings::Book;
use nullarbor_runs::Workers;
use nullarbor_stats::{PairCounts, Sprt};
use nullarbor_train::trainer::Shape;
use nullarbor_train::trainer::judge::JudgeSet;

use super::{Use, Work, seed};
use crate::books::Part;
use crate::config::{self, Config, ConfigError};
use crate::error::Error;
use crate::event::{AnchorResult, Anchors, BookResult, MatchResult, NetworkId};
use crate::folder::create_parent;
use crate::gates::{Undecided, decide};

/// Time that is forgiven: at the lowest priority the system may let a process wait longer than an engine foresees.
const MARGIN: Duration = Duration::from_millis(200);
/// The accepted network also plays that of this many generations before.
pub(super) const EARLIER: u64 = 3;

/// The conditions of a match of two networks.
pub(crate) struct NetworkMatch {
    pub limit: Limit,
    pub sprt: [f64; 2],
    pub games: u64,
    pub part: Part,
    pub seed: u64,
    pub undecided: Undecided,
}

impl Work<'_> {
    /// Plays a match between a new network and another one, or what is left of it.
    pub fn network_match(
        &self,
        network_match: &NetworkMatch,
        config: &Config,
        cycle: u64,
        networks: [(PathBuf, &NetworkId); 2],
        path: &Path,
    ) -> Result<MatchResult, Error> {
        let sprt = config::sprt(network_match.sprt)
            .map_err(|problem| ConfigError::Text { key: "sprt", problem })?;
        // Programs of different builds cannot be compared: either both are built, or none.
        let build = networks.iter().any(|(_, id)| !super::engines::runs_here(id));
        let names = ["new", "old"];
        let players = networks.iter().zip(names).map(|((path, id), name)| {
            let program = self.program(path, id, config.gates.nodes.hash, build)?;
            Ok(EngineConfig { name: name.to_owned(), program, limit: network_match.limit.clone() })
        });
        let players = players.collect::<Result<Vec<_>, Error>>()?;
        let plan = plan(
            players,
            network_match.games,
            config.books(network_match.part, network_match.seed)?,
            network_match.seed,
            Some(sprt),
        );
        let games = plan.games;
        let (standings, completion) = self.play(plan, path)?;
        let pairs = standings.counts[0];
        let (decision, passed) = decide(completion, &sprt, &pairs, network_match.undecided);
        let faults = [0, 1].map(|engine| {
            let faults = standings.faults[engine];
            faults.time + faults.crash + faults.stall + faults.illegal_move
        });
        Ok(MatchResult {
            cycle,
            limit: network_match.limit.to_string(),
            sprt: network_match.sprt,
            games,
            pairs,
            books: by_book(&config.gates.nodes.books, pairs.pairs(), path)?,
            faults,
            decision,
            passed,
        })
    }

    /// Plays the accepted network against other engines and against an earlier one, or what is left of these games.
    pub fn anchors(&self, config: &Config) -> Result<Anchors, Error> {
        let generation = self.state.generation();
        let limit = config.anchor_limit()?;
        let outside = engine_spec::engines(&config.opponents()?, Some(&limit))?;
        let earlier = generation.checked_sub(EARLIER);
        let count = outside.len() as u64;
        if outside.is_empty() && earlier.is_none() {
            let limit = limit.to_string();
            return Ok(Anchors { generation, limit, results: Vec::new(), outside: 0 });
        }
        let ids = |generation: u64| &self.state.generations[generation as usize].network;
        let all = [Some(generation), earlier];
        let build = all.into_iter().flatten().any(|it| !super::engines::runs_here(ids(it)));
        let own = |generation: u64| {
            let path = self.folder.generation(generation);
            let program = self.program(&path, ids(generation), config.gates.nodes.hash, build)?;
            let name = format!("generation {generation}");
            Ok::<_, Error>(EngineConfig { name, program, limit: limit.clone() })
        };
        let mut players = vec![own(generation)?];
        players.extend(outside);
        players.extend(earlier.map(own).transpose()?);
        let opponents: Vec<String> = players[1..].iter().map(|it| it.name.clone()).collect();
        let seed = seed(config, self.state.cycles.len() as u64, Use::Anchors);
        let plan =
            plan(players, config.anchors.games, config.books(Part::Gates, seed)?, seed, None);
        let (standings, _) = self.play(plan, &self.folder.anchors(generation))?;
        let results = opponents.into_iter().zip(standings.counts);
        let results = results.map(|(opponent, pairs)| AnchorResult { opponent, pairs }).collect();
        Ok(Anchors { generation, limit: limit.to_string(), results, outside: count })
    }

    pub(super) fn play(&self, plan: Plan, path: &Path) -> Result<(Standings, Completion), Error> {
        // A match whose games are written has a folder of its own, for them and what is made of them.
        let all = plan.pgn.as_ref().and(path.parent()).unwrap_or(path).to_owned();
        let failed = |source| Error::of_match(path.to_owned(), all.clone(), source);
        let plan = plan.checked().map_err(|error| failed(error.into()))?;
        create_parent(path)?;
        // Programs and clocks stay on this machine.
        let here = Workers::Threads(self.threads());
        let workers = if plan.is_portable() { self.workers } else { &here };
        let session =
            Session { journal: Some(path), ..Session::without_files(workers, self.quiet) };
        let outcome = session.play(&plan, self.stop).map_err(failed)?;
        let completion = outcome.end.map_err(|error| failed(error.into()))?;
        Ok((outcome.standings, completion))
    }
}

/// Returns the plan of a match, which ends with its book.
pub(super) fn plan(
    engines: Vec<EngineConfig>,
    games: u64,
    book: Book,
    seed: u64,
    sprt: Option<Sprt>,
) -> Plan {
    let is_timed = engines.iter().any(|engine| engine.limit.is_timed());
    let rules = Rules {
        adjudication: Adjudication::OF_TESTS,
        margin: if is_timed { MARGIN } else { Duration::ZERO },
        chess960: book.needs_chess960(),
        tables: None,
    };
    let games = games.next_multiple_of(2).min(2 * book.openings.len() as u64);
    Plan { engines, format: Format::Gauntlet, games, book, seed, rules, sprt, pgn: None }
}

/// Returns the results from each book: pairs take turns with the books. Games behind the last pair that counts are left out.
fn by_book(books: &[String], pairs: u64, path: &Path) -> Result<Vec<BookResult>, Error> {
    let mut games = journal::games(path)?;
    games.retain(|game| game.pair < pairs);
    games.sort_unstable_by_key(|game| game.number());
    let mut results: Vec<BookResult> = books
        .iter()
        .map(|book| BookResult { book: book.clone(), pairs: PairCounts::default() })
        .collect();
    for pair in games.chunks_exact(2) {
        let book = (pair[0].pair % books.len() as u64) as usize;
        results[book].pairs.add(pair[0].result(), pair[1].result());
    }
    Ok(results)
}

impl Work<'_> {
    /// Fails now if something that a later step of a cycle needs is not there: engines, the command that builds engines,
    /// tablebases, sets.
    pub fn check(&self, config: &Config) -> Result<(), Error> {
        let limit = config.anchor_limit()?;
        let context = StartContext {
            chess960: false,
            timeout: Session::TIMEOUT,
            stop: Arc::clone(self.stop),
            log: None,
            processors: Vec::new(),
        };
        for engine in engine_spec::engines(&config.opponents()?, Some(&limit))? {
            engine.start(&context)?;
        }
        if super::games::tables(config)?.is_some() && matches!(self.workers, Workers::Machines(_)) {
            return Err(Error::TablesOfThisMachine);
        }
        for set in &config.gates.judge.sets {
            JudgeSet::open(set)?;
        }
        if config.shape() != Shape::BUILT {
            let path = self.folder.generation(self.state.generation());
            self.program(&path, self.state.accepted(), config.gates.nodes.hash, true)?;
        }
        Ok(())
    }

    /// Returns a player with a network. `build` asks for a program of its own even if this build could run the network.
    pub(super) fn program(
        &self,
        path: &Path,
        id: &NetworkId,
        hash: usize,
        build: bool,
    ) -> Result<Program, Error> {
        super::network::read_named(path, id)?;
        if build {
            return Ok(Program::External(self.engine(path, id, hash)?));
        }
        let network = Some(path.to_owned());
        let options =
            nullarbor_games::in_process::EngineOptions { hash, network, ..Default::default() };
        Ok(Program::InProcess(options))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_ends_with_its_book() {
        let book = Config::default().books(Part::Gates, 7).expect("built-in books");
        let games = |wanted| plan(Vec::new(), wanted, book.clone(), 7, None).games;
        assert_eq!([999, 8000, 9000].map(games), [1000, 8000, 8000]);
    }
}
