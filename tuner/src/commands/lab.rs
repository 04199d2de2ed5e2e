//! `lab`: schemes of the null move side by side.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use nullarbor::engine::{Engine, EngineError};
use thiserror::Error;

use super::contest::{self, Contest};
use super::play::MatchError;
use nullarbor_games::limit;
use nullarbor_games::scheme::{EngineKind, Scheme, SchemeError};
use nullarbor_games::work::{Stop, crew};
use nullarbor_lab::builtin;
use nullarbor_lab::experiment::Experiment;
use nullarbor_lab::files::{self, FilesError};
use nullarbor_lab::marks::Marks;
use nullarbor_lab::result;
use nullarbor_lab::suite::{Suite, SuiteError};
use nullarbor_lab::tables::View;
use nullarbor_report::html::Head;
use nullarbor_report::table::Table;
use nullarbor_report::terminal;

/// Deeper is not for tables.
const DEEPEST: u64 = 30;

/// Search positions with different schemes of the null move, to the same depths or for the same time, and say how large
/// their trees are, what they solve, and how often null moves cut; let the schemes play each other.
///
/// Searches to a depth are deterministic: nothing but the times depends on the machine or on the number of workers.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner lab --suite ecm.epd --depths 6,7,8 --policies off,fixed-2,fixed-3,verified --engine plain --out lab
  nullarbor-tuner lab --suite zugzwang --depths 8,10,12 --policies fixed-3,fixed-3+guard=piece,verified --out lab
  nullarbor-tuner lab --seconds 0.1,1 --policies off,nullarbor,mine.toml --games 200 --games-at tc=1+0.01 --out lab

Of a suite whose name contains \"zugzwang\" the tables say what was wrong, and what each scheme saves and costs.

A preset with changes is a scheme: fixed-3+guard=piece+min-depth=3. A scheme of your own is a file of TOML: a preset, and what is different.
  preset = \"verified\"
  reduction = \"fixed-2\"      # off, fixed-1 to fixed-4, donninger, heinz, adaptive, guide, nullarbor
  trigger = \"eval\"           # always, off-pv, eval, lea, nullarbor, mined
  guard = \"piece\"            # none, piece, both-pieces, captured
  verification = \"none\"      # none, zugzwang, reduce, deep
  repetition = \"single\"      # single, once, double
  threat-extension = true
  fail-hard = false
  in-pv-nodes = true
  min-depth = 2
  min-ply = 1
  [rule]                     # a learnt trigger, as `mine induce` writes it
  if = \"eval_minus_beta > 30\"
  then = true
  else = false")]
pub struct LabArgs {
    /// Positions: tactical, mate, zugzwang, or a file of EPD with bm, am or dm where there is a task; may be given more
    /// than once [default: all three]
    #[arg(long = "suite", value_name = "SUITE")]
    pub(super) suites: Vec<String>,
    /// Search to the greatest of these depths; the tables show all
    #[arg(long, value_delimiter = ',', required_unless_present = "seconds", conflicts_with = "seconds", value_parser = clap::value_parser!(u64).range(1..=DEEPEST))]
    pub(super) depths: Vec<u64>,
    /// Search for the longest of these times; the tables show all
    #[arg(long, value_delimiter = ',', value_parser = seconds)]
    pub(super) seconds: Vec<Duration>,
    /// Presets, with changes as +key=value, and files of TOML
    #[arg(long, value_delimiter = ',', required = true)]
    pub(super) policies: Vec<String>,
    /// The search that they are tried in
    #[arg(long, value_enum, default_value_t = EngineKind::Full)]
    pub(super) engine: EngineKind,
    /// The scheme that the others are held against [default: the first one]
    #[arg(long)]
    pub(super) reference: Option<String>,
    /// Size of the table of each search in MiB
    #[arg(long, default_value_t = Engine::DEFAULT_HASH as u64, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) hash: u64,
    /// Searches at the same time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(super) concurrency: Option<u64>,
    /// Let each scheme play each other as many games
    #[arg(long, value_parser = clap::value_parser!(u64).range(2..))]
    pub(super) games: Option<u64>,
    /// How long they think at each move: nodes=N, tc=TIME+INCREMENT, st=SECONDS, depth=N; a round robin for each
    #[arg(long, value_name = "LIMITS", value_delimiter = ',', default_value = "nodes=5000", value_parser = limit_text, requires = "games")]
    pub(super) games_at: Vec<String>,
    /// Decides the openings of the games
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// A folder for tree.csv, null_moves.csv, lab.json and index.html
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Show nothing but the tables at the end
    #[arg(long)]
    pub(super) quiet: bool,
}

/// Why there are no tables.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum LabError {
    #[error(transparent)]
    Suite(#[from] SuiteError),
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    #[error("the scheme {0} is named twice")]
    Twice(String),
    #[error("--reference {0}: it is none of the schemes")]
    Reference(String),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error(transparent)]
    Match(MatchError),
    #[error("interrupted; nothing was written")]
    Interrupted,
    #[error("interrupted in the games; the searches are written")]
    GamesInterrupted,
}

impl LabArgs {
    fn schemes(&self) -> Result<Vec<Scheme>, LabError> {
        let mut schemes: Vec<Scheme> = Vec::new();
        for text in &self.policies {
            let scheme = Scheme::read(text)?;
            if schemes.iter().any(|other| other.name == scheme.name) {
                return Err(LabError::Twice(scheme.name));
            }
            schemes.push(scheme);
        }
        Ok(schemes)
    }

