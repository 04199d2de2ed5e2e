//! Matches that other commands play: options of this engine against each other, with no files.

use std::sync::Arc;

use nullarbor_openings::Book;
use nullarbor_report::table::Table;
use nullarbor_report::terminal;

use super::error::RunError;
use super::plan::{Format, Plan};
use super::play::MatchError;
use super::report::{ranking, results};
use super::run::Outcome;
use super::session::Session;
use crate::adjudication::Adjudication;
use crate::engine_config::{EngineConfig, Program};
use crate::game::Rules;
use crate::in_process::EngineOptions;
use crate::limit::Limit;
use nullarbor_runs::{Stop, Workers};
use nullarbor_stats::Sprt;

/// A round robin from the book `unbalanced`, adjudicated as tests are.
pub struct RoundRobin {
    /// The players: names and options.
    pub players: Vec<(String, EngineOptions)>,
    /// Their limit.
    pub limit: Limit,
    /// Games of each pairing; an odd number is rounded up.
    pub games: u64,
    /// The seed of the order of the openings.
    pub seed: u64,
    /// The test that may end it, if there are two players.
    pub sprt: Option<Sprt>,
    /// Threads or machines that play the games.
    pub workers: Workers,
    /// Show no progress.
    pub quiet: bool,
}

impl RoundRobin {
    /// Returns the plan of the match.
    ///
    /// # Errors
    /// If the players or the games make no match.
    pub fn plan(&self) -> Result<Plan, MatchError> {
        let engine = |(name, options): &(String, EngineOptions)| EngineConfig {
            name: name.clone(),
            program: Program::InProcess(options.clone()),
            limit: self.limit.clone(),
        };
        let mut book = Book::open("unbalanced", None)?;
        book.shuffle(self.seed);
        let plan = Plan {
            engines: self.players.iter().map(engine).collect(),
            format: Format::RoundRobin,
            games: self.games.next_multiple_of(2),
            book,
            seed: self.seed,
            rules: Rules { adjudication: Adjudication::OF_TESTS, ..Rules::default() },
            sprt: self.sprt,
            pgn: None,
        };
        Ok(plan.checked()?)
    }

    /// Plays the games. If they are interrupted, prints the results so far.
    ///
    /// # Errors
    /// If a player cannot be created, or the games are interrupted.
    pub fn play(&self, stop: &Arc<Stop>) -> Result<(Plan, Outcome), MatchError> {
        let plan = self.plan()?;
        let outcome = Session::without_files(&self.workers, self.quiet).play(&plan, stop)?;
        match outcome.end {
            Ok(_) => Ok((plan, outcome)),
            Err(error) => {
                if let RunError::Interrupted(_) = error {
                    // No file keeps them.
                    terminal::print(&results::standings(&plan, &outcome.standings));
                }
                Err(error.into())
            }
        }
    }

    /// Plays the games, prints the results and returns what it printed.
    ///
    /// # Errors
    /// As [`RoundRobin::play`].
    pub fn play_and_print(&self, stop: &Arc<Stop>) -> Result<String, MatchError> {
        let (plan, outcome) = self.play(stop)?;
        let text = results::results(&plan, &outcome);
        terminal::print(&text);
        Ok(text)
    }

    /// Returns the result of each player against all others, and of each pairing.
    pub fn tables(&self, plan: &Plan, outcome: &Outcome) -> Vec<Table> {
        let title = format!("games: {}", self.limit);
        let ranking = ranking::table(&title, &plan.names(), &outcome.standings);
        let title = format!("{title}, by pairing");
        let pairings = ranking::pairings(&title, &plan.names(), &outcome.standings);
        vec![ranking, pairings]
    }
}
