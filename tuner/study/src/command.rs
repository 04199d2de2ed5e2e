//! `study`: the experiments of NULL_MOVE.md.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use nullarbor_report::terminal;
use nullarbor_runs::files::{FileError, replace};
use nullarbor_runs::{Stop, worker_count};

use crate::declared::{Declared, DeclaredSuite, STUDY};
use crate::document::Document;
use crate::page;
use crate::run::{Done, Workplace};
use crate::suites::Library;

type CommandResult = Result<(), Box<dyn std::error::Error>>;

/// Repeat the null-move study: run its experiments and write its document
#[derive(Subcommand)]
#[allow(missing_docs)]
pub enum StudyCommand {
    List(ListArgs),
    Run(RunArgs),
    Document(DocumentArgs),
    Page(PageArgs),
}

impl StudyCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If an argument is wrong, a file cannot be read or written, or it was interrupted.
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        match self {
            Self::List(args) => args.run(),
            Self::Run(args) => args.run(stop),
            Self::Document(args) => args.run(),
            Self::Page(args) => args.run(),
        }
    }
}

/// List the experiments, and the suites that they need
#[derive(Args)]
#[command(after_long_help = "Example:
  nullarbor-tuner study list --suites ~/suites")]
pub struct ListArgs {
    /// A folder of EPD files; the list says which of the suites it holds
    #[arg(long, value_name = "DIR")]
    suites: Option<PathBuf>,
}

/// Run experiments and rewrite the document
///
/// Each search and each game goes into a journal as soon as it is finished: re-run the same command to resume.
/// Experiments with missing suites are skipped.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner study run --quick
  nullarbor-tuner study run --only wcs,wcs-deep --suites ~/suites
  nullarbor-tuner study run --only match")]
pub struct RunArgs {
    /// Run only these experiments, or those of a series [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = experiments)]
    only: Vec<Experiments>,
    /// Run only experiments that take seconds
    #[arg(long, conflicts_with = "only")]
    quick: bool,
    /// A folder with the suites that are not built in, as EPD files of any name
    #[arg(long, value_name = "DIR")]
    suites: Option<PathBuf>,
    /// The folder of journals
    #[arg(long, value_name = "DIR", default_value = "target/study")]
    journals: PathBuf,
    /// Searches or games at the same time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
    /// Print only the result, no progress
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    paths: Paths,
}

/// Rewrite the document from the results
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner study document
  nullarbor-tuner study document --check")]
pub struct DocumentArgs {
    /// Write nothing; fail if the document does not match the results
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    paths: Paths,
}

/// Write the document as one HTML page, for print
#[derive(Args)]
#[command(after_long_help = "Example:
  nullarbor-tuner study page --out null-move.html")]
pub struct PageArgs {
    /// The document
    #[arg(long, value_name = "FILE", default_value = "tuner/NULL_MOVE.md")]
    document: PathBuf,
    /// The page
    #[arg(long, value_name = "FILE", default_value = "target/study/null-move.html")]
    out: PathBuf,
}

#[derive(Clone, Args)]
struct Paths {
    /// The folder of results
    #[arg(long, value_name = "DIR", default_value = "tuner/study")]
    results: PathBuf,
    /// The document
    #[arg(long, value_name = "FILE", default_value = "tuner/NULL_MOVE.md")]
    document: PathBuf,
}

/// An experiment, or a series of them.
type Experiments = Arc<[&'static Declared]>;

fn experiments(name: &str) -> Result<Experiments, String> {
    let named = STUDY.experiments.iter().filter(|it| it.answers_to(name));
    let named: Experiments = named.collect();
    if named.is_empty() {
        let names: Vec<&str> = STUDY.experiments.iter().map(|it| it.name.as_str()).collect();
        return Err(format!("no such experiment; there are {}", names.join(", ")));
    }
    Ok(named)
}

impl ListArgs {
    fn run(&self) -> CommandResult {
        for Declared { name, effort, question, .. } in &STUDY.experiments {
            terminal::line(&format!("{name} ({effort} on two cores)\n    {question}"));
        }
        terminal::line("\nSuites that are not built in:");
        let library = Library::open(self.suites.as_deref())?;
        for DeclaredSuite { name, title, positions, source, .. } in &STUDY.suites {
            let found = if library.get(name)?.is_some() { "found" } else { "not found" };
            terminal::line(&format!(
                "{name}: {found}\n    {title}, {positions} positions\n    {source}"
            ));
        }
        Ok(())
    }
}

impl RunArgs {
    fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let workplace = Workplace {
            records: self.paths.results.clone(),
            journals: self.journals.clone(),
            suites: self.suites.clone(),
            workers: worker_count(self.concurrency),
            quiet: self.quiet,
        };
        let chosen: Vec<&Declared> = match self.only.as_slice() {
            [] => STUDY.experiments.iter().filter(|it| it.is_quick || !self.quick).collect(),
            only => only.iter().flat_map(|it| it.iter().copied()).collect(),
        };
        for declared in chosen {
            terminal::line(&format!(
                "{}: {} ({})",
                declared.name, declared.question, declared.effort
            ));
            match workplace.run(declared, stop)? {
                Done::Written(path) => terminal::line(&format!("  results: {}", path.display())),
                Done::Missing(suites) => terminal::line(&format!(
                    "  skipped: --suites names no folder with {}",
                    suites.join(" and ")
                )),
            }
        }
        DocumentArgs { check: false, paths: self.paths.clone() }.run()
    }
}

impl PageArgs {
    fn run(&self) -> CommandResult {
        let page = page::page(&self.document)?;
        let folder = self.out.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(folder).map_err(FileError::at(folder))?;
        replace(&self.out, |file| std::io::Write::write_all(file, page.as_bytes()))?;
        terminal::line(&format!("{}: {}", self.document.display(), self.out.display()));
        Ok(())
    }
}

impl DocumentArgs {
    fn run(&self) -> CommandResult {
        let document = Document::make(&self.paths.document, &self.paths.results)?;
        let outdated = document.outdated();
        if self.check && !outdated.is_empty() {
            let files: Vec<String> =
                outdated.iter().map(|path| path.display().to_string()).collect();
            let files = files.join(", ");
            return Err(format!("outdated: {files}; run `study document`").into());
        }
        if !self.check {
            document.write()?;
        }
        terminal::line(&format!(
            "{}: made from {}",
            self.paths.document.display(),
            self.paths.results.display()
        ));
        Ok(())
    }
}