    fn marks(&self) -> Marks {
        if self.depths.is_empty() {
            return Marks::Times(sorted(self.seconds.clone()));
        }
        Marks::Depths(sorted(self.depths.iter().map(|&depth| depth as usize).collect()))
    }

    fn suites(&self) -> Result<Vec<Suite>, SuiteError> {
        let all = || builtin::SUITES.iter().map(|(name, _)| (*name).to_owned()).collect();
        let names: Vec<String> = if self.suites.is_empty() { all() } else { self.suites.clone() };
        names.iter().map(|name| Suite::open(name)).collect()
    }

    fn experiment(&self) -> Result<Experiment, LabError> {
        Ok(Experiment {
            suites: self.suites()?,
            schemes: self.schemes()?,
            engine: self.engine,
            marks: self.marks(),
            hash: self.hash as usize,
            workers: crew::workers(self.concurrency),
        })
    }

    fn reference(&self, schemes: &[Scheme]) -> Result<usize, LabError> {
        let Some(name) = &self.reference else { return Ok(0) };
        let found = schemes.iter().position(|scheme| scheme.name == *name);
        found.ok_or_else(|| LabError::Reference(name.clone()))
    }

    /// Makes the experiment, prints its tables and writes them.
    ///
    /// # Errors
    /// Where something that was asked for cannot be had.
    pub fn run(&self, stop: &Arc<Stop>) -> Result<(), LabError> {
        let experiment = self.experiment()?;
        let reference = self.reference(&experiment.schemes)?;
        files::make_folder(&self.out)?;
        let bar = terminal::bar(experiment.searches() as u64, "searches", self.quiet);
        let trials = experiment.run(stop, || bar.inc(1))?;
        bar.finish_and_clear();
        let trials = trials.ok_or(LabError::Interrupted)?;
        let outcomes = result::outcomes(&experiment, &trials);
        let shown = experiment.marks.shown();
        let views: Vec<View<'_>> =
            outcomes.iter().map(|outcomes| View { outcomes, shown: &shown, reference }).collect();
        views.iter().flat_map(View::tables).for_each(|table| terminal::table(&table));
        let write = |games: &[Table]| {
            files::write(&self.out, &self.head(&experiment), &outcomes, &views, games)
        };
        // Before the games: they may take long, and be stopped.
        let mut page = write(&[])?;
        let games = self.play(&experiment, stop)?;
        if !games.is_empty() {
            page = write(&games)?;
        }
        terminal::line(&page.display().to_string());
        Ok(())
    }

    fn play(&self, experiment: &Experiment, stop: &Arc<Stop>) -> Result<Vec<Table>, LabError> {
        let Some(games) = self.games.filter(|_| experiment.schemes.len() > 1) else {
            return Ok(Vec::new());
        };
        let mut tables = Vec::new();
        for limit in self.games_at.iter().filter_map(|text| contest::limit(text).ok()) {
            let contest = Contest {
                players: contest::players(&experiment.schemes, self.engine, self.hash as usize),
                limit,
                games,
                seed: self.seed,
                sprt: None,
                workers: experiment.workers,
                quiet: self.quiet,
            };
            let (plan, outcome) = contest.play(stop).map_err(|error| match error {
                MatchError::Interrupted(_) => LabError::GamesInterrupted,
                other => LabError::Match(other),
            })?;
            let news = contest.tables(&plan, &outcome);
            news.iter().for_each(terminal::table);
            tables.extend(news);
        }
        Ok(tables)
    }

    fn head(&self, experiment: &Experiment) -> Head {
        let kind = match experiment.engine {
            EngineKind::Full => "the whole search, as it plays",
            EngineKind::Plain => {
                "plain: principal variation search, table, history, captures in quiescence, checks extended at the leaves"
            }
        };
        Head {
            title: "Null moves, side by side".to_owned(),
            refresh: None,
            facts: vec![
                format!("Nullarbor {}, {kind}.", env!("CARGO_PKG_VERSION")),
                format!("Made by: {}", self.command()),
            ],
        }
    }

    /// The words that make the same tables again.
    fn command(&self) -> String {
        let mut words = vec!["nullarbor-tuner lab".to_owned()];
        words.extend(self.suites.iter().map(|suite| format!("--suite {suite}")));
        let join = |list: Vec<String>| list.join(",");
        if self.depths.is_empty() {
            let seconds = self.seconds.iter().map(|time| time.as_secs_f64().to_string());
            words.push(format!("--seconds {}", join(seconds.collect())));
        } else {
            let depths = self.depths.iter().map(u64::to_string);
            words.push(format!("--depths {}", join(depths.collect())));
        }
        words.push(format!("--policies {}", self.policies.join(",")));
        words.push(format!("--engine {} --hash {}", self.engine.name(), self.hash));
        words.extend(self.reference.iter().map(|name| format!("--reference {name}")));
        words.extend(self.games.iter().map(|games| {
            let at = self.games_at.join(",");
            format!("--games {games} --games-at {at} --seed {}", self.seed)
        }));
        words.push(format!("--out {}", self.out.display()));
        words.join(" ")
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let time = limit::seconds(text).filter(|time| !time.is_zero());
    time.ok_or_else(|| format!("`{text}` is no number of seconds above 0"))
}

/// A limit of a game that can be understood.
fn limit_text(text: &str) -> Result<String, String> {
    contest::limit(text).map(|_| text.to_owned())
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list.dedup();
    list
}
