//! Running an experiment.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nullarbor_games::in_process::EngineOptions;
use nullarbor_games::limit::Limit;
use nullarbor_games::matches::{Completion, RoundRobin, Session, journal as games_journal};
use nullarbor_games::scheme::{NamedScheme, SchemeError};
use nullarbor_lab::checkpoint::Checkpoints;
use nullarbor_lab::experiment::Experiment;
use nullarbor_lab::provenance::{Provenance, revision};
use nullarbor_lab::result::Results;
use nullarbor_lab::suite::Suite;
use nullarbor_report::terminal;
use nullarbor_runs::files::FileError;
use nullarbor_runs::{Stop, Workers};

use crate::declared::{Declared, Games, Mining, Trees, Until, Work};
use crate::error::StudyError;
use crate::record::{MatchPlan, MatchRecord, Record, SuiteRecord};
use crate::suites::Library;
use crate::{journal, mining};

/// Size of each transposition table in MiB.
const HASH: usize = 64;
/// The seed of the order of the openings.
const SEED: u64 = 1;

/// The folders in which experiments are run, and their workers.
#[derive(Clone, Debug)]
pub struct Workplace {
    /// The folder of records.
    pub records: PathBuf,
    /// The folder of journals.
    pub journals: PathBuf,
    /// The folder of suites that are not built in.
    pub suites: Option<PathBuf>,
    /// Searches or games at the same time.
    pub workers: usize,
    /// Show no progress.
    pub quiet: bool,
}

/// The outcome of an experiment.
#[derive(Debug)]
pub enum Done {
    /// The record was written, or was there with the same results.
    Written(PathBuf),
    /// These suites or mined rules are not at hand.
    Missing(Vec<String>),
}

impl Workplace {
    /// Runs an experiment, or what is left of it, and writes its record.
    ///
    /// # Errors
    /// If a file cannot be read or written, or it is interrupted.
    pub fn run(&self, declared: &Declared, stop: &Arc<Stop>) -> Result<Done, StudyError> {
        fs::create_dir_all(&self.journals).map_err(FileError::at(&self.journals))?;
        let mut record = Record::new(&declared.name, declared.engine, revision());
        match &declared.work {
            Work::Trees(trees) => {
                let library = Library::open(self.suites.as_deref())?;
                let suites = trees.suites.iter().map(|name| library.get(name));
                let suites: Vec<Option<Suite>> = suites.collect::<Result<_, _>>()?;
                let missing = trees.suites.iter().zip(&suites).filter(|(_, it)| it.is_none());
                let missing: Vec<String> = missing.map(|(name, _)| name.clone()).collect();
                if !missing.is_empty() {
                    return Ok(Done::Missing(missing));
                }
                let mut suites: Vec<Suite> = suites.into_iter().flatten().collect();
                if trees.without_pawn_endings {
                    suites.iter_mut().try_for_each(Suite::drop_pawn_endings)?;
                }
                record.suites = self.search(declared, trees, suites, stop)?;
            }
            Work::Games(games) => {
                let missing = self.missing_rules(games);
                if !missing.is_empty() {
                    return Ok(Done::Missing(missing));
                }
                record.matches = self.play(declared, games, stop)?;
            }
            Work::Mining(mining) => {
                let engine = Provenance::of(declared.engine).search_identity();
                let subject = format!("{} {engine} {}", mining.log, logged(mining)?);
                let prefix = self.journal(&declared.name, &subject).with_extension("");
                let logs = mining::play(mining, &prefix, self.workers, self.quiet, stop)?;
                (record.tables, record.rules) = mining::mine(mining, &logs, &self.records)?;
            }
        }
        Ok(Done::Written(record.write(&self.records)?))
    }

    /// Rules that games need and that were not mined yet.
    fn missing_rules(&self, games: &Games) -> Vec<String> {
        let schemes = games.pairings.iter().flat_map(|(first, second)| [first, second]);
        let rules = schemes.filter(|name| Mining::rule_of(name).is_some());
        rules.filter(|name| !Path::new(&self.scheme(name)).exists()).cloned().collect()
    }

    /// Returns a scheme as the command line takes it: mined rules are files.
    fn scheme(&self, name: &str) -> String {
        Mining::rule_of(name).map_or_else(
            || name.to_owned(),
            |rule| mining::rule_file(&self.records, rule).display().to_string(),
        )
    }

