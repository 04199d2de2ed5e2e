//! `match`: games between engines.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::CommandResult;
use super::match_args::{DEFAULT_PATIENCE, MatchArgs, PlanError};
use nullarbor_games::engine_config::{EngineStartError, Kind, NoPlayer, Start};
use nullarbor_games::matches::journal::{Journal, JournalError, Opened};
use nullarbor_games::matches::pgn::{PgnError, PgnFile};
use nullarbor_games::matches::plan::Settings;
use nullarbor_games::matches::report::progress::Progress;
use nullarbor_games::matches::report::ranking::table;
use nullarbor_games::matches::report::results::{self, Pairing};
use nullarbor_games::matches::report::summary::{self, SummaryError};
use nullarbor_games::matches::run::{Files, RunError, Watch};
use nullarbor_games::matches::{self, Outcome, Plan, Record, Standings, Status};
use nullarbor_games::pair::Leg;
use nullarbor_games::stats::Verdict;
use nullarbor_games::uci::StartError;
use nullarbor_games::work::{Interrupted, Stop};
use nullarbor_report::terminal;

/// Why a match was not played, or not to its end.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum MatchError {
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    EngineConfig(#[from] EngineStartError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("{0} (a match does not overwrite games of another one)")]
    Pgn(PgnError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Summary(#[from] SummaryError),
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
}

impl MatchArgs {
    /// Plays the match.
    ///
    /// # Errors
    /// Where something that was asked for cannot be had. What was finished is shown, and in the files.
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        // Who repeats the words of a match to take it up again need not know what its seed was.
        let plan = self.plan(self.resume.as_deref().and_then(Journal::seed))?;
        let start = Start {
            chess960: plan.rules.chess960,
            patience: Duration::from_secs(self.patience),
            stop: Arc::clone(stop),
        };
        if let Some(path) = &self.json {
            summary::check(path)?;
        }
        try_out(&plan, &start)?;
        let settings = plan.settings();
        let (files, known, was_torn) = self.open_files(&settings)?;
        let mut viewer = Viewer::new(&plan, known.len(), self.quiet, self.verbose);
        if !self.quiet {
            self.announce(&plan, known.len(), was_torn, &viewer.progress);
        }
        let outcome = matches::run(&plan, self.workers(), &start, known, files, &mut viewer);
        viewer.progress.end();
        terminal::print(&results(&plan, &outcome));
        let written =
            self.json.as_ref().map(|path| summary::write(path, &plan, &settings, &outcome));
        if let Some(error) = outcome.error {
            return Err(error.into());
        }
        written.transpose()?;
        match outcome.status {
            Status::Interrupted => Err(Interrupted.into()),
            _ => Ok(()),
        }
    }

    /// The journal and the games, and what was known from the journal.
    fn open_files(&self, settings: &Settings) -> Result<(Files, Vec<Record>, bool), MatchError> {
        let opened = self.resume.as_ref().map(|path| Journal::open(path, settings)).transpose()?;
        let resumed = opened.as_ref().is_some_and(|opened| !opened.is_new);
        let pgn = self.pgn.as_ref().map(|path| PgnFile::open(path, resumed)).transpose();
        let pgn = pgn.map_err(MatchError::Pgn)?;
        let Some(Opened { mut journal, records, was_torn, .. }) = opened else {
            return Ok((Files { journal: None, pgn }, Vec::new(), false));
        };
        // Last: a match that does not begin leaves no trace of having begun.
        journal.begin(settings)?;
        Ok((Files { journal: Some(journal), pgn }, records, was_torn))
    }

    fn announce(&self, plan: &Plan, known: usize, torn: bool, progress: &Progress) {
        let names: Vec<&str> = plan.engines.iter().map(|engine| engine.name.as_str()).collect();
        let games = if plan.sprt.is_some() { "up to " } else { "" };
        progress.say(&format!(
            "{}: {games}{} games, book {} ({} openings), seed {}, {} at a time",
            names.join(" - "),
            2 * plan.pairs(),
            plan.book.name,
            plan.book.openings.len(),
            plan.seed,
            self.workers(),
        ));
        if torn {
            progress.say("The last line of the journal was cut short, and is dropped.");
        }
        if known > 0 {
            progress.say(&format!("{known} games are known from the journal."));
        }
        let wanted = self.games.map_or(plan.rounds, |games| games / 2);
        if plan.rounds < wanted {
            progress.say(
                "Without a clock an opening is played just once by each pairing, so the book limits the match.",
            );
        }
    }
}

/// Plays games that leave no files.
pub(super) fn play(
    plan: &Plan,
    workers: usize,
    stop: &Arc<Stop>,
    quiet: bool,
) -> Result<Outcome, MatchError> {
    let start = Start {
        chess960: plan.rules.chess960,
        patience: Duration::from_secs(DEFAULT_PATIENCE),
        stop: Arc::clone(stop),
    };
    try_out(plan, &start)?;
    let mut viewer = Viewer::new(plan, 0, quiet, false);
    let files = Files { journal: None, pgn: None };
    let mut outcome = matches::run(plan, workers, &start, Vec::new(), files, &mut viewer);
    viewer.progress.end();
    match outcome.error.take() {
        Some(error) => Err(error.into()),
        None if outcome.status == Status::Interrupted => {
            // Nothing else keeps what was played.
            terminal::print(&results(plan, &outcome));
            Err(Interrupted.into())
        }
        None => Ok(outcome),
    }
}

/// Shows what happens.
struct Viewer<'a> {
    plan: &'a Plan,
    progress: Progress,
    verbose: bool,
}

