//! The judge: networks are compared on positions with labels from deep searches.
//!
//! A network that is better at its own games may only agree more with itself. So each cycle makes a set of positions that were not
//! there when its network was trained: from games of the accepted network against other opponents (blind spots move with the
//! network), from the books of the matches, and siblings of both.

use std::path::{Path, PathBuf};

use nullarbor_games::engine_config::EngineConfig;
use nullarbor_games::engine_spec;
use nullarbor_games::limit::Limit;
use nullarbor_games::matches::{PgnOutput, PgnStyle, Session};
use nullarbor_report::terminal;
use nullarbor_train::label::{LabelJob, Positions, Selection};
use nullarbor_train::trainer::judge::set::{MET, NEUTRAL, SIBLINGS};
use nullarbor_train::trainer::judge::{Figures, JudgeSet};
use nullarbor_train::trainer::quantise::Quantised;

use super::matches::{EARLIER, plan};
use super::network::read_named;
use super::{Use, Work, seed};
use crate::books::Part;
use crate::config::Config;
use crate::error::Error;
use crate::event::{Begun, Judged, JudgedBySet, OWN_SET, Trained};
use crate::folder::create_parent;
use crate::gates;

/// Plies of each game that are passed over: the opening.
const SKIP_PLIES: usize = 8;
/// Siblings of each position.
const SIBLINGS_OF_EACH: usize = 8;

/// Said where there are neither other engines nor a network of three generations before.
const NOBODY_ELSE: &str = "Nobody else is there ([anchors] opponents): the accepted network plays itself, and positions met are those that it knows.";

/// The positions that are labelled into a file of a set.
struct SetFile<'a> {
    name: &'static str,
    inputs: &'a [PathBuf],
    count: u64,
    siblings: Option<usize>,
}

impl Work<'_> {
    /// Judges the network of a cycle and the accepted one by all sets.
    pub fn judge(&self, begun: &Begun, trained: &Trained) -> Result<Judged, Error> {
        let (number, config) = (begun.cycle, &begun.config);
        let candidate = read_named(&self.folder.candidate(number), &trained.network)?;
        let accepted = self.accepted()?;
        let mut sets = Vec::new();
        if config.gates.judge.positions > 0 {
            let folder = self.own_set(number, config)?;
            sets.push(judged(OWN_SET.to_owned(), &folder, &candidate, &accepted)?);
        }
        for folder in &config.gates.judge.sets {
            sets.push(judged(folder.display().to_string(), folder, &candidate, &accepted)?);
        }
        let checks = gates::judge(&config.gates.judge, &sets);
        Ok(Judged { cycle: number, checks, sets })
    }

    /// Makes the set of a cycle, or what is left of it. Returns its folder.
    fn own_set(&self, cycle: u64, config: &Config) -> Result<PathBuf, Error> {
        let folder = self.folder.judge(cycle);
        let games = self.games_to_judge(cycle, config, &folder)?;
        let books: Vec<PathBuf> = config.gates.nodes.books.iter().map(PathBuf::from).collect();
        let judge = &config.gates.judge;
        let both: Vec<PathBuf> = [std::slice::from_ref(&games), &*books].concat();
        let parts = [
            SetFile { name: MET, inputs: &[games], count: judge.positions, siblings: None },
            SetFile { name: NEUTRAL, inputs: &books, count: judge.positions, siblings: None },
            SetFile {
                name: SIBLINGS,
                inputs: &both,
                count: judge.siblings,
                siblings: Some(SIBLINGS_OF_EACH),
            },
        ];
        for part in parts.into_iter().filter(|part| part.count > 0) {
            self.label(&part, cycle, config, &folder.join(part.name))?;
        }
        Ok(folder)
    }

    /// Plays the accepted network against others. Returns the games.
    fn games_to_judge(&self, cycle: u64, config: &Config, folder: &Path) -> Result<PathBuf, Error> {
        let (judge, nodes) = (&config.gates.judge, &config.gates.nodes);
        let limit = Limit::Nodes { hard: Some(nodes.nodes), soft: None };
        let generation = self.state.generation();
        let mut players = vec![self.labelling_engine(generation, limit.clone(), config)?];
        players.extend(engine_spec::engines(&config.opponents()?, Some(&limit))?);
        if let Some(earlier) = generation.checked_sub(EARLIER) {
            players.push(self.labelling_engine(earlier, limit.clone(), config)?);
        }
        if players.len() == 1 {
            if !self.quiet {
                terminal::message(format_args!("  {NOBODY_ELSE}"));
            }
            let name = "itself".to_owned();
            players.push(EngineConfig { name, ..players[0].clone() });
        }
        let seed = seed(config, cycle, Use::Judge);
        let mut plan = plan(players, judge.games, config.books(Part::Gates, seed)?, seed, None);
        let path = folder.join("games.pgn");
        plan.pgn = Some(PgnOutput {
            path: path.clone(),
            event: PgnOutput::EVENT.to_owned(),
            site: PgnOutput::SITE.to_owned(),
            style: PgnStyle::default(),
            appends: false,
        });
        self.play(plan, &folder.join("games.jsonl"))?;
        Ok(path)
    }

    fn labelling_engine(
        &self,
        generation: u64,
        limit: Limit,
        config: &Config,
    ) -> Result<EngineConfig, Error> {
        let id = &self.state.generations[generation as usize].network;
        let build = !super::engines::runs_here(id);
        let path = self.folder.generation(generation);
        let program = self.program(&path, id, config.gates.nodes.hash, build)?;
        Ok(EngineConfig { name: format!("generation {generation}"), program, limit })
    }

    /// Labels the positions of a file by searches of the accepted network.
    fn label(
        &self,
        part: &SetFile<'_>,
        cycle: u64,
        config: &Config,
        out: &Path,
    ) -> Result<(), Error> {
        let judge = &config.gates.judge;
        let seed = seed(config, cycle, Use::Judge);
        let selection = Selection {
            count: Some(part.count as usize),
            seed,
            skip_plies: SKIP_PLIES,
            quiet_only: true,
        };
        let (threads, quiet) = (self.threads(), self.quiet);
        let limit = Limit::Nodes { hard: Some(judge.nodes), soft: None };
        create_parent(out)?;
        let job = LabelJob {
            engine: self.labelling_engine(self.state.generation(), limit, config)?,
            positions: Positions::read(part.inputs, &selection, threads, quiet, self.stop)?,
            quiet_only: true,
            siblings: part.siblings,
            seed,
            out: out.to_owned(),
            threads,
            timeout: Session::TIMEOUT,
            quiet,
        };
        job.run(self.stop)?;
        Ok(())
    }
}

fn judged(
    name: String,
    folder: &Path,
    candidate: &Quantised,
    accepted: &Quantised,
) -> Result<JudgedBySet, Error> {
    let set = JudgeSet::open(folder)?;
    let [candidate, accepted] = [candidate, accepted].map(|network| Figures::of(network, &set));
    Ok(JudgedBySet { set: name, candidate, accepted })
}