    fn search(
        &self,
        declared: &Declared,
        trees: &Trees,
        suites: Vec<Suite>,
        stop: &Stop,
    ) -> Result<Vec<SuiteRecord>, StudyError> {
        let experiment = Experiment {
            suites,
            schemes: NamedScheme::read_all(&trees.schemes)?,
            reference: 0,
            engine: declared.engine,
            checkpoints: checkpoints(&trees.until),
            hash: HASH,
            workers: Workers::Threads(self.workers),
        };
        let hashes: Vec<String> = experiment.suites.iter().map(Suite::sha256).collect();
        let engine = Provenance::of(declared.engine).search_identity();
        let schemes = definitions(&experiment.schemes);
        let subject = format!("{trees:?}, {HASH} MiB, {engine}, {}, {schemes}", hashes.join(" "));
        let path = self.journal(&declared.name, &subject);
        let (mut journal, known) = journal::open(&path, &subject, &experiment.schemes)?;
        let bar = terminal::bar(experiment.searches() as u64, "searches", self.quiet);
        bar.inc(known.len() as u64);
        let trials = experiment.resume(&known, stop, |place, trial| {
            bar.inc(1);
            Ok(journal::add(&mut journal, place, trial)?)
        })?;
        bar.finish_and_clear();
        let results = Results::new(&experiment, &trials);
        Ok(SuiteRecord::all(&experiment.suites, &results, trees.until.is_timed()))
    }

    /// Each search or game depends on the whole subject, so it names the journal.
    fn journal(&self, name: &str, subject: &str) -> PathBuf {
        let hash = crc32fast::hash(subject.as_bytes());
        self.journals.join(format!("{name}-{hash:08x}.jsonl"))
    }

    fn play(
        &self,
        declared: &Declared,
        games: &Games,
        stop: &Arc<Stop>,
    ) -> Result<Vec<MatchRecord>, StudyError> {
        let mut matches = Vec::new();
        for (limit, count) in &games.limits {
            for (first, second) in &games.pairings {
                let player = |scheme: NamedScheme| {
                    let engine = declared.engine;
                    let name = scheme.name.clone();
                    let options =
                        EngineOptions { engine, null_move: scheme, ..EngineOptions::default() };
                    (name, options)
                };
                let schemes = NamedScheme::read_all(&[self.scheme(first), self.scheme(second)])?;
                let defined = definitions(&schemes);
                let parsed = limit.parse::<Limit>();
                let round = RoundRobin {
                    players: schemes.into_iter().map(player).collect(),
                    limit: parsed
                        .map_err(|error| StudyError::Limit(format!("{limit}: {error}")))?,
                    games: *count,
                    seed: SEED,
                    sprt: None,
                    workers: Workers::Threads(self.workers),
                    quiet: self.quiet,
                };
                let engine = Provenance::of(declared.engine).search_identity();
                let is_primary = games.is_primary(first, second, limit);
                // Named later, it would be another match.
                let role = if is_primary { " primary" } else { "" };
                let subject =
                    format!("{first} {second} {limit} {count} {SEED} {engine} {defined}{role}");
                let journal = self.journal(&declared.name, &subject);
                let names = [first, second, limit].map(String::clone);
                matches.push(self.play_one(&round, names, is_primary, &journal, stop)?);
            }
        }
        Ok(matches)
    }

    fn play_one(
        &self,
        round: &RoundRobin,
        [first, second, limit]: [String; 3],
        is_primary: bool,
        journal: &Path,
        stop: &Arc<Stop>,
    ) -> Result<MatchRecord, StudyError> {
        let workers = Workers::Threads(self.workers);
        let session = Session {
            journal: Some(journal),
            timeout: Duration::from_secs(600),
            ..Session::without_files(&workers, self.quiet)
        };
        let outcome = session.play(&round.plan()?, stop)?;
        let stopped = match outcome.end? {
            Completion::AllGames => None,
            Completion::Decided(verdict) => Some(format!("the test was decided: {verdict:?}")),
        };
        let pairs = outcome.standings.counts[0];
        // What stood there before the first game, whatever is declared now.
        let plan = games_journal::start(journal)?.map(|start| MatchPlan {
            games: start.games,
            seed: start.identity.seed,
            is_primary,
        });
        Ok(MatchRecord { first, second, limit, pairs, plan, stopped })
    }
}

/// Returns all choices of some schemes, mined rules included. A scheme may come to mean something else, and the signature of
/// the engine stays.
fn definitions(schemes: &[NamedScheme]) -> String {
    schemes.iter().map(|it| format!("{:?}", it.scheme)).collect::<Vec<_>>().join(" ")
}

/// Returns the definition of the scheme whose null moves are logged.
fn logged(mining: &Mining) -> Result<String, SchemeError> {
    let scheme = mining.log.split(' ').skip_while(|word| *word != "--scheme").nth(1);
    Ok(definitions(&NamedScheme::read_all(scheme.as_slice())?))
}

