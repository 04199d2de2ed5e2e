//! A match as a command plays it: engines tried first, files opened, progress shown, a summary written.

use std::sync::Arc;

use thiserror::Error;

use super::error::RunError;
use super::journal::{self, Opened, Start};
use super::pgn::PgnFile;
use super::plan::{Plan, PlanError};
use super::record::GameRecord;
use super::report::progress::Progress;
use super::report::summary;
use super::run::{Files, Outcome, run};
use super::session::Session;
use crate::affinity::AffinityError;
use crate::engine_config::{EngineConfig, EngineStartError, Program, StartContext};
use crate::tablebases::TableRule;
use crate::uci::log::TrafficLog;
use nullarbor_openings::BookError;
use nullarbor_report::terminal::{self, printable};
use nullarbor_runs::files::{FileError, check_writable};
use nullarbor_runs::journal::JournalError;
use nullarbor_runs::paths::{Named, OutputError, OutputLock, check_outputs};
use nullarbor_runs::{Stop, Workers};

/// Why a match was not played, or not to its end.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum MatchError {
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Affinity(#[from] AffinityError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Engine(#[from] EngineStartError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("{0} (a match does not overwrite the games of another one)")]
    Pgn(FileError),
    #[error(transparent)]
    Summary(#[from] FileError),
    #[error(transparent)]
    Run(#[from] RunError),
}

impl Session<'_> {
    /// Plays a match. If it ends early, what was finished is in the outcome and in the files.
    ///
    /// # Errors
    /// If no game can be played, or the summary cannot be written.
    pub fn play(&self, plan: &Plan, stop: &Arc<Stop>) -> Result<Outcome, MatchError> {
        self.check_paths(plan)?;
        let _lock = self.summary.map(OutputLock::of_file).transpose()?;
        if let Some(path) = self.summary {
            check_writable(path)?;
        }
        let (chess960, timeout, stop) = (plan.rules.chess960, self.timeout, Arc::clone(stop));
        let log = self.log.map(TrafficLog::open).transpose()?.map(Arc::new);
        let processors = self.processors(plan)?;
        let context = StartContext { chess960, timeout, stop, log, processors };
        for engine in &plan.engines {
            // Started once each, so that what is wrong with one is told before the first game.
            engine.start(&context)?;
        }
        let start = Start::of(plan, self.command);
        let (files, known, was_torn) = self.open_files(plan, &start)?;
        let progress = Progress::new(plan, &known, self);
        progress.announce(known.len(), was_torn);
        let outcome = run(plan, self.workers, &context, known, files, &progress);
        progress.finish();
        for fault in plan.rules.tables.iter().flat_map(TableRule::new_faults) {
            terminal::message(format_args!("warning: {}", printable(&fault)));
        }
        if let Some(path) = self.summary {
            summary::write(path, plan, start.identity, &outcome)?;
        }
        Ok(outcome)
    }

    /// Returns the processors that workers are bound to.
    fn processors(&self, plan: &Plan) -> Result<Vec<usize>, AffinityError> {
        match (self.affinity, self.workers) {
            (Some(affinity), Workers::Threads(count)) => affinity.processors(*count, &plan.engines),
            _ => Ok(Vec::new()),
        }
    }

    /// Fails if a file would be written over one that the match reads or writes.
    fn check_paths(&self, plan: &Plan) -> Result<(), OutputError> {
        let outputs = [
            Named::optional("--resume", self.journal),
            Named::optional("--pgn", plan.pgn.as_ref().map(|pgn| &*pgn.path)),
            Named::optional("--json", self.summary),
            Named::optional("--log", self.log),
        ];
        let outputs: Vec<Named> = outputs.into_iter().flatten().collect();
        let book = Named::new("the book", &plan.book.name);
        let inputs: Vec<Named> =
            plan.engines.iter().flat_map(files_of).chain(std::iter::once(book)).collect();
        check_outputs(&outputs, &inputs)
    }

    /// Opens the journal and the PGN file; returns the games of the journal, and whether its last line was torn.
    fn open_files(
        &self,
        plan: &Plan,
        start: &Start,
    ) -> Result<(Files, Vec<GameRecord>, bool), MatchError> {
        let opened = self.journal.map(|path| journal::open(path, &start.identity)).transpose()?;
        let resumed = opened.as_ref().is_some_and(|opened| opened.subject.is_some());
        let pgn =
            plan.pgn.as_ref().map(|pgn| PgnFile::open(&pgn.path, resumed, pgn.appends)).transpose();
        let pgn = pgn.map_err(MatchError::Pgn)?;
        let Some(Opened { journal: mut file, subject, pieces, was_torn }) = opened else {
            return Ok((Files { journal: None, pgn }, Vec::new(), false));
        };
        // Last: a match that does not begin leaves no trace.
        file.begin(start)?;
        if let Some(extension) = subject.and_then(|known| start.extension(&known)) {
            file.add(&extension).and_then(|()| file.sync())?;
        }
        Ok((Files { journal: Some(file), pgn }, pieces, was_torn))
    }
}

/// The files that an engine reads.
fn files_of(engine: &EngineConfig) -> Vec<Named> {
    let named = |path| Named::new(format!("a file of {}", engine.name), path);
    match &engine.program {
        Program::InProcess(options) => {
            [&options.network, &options.scheme_file].into_iter().flatten().map(named).collect()
        }
        Program::External(command) => vec![named(&command.program)],
    }
}
