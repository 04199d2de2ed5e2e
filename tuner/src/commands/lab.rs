//! `lab`: schemes of the null move side by side.

use std::path::PathBuf;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use nullarbor::engine::{Engine, EngineError};
use nullarbor::types::Depth;
use thiserror::Error;

use crate::arena::Stop;
use crate::lab::experiment::{EngineKind, Experiment};
use crate::lab::files::{self, FilesError};
use crate::lab::page::Head;
use crate::lab::result;
use crate::lab::suite::{Suite, SuiteError};
use crate::lab::tables::{Table, View};
use crate::report::table::align;
use crate::scheme::{Scheme, SchemeError};

/// Deeper is not for tables.
const DEEPEST: i32 = 30;

/// Search positions with different schemes of the null move, to the same depths, and say how large their trees are, what
/// they solve, and how often null moves cut.
///
/// All searches are deterministic: nothing but the times depends on the machine or on the number of workers.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner lab --suite ecm.epd --depths 6,7,8 --policies off,fixed-2,fixed-3,verified --engine plain --out lab
  nullarbor-tuner lab --suite zugzwang.epd --depths 10,12 --policies off,nullarbor,mine.toml --out lab

A scheme of your own is a file of TOML: a preset, and what is different.
  preset = \"verified\"
  reduction = \"fixed-2\"      # off, fixed-1 to fixed-4, donninger, heinz, adaptive, guide, nullarbor
  trigger = \"eval\"           # always, off-pv, eval, lea, nullarbor
  guard = \"piece\"            # none, piece, both-pieces, captured
  verification = \"none\"      # none, zugzwang, reduce, deep
  repetition = \"single\"      # single, once, double
  threat-extension = true
  fail-hard = false
  in-pv-nodes = true
  min-depth = 2
  min-ply = 1")]
pub struct LabArgs {
    /// Positions as EPD, with bm, am or dm where there is a task; may be given more than once
    #[arg(long = "suite", required = true, value_name = "FILE")]
    suites: Vec<PathBuf>,
    /// The depths that the tables show
    #[arg(long, value_delimiter = ',', required = true, value_parser = clap::value_parser!(i32).range(1..=i64::from(DEEPEST)))]
    depths: Vec<i32>,
    /// Presets, and files of TOML
    #[arg(long, value_delimiter = ',', required = true)]
    policies: Vec<String>,
    /// The search that they are tried in
    #[arg(long, value_enum, default_value_t = EngineKind::Full)]
    engine: EngineKind,
    /// The scheme that the others are held against [default: the first one]
    #[arg(long)]
    reference: Option<String>,
    /// Size of the table of each search in MiB
    #[arg(long, default_value_t = Engine::DEFAULT_HASH as u64, value_parser = clap::value_parser!(u64).range(1..))]
    hash: u64,
    /// Searches at the same time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
    /// A folder for tree.csv, null_moves.csv, lab.json and index.html
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Show nothing but the tables at the end
    #[arg(long)]
    quiet: bool,
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
    #[error("interrupted; nothing was written")]
    Interrupted,
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

    fn experiment(&self) -> Result<Experiment, LabError> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let suites = self.suites.iter().map(|path| Suite::read(path)).collect::<Result<_, _>>()?;
        Ok(Experiment {
            suites,
            schemes: self.schemes()?,
            engine: self.engine,
            depth: Depth(self.depths.iter().copied().max().unwrap_or(1)),
            hash: self.hash as usize,
            workers: self.concurrency.map_or_else(cores, |workers| workers as usize),
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
    pub fn run(&self, stop: &Stop) -> Result<(), LabError> {
        let experiment = self.experiment()?;
        let reference = self.reference(&experiment.schemes)?;
        files::make_folder(&self.out)?;
        let bar = self.bar(experiment.searches() as u64);
        let trials = experiment.run(stop, || bar.inc(1))?;
        bar.finish_and_clear();
        let trials = trials.ok_or(LabError::Interrupted)?;
        let outcomes = result::outcomes(&experiment, &trials);
        let mut depths: Vec<usize> =
            self.depths.iter().map(|depth| depth.unsigned_abs() as usize).collect();
        depths.sort_unstable();
        depths.dedup();
        let views: Vec<View<'_>> =
            outcomes.iter().map(|outcomes| View { outcomes, depths: &depths, reference }).collect();
        for table in views.iter().flat_map(View::tables) {
            print(&table);
        }
        let page = files::write(&self.out, &self.head(&experiment), &outcomes, &views)?;
        println!("{}", page.display());
        Ok(())
    }

    fn head(&self, experiment: &Experiment) -> Head {
        let kind = match experiment.engine {
            EngineKind::Full => "the whole search, as it plays",
            EngineKind::Plain => {
                "plain: principal variation search, table, history, captures in quiescence, checks extended at the leaves"
            }
        };
        let suites: Vec<String> =
            self.suites.iter().map(|path| format!("--suite {}", path.display())).collect();
        let depths: Vec<String> = self.depths.iter().map(i32::to_string).collect();
        let engine = if experiment.engine == EngineKind::Full { "full" } else { "plain" };
        let command = format!(
            "nullarbor-tuner lab {} --depths {} --policies {} --engine {engine} --hash {} --out {}",
            suites.join(" "),
            depths.join(","),
            self.policies.join(","),
            self.hash,
            self.out.display(),
        );
        Head {
            title: "Null moves, side by side".to_owned(),
            facts: vec![
                format!("Nullarbor {}, {kind}.", env!("CARGO_PKG_VERSION")),
                format!("Made by: {command}"),
            ],
        }
    }

    fn bar(&self, searches: u64) -> ProgressBar {
        if self.quiet {
            return ProgressBar::hidden();
        }
        const TEMPLATE: &str = "{elapsed_precise} [{bar:24}] {pos}/{len} searches, {eta} left";
        let style = ProgressStyle::with_template(TEMPLATE)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ");
        ProgressBar::new(searches).with_style(style)
    }
}

fn print(table: &Table) {
    let rows: Vec<Vec<String>> =
        std::iter::once(table.head.clone()).chain(table.rows.iter().cloned()).collect();
    println!("{}\n{}", table.title, align(&rows));
}