fn checkpoints(until: &Until) -> Checkpoints {
    match until {
        Until::Depths(depths) | Until::TimedDepths(depths) => Checkpoints::new(depths, &[]),
        Until::Times(times) => {
            let times: Vec<Duration> =
                times.iter().map(|millis| Duration::from_millis(*millis)).collect();
            Checkpoints::new(&[], &times)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declared::Study;
    use crate::document::Document;

    const TEXT: &str = r#"
[[experiments]]
name = "worth"
question = ""
effort = ""
engine = "plain"
work.games.pairings = [["rule:nodes", "off"], ["verified", "fixed-2"]]
work.games.limits = [["nodes=60", 4], ["nodes=120", 4]]
work.games.primary = ["verified", "fixed-2", "nodes=120"]

[[experiments]]
name = "mining"
question = ""
effort = ""
engine = "full"
work.mining.log = "--games 2 --plies 16 --nodes 500 --probe 2 --scheme nullarbor+trigger=always"
work.mining.logs = 2
work.mining.conditions = ["static_eval >= beta"]
work.mining.rules = [["nodes", "nodes"]]

[[experiments]]
name = "lea"
question = ""
effort = ""
engine = "plain"
work.mining.log = "--games 2 --plies 8 --engine plain --scheme impchess"
work.mining.levels = [3, 4]
work.mining.conditions = ["colour"]
"#;

    fn document(folder: &Path) -> String {
        let path = folder.join("d.md");
        let text =
            "<!-- study worth games -->\n<!-- end -->\n<!-- study mining mined -->\n<!-- end -->\n";
        fs::write(&path, text).expect("room");
        let document = Document::make(&path, &folder.join("records")).expect("markers");
        document.files[0].1.clone()
    }

    #[test]
    fn a_redefined_scheme_has_another_journal() {
        let of = |text: &str| definitions(&NamedScheme::read_all(&[text]).expect(text));
        assert_eq!(of("fixed-3"), of("fixed-2+reduction=fixed-3"), "the name does not matter");
        assert_ne!(of("impchess"), of("impchess+whole-window=false"));
        assert_ne!(of("micromax"), of("micromax+guard=captured"));
    }

    #[test]
    fn rules_are_mined_and_play() {
        let folder = tempfile::tempdir().expect("a folder");
        let workplace = Workplace {
            records: folder.path().join("records"),
            journals: folder.path().join("journals"),
            suites: None,
            workers: 2,
            quiet: true,
        };
        let stop = Arc::new(Stop::new());
        let study = Study::parse(TEXT).expect("a declaration");
        let [games, mining, lea] = &study.experiments[..] else { panic!("three experiments") };
        let run = |declared| workplace.run(declared, &stop).expect("room");
        assert!(matches!(run(games), Done::Missing(rules) if rules == ["rule:nodes"]));
        assert!(matches!(run(mining), Done::Written(_)));
        let logs = || fs::read_dir(&workplace.journals).expect("journals").count();
        assert_eq!(logs(), 2);
        assert!(matches!(run(games), Done::Written(_)));
        let record = Record::read(&workplace.records, "worth").expect("a record").expect("written");
        assert_eq!(record.matches.len(), 4);
        assert!(record.matches.iter().all(|it| it.pairs.games() == 4 && it.stopped.is_none()));
        let plan = MatchPlan { games: Some(4), seed: SEED, is_primary: false };
        let primary = MatchPlan { is_primary: true, ..plan.clone() };
        let plans: Vec<_> = record.matches.iter().filter_map(|it| it.plan.clone()).collect();
        assert_eq!(plans, [plan.clone(), plan.clone(), plan, primary]);
        // Nothing is played or logged twice, and the record stays.
        let journals = logs();
        run(games);
        run(mining);
        assert_eq!(logs(), journals);
        assert_eq!(Record::read(&workplace.records, "worth").expect("a record"), Some(record));
        assert!(matches!(run(lea), Done::Written(_)));
        let levels = Record::read(&workplace.records, "lea").expect("a record").expect("written");
        let [by_level, conditions] = &levels.tables[..] else { panic!("two tables") };
        let [shallow, deep] = &by_level.rows[..] else { panic!("two depths") };
        assert_eq!([&shallow[0], &deep[0]], ["depth 3", "depth 4"]);
        assert_eq!(conditions.rows[0][1], deep[2], "all null moves of the last depth");
        let text = document(folder.path());
        assert!(text.contains("| verified against fixed-2 (primary) | nodes 120 | 4 |"), "{text}");
        assert!(text.contains("hindsight") && text.contains("The rule `nodes`:"), "{text}");
    }
}