impl<'a> Viewer<'a> {
    fn new(plan: &'a Plan, known: usize, quiet: bool, verbose: bool) -> Self {
        let progress = Progress::new(2 * plan.pairs(), known as u64, plan.sprt, quiet);
        Self { plan, progress, verbose }
    }

    /// White's name and Black's.
    fn players(&self, pair: u64, leg: Leg) -> String {
        let pairings = self.plan.pairings();
        let pairing = pairings[(pair % pairings.len() as u64) as usize];
        let names = pairing.seats(leg).0.map(|seat| self.plan.engines[seat].name.as_str());
        names.join(" vs ")
    }
}

impl Watch for Viewer<'_> {
    fn begins(&mut self, pair: u64, leg: Leg) {
        if self.verbose {
            let (number, all) = (2 * pair + 1 + leg as u64, 2 * self.plan.pairs());
            let players = self.players(pair, leg);
            self.progress.print(&format!("Started game {number} of {all} ({players})"));
        }
    }

    fn ends(&mut self, game: &Record) {
        if self.verbose {
            let (number, result) = (game.number(), game.end.result());
            let players = self.players(game.pair, game.leg);
            let line = format!("Finished game {number} ({players}): {result} {{{}}}", game.end);
            self.progress.print(&line);
        }
    }

    fn stands(&mut self, standings: &Standings) {
        let single = (standings.counts.len() == 1).then(|| &standings.counts[0]);
        self.progress.show(standings.games(), single);
    }
}

/// Starts every engine once, so that what is wrong with one is said before the first game.
fn try_out(plan: &Plan, start: &Start) -> Result<(), MatchError> {
    for engine in &plan.engines {
        engine.start(start).map_err(|error| match *error.reason {
            NoPlayer::External(StartError::Aborted) => Interrupted.into(),
            _ => MatchError::EngineConfig(error),
        })?;
    }
    Ok(())
}

/// What a match came to, in lines.
pub(super) fn results(plan: &Plan, outcome: &Outcome) -> String {
    const RULE: &str = "--------------------------------------------------\n";
    let standings = &outcome.standings;
    let name = |number: usize| plan.engines[number].name.as_str();
    let mut text = RULE.to_owned();
    for (pairing, counts) in standings.pairings.iter().zip(&standings.counts) {
        let setting = setting(plan, pairing.first, pairing.second);
        let pairing = Pairing {
            first: name(pairing.first),
            second: name(pairing.second),
            setting: &setting,
            counts: *counts,
            sprt: plan.sprt,
        };
        text += &results::results(&pairing);
        text += RULE;
    }
    text += &table(plan, standings);
    text += RULE;
    text += match outcome.status {
        Status::Decided(Verdict::H1) => "SPRT: H1 was accepted\n",
        Status::Decided(Verdict::H0) => "SPRT: H0 was accepted\n",
        Status::Complete if plan.sprt.is_some() => "SPRT: undecided\n",
        Status::Complete => "",
        Status::Interrupted => "Interrupted\n",
        Status::Failed => "Ended by an error\n",
    };
    text
}

/// Limit, threads, table and book, as fastchess names them.
fn setting(plan: &Plan, first: usize, second: usize) -> String {
    let one = |number: usize| {
        let engine = &plan.engines[number];
        let option = |name: &str, unit: &str| match &engine.kind {
            Kind::InProcess(setting) if name == "Hash" => Some(format!("{}{unit}", setting.hash)),
            Kind::InProcess(_) => None,
            Kind::External(command) => command
                .options
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name))
                .map(|(_, value)| format!("{value}{unit}")),
        };
        let threads = option("Threads", "t").unwrap_or_else(|| "1t".to_owned());
        let hash = option("Hash", "MB").unwrap_or_else(|| "NULL".to_owned());
        [engine.limit.to_string(), threads, hash]
    };
    let (first, second) = (one(first), one(second));
    let join = |(one, other): (&String, &String)| {
        if one == other { one.clone() } else { format!("{one} - {other}") }
    };
    let parts: Vec<String> = first.iter().zip(&second).map(join).collect();
    let book = Path::new(&plan.book.name).file_name().unwrap_or_default();
    format!("{}, {}", parts.join(", "), book.display())
}
